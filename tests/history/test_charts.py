"""Charts as SVG: the numbers are where they belong, and no label lies on another."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from web_ui.charts import (
    LINE_GAP,
    MOST_COLUMNS,
    MOST_ROWS,
    TEXT,
    WIDTH,
    Bar,
    Line,
    apart,
    bars,
    buckets,
    columns,
    lines,
    shortened,
    ticks,
    width_of,
)

HOSTILE = ("<b>&\"'", "שלום \u202eevil", "🐙🦀" * 20, "W" * 200, "a\r\nb\0c", "")


def drawn(picture: Markup) -> ET.Element:
    root = ET.fromstring(str(picture))
    assert root.get("role") == "img"
    left, top, wide, high = map(float, root.get("viewBox").split())
    assert (left, top, wide) == (0, 0, WIDTH)
    for node in root.iter():
        for x in (node.get("x"), *re.findall(r"([\d.-]+),", node.get("points", ""))):
            assert x is None or 0 <= float(x) <= wide
        for y in (node.get("y"), *re.findall(r",([\d.-]+)", node.get("points", ""))):
            assert y is None or 0 <= float(y) <= high
        if node.get("width") and node.tag == "rect":
            assert 0 <= float(node.get("width")) <= wide - float(node.get("x")) + 0.1
    return root


def texts(root: ET.Element, kind: str) -> list[ET.Element]:
    return [node for node in root.iter("text") if kind in node.get("class").split()]


def no_overlap(root: ET.Element) -> None:
    """The boxes of all texts, as wide as they are guessed to be, lie apart."""
    boxes = []
    for node in root.iter("text"):
        kinds = node.get("class").split()
        size = 12 if "tick" in kinds else TEXT
        wide = width_of(node.text or "", size) * 0.95
        x = float(node.get("x"))
        left = x - wide if "end" in kinds else x - wide / 2 if "middle" in kinds else x
        assert left >= -1
        assert left + wide <= WIDTH + 1
        boxes.append((left, left + wide, float(node.get("y")) - size * 0.75, float(node.get("y"))))
    for place, one in enumerate(boxes):
        for other in boxes[place + 1 :]:
            apart_ = one[1] <= other[0] or other[1] <= one[0]
            assert apart_ or one[3] <= other[2] or other[3] <= one[2], (one, other)


def line(name: str, seat: int, *values: int) -> Line:
    return Line(name, seat, "circle", values)


def test_lines_go_through_the_numbers():
    root = drawn(lines("Score", [line("Ann", 1, 0, 2, 4), line("Bo", 2, 0, 0, 5)], "/i.svg"))
    assert root.find("title").text == "Score"
    groups = list(root.iter("g"))
    assert [node.find("title").text for node in groups] == ["Ann: 4", "Bo: 5"]
    points = [
        [
            tuple(map(float, point.split(",")))
            for point in node.find("polyline").get("points").split()
        ]
        for node in groups
    ]
    (ann, bo) = points
    assert ann[0] == bo[0]
    assert [x for x, _ in ann] == [x for x, _ in bo]
    zero, five = ann[0][1], bo[2][1]
    for (_, y), value in zip(ann, (0, 2, 4), strict=True):
        assert y == pytest.approx(zero + (five - zero) * value / 5, abs=0.1)
    no_overlap(root)


def test_lines_are_told_apart_without_colours():
    root = drawn(lines("Score", [line(f"P{n}", n, 0, n) for n in range(1, 7)], "/i.svg"))
    dashes = [node.get("stroke-dasharray") for node in root.iter("polyline")]
    widths = [float(node.get("stroke-width")) for node in root.iter("polyline")]
    assert len(set(dashes)) == 6
    assert widths == sorted(widths, reverse=True)
    assert len(set(widths)) == 6
    assert [node.get("href") for node in root.iter("use")] == ["/i.svg#circle"] * 6


@pytest.mark.parametrize("turns", [1, 2, 3, 9, 10, 11, 29, 57, 100, 999])
@pytest.mark.parametrize("last", [[7] * 6, [0] * 6, [0, 1, 1, 2, 40, 41], [100_000, 3, 2, 1, 0, 0]])
def test_labels_of_lines_lie_apart(turns, last):
    players = [line(name, seat, *[0] * turns, value) for seat, (name, value) in enumerate(
        zip(HOSTILE, last, strict=True), 1)]  # fmt: skip
    no_overlap(drawn(lines("Score", players, "/i.svg")))


def test_a_game_without_a_turn_is_drawn():
    no_overlap(drawn(lines("Score", [line("Ann", 1, 0), line("Bo", 2, 0)], "/i.svg")))


def test_numbers_below_zero_are_drawn():
    no_overlap(drawn(lines("Score", [line("Ann", 1, 0, -7, 3), line("Bo", 2, 0, 2, 12)], "/i.svg")))


def test_bars_are_as_long_as_their_numbers():
    root = drawn(bars("Won", [Bar("Ann", 3, "3 of 12", 12), Bar("Bo", 6, "6 of 6", 6)]))
    parts = [float(node.get("width")) for node in root.iter("rect") if node.get("class") == "part"]
    wholes = [
        float(node.get("width")) for node in root.iter("rect") if node.get("class") == "whole"
    ]
    assert parts[1] == pytest.approx(2 * parts[0], abs=0.1)
    assert wholes == [WIDTH - 4, pytest.approx(parts[1], abs=0.1)]
    assert [node.text for node in texts(root, "value")] == ["3 of 12", "6 of 6"]
    no_overlap(root)


def test_bars_of_many_and_of_hostile_names():
    many = [Bar(name, 10**place, f"{10**place} of 999999") for place, name in enumerate(HOSTILE)]
    root = drawn(bars("Won", many * 5))
    assert len(texts(root, "label")) == MOST_ROWS
    no_overlap(root)
    drawn(bars("Nobody", [Bar("Ann", 0, "0")]))


def test_columns_are_as_high_as_their_counts():
    root = drawn(columns("Length", [3, 4, 12, 12, 13, 14, 47]))
    rects = [float(node.get("height")) for node in root.iter("rect")]
    size, counts = buckets([3, 4, 12, 12, 13, 14, 47])
    assert (size, counts) == (5, [2, 0, 4, 0, 0, 0, 0, 0, 0, 1])
    assert rects[0] == pytest.approx(rects[2] / 2, abs=0.1)
    assert [node.text or "" for node in texts(root, "value")] == [str(n or "") for n in counts]
    no_overlap(root)


@given(st.lists(st.integers(0, 100_000), min_size=1, max_size=60))
def test_every_number_is_in_one_bucket(values):
    size, counts = buckets(values)
    assert sum(counts) == len(values)
    assert len(counts) <= MOST_COLUMNS
    assert counts[-1] > 0
    assert counts[min(values) // size] > 0
    no_overlap(drawn(columns("Length", values)))


@given(st.integers(0, 10**7))
def test_ticks_reach_the_highest(highest):
    marks = ticks(highest)
    assert marks[0] == 0
    assert marks[-1] >= highest
    assert 2 <= len(marks) <= 6
    assert len({after - before for before, after in pairwise(marks)}) == 1


@given(st.lists(st.floats(10, 200), min_size=1, max_size=8))
def test_labels_move_apart_and_keep_their_order(wanted):
    places = apart(wanted, LINE_GAP, 10, 200)
    gap = min(LINE_GAP, 190 / max(1, len(wanted) - 1))
    ordered = sorted(places)
    assert all(after - before >= gap - 1e-6 for before, after in pairwise(ordered))
    assert all(10 - 1e-6 <= place <= 200 + 1e-6 for place in places)
    for one, place in zip(wanted, places, strict=True):
        for other, further in zip(wanted, places, strict=True):
            assert one >= other or place < further


@given(st.text(max_size=80), st.integers(20, 200))
def test_names_are_cut_to_the_room_there_is(text, room):
    short = shortened(text, room)
    assert width_of(short) <= room
    assert not re.search(r"[\x00-\x1f\u202a-\u202e]", short)
