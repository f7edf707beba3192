"""What is wrong with a file of settings, and what it would change when: `companion config check`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from companion.config import USUAL_GAME, Config, ConfigError, Told, unknown_readers
from companion.rules import GAMES, game_named
from companion.rules.api import Game, Refusal
from companion.settings.documents import by_change
from companion.settings.reading import line_of, look_at, placed, text_of
from companion.settings.secret import is_open_to_all, secrets_of
from companion.settings.sections import Fault, every_key


@dataclass(frozen=True, slots=True)
class Findings:
    """What there is to say.

    Attributes:
        faults: a line each: where, what is wrong, and what to do.
        notes: what was read, and what would take effect when.
    """

    faults: tuple[str, ...]
    notes: tuple[str, ...]


def findings(told: Told) -> Findings:
    """Look at a file as the service would, and at what it would refuse at its start."""
    try:
        text = text_of(told.path)
    except ConfigError as fault:
        return Findings((f"{fault}",), ())
    if faults := faults_in(told, text):
        return Findings(faults, ())
    values = look_at(Config, told.path, text).values
    strangers = (Fault("", each.partition(" ")[0], each) for each in told.put(values).strangers())
    return Findings((), (*placed(told.path, text, strangers), *_open(told, values), *_taken(told)))


def faults_in(told: Told, text: str) -> tuple[str, ...]:
    """What the service would refuse, where its file had this text; a line each."""
    found = look_at(Config, told.path, text)
    if found.faults:
        return found.faults
    try:
        config = told.put(found.values, text)
    except ConfigError as fault:
        return (f"{fault}",)
    return placed(told.path, text, (*unknown_readers(config), *_impossible_game(config)))


def places(told: Told) -> Mapping[str, int]:
    """The keys that the file has, by their paths, each with its line; none where there is none."""
    if not told.there:
        return {}
    text = text_of(told.path)
    table = tomllib.loads(text)
    held: dict[str, int] = {}
    for key in every_key(Config):
        room = table.get(key.section, {}) if key.section else table
        if key.name in room:
            held[key.path] = line_of(text, key.section, key.name) or 1
    return held


def _open(told: Told, values: Mapping[str, Any]) -> Iterator[str]:
    with suppress(OSError):
        if any(secrets_of(Config(**values))) and is_open_to_all(told.path):
            yield (
                f"{told.path}: it holds passwords, and everybody who has an account on this "
                "computer may read it: companion doctor says what to type."
            )


def _taken(told: Told) -> Iterator[str]:
    held = places(told)
    live = {key.path: key.live for key in every_key(Config)}
    count = f"{len(held)} key" if len(held) == 1 else f"{len(held)} keys"
    yield f"{told.path}: {count}, no fault."
    for when, paths in by_change({path: live[path] for path in held}):
        yield f"A change takes effect {when}: {', '.join(paths)}."


def _impossible_game(config: Config) -> Iterator[Fault]:
    """What a new game would be refused for; where no game is named, what every game refuses."""
    if config.game is not None and config.game not in GAMES:
        try:
            game_named(config.game)
        except Refusal as refusal:
            yield Fault("", "game", f"game: {refusal.message}")
        return
    named = [config.game] if config.game is not None else [USUAL_GAME, *GAMES]
    refused = [_refused(GAMES[name], config) for name in named]
    if None not in refused and refused[0] is not None:
        yield refused[0]


def _refused(game: Game[Any], config: Config) -> Fault | None:
    players = config.players or tuple(f"Player {number}" for number in range(1, game.seats[0] + 1))
    starter = config.starter if config.players else None
    for key, begins, options in (
        ("players", None, {}),
        ("starter", starter, {}),
        ("set", starter, config.set),
    ):
        try:
            game.start(players, begins, options)
        except Refusal as refusal:
            return Fault("", key, f"{key}: {refusal.message}")
    return None
