"""Which things people must move by hand after a correction or an undo.

The record changes by itself; fish, tiles, chips and cards do not. From where they lie by the
record as it was, and as it is now, comes the shortest list of moves in between.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Literal, get_args, get_origin, get_type_hints

from companion.match import Match
from companion.repair import alarm_things, salt_things, tentacles_things
from companion.repair.things import Things, Transfer
from companion.repair.timeline import Timeline
from companion.rules.api import Action
from companion.said import Capital, Listed, say, say_number


@dataclass(frozen=True, slots=True)
class HandMove:
    """Something that somebody moves.

    Attributes:
        player: who is asked to; None where anybody at the table may do it.
        text: one plain sentence; no secret is in it.
        key: names it among the moves of one list, to tick it off.
    """

    player: str | None
    text: str
    key: str


@dataclass(frozen=True, slots=True)
class Needed:
    """All that is to be moved.

    Attributes:
        before: where the things lie.
        after: where they belong.
        transfers: the fewest from the one to the other, in an order in which hands can do them.
            They can name what is a secret.
        moves: the same for people, one for each transfer; or a single one that says why the
            things cannot be brought back.
    """

    before: Things
    after: Things
    transfers: tuple[Transfer, ...]
    moves: tuple[HandMove, ...]


Told = tuple[str | None, str]
"""Who moves something, and the sentence without the name."""

_GAMES: Mapping[
    str, Callable[[Timeline, Timeline], tuple[Things, Things, list[tuple[Transfer, Told]]]]
] = {
    "tentacles": tentacles_things.needed,
    "octopus-alarm": alarm_things.needed,
    "sea-salt-paper": salt_things.needed,
}


def needed(before: Timeline, after: Timeline) -> Needed:
    """What hands must do between two timelines of one game, with all that is behind it."""
    if before.match is after.match or before.match.game.name not in _GAMES:
        return Needed({}, {}, (), ())
    if salt_things.shuffled_between(before.match, after.match):
        text = say(
            "All cards were gathered and shuffled since: what lay where cannot be put back. Play "
            "the round anew."
        )
        return Needed({}, {}, (), (HandMove(None, text, "1"),))
    here, wanted, told = _GAMES[before.match.game.name](before, after)
    moves = tuple(
        HandMove(
            player,
            say("%(player)s: %(what)s", player=player, what=text) if player else Capital(text),
            str(key),
        )
        for key, (_, (player, text)) in enumerate(told, 1)
    )
    return Needed(here, wanted, tuple(transfer for transfer, _ in told), moves)


def moves(before: Timeline, after: Timeline) -> tuple[HandMove, ...]:
    """The shortest list of moves that brings the real things from one timeline to the other."""
    return needed(before, after).moves


def _shown(kind: str, number: int) -> str:
    """What an action of this kind showed, so many times, as a part of a sentence."""
    match kind:
        case "Reveal":
            return say_number("a card was turned up", "%(num)d cards were turned up", number)
        case "Flip":
            return say_number("a tile was flipped", "%(num)d tiles were flipped", number)
        case "Reef":
            return say_number(
                "a chip of the reef came to light",
                "%(num)d chips of the reef came to light",
                number,
            )
        case "Deal":
            return say_number("a round was dealt", "%(num)d rounds were dealt", number)
        case "Draw":
            return say_number("cards were drawn", "cards were drawn %(num)d times", number)
        case "DrawOne":
            return say_number(
                "a card was drawn blindly", "%(num)d cards were drawn blindly", number
            )
        case "Pick":
            return say_number(
                "a pile was looked through", "piles were looked through %(num)d times", number
            )
        case "Steal":
            return say_number("a card was stolen", "%(num)d cards were stolen", number)
    return say_number("something hidden was seen", "%(num)d hidden things were seen", number)


def shows_hidden(match: Match, count: int) -> str:
    """What was seen in the last `count` actions and cannot be unseen, as a sentence, or empty."""
    seen: Counter[str] = Counter()
    for past, _ in zip(match.back(), range(count), strict=False):
        if past.action is not None and _showed(past.action):
            seen[type(past.action).__name__] += 1
    parts = [_shown(kind, number) for kind, number in reversed(seen.items())]
    return say("What was seen stays seen: %(what)s.", what=Listed(parts)) if parts else ""


def _showed(action: Action) -> bool:
    """Whether chance has decided on a card, a tile or a chip in it."""
    hints = get_type_hints(type(action))
    return any(
        entry.default is None
        and entry.name != "player"
        and getattr(action, entry.name) is not None
        and not any(get_origin(part) is Literal for part in get_args(hints[entry.name]))
        for entry in fields(action)
    ) and not hasattr(action, "player")
