"""The tilt of a ship over the last seconds, as the points of a drawing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from companion.ship_trace import GAP_S, TRACE_S, Trace

WIDE, HIGH = 800, 240
"""The drawing's own units; the page scales it."""

LEAST_DEG, MOST_DEG = -5, 100
"""The bottom and the top of the drawing. A ship on its head is drawn there, too."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """One trace to draw. Positions are in the units of the drawing.

    Attributes:
        reader: the sensor.
        lines: points of polylines, such as `0,12 4,13`; a silence parts them.
        capsized_y, upright_y: where the thresholds are.
        capsized_deg, upright_deg: the thresholds.
        marks: where it came to be settled.
        seconds: where the lines of whole seconds are, and what they say.
        settled: it is at rest for as long as the judge asks for.
        rests_s: for how long it has been at rest.
        rest_s: for how long it has to be.
        tilt: degrees.
        lies: whether that is capsized; None between the thresholds.
        silent_s: since its last reading.
    """

    reader: str
    lines: tuple[str, ...]
    capsized_y: float
    upright_y: float
    capsized_deg: float
    upright_deg: float
    marks: tuple[float, ...]
    seconds: tuple[tuple[float, int], ...]
    settled: bool
    rests_s: float
    rest_s: float
    tilt: int
    lies: bool | None
    silent_s: float


def drawn(trace: Trace, now_ns: int) -> Drawing:
    """The trace as it is drawn."""
    limits = trace.thresholds
    lies = (
        True
        if trace.tilt >= limits.capsized_deg
        else False
        if trace.tilt <= limits.upright_deg
        else None
    )
    return Drawing(
        reader=trace.reader,
        lines=tuple(_lines(trace.points)),
        capsized_y=_y(limits.capsized_deg),
        upright_y=_y(limits.upright_deg),
        capsized_deg=limits.capsized_deg,
        upright_deg=limits.upright_deg,
        marks=tuple(_x(ago_s) for ago_s in trace.settled_s),
        seconds=tuple((_x(ago_s), ago_s) for ago_s in range(0, TRACE_S + 1, 5)),
        settled=trace.settled,
        rests_s=trace.rests_s,
        rest_s=limits.rest_s,
        tilt=round(trace.tilt),
        lies=lies,
        silent_s=max(0, now_ns - trace.heard_ns) / 1e9,
    )


def _lines(points: tuple[tuple[float, float], ...]) -> Iterator[str]:
    line: list[str] = []
    last_s: float | None = None
    for ago_s, tilt in points:
        if last_s is not None and last_s - ago_s > GAP_S:
            yield " ".join(line)
            line = []
        line.append(f"{_x(ago_s):g},{_y(tilt):g}")
        last_s = ago_s
    if line:
        yield " ".join(line)


def _x(ago_s: float) -> float:
    return round(WIDE * (1 - ago_s / TRACE_S), 1)


def _y(tilt: float) -> float:
    return round(HIGH * (MOST_DEG - min(tilt, MOST_DEG)) / (MOST_DEG - LEAST_DEG), 1)
