"""The face of a game that has none of its own.

It shows what every game has: turn, phase, scores, winners, what a spectator may see of the
state, and a button for whatever needs nothing more from the table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import Field, fields
from functools import cache
from typing import Any

from companion.codec import action_to_json, outcome_to_json
from companion.rules.api import Action, GameWon, Outcome, PlayerLeft, TurnEnded
from companion.said import Thing
from companion.ship_watch import CARRY
from companion.snapshot import Event, Snapshot
from web_ui.games.face import Button, Face
from web_ui.sentences import Sentence, Tone
from web_ui.words import gettext, told

NOTHING = "—"
_NAMES = ("player", "from", "to")
"""The keys of an action or outcome under which players stand."""
_LONG = 360
"""So many characters of state are set in small print."""


@cache
def face(game_name: str) -> Face:
    """The plain face of the game of this name."""
    return Face(
        template="game/plain.html",
        title=lambda: _headed(game_name),
        to_do=_to_do,
        words=_words,
        button=_button,
        facts=_facts,
        component=_spaced,
    )


def _spaced(name: str) -> str:
    """`hand_counts` and `last-chance` as people write them."""
    return name.replace("_", " ").replace("-", " ")


def _headed(name: str) -> str:
    spaced = _spaced(name)
    return spaced[:1].upper() + spaced[1:]


def _short(value: object) -> str:
    """A plain value as a short text."""
    match value:
        case None:
            return NOTHING
        case bool():
            return gettext("yes") if value else gettext("no")
        case Mapping():
            parts = [f"{key}: {_short(part)}" for key, part in value.items()]
        case list() | tuple() | set() | frozenset():
            parts = [_short(part) for part in value]
            if any(
                isinstance(part, Mapping | Sequence) and not isinstance(part, str) for part in value
            ):
                return "; ".join(parts)
        case _:
            return str(value)
    return ", ".join(parts) or NOTHING


def _to_do(snapshot: Snapshot) -> Sentence:
    if snapshot.standing.over:
        return Sentence("crown", gettext("The game is over"))
    ship = snapshot.ship
    if ship is None:
        return _of_phase(snapshot)
    if not ship.alarm:
        what = _of_phase(snapshot).text
        return Sentence("again", gettext("Stand the ship up; %(what)s"), {}, {"what": what})
    who = {"player": _short(snapshot.state.get("swinger") or snapshot.standing.turn)}
    match ship.phase:
        case "armed" | "swinging" | "settling" if ship.reason == CARRY:
            carry = gettext("Put the ship in its place, then %(player)s swings the ball")
            return Sentence("turn-over", carry, who)
        case "armed" | "unwatched":
            return Sentence("turn-over", gettext("Alarm! %(player)s swings the ball"), who)
        case "stand-up":
            stand_up = gettext("Stand the ship up, then %(player)s swings the ball")
            return Sentence("again", stand_up, who)
        case "swinging" | "settling":
            return Sentence("turn-over", gettext("Hands off until the ship is at rest"))
        case "asking" | "judged":
            return Sentence("touch", gettext("Is the ship standing?"))


def _of_phase(snapshot: Snapshot) -> Sentence:
    phase = snapshot.standing.phase
    verbs = list(dict.fromkeys(action_to_json(action)["do"] for action in snapshot.legal))
    if not verbs:
        return Sentence("card", "%(phase)s", {}, {"phase": _headed(phase)})
    *others, last = map(_spaced, verbs)
    what = last
    if others:
        what = gettext("%(verbs)s or %(last)s") % {"verbs": ", ".join(others), "last": last}
    if phase in verbs:
        return Sentence("card", "%(what)s", {}, {"what": _headed(what)})
    return Sentence("card", "%(phase)s: %(what)s", {}, {"phase": _headed(phase), "what": what})


def _words(snapshot: Snapshot, event: Event) -> tuple[tuple[Sentence, ...], Tone, str | None]:
    del snapshot
    happened = [
        _told(event, outcome)
        for outcome in event.outcomes
        if not isinstance(outcome, TurnEnded | PlayerLeft | GameWon)
    ]
    if happened:
        first, *others = happened
        more = "; ".join(sentence.text for sentence in others)
        return (
            (first, Sentence("card", "%(what)s", {"what": more}))[: 1 + bool(more)],
            "plain",
            None,
        )
    if any(isinstance(outcome, PlayerLeft) for outcome in event.outcomes):
        return (), "plain", None
    who = {"player": event.player or ""}
    if event.action is None:
        secret = gettext("%(player)s: a secret move")
        return (Sentence("card", secret, who),), "plain", None
    what = _spelt("do", action_to_json(event.action))
    return (Sentence("card", "%(player)s: %(what)s", {**who, "what": what}),), "plain", None


def _told(event: Event, outcome: Outcome) -> Sentence:
    plain = outcome_to_json(outcome)
    who = plain.pop("player", event.player)
    what = _spelt("what", plain)
    if who is None:
        return Sentence("card", "%(what)s", {"what": what})
    return Sentence("card", "%(player)s: %(what)s", {"player": _short(who), "what": what})


def _spelt(word: str, plain: Mapping[str, Any]) -> str:
    """Such as `take, stack 1`: a text speaks for itself, a number needs its key."""
    parts = [_called(_spaced(plain[word]))]
    for key, value in plain.items():
        if key == word:
            continue
        alone = isinstance(value, str) and key not in ("from", "to")
        shown = _short(value) if key in _NAMES else _called(value)
        parts.append(shown if alone else f"{_called(_spaced(key))} {shown}")
    return ", ".join(parts)


def _called(value: object) -> str:
    """A plain value as a short text, its pieces by the names that people have for them."""
    match value:
        case str():
            return str(told(Thing(value)))
        case list() | tuple():
            return ", ".join(map(_called, value)) or NOTHING
    return _short(value)


def in_full(command: Mapping[str, Any]) -> str:
    """An action as JSON, in words: its verb and all that belongs to it."""
    return _headed(_spelt("do", command))


_HELD = ("Stop", "LastChance", "Leave")
"""They end a turn, a round or somebody's game."""


def _button(action: Action) -> Button | None:
    values = [getattr(action, entry.name) for entry in fields(action)]
    if any(value is None for value in values):
        return None
    chance = [value for entry, value in zip(fields(action), values, strict=True) if _is_open(entry)]
    if chance:
        # What chance decided is told: its word says it all.
        word = _headed(", ".join(map(_short, chance)))
        return Button(action, Sentence("touch", "%(what)s", {"what": word}), "answer")
    what = _headed(_spelt("do", action_to_json(action)))
    # Where a text is the name of a player, the button has that player's colour and shape.
    about = next((value for value in values if isinstance(value, str)), None)
    hold = type(action).__name__ in _HELD
    return Button(action, Sentence("touch", "%(what)s", {"what": what}), "choice", about, hold)


def _is_open(entry: Field[Any]) -> bool:
    """Whether chance decides this field of an action."""
    return entry.default is None


def _facts(snapshot: Snapshot) -> Mapping[str, Any]:
    """The state, what is told by player apart from the rest."""
    held: dict[str, list[tuple[str, str]]] = {player: [] for player in snapshot.players}
    others: list[tuple[str, str]] = []
    for key, value in snapshot.state.items():
        if not (isinstance(value, Mapping) and value and held.keys() >= value.keys()):
            others.append((_headed(key), _short(value)))
        elif value != snapshot.standing.scores:
            for player, part in value.items():
                if part not in (None, [], ()):
                    held[player].append((_headed(key), _short(part)))
    told = [*others, *(line for lines in held.values() for line in lines)]
    return {
        "held": held,
        "others": others,
        "small": sum(len(name) + len(text) for name, text in told) > _LONG,
        "card_name": _spaced,
    }
