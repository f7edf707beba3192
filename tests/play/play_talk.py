"""Speaking to `companion play`: as a process of its own, or within the tests' process."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

from companion.play import Player, play

ROOT = Path(__file__).parents[2]
PLAY = (sys.executable, "-m", "companion.cli", "play")
ENVIRONMENT = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
"""With Python's own buffers, so that the program has to flush its replies."""
REPLY_KEYS = {
    "ok",
    "step",
    "outcomes",
    "game",
    "turn",
    "phase",
    "legal",
    "scores",
    "state",
    "over",
    "winners",
}
CODES = (
    "bad-command",
    "no-game",
    "game-over",
    "not-legal",
    "unknown-card",
    "unknown-player",
    "tile-mismatch",
    "card-not-available",
    "bad-option",
)
IN_NO_ORDER = re.compile(
    r"\.(legal|winners)$|\.state\.(hand|animals\.[^.]*|tables\.[^.]*|revealed\.[^.]*)$|\.duo$"
)
NEW = {"game": "tentacles", "players": ["Ann", "Bo"]}


def line_of(command: object) -> bytes:
    """One line of input, without its end: bytes and texts as they stand, the rest as JSON."""
    if isinstance(command, bytes):
        return command
    return (command if isinstance(command, str) else json.dumps(command)).encode()


def replies_in(output: bytes) -> list[dict[str, Any]]:
    """Whole lines of JSON objects in UTF-8, or this fails."""
    assert output == b"" or output.endswith(b"\n")
    replies = [json.loads(line) for line in output.split(b"\n")[:-1]]
    assert all(isinstance(reply, dict) for reply in replies)
    return replies


@dataclass(frozen=True)
class Finished:
    """What a process said until it ended."""

    status: int
    output: bytes
    errors: str

    @property
    def replies(self) -> list[dict[str, Any]]:
        return replies_in(self.output)


def run_play(*arguments: str | bytes, commands: Iterable[object] = ()) -> Finished:
    """The real program, given all commands at once."""
    said = subprocess.run(
        [*PLAY, *arguments],
        input=b"".join(line_of(command) + b"\n" for command in commands),
        capture_output=True,
        cwd=ROOT,
        env=ENVIRONMENT,
        timeout=60,
        check=False,
    )
    return Finished(said.returncode, said.stdout, said.stderr.decode())


class Talk:
    """The same conversation in the tests' own process, for where thousands are needed."""

    def __init__(self, *commands: object) -> None:
        self.warnings = StringIO()
        self._player = Player(self.warnings)
        for command in commands:
            reply = self.say(command)
            assert reply["ok"], (command, reply)

    def say(self, command: object) -> dict[str, Any]:
        """The reply to one line: exactly one, and well formed."""
        out = BytesIO()
        play([line_of(command) + b"\n"], out, self._player)
        (reply,) = replies_in(out.getvalue())
        if reply["ok"]:
            assert reply.keys() >= REPLY_KEYS, reply
        else:
            assert reply.keys() == {"ok", "step", "error"}, reply
            assert reply["error"].keys() == {"code", "message"}
            assert reply["error"]["code"] in CODES
            assert reply["error"]["message"]
        return reply

    def code(self, command: object) -> str | None:
        """The code of the refusal; None for a command that was obeyed."""
        reply = self.say(command)
        return None if reply["ok"] else reply["error"]["code"]

    def seen(self) -> list[dict[str, Any]]:
        """All that can be seen of the game from outside, which a refusal must not change."""
        return [self.say({"odds": True}), self.say({"view": None})]


def differences(expected: object, got: object, where: str = "reply") -> list[str]:
    """Where the reply lacks a part that is expected; it may hold more keys.

    What has no order (`legal`, `winners`, hands, tables, animals, the cards of a duo) is
    compared as sets, messages by being there, lists otherwise in order and whole;
    `outcomes_have` names some of the outcomes.
    """
    key = where.rpartition(".")[2]
    if key == "message":
        return [] if isinstance(got, str) and got else [f"{where} is missing"]
    if isinstance(expected, Mapping):
        if not isinstance(got, Mapping):
            return [f"{where} is {got!r}, not an object"]
        if expected.get("what") == "duo-played" == got.get("what"):
            where = f"{where}.duo"
        return [
            line
            for name, part in expected.items()
            for line in _part_differences(name, part, got, where)
        ]
    if isinstance(expected, list):
        if not isinstance(got, list) or len(got) != len(expected):
            return [f"{where} is {got!r}, not {expected!r}"]
        if IN_NO_ORDER.search(where):
            expected, got = in_order(expected), in_order(got)
        return [
            line
            for number, (part, other) in enumerate(zip(expected, got, strict=True))
            for line in differences(part, other, f"{where}.{number}")
        ]
    if type(expected) is not type(got) or expected != got:
        return [f"{where} is {got!r}, not {expected!r}"]
    return []


def _part_differences(name: str, part: Any, got: Mapping[str, object], where: str) -> list[str]:
    if name == "outcomes_have":
        outcomes = got["outcomes"]
        assert isinstance(outcomes, list)
        return [
            f"{where}.outcomes have no {wanted!r}"
            for wanted in part
            if all(differences(wanted, outcome, where) for outcome in outcomes)
        ]
    if name not in got:
        return [f"{where}.{name} is missing"]
    return differences(part, got[name], where if where.endswith(".duo") else f"{where}.{name}")


def in_order(things: Sequence[object]) -> list[object]:
    """The same in one order, and so the two cards of a duo among them."""
    plain = [
        {**thing, "cards": sorted(thing["cards"])}
        if isinstance(thing, Mapping) and thing.get("do") == "duo"
        else thing
        for thing in things
    ]
    return sorted(plain, key=lambda thing: json.dumps(thing, sort_keys=True))
