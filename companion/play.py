"""`companion play`: a game over lines of JSON, with no hardware, no page and no database.

See `docs/play-protocol.md`. One command a line in, one reply a line out.
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO, TextIO

from companion.codec import (
    action_from_json,
    known_to_some_game,
    parse_json,
    refusal_reply,
    reply,
    setup_from_json,
    to_line,
    undo_from_json,
)
from companion.match import Match
from companion.rules.api import Refusal

COMMANDS = ("new", "do", "undo", "view", "odds")


def fresh_seed() -> int:
    """A seed for a game that is dealt without one being named."""
    return secrets.randbits(32)


class Player:
    """Plays one game after another from commands; holds the game in progress."""

    def __init__(self, warn: TextIO) -> None:
        self._warn = warn
        self._match: Match | None = None

    def answer(self, line: bytes) -> dict[str, Any]:
        """The reply to one line; a refused command changes nothing."""
        try:
            return self._obey(parse_json(line))
        except Refusal as refusal:
            step = self._match.step if self._match else 0
            return dict(refusal_reply(step, refusal.code, refusal.message))

    def new(self, body: object) -> dict[str, Any]:
        """Begin a game from the argument of `{"new": …}`.

        Raises:
            Refusal: the running game stays as it is.
        """
        setup = setup_from_json(body, fresh_seed)
        match = Match.start(setup)
        for warning in match.game.warnings(setup.options):
            print(f"warning: {warning}", file=self._warn)
        self._match = match
        return reply(match)

    def _obey(self, command: object) -> dict[str, Any]:
        if not isinstance(command, dict):
            raise Refusal("bad-command", 'A command is an object, such as {"do": "stop"}.')
        named = [word for word in COMMANDS if word in command]
        if len(named) != 1:
            raise Refusal("bad-command", f"A command has one of the keys {', '.join(COMMANDS)}.")
        (word,) = named
        if word != "do" and len(command) > 1:
            raise Refusal("bad-command", f"The command {word} takes no other key.")
        argument = command[word]
        match word:
            case "new":
                return self.new(argument)
            case "do":
                return self._do(command)
            case "undo":
                count = undo_from_json(argument)
                self._match = self._running().undo(count)
                return reply(self._match)
            case "view":
                return self._view(argument)
            case _:
                return self._odds(argument)

    def _running(self) -> Match:
        if self._match is None:
            raise Refusal("no-game", 'There is no game yet: begin one with {"new": …}.')
        return self._match

    def _do(self, command: dict[str, Any]) -> dict[str, Any]:
        if self._match is None and not known_to_some_game(command):
            raise Refusal("bad-command", "No game has such a verb with such keys.")
        match = self._running()
        dealing = match.setup.seed is not None
        self._match = match.do(action_from_json(match.setup.game, command, dealing=dealing))
        return reply(self._match, outcomes=self._match.outcomes)

    def _view(self, viewer: object) -> dict[str, Any]:
        if viewer is not None and not isinstance(viewer, str):
            raise Refusal("bad-command", "view takes the name of a player, or null.")
        match = self._running()
        if viewer is not None and viewer not in match.setup.players:
            raise Refusal(
                "unknown-player",
                f"{viewer!r} does not play here: {', '.join(match.setup.players)} do.",
            )
        return reply(match, viewer=viewer, only_viewer=True)

    def _odds(self, argument: object) -> dict[str, Any]:
        if argument is not True:
            raise Refusal("bad-command", "odds takes true.")
        match = self._running()
        return {**reply(match), "odds": match.game.odds(match.state)}


def play(lines: Iterable[bytes], out: BinaryIO, player: Player) -> None:
    """Answer each line at once, until the input ends."""
    for line in lines:
        write(out, player.answer(line))


def write(out: BinaryIO, answer: dict[str, Any]) -> None:
    """One reply, one line, flushed."""
    out.write(to_line(answer))
    out.flush()


def standard_input() -> Iterator[bytes]:
    """The lines of standard input as bytes, so that bad UTF-8 is an answer and no crash."""
    return iter(()) if sys.stdin is None else iter(sys.stdin.buffer.readline, b"")
