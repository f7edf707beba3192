"""The sheet of labels is as large on paper as it says, measured in what Chromium prints."""

from __future__ import annotations

import ctypes
import re
from dataclasses import dataclass

import pytest
from evening import serving

from companion.enrolling.places import places_of
from web_ui.tag_sheet import SIZES_MM

TOLERANCE_MM = 0.5
MM_A_POINT = 25.4 / 72
STROKE_MM = 0.25
"""Of the dashes around the place for a sticker: they are drawn as shapes of that width."""


@dataclass(frozen=True)
class Shape:
    """A shape on a printed page, in mm from its lower left corner."""

    left: float
    low: float
    right: float
    high: float

    @property
    def width(self):
        return self.right - self.left

    @property
    def height(self):
        return self.high - self.low


def shapes(page):
    """All shapes of a page; their corners come from the points they are drawn by."""
    from pypdfium2 import raw  # noqa: PLC0415

    x, y = ctypes.c_float(), ctypes.c_float()
    for drawn in page.get_objects(max_depth=15, filter=[raw.FPDF_PAGEOBJ_PATH]):
        m = drawn.get_matrix()
        points = []
        for number in range(raw.FPDFPath_CountSegments(drawn)):
            raw.FPDFPathSegment_GetPoint(raw.FPDFPath_GetPathSegment(drawn, number), x, y)
            points.append(
                (m.a * x.value + m.c * y.value + m.e, m.b * x.value + m.d * y.value + m.f)
            )
        across, up = zip(*points, strict=True)
        edges = (min(across), min(up), max(across), max(up))
        yield Shape(*(MM_A_POINT * edge for edge in edges))


@pytest.fixture
def printed(evening, page):
    """Prints a tag sheet; a rule of style may be planted."""
    import pypdfium2  # noqa: PLC0415

    def sheet(query, plant=""):
        with serving(evening.app) as server:
            page.goto(f"http://127.0.0.1:{server.port}/tag-sheet?{query}")
            if plant:
                page.evaluate(
                    "(rule) => document.styleSheets[1].insertRule(rule, document.styleSheets[1].cssRules.length)",
                    plant,
                )
            return pypdfium2.PdfDocument(page.pdf(prefer_css_page_size=True))

    return sheet


def close(shape, width, height):
    return abs(shape.width - width) < TOLERANCE_MM and abs(shape.height - height) < TOLERANCE_MM


def rulers(document):
    return [shape for page in document for shape in shapes(page) if close(shape, 100, 0)]


@pytest.mark.needs("chromium")
@pytest.mark.parametrize("size", SIZES_MM)
def test_what_is_printed_is_true_to_half_a_millimetre(printed, size):
    document = printed(f"game=sea-salt-paper&size={size}&part=cards")
    pages = 2 if size == 25 else 3
    assert len(document) == pages
    for page in document:
        width, height = (MM_A_POINT * points for points in page.get_size())
        assert abs(width - 210) < TOLERANCE_MM
        assert abs(height - 297) < TOLERANCE_MM
    assert len(rulers(document)) == pages
    places = [
        shape
        for page in document
        for shape in shapes(page)
        if close(shape, size + STROKE_MM, size + STROKE_MM)
    ]
    assert len(places) == 58
    # Two neighbours are as far apart as their labels are wide, and none leaves the paper.
    first, second = sorted(places[:2], key=lambda place: place.left)
    assert abs(second.left - first.left - 38) < TOLERANCE_MM
    assert all(place.left > 5 and place.right < 205 for place in places)
    assert all(place.low > 15 and place.high < 292 for place in places)


@pytest.mark.needs("chromium")
def test_a_sheet_that_is_one_per_cent_too_small_is_found(printed):
    assert len(rulers(printed("game=tentacles"))) == 2
    assert rulers(printed("game=tentacles", "@media print { .paper { width: 207.9mm } }")) == []


@pytest.mark.parametrize("game", ["tentacles", "octopus-alarm", "sea-salt-paper"])
def test_there_is_a_label_for_each_piece(evening, game):
    client = evening.client()
    page = client.get(f"/tag-sheet?game={game}").text
    wanted = sum(place.wanted for place in places_of(game).values() if place.part != "additions")
    assert page.count('class="place"') == wanted
    tokens = client.get(f"/tag-sheet?game={game}&part=tokens").text
    assert 'class="place"' in tokens
    assert tokens.count('class="place"') < page.count('class="place"')
    assert "style=" not in page
    assert not re.search(r"%[^\w\s]|\{\}", page)  # nothing is left unfilled


def test_a_size_that_there_is_none_of_gives_the_usual_one(evening):
    client = evening.client()
    assert "25 mm" in client.get("/tag-sheet?size=1000000&part=nothing").text
    assert client.get("/tag-sheet?game=chess").status_code == 404
