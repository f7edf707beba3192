"""The end of a write-ahead log of SQLite: what was finished, and what was not.

SQLite drops an unfinished or damaged end of its log without a word. To say a word we look
at the log before SQLite does. The format is that of "The SQLite Database File Format",
section 4, "The Write-Ahead Log": a header of 32 bytes, then frames, each of a header of 24
bytes and one page. A frame counts when it has the salts of the log's header and the
checksum of all before it; frames with two other salts were left by an earlier round.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

HEADER_BYTES = 32
FRAME_HEADER_BYTES = 24
MAGIC = 0x377F0682
"""The last bit says how the checksums read the words: 1 for the most significant byte first."""
FORMAT = 3007000
WORDS_MASK = 0xFFFFFFFF

Sums = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Tail:
    """What a log holds, as SQLite will take it.

    Attributes:
        frames: how many count: up to the last finished transaction.
        left: bytes behind them that belong to this round of the log; SQLite drops them.
        unfinished: nothing in these bytes says that a transaction was finished; else a
            finished one may be lost.
    """

    frames: int
    left: int
    unfinished: bool


WHOLE = Tail(0, 0, unfinished=True)


def checksum(data: bytes, before: Sums, byte_order: str) -> Sums:
    """The checksum of SQLite's log over `data`, a multiple of eight bytes, after `before`.

    Args:
        data: what is summed.
        before: the sums so far; (0, 0) at the start.
        byte_order: `<` or `>`, as the log's magic number says.
    """
    first, second = before
    words = struct.unpack(f"{byte_order}{len(data) // 4}I", data)
    for even, odd in zip(words[::2], words[1::2], strict=True):
        first = (first + even + second) & WORDS_MASK
        second = (second + odd + first) & WORDS_MASK
    return first, second


def tail_of(log: bytes) -> Tail:
    """Where the log ends for SQLite, and what stands behind that."""
    if not log:
        return WHOLE
    if len(log) < HEADER_BYTES:
        return Tail(0, len(log), unfinished=True)
    magic, version, page_bytes, _, *salts, first, second = struct.unpack(">8I", log[:HEADER_BYTES])
    byte_order = ">" if magic & 1 else "<"
    sums = checksum(log[: HEADER_BYTES - 8], (0, 0), byte_order)
    known = magic | 1 == MAGIC | 1 and version == FORMAT
    if not known or sums != (first, second) or page_bytes not in _PAGE_SIZES:
        return Tail(0, len(log), unfinished=len(log) == HEADER_BYTES)
    frame_bytes = FRAME_HEADER_BYTES + page_bytes
    frames = finished = 0
    end = HEADER_BYTES
    while end + frame_bytes <= len(log):
        frame = log[end : end + frame_bytes]
        _, commits, salt_1, salt_2, first, second = struct.unpack(">6I", frame[:FRAME_HEADER_BYTES])
        if [salt_1, salt_2] != salts:
            break
        sums = checksum(
            frame[FRAME_HEADER_BYTES:], checksum(frame[:8], sums, byte_order), byte_order
        )
        if sums != (first, second):
            break
        frames += 1
        end += frame_bytes
        if commits:
            finished = frames
    start = HEADER_BYTES + finished * frame_bytes
    left = _of_this_round(log[start:], salts, frame_bytes)
    commits_left = any(
        struct.unpack(">I", log[at + 4 : at + 8]) != (0,)
        for at in range(start, start + left - frame_bytes + 1, frame_bytes)
    )
    return Tail(finished, left, unfinished=not commits_left)


_PAGE_SIZES = frozenset(1 << power for power in range(9, 17))


def _of_this_round(rest: bytes, salts: list[int], frame_bytes: int) -> int:
    """Up to where frames, whole or not, have one of the two salts: one may be damaged."""
    left = 0
    for at in range(0, len(rest), frame_bytes):
        header = rest[at : at + 16]
        found = struct.unpack(">2I", header[8:]) if len(header) == 16 else None
        if found is None or found[0] == salts[0] or found[1] == salts[1]:
            left = min(at + frame_bytes, len(rest))
    return left
