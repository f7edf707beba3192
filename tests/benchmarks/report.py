"""What the benchmarks share: percentiles, and one row of the table with its printing."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
"""Child processes start here, so that they find this package."""

WIDTH = 118
HEADINGS = ("", "measured", "figure", "beside it", "", "ratio", "aim", "")
RIGHT = (False, False, True, True, False, True, False, False)


class Missing(Exception):
    """What a benchmark needs is not on this machine; the text says what."""


@dataclass(frozen=True, slots=True)
class Aim:
    """What a figure should be: at least or at most so much."""

    limit: float
    at_least: bool = False

    def met(self, figure: float) -> bool:
        return figure >= self.limit if self.at_least else figure <= self.limit


@dataclass(frozen=True, slots=True)
class Row:
    """One figure.

    Attributes:
        name: what was measured.
        figure: in `unit`; None when it could not be measured.
        unit: such as `ms`.
        floor: the figure beside it, in the same unit.
        floor_name: what that one is.
        aim: where there is one.
        note: a sentence under the table, such as why there is no figure.
    """

    name: str
    figure: float | None
    unit: str
    floor: float | None = None
    floor_name: str = ""
    aim: Aim | None = None
    note: str = ""


def percentile(values: Iterable[float], percent: float) -> float:
    """Between the two nearest ranks, in proportion."""
    ordered = sorted(values)
    if not ordered:
        raise ValueError("there is nothing to take a percentile of")
    place = (len(ordered) - 1) * percent / 100
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def median(values: Iterable[float]) -> float:
    return percentile(values, 50)


def spelled(number: float) -> str:
    """With as many digits as a reader can use: `812,345`, `12.3`, `0.21`, `0.032`."""
    if abs(number) >= 100:
        return f"{number:,.0f}"
    if abs(number) >= 10:
        return f"{number:.1f}"
    return f"{number:.2f}" if abs(number) >= 0.1 or not number else f"{number:.3f}"


def table(results: Sequence[tuple[str, Sequence[Row]]]) -> str:
    """All rows, by benchmark, with their notes below."""
    notes: list[str] = []
    lines = [HEADINGS]
    for benchmark, rows in results:
        for number, row in enumerate(rows):
            lines.append(_cells("" if number else benchmark, row, notes))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    printed = [_line(cells, widths) for cells in lines]
    printed.insert(1, "-" * max(map(len, printed)))
    return "\n".join([*printed, *_notes(notes)])


def _cells(benchmark: str, row: Row, notes: list[str]) -> tuple[str, ...]:
    name = row.name
    if row.note:
        if row.note not in notes:
            notes.append(row.note)
        name += f" [{notes.index(row.note) + 1}]"
    if row.figure is None:
        return (benchmark, name, "not measured", "", "", "", *_aim(row))
    floor = "" if row.floor is None else f"{spelled(row.floor)} {row.unit}"
    ratio = "" if not row.floor else f"{spelled(row.figure / row.floor)}x"
    figure = f"{spelled(row.figure)} {row.unit}"
    return (benchmark, name, figure, floor, row.floor_name, ratio, *_aim(row))


def _aim(row: Row) -> tuple[str, str]:
    if row.aim is None:
        return "", ""
    least = "at least" if row.aim.at_least else "at most"
    aim = f"{least} {row.aim.limit:,g} {row.unit}"
    if row.figure is None:
        return aim, ""
    return aim, "met" if row.aim.met(row.figure) else "NOT MET"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (
        cell.rjust(width) if right else cell.ljust(width)
        for cell, width, right in zip(cells, widths, RIGHT, strict=True)
    )
    return "  ".join(padded).rstrip()


def _notes(notes: Sequence[str]) -> Iterator[str]:
    for number, note in enumerate(notes, start=1):
        yield textwrap.fill(f"[{number}] {note}", WIDTH, subsequent_indent="    ")
