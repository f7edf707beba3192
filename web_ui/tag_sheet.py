"""A sheet to print: labels with a place for each sticker, so that no card gets a wrong one.

It is drawn in millimetres; a ruler on each page shows whether the printer kept them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from flask import Blueprint, render_template, request

from companion.enrolling.places import Part, Place, places_of
from companion.rules import GAMES
from web_ui.enrol.pictures import Picture, picture_of, title_of
from web_ui.errors import Problem
from web_ui.games import face_of
from web_ui.words import gettext

blueprint = Blueprint("tag_sheet", __name__)

SIZES_MM = (25, 30)
"""Of round stickers, across."""
COLUMNS, LEFT_MM, TOP_MM = 5, 10, 14
WIDTH_MM = 38
"""Of a label."""
WORDS_MM = 18
"""Of a label, below the place for the sticker."""
BOTTOM_MM = 272
"""Below it stands the ruler."""
RULER_MM = 100
MOST_COPIES = 24


@dataclass(frozen=True, slots=True)
class Label:
    """A label.

    Attributes:
        x, y: its upper left corner on the paper, in mm.
        picture: of what it belongs on.
        copy: which of several alike, such as `2/4`; or empty.
    """

    x: int
    y: int
    picture: Picture
    copy: str


@dataclass(frozen=True, slots=True)
class Paper:
    """A page of labels.

    Attributes:
        labels: on it.
        corners: where labels meet, in mm.
    """

    labels: Sequence[Label]
    corners: Sequence[tuple[int, int]]


@blueprint.get("/tag-sheet")
def tag_sheet() -> str:
    """Labels to print."""
    game = request.args.get("game", next(iter(GAMES)))
    if game not in GAMES:
        raise Problem("not-found", gettext("There is no such game."))
    size = next((mm for mm in SIZES_MM if request.args.get("size") == str(mm)), SIZES_MM[0])
    offered = parts_of(game)
    asked = [part for part in offered if part in request.args.getlist("part")]
    chosen = asked or [part for part in offered if part != "additions"]
    papers = list(papers_of(game, size, chosen))
    return render_template(
        "enrol/tag-sheet.html",
        game=game,
        size=size,
        sizes=SIZES_MM,
        games=[(name, face_of(name).title()) for name in GAMES],
        title_of_game=face_of(game).title(),
        offered=[(part, title_of(part, game), part in chosen) for part in offered],
        papers=papers,
        count=sum(len(paper.labels) for paper in papers),
        mm={"width": WIDTH_MM, "height": size + WORDS_MM, "ruler": RULER_MM},
    )


def parts_of(game: str) -> Sequence[Part]:
    """What of a game can be printed."""
    return list(dict.fromkeys(place.part for place in places_of(game).values()))


def papers_of(game: str, size_mm: int, chosen: Sequence[Part]) -> Iterator[Paper]:
    """The pages with a label for each piece.

    Args:
        game: its name.
        size_mm: of the stickers, across.
        chosen: what is printed.
    """
    height = size_mm + WORDS_MM
    rows = (BOTTOM_MM - TOP_MM) // height
    pieces = [
        (place, copy)
        for place in places_of(game).values()
        if place.part in chosen
        for copy in range(1, min(place.wanted, MOST_COPIES) + 1)
    ]
    for start in range(0, len(pieces), COLUMNS * rows):
        on_page = pieces[start : start + COLUMNS * rows]
        used = -(-len(on_page) // COLUMNS)
        yield Paper(
            [_label(place, copy, number, height) for number, (place, copy) in enumerate(on_page)],
            [
                (LEFT_MM + WIDTH_MM * column, TOP_MM + height * row)
                for row in range(used + 1)
                for column in range(COLUMNS + 1)
            ],
        )


def _label(place: Place, copy: int, number: int, height: int) -> Label:
    row, column = divmod(number, COLUMNS)
    picture = picture_of(place.component)
    return Label(
        LEFT_MM + WIDTH_MM * column,
        TOP_MM + height * row,
        picture,
        f"{copy}/{place.wanted}" if place.wanted > 1 else "",
    )
