"""Charts drawn on the server as SVG: readable without colours, and each with its numbers in text.

Sizes are in units of the view box, 400 wide: on a phone one unit is about one pixel. What is
told apart by colour is told apart by a pattern of strokes and a label as well.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

WIDTH = 400
TEXT = 14
"""Height of the letters."""
SMALL = 12
LABELS = 112
"""Room for the labels at the right of lines."""
LINE_GAP = 20
"""Between two labels, at least."""
ROW = 48
"""Height of a bar with the name above it."""
MOST_TICKS = 5
MOST_COLUMNS = 10
MOST_ROWS = 16
"""Of more players the first ones are drawn; the table behind has all."""

_DASHES = ("", "9 5", "3 4", "14 4 3 4", "6 3", "2 7")
_ISOLATE = "\N{FIRST STRONG ISOLATE}{}\N{POP DIRECTIONAL ISOLATE}"


@dataclass(frozen=True, slots=True)
class Line:
    """One player's numbers over time.

    Attributes:
        name: of the player.
        seat: from 1; chooses colour and pattern.
        shape: a symbol of the sprite.
        values: one for each point in time.
    """

    name: str
    seat: int
    shape: str
    values: Sequence[int]


@dataclass(frozen=True, slots=True)
class Bar:
    """A number with a name.

    Attributes:
        name: what it is of.
        value: how much.
        says: the number in words, such as `5 of 12`.
        of: how much it could be; None where nothing says so.
    """

    name: str
    value: int
    says: str
    of: int | None = None


def width_of(text: str, size: int = TEXT) -> float:
    """About how wide a text becomes: a wide letter is as wide as high, others six tenths."""
    wide = sum(
        0 if unicodedata.category(letter) in {"Mn", "Cf", "Me"}
        else 1 if unicodedata.east_asian_width(letter) in "WF"
        else 0.85 if letter in "WMwm@%" or letter.isupper()
        else 0.6
        for letter in text
    )  # fmt: skip
    return wide * size


def shortened(text: str, room: float, size: int = TEXT) -> str:
    """The text, or so much of its beginning as there is room for."""
    plain = _plain(text)
    if width_of(plain, size) <= room:
        return plain
    while plain and width_of(plain + "…", size) > room:
        plain = plain[:-1]
    return plain + "…"


def _plain(text: str) -> str:
    """The text without what is no letter: no SVG could have it, or it would turn the line round."""
    return "".join(
        letter for letter in text if unicodedata.category(letter) not in {"Cc", "Cf", "Cs", "Cn"}
    )


def ticks(highest: int) -> list[int]:
    """Whole numbers from 0 to at least the highest one, at most six of them, evenly apart."""
    step = 1
    for step in (base * 10**power for power in range(8) for base in (1, 2, 5)):
        if step * MOST_TICKS >= highest:
            break
    return list(range(0, step * max(1, math.ceil(highest / step)) + 1, step))


def apart(wanted: Sequence[float], gap: float, lowest: float, highest: float) -> list[float]:
    """Places near the wanted ones, in the same order, none nearer to another than the gap.

    Where there is not room enough between the bounds, the gap shrinks.
    """
    count = len(wanted)
    if count > 1:
        gap = min(gap, (highest - lowest) / (count - 1))
    order = sorted(range(count), key=lambda index: (wanted[index], index))
    places = [0.0] * count
    floor = lowest
    for rank, index in enumerate(order):
        room_left = highest - gap * (count - 1 - rank)
        places[index] = floor = min(max(wanted[index], floor), room_left)
        floor += gap
    return places


def lines(title: str, drawn: Sequence[Line], sprite_url: str) -> Markup:
    """Numbers over time: a line for each player, with the name at its end.

    Args:
        title: what is shown.
        drawn: all with the same number of values, at least one.
        sprite_url: of the symbols.
    """
    height = 260
    values = [value for line in drawn for value in line.values]
    marks = ticks(max(values, default=1))
    lowest = min(0, *values) if values else 0
    if lowest < 0:
        marks = [-mark for mark in ticks(-lowest)[:0:-1]] + marks
    left, right, top, bottom = 12 + 9 * len(str(marks[-1])), WIDTH - LABELS, 14, height - 30
    count = max(1, max((len(line.values) for line in drawn), default=1) - 1)

    def x(index: int) -> float:
        return round(left + (right - left) * index / count, 1)

    def y(value: float) -> float:
        share = (value - marks[0]) / (marks[-1] - marks[0] or 1)
        return round(bottom - (bottom - top) * share, 1)

    parts = [
        Markup(
            '<path class="grid" d="M{} {}H{}"/><text class="tick end" x="{}" y="{}">{}</text>'
        ).format(left, y(mark), right, left - 6, y(mark) + 4, mark)
        for mark in marks
    ]
    parts += [
        Markup('<text class="tick middle" x="{}" y="{}">{}</text>').format(
            x(index), bottom + 18, index
        )
        for index in sorted({0, *_even(count)})
    ]
    ends = apart([y(line.values[-1]) for line in drawn], LINE_GAP, top, bottom)
    for place, (line, end) in enumerate(zip(drawn, ends, strict=True)):
        points = " ".join(f"{x(index)},{y(value)}" for index, value in enumerate(line.values))
        dash = _DASHES[(line.seat - 1) % len(_DASHES)]
        # Where two lines run together the later, thinner one lies on the wider one.
        wide = 3 + 1.4 * (len(drawn) - 1 - place)
        last = y(line.values[-1])
        parts.append(
            Markup(
                '<g class="line seat-{}"><title>{}</title>'
                '<polyline points="{}" stroke-width="{}" stroke-dasharray="{}"/>'
                '<path class="lead" d="M{} {}L{} {}"/>'
                '<use href="{}#{}" x="{}" y="{}" width="16" height="16"/>'
                '<text class="label" x="{}" y="{}">{}</text></g>'
            ).format(
                line.seat,
                _plain(f"{line.name}: {line.values[-1]}"),
                points,
                round(wide, 1),
                dash or "none",
                right, last, right + 8, round(end, 1),
                sprite_url, line.shape, right + 10, round(end - 8, 1),
                right + 30, round(end + 5, 1),
                _isolated(f"{line.values[-1]} {shortened(line.name, LABELS - 34 - 9 * len(str(line.values[-1])) - 5)}"),
            )
        )  # fmt: skip
    return _svg(title, height, parts)


def _even(count: int) -> list[int]:
    """Numbers up to the count, about evenly apart, and the count itself."""
    step = next(each for each in ticks(count)[1:2])
    return [*(each for each in range(step, count, step) if count - each >= step * 0.6), count]


def bars(title: str, drawn: Sequence[Bar]) -> Markup:
    """Numbers with names, below one another; the number in words stands at the right."""
    shown = drawn[:MOST_ROWS]
    highest = max((bar.of if bar.of is not None else bar.value for bar in shown), default=1) or 1
    parts = []
    for row, bar in enumerate(shown):
        top = 4 + ROW * row
        says = width_of(bar.says)
        whole = Markup("")
        if bar.of is not None:
            whole = Markup(
                '<rect class="whole" x="2" y="{}" width="{}" height="14" rx="7"/>'
            ).format(top + 22, _long(bar.of, highest))
        parts.append(
            Markup(
                '<g class="bar"><title>{}</title><text class="label" x="2" y="{}">{}</text>'
                '<text class="value end" x="{}" y="{}">{}</text>{}'
                '<rect class="part" x="2" y="{}" width="{}" height="14" rx="{}"/></g>'
            ).format(
                _plain(f"{bar.name}: {bar.says}"),
                top + TEXT,
                _isolated(shortened(bar.name, WIDTH - says - 24)),
                WIDTH - 2, top + TEXT, bar.says, whole,
                top + 22, _long(bar.value, highest), min(7.0, _long(bar.value, highest) / 2),
            )
        )  # fmt: skip
    return _svg(title, 8 + ROW * len(shown), parts)


def _long(value: int, highest: int) -> float:
    return round((WIDTH - 4) * value / highest, 1)


def buckets(values: Sequence[int]) -> tuple[int, list[int]]:
    """How many values lie in each step of the same size, from 0; the size, and the counts."""
    highest = max(values, default=0)
    size = next(
        step
        for step in (*(b * 10**p for p in range(8) for b in (1, 2, 5)),)
        if highest < step * MOST_COLUMNS
    )
    counts = [0] * (highest // size + 1)
    for value in values:
        counts[value // size] += 1
    return size, counts


def columns(title: str, values: Sequence[int]) -> Markup:
    """How often which number came, in steps of a round size, from 0."""
    height = 220
    size, counts = buckets(values)
    highest = max(counts, default=1) or 1
    left, top, bottom = 14, 24, height - 28
    wide = (WIDTH - 2 * left) / len(counts)
    parts = []
    for place, count in enumerate(counts):
        tall = round((bottom - top) * count / highest, 1)
        x = left + wide * place
        parts.append(
            Markup(
                '<g class="column"><title>{}</title>'
                '<rect class="part" x="{}" y="{}" width="{}" height="{}"/>'
                '<text class="value middle" x="{}" y="{}">{}</text></g>'
            ).format(
                f"{size * place}-{size * (place + 1)}: {count}",
                round(x + 2, 1), round(bottom - tall, 1), round(wide - 4, 1), tall,
                round(x + wide / 2, 1), round(bottom - tall - 6, 1), count or "",
            )
        )  # fmt: skip
    # Long numbers stand under every second or third edge.
    longest = width_of(str(size * len(counts)), SMALL)
    every = max(1, math.ceil((longest + 4) / wide))
    for edge in range(0, len(counts) + 1, every):
        x = min(left + wide * edge, WIDTH - longest / 2)
        parts.append(
            Markup('<text class="tick middle" x="{}" y="{}">{}</text>').format(
                round(x, 1), bottom + 18, size * edge
            )
        )
    parts.append(Markup('<path class="grid" d="M{} {}H{}"/>').format(left, bottom, WIDTH - left))
    return _svg(title, height, parts)


def _isolated(text: str) -> str:
    """A text whose direction stays its own."""
    return _ISOLATE.format(text)


def _svg(title: str, height: int, parts: Sequence[Markup]) -> Markup:
    return Markup(
        '<svg class="chart" viewBox="0 0 {} {}" role="img"><title>{}</title>{}</svg>'
    ).format(WIDTH, height, escape(title), Markup("").join(parts))
