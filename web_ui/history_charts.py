"""Which charts there are of games of the past, each with the table behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from companion.chronicle import Figures, Played, Turn
from web_ui import charts
from web_ui.charts import Bar, Line
from web_ui.parts import parts
from web_ui.views import colour_of
from web_ui.words import gettext

MINUTE_S = 60


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart with its numbers.

    Attributes:
        name: for its place on the page.
        title: what it shows.
        icon: a symbol for it.
        picture: as SVG.
        head: of the table's columns.
        rows: of the table.
    """

    name: str
    title: str
    icon: str
    picture: Markup
    head: tuple[str, ...]
    rows: tuple[tuple[str | int, ...], ...]


def of_game(played: Played, points: Sequence[Turn], shapes: Mapping[str, str]) -> list[Chart]:
    """Charts of one game: the score over its turns, and what the alarms and eyes did."""
    players = played.summary.players
    title = gettext("Score after each turn")
    drawn = [
        Line(
            name,
            colour_of(number),
            shapes[name],
            [point.scores.get(name, 0) for point in points],
        )
        for number, name in enumerate(players)
    ]
    sprite = parts().assets.url("icons.svg")
    rows = tuple(
        (turn, *(point.scores.get(name, 0) for name in players))
        for turn, point in enumerate(points)
    )
    picture = charts.lines(title, drawn, sprite)
    score = Chart("scores", title, "crown", picture, (gettext("Turn"), *players), rows)
    return [score, *_of_tallies(played.summary.tallies)]


def of_all(figures: Figures) -> list[Chart]:
    """Charts over all finished games: wins, lengths, alarms, fish lost."""
    if not figures.games:
        return []
    seats = sorted(figures.seats.items(), key=lambda each: (-each[1][1], each[1][0], each[0]))
    won = gettext("%(num)d of %(all)d")
    title = gettext("Games won")
    bars = [
        Bar(name, wins, won % {"num": wins, "all": played}, played)
        for name, (played, wins) in seats
    ]
    found = [
        Chart(
            "wins",
            title,
            "crown",
            charts.bars(title, bars),
            (gettext("Player"), gettext("Won"), gettext("Played")),
            tuple((name, wins, played) for name, (played, wins) in seats),
        )
    ]
    minutes = [round(seconds / MINUTE_S) for seconds in figures.lengths_s]
    if minutes:
        title = gettext("Length of a game, in minutes")
        size, counts = charts.buckets(minutes)
        rows = tuple((f"{place * size}-{place * size + size}", n) for place, n in enumerate(counts))
        picture = charts.columns(title, minutes)
        head = gettext("Minutes"), gettext("Games")
        found.append(Chart("lengths", title, "again", picture, head, rows))
    return [*found, *_of_tallies(figures.tallies)]


def _of_tallies(tallies: Mapping[str, Mapping[str, int]]) -> list[Chart]:
    found = []
    alarms = _sum(tallies, "alarm")
    if alarms:
        title = gettext("Alarms")
        rows = [
            (gettext("Alarms"), alarms),
            (gettext("The ship stood"), _sum(tallies, "ship-upright")),
            (gettext("The ship capsized"), _sum(tallies, "ship-capsized")),
        ]
        found.append(_bars("alarms", title, "octopus", rows))
    lost: dict[str, int] = {}
    for what in ("fish-lost", "fish-stolen-from"):
        for name, count in tallies.get(what, {}).items():
            lost[name] = lost.get(name, 0) + count
    if lost:
        ordered = sorted(lost.items(), key=lambda each: (-each[1], each[0]))
        found.append(_bars("lost", gettext("Fish lost"), "fish-gone", ordered))
    return found


def _sum(tallies: Mapping[str, Mapping[str, int]], what: str) -> int:
    return sum(tallies.get(what, {}).values())


def _bars(name: str, title: str, icon: str, rows: Sequence[tuple[str, int]]) -> Chart:
    picture = charts.bars(title, [Bar(label, count, str(count)) for label, count in rows])
    head = "", gettext("How often")
    return Chart(name, title, icon, picture, head, tuple(rows))
