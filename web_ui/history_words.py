"""How games of the past are told on the pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from flask_babel import format_date, format_time

from companion.chronicle import GameState, Summary
from companion.household import SHAPES
from companion.rules import GAMES
from web_ui.games import face_of
from web_ui.views import colour_of
from web_ui.words import gettext, ngettext

MINUTE_S = 60


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of game that a list can be narrowed to.

    Attributes:
        name: such as `tentacles`.
        title: in the reader's language.
        icon: a symbol for it.
        count: how many games of it there are.
    """

    name: str
    title: str
    icon: str
    count: int


def kind_of(name: str, count: int) -> Kind:
    """A kind of game that a list can be narrowed to."""
    return Kind(name, face_of(name).title(), icon_of(name), count)


def icon_of(name: str) -> str:
    """A symbol for a kind of game."""
    return f"game-{name}" if name in GAMES else "card"


@dataclass(frozen=True, slots=True)
class Ranked:
    """A player of a game that is listed.

    Attributes:
        name: of the player.
        seat: from 1; chooses the colour.
        shape: a symbol of the sprite.
        score: by the rules; None where the game was not read.
        winner: whether this player has won.
        place: from 1; equal scores have equal places.
    """

    name: str
    seat: int
    shape: str
    score: int | None
    winner: bool
    place: int


@dataclass(frozen=True, slots=True)
class Listed:
    """A game as a list shows it.

    Attributes:
        id: its UUID.
        number: counts the games of this table.
        title: of its kind.
        icon: a symbol for its kind.
        when: day and time; empty where the clock was not set.
        length: such as `25 min`; empty where it is not known.
        actions: such as `87 steps`.
        state: how it stands: one of `GameState`.
        state_icon: a symbol for it.
        state_words: the same in words.
        trouble: what is wrong with its record; else empty.
        players: in seating order.
    """

    id: str
    number: int
    title: str
    icon: str
    when: str
    length: str
    actions: str
    state: GameState
    state_icon: str
    state_words: str
    trouble: str
    players: tuple[Ranked, ...]


def listed(game: Summary) -> Listed:
    """A game as a list shows it."""
    icon, words = state_words(game.state)
    return Listed(
        id=game.id,
        number=game.number,
        title=face_of(game.game).title(),
        icon=icon_of(game.game),
        when=when(game.began),
        length=length(game.length_s),
        actions=ngettext("%(num)d step", "%(num)d steps", game.actions) % {"num": game.actions}
        if game.actions
        else "",
        state=game.state,
        state_icon=icon,
        state_words=words,
        trouble=game.trouble,
        players=tuple(sorted(ranking(game, {}), key=lambda player: player.seat)),
    )


def ranking(game: Summary, shapes: Mapping[str, str]) -> list[Ranked]:
    """The players of a game, winners first, then by score."""
    found = [
        Ranked(
            name=name,
            seat=colour_of(number),
            shape=shapes.get(name, SHAPES[number % len(SHAPES)]),
            score=game.scores.get(name),
            winner=name in game.winners,
            place=1
            + sum(
                (other in game.winners, score) > (name in game.winners, game.scores.get(name, 0))
                for other, score in game.scores.items()
            ),
        )
        for number, name in enumerate(game.players)
    ]
    return sorted(found, key=lambda player: (player.place, player.seat))


def state_words(state: GameState) -> tuple[str, str]:
    """A symbol, and the words for how a game stands."""
    match state:
        case "going-on":
            return "again", gettext("goes on")
        case "over":
            return "crown", gettext("over")
        case "given-up":
            return "leave", gettext("not played to its end")
        case "damaged":
            return "refused", gettext("damaged")
        case "unread":
            return "seen", gettext("not looked at yet")


def when(began: str) -> str:
    """Day and time of a game in the reader's language; empty where the clock was not set."""
    if not began:
        return ""
    # The wall clock of the table, not of the reader: it is where the game was played.
    local = datetime.fromisoformat(began).astimezone()
    return (
        f"{format_date(local, 'medium', rebase=False)} {format_time(local, 'short', rebase=False)}"
    )


def length(seconds: int) -> str:
    """How long a game took, in minutes; empty where that is not known."""
    if not seconds:
        return ""
    minutes = max(1, round(seconds / MINUTE_S))
    return gettext("%(num)d min") % {"num": minutes}
