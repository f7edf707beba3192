"""Actions, outcomes and replies as JSON: the one vocabulary of `docs/play-protocol.md`.

The classes of a rules module are the vocabulary. A verb is its class in kebab case, a
field is a key, and a field whose default is None is decided by chance (see
`companion.rules.api.Action`). Nothing is listed twice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import MISSING, dataclass, fields
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, NoReturn, Union, get_args, get_origin, get_type_hints

from companion.match import Match, Setup
from companion.rules import GAMES
from companion.rules.api import Action, Code, Game, Json, Nothing, Outcome, Refusal

LONGEST_LINE_BYTES = 1_000_000


def kebab(name: str) -> str:
    """`LastChance` as `last-chance`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower()


def _never(text: str) -> NoReturn:
    raise ValueError(f"{text} is not JSON")


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON, for the reader of JSON.

    Raises:
        ValueError: a key stands twice, and nobody could say which is meant.
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


_DECODER = json.JSONDecoder(parse_constant=_never, object_pairs_hook=once)
_ENCODER = json.JSONEncoder(ensure_ascii=False)


def to_line(value: object) -> bytes:
    """JSON as one line of UTF-8."""
    return _ENCODER.encode(value).encode() + b"\n"


def parse_json(line: bytes) -> object:
    """One JSON value out of UTF-8 bytes.

    Raises:
        Refusal: `bad-command`, also for what Python alone would let pass: NaN, a key
            twice, a lone surrogate, a number or a nesting too large to hold.
    """
    if len(line) > LONGEST_LINE_BYTES:
        raise Refusal("bad-command", "That line is too long: a command is one short line of JSON.")
    try:
        text = line.decode().strip(" \t\r\n")
        # `decode` does the same at greater length; it says what is wrong with the rest.
        value, end = _DECODER.raw_decode(text)
        if end < len(text):
            _DECODER.decode(text)
        if b"\\u" in line:
            json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise Refusal(
            "bad-command",
            f"That is not a line of JSON: write one object, with its words in double quotes "
            f"({str(error)[:80]}).",
        ) from None
    return value


def as_parsed(value: dict[str, Any]) -> dict[str, Any]:
    """The object as a reader of JSON gives it back: with lists in place of tuples."""
    parsed: dict[str, Any] = json.loads(_ENCODER.encode(value))
    return parsed


@dataclass(frozen=True, slots=True)
class _Field:
    key: str
    name: str
    chance: bool
    default: object
    read: Callable[[object], object]


def _reader(annotation: object) -> Callable[[object], object]:
    """A function that gives the value, or raises ValueError with what is expected."""
    if get_origin(annotation) in (UnionType, Union):
        parts = [part for part in get_args(annotation) if part is not NoneType]
        if Nothing in parts:
            parts.remove(Nothing)
            (read_something,) = map(_reader, parts)
            return lambda value: Nothing.NOTHING if value is None else read_something(value)
        (annotation,) = parts
    if get_origin(annotation) is Literal:
        words = get_args(annotation)

        def read_word(value: object) -> object:
            if not any(type(value) is type(word) and value == word for word in words):
                raise ValueError("one of " + ", ".join(map(str, words)))
            return value

        return read_word
    if get_origin(annotation) is tuple:

        def read_names(value: object) -> object:
            # A tuple is what an action that was never written out as text has.
            if not isinstance(value, list | tuple) or not all(
                isinstance(name, str) for name in value
            ):
                raise ValueError("a list of names")
            return tuple(value)

        return read_names
    kind, expected = (int, "a whole number") if annotation is int else (str, "a text")

    def read_plain(value: object) -> object:
        if type(value) is not kind:
            raise ValueError(expected)
        return value

    return read_plain


@dataclass(frozen=True, slots=True)
class _Spelling:
    """How one class of actions or outcomes is spelt."""

    word: str
    fields: tuple[_Field, ...]


_spellings: dict[type, _Spelling] = {}


def _spelling(kind: type[Any]) -> _Spelling:
    known = _spellings.get(kind)
    if known is None:
        hints = get_type_hints(kind)
        known = _spellings[kind] = _Spelling(
            kebab(kind.__name__),
            tuple(
                _Field(
                    key=entry.name.removesuffix("_"),
                    name=entry.name,
                    chance=entry.default is None,
                    default=entry.default,
                    read=_reader(hints[entry.name]),
                )
                for entry in fields(kind)
            ),
        )
    return known


@cache
def _verbs(game: str) -> dict[str, type[Any]]:
    return {kebab(kind.__name__): kind for kind in GAMES[game].actions}


def _plain(word: str, value: object) -> dict[str, Any]:
    spelling = _spelling(type(value))
    plain: dict[str, Any] = {word: spelling.word}
    for entry in spelling.fields:
        content = getattr(value, entry.name)
        if content is Nothing.NOTHING:
            plain[entry.key] = None
        elif content is not None and content != entry.default:
            plain[entry.key] = content
    return plain


def action_to_json(action: Action) -> dict[str, Any]:
    """Such as `{"do": "steal", "from": "Bo"}`; what chance decides is left out while open."""
    return _plain("do", action)


def outcome_to_json(outcome: Outcome) -> dict[str, Any]:
    """Such as `{"what": "fish-won", "player": "Ann", "pattern": "dots"}`."""
    return _plain("what", outcome)


def action_from_json(game: str, body: object, *, dealing: bool = False) -> Action:
    """The action that an object such as `{"do": "reveal", "card": "dots"}` means.

    Args:
        game: the name of the game being played.
        body: parsed JSON.
        dealing: the engine deals, and what chance decides may be left out.

    Raises:
        Refusal: `bad-command`.
    """
    if not isinstance(body, dict):
        raise Refusal("bad-command", 'A command is an object, such as {"do": "stop"}.')
    verbs = _verbs(game)
    if "do" not in body:
        raise Refusal("bad-command", f"The key do is missing: it names a verb, {', '.join(verbs)}.")
    verb = body["do"]
    kind = verbs.get(verb) if isinstance(verb, str) else None
    if kind is None:
        raise Refusal(
            "bad-command",
            f"There is no verb {_shown(verb)} in {game}; there is {', '.join(verbs)}.",
        )
    entries = {entry.key: entry for entry in _spelling(kind).fields}
    _refuse_unknown(body.keys() - {"do"}, entries, f"the verb {verb}")
    values: dict[str, object] = {}
    for key, entry in entries.items():
        if key not in body:
            if dealing if entry.chance else entry.default is not MISSING:
                continue
            raise Refusal("bad-command", f"The verb {verb} needs the key {key}.")
        try:
            values[entry.name] = entry.read(body[key])
        except ValueError as expected:
            raise Refusal("bad-command", f"The key {key} of {verb} is {expected}.") from None
    action: Action = kind(**values)
    return action


def known_to_some_game(body: object) -> bool:
    """Whether the command would be well formed in one of the games."""
    for game in GAMES:
        try:
            action_from_json(game, body, dealing=True)
        except Refusal:
            continue
        return True
    return False


_NEW_KEYS = {
    "game": (str, "the name of a game"),
    "players": (list, "a list of names"),
    "starter": (str, "the name of a player"),
    "set": (dict, "an object of options"),
    "deal": (bool, "true or false"),
    "seed": (int, "a whole number"),
}


def setup_from_json(body: object, fresh_seed: Callable[[], int]) -> Setup:
    """How to begin, from the argument of `{"new": …}`.

    Args:
        body: parsed JSON.
        fresh_seed: called where the engine deals and no seed is given.

    Raises:
        Refusal: `bad-command`; what the values mean is checked by `Match.start`.
    """
    if not isinstance(body, dict):
        raise Refusal("bad-command", "The argument of new is an object with game and players.")
    _refuse_unknown(body.keys(), _NEW_KEYS, "new")
    for key, (kind, expected) in _NEW_KEYS.items():
        if key in body and type(body[key]) is not kind:
            raise Refusal("bad-command", f"The key {key} of new is {expected}.")
        if key in ("game", "players") and key not in body:
            raise Refusal("bad-command", f"new needs the key {key}: {expected}.")
    players = body["players"]
    if not all(isinstance(player, str) for player in players):
        raise Refusal("bad-command", "The key players of new is a list of names.")
    seed = None
    if body.get("deal"):
        seed = body["seed"] if "seed" in body else fresh_seed()
    return Setup(
        game=body["game"],
        players=tuple(players),
        starter=body.get("starter"),
        options=body.get("set", {}),
        seed=seed,
    )


def undo_from_json(count: object) -> int:
    """How many actions to take back.

    Raises:
        Refusal: `bad-command`.
    """
    if type(count) is not int or count < 1:
        raise Refusal("bad-command", "undo takes a whole number from 1.")
    return count


def reply(
    match: Match,
    *,
    outcomes: tuple[Outcome, ...] = (),
    viewer: str | None = None,
    only_viewer: bool = False,
) -> dict[str, Any]:
    """The reply object to an accepted command.

    Args:
        match: as it stands now.
        outcomes: of the action just done.
        viewer: whose view of the state; None for a spectator's.
        only_viewer: `legal` holds only what that viewer may do.
    """
    game: Game[Any] = match.game
    standing = game.standing(match.state)
    hidden = only_viewer and (viewer is None or viewer != standing.turn)
    return {
        "ok": True,
        "step": match.step,
        "outcomes": [outcome_to_json(outcome) for outcome in outcomes],
        "game": game.name,
        "turn": standing.turn,
        "phase": standing.phase,
        "legal": [] if hidden else [action_to_json(action) for action in game.legal(match.state)],
        "scores": standing.scores,
        "state": game.view(match.state, viewer),
        "over": standing.over,
        "winners": list(standing.winners),
    }


def refusal_reply(step: int, code: Code, message: str) -> Json:
    """The reply object to a refused command."""
    return {"ok": False, "step": step, "error": {"code": code, "message": message}}


def _refuse_unknown(keys: Iterable[str], known: Iterable[str], where: str) -> None:
    unknown = sorted(set(keys) - set(known))
    if unknown:
        raise Refusal(
            "bad-command",
            f"There is no key {_shown(unknown[0])} in {where}"
            + (f"; there is {', '.join(known)}." if known else "; it has none."),
        )


def _shown(value: object) -> str:
    if isinstance(value, list | dict):
        return "that"  # it may be nested deeper than can be written out
    text = json.dumps(value)
    return text if len(text) <= 40 else text[:37] + "..."
