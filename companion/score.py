"""`companion score`: what cards are worth, with no game going on.

See "Scoring without a game" in `docs/play-protocol.md`. One line in, one reply out.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO, TypeAlias

from companion.codec import parse_json, to_line
from companion.rules.api import Refusal
from companion.rules.sea_salt_paper.cards import BIT, DECK
from companion.rules.sea_salt_paper.scoring import points_of, round_result

Answer: TypeAlias = Callable[[bytes], bytes]
"""Makes the reply to one line; the reply has its end of line."""

CHUNK_BYTES = 1 << 16  # what a pipe holds
ENDS = ("stop", "last-chance", "deck-empty")
SEATS = range(2, 5)
LONGEST_NAME = 40

_HAND = {"hand", "table"}
_HAND_KEYS = (_HAND, _HAND | {"salt"})
_ROUND = {"end", "caller", "players"}
_PLAIN_BIT = {name: bit for name, bit in BIT.items() if bit & DECK}


def score(answer: Answer, lines: Iterable[list[bytes]], out: BinaryIO) -> None:
    """Answer each line in its turn until the input ends.

    Lines that came together are answered together: at once for a program that waits for
    each answer, and quickly for one that does not.
    """
    for together in lines:
        out.write(b"".join(map(answer, together)))
        out.flush()


def standard_input() -> Iterator[list[bytes]]:
    """The lines of standard input, as many at a time as have come; none of them ends."""
    if sys.stdin is None:
        return
    begun: list[bytes] = []
    while chunk := os.read(sys.stdin.fileno(), CHUNK_BYTES):
        first, *others = chunk.split(b"\n")
        begun.append(first)
        if others:
            yield [b"".join(begun), *others[:-1]]
            begun = [others[-1]]
    if last := b"".join(begun):
        yield [last]


def sea_salt_paper(line: bytes) -> bytes:
    """The points of the cards, or the result of the round, that the line tells."""
    try:
        command = parse_json(line)
        if not isinstance(command, dict):
            raise _bad('A line is an object, such as {"hand": ["crab-grey"], "table": []}.')
        return _round(command) if "end" in command else _hand(command)
    except Refusal as refusal:
        error = {"code": refusal.code, "message": refusal.message}
        return to_line({"ok": False, "error": error})


SCORERS: Mapping[str, Answer] = {"sea-salt-paper": sea_salt_paper}
"""By game: not every game has points that lie in the cards alone."""


def _hand(command: dict[str, Any]) -> bytes:
    if command.keys() not in _HAND_KEYS:
        raise _bad(
            "A hand has both keys, hand and table (where there are no cards, an empty list), "
            "may have salt, and has no other; a round has end, caller and players."
        )
    hand, table = _sets([command["hand"], command["table"]], _cards_in_play(command))
    mermaids, duos, collectors, multipliers, total, bonus, colours = points_of(hand, table)
    quoted = '"' + '", "'.join(colours) + '"' if colours else ""
    # Plain numbers and words: to put them together here takes a third of the encoder's time.
    return (
        f'{{"ok": true, "mermaids": {mermaids}, "duos": {duos}, "collectors": {collectors}, '
        f'"multipliers": {multipliers}, "total": {total}, "colour_bonus": {bonus}, '
        f'"mermaid_colours": [{quoted}]}}\n'
    ).encode()


def _round(command: dict[str, Any]) -> bytes:
    end = command["end"]
    if end == "empty-deck":  # as some programs say it
        end = "deck-empty"
    if end not in ENDS:
        raise _bad(f"The key end is one of {', '.join(ENDS)}.")
    with_caller = command.keys() | {"caller"} if end == "deck-empty" else command.keys()
    if with_caller - {"salt"} != _ROUND:
        raise _bad(
            "A round has the keys end, players and, unless the deck was empty, caller, "
            "may have salt, and has no other."
        )
    players = command["players"]
    if not isinstance(players, list) or len(players) not in SEATS:
        raise _bad(f"The key players is a list of {SEATS[0]} to {SEATS[-1]} players.")
    if not all(isinstance(player, dict) and player.keys() == _HAND for player in players):
        raise _bad("Each of the players is an object with the keys hand and table, and no other.")
    caller = None
    if end != "deck-empty":
        caller = command["caller"]
        if type(caller) is not int or caller not in range(len(players)):
            raise _bad(f"The key caller is the seat of a player, 0 to {len(players) - 1} here.")
    lists = [player[place] for player in players for place in ("hand", "table")]
    sets = _sets(lists, _cards_in_play(command))
    result = round_result(end, caller, list(zip(sets[::2], sets[1::2], strict=True)))
    return to_line({"ok": True, **result._asdict()})


def _cards_in_play(command: Mapping[str, Any]) -> Mapping[str, int]:
    salt = command.get("salt", False)
    if type(salt) is not bool:
        raise _bad("The key salt is true, when the cards of Extra Salt are in play, or false.")
    return BIT if salt else _PLAIN_BIT


def _sets(lists: list[list[str]], in_play: Mapping[str, int]) -> list[int]:
    """The sets of the cards that are named in each list.

    Raises:
        Refusal: `bad-command` (also for what is no list of texts), `unknown-card` or
            `card-not-available`.
    """
    if set(map(type, lists)) != {list}:
        raise _no_names()
    try:
        sets = [sum(map(in_play.__getitem__, names)) for names in lists]
    except (KeyError, TypeError):
        raise _no_card(lists, in_play) from None
    # A sum of powers of two has as many bits as there were powers only if no two are alike.
    if sum(sets).bit_count() != sum(map(len, lists)):
        names = [name for names in lists for name in names]
        twice = next(name for name in names if names.count(name) > 1)
        raise Refusal("card-not-available", f"The card {twice} is named twice in this line.")
    return sets


def _no_card(lists: Iterable[Sequence[object]], in_play: Mapping[str, int]) -> Refusal:
    """Why one of these names is no card."""
    names = [name for names in lists for name in names]
    if not all(isinstance(name, str) for name in names):
        return _no_names()
    name = next(str(name) for name in names if name not in in_play)
    if name in BIT:
        return Refusal(
            "unknown-card",
            f'The card {name} is one of Extra Salt: add "salt": true to play with it.',
        )
    shown = name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 3] + "..."
    return Refusal("unknown-card", f"There is no card {shown!r} in Sea Salt & Paper.")


def _no_names() -> Refusal:
    return _bad('The keys hand and table are lists of names of cards, such as ["crab-grey"].')


def _bad(message: str) -> Refusal:
    return Refusal("bad-command", message)
