"""The contactless side of a PN532: its field, the tags in it, and what passes between them."""

from __future__ import annotations

import threading
from collections.abc import Callable

from hardware_sim.tags import Reply, State, Tag

ATTEMPT_MS = 5
"""How long the chip takes for one request to whatever is in the field."""


def crc_a(data: bytes) -> bytes:
    """The CRC of ISO/IEC 14443-3 type A: two bytes in the order of transmission."""
    crc = 0x6363
    for byte in data:
        mixed = (byte ^ crc) & 0xFF
        mixed ^= mixed << 4 & 0xFF
        crc = crc >> 8 ^ mixed << 8 ^ mixed << 3 ^ mixed >> 4
    return crc.to_bytes(2, "little")


class Field:
    """What lies before the antenna, and what the chip has selected of it.

    Tags come and go by any thread. Everything else is the chip's.

    Attributes:
        on_change: called after tags came or went.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tags: tuple[Tag, ...] = ()
        self._on = False
        self.on_change: Callable[[], None] | None = None

    @property
    def tags(self) -> tuple[Tag, ...]:
        """What lies there, first come first."""
        return self._tags

    @property
    def on(self) -> bool:
        """Whether the antenna sends."""
        return self._on

    def put(self, tag: Tag) -> None:
        """Lay a tag there; without effect when it lies there already."""
        with self._lock:
            if tag in self._tags:
                return
            tag.lose_field()
            self._tags = (*self._tags, tag)
        self._changed()

    def take(self, tag: Tag) -> None:
        """Take a tag away; without effect when it is not there."""
        with self._lock:
            self._tags = tuple(other for other in self._tags if other is not tag)
            tag.lose_field()
        self._changed()

    def switch(self, *, on: bool) -> None:
        """Send or do not; without a field, all tags forget what was said to them."""
        with self._lock:
            self._on = on
            if not on:
                for tag in self._tags:
                    tag.lose_field()

    def request(self, wanted: int, uid: bytes = b"") -> tuple[Tag, ...]:
        """One REQA with its anticollision: the tags that are selected by it.

        A tag that was selected before does not answer: it falls back to idle and answers
        the next one. A halted tag answers none until the field was off.

        Args:
            wanted: how many at most.
            uid: if given, this tag and no other.
        """
        with self._lock:
            if not self._on:
                return ()
            answering = [tag for tag in self._tags if tag.request()]
            chosen = tuple(tag for tag in answering if uid in (b"", tag.uid))[:wanted]
            for tag in chosen:
                tag.select()
            return chosen

    def exchange(self, tag: Tag, command: bytes) -> Reply:
        """What a tag answers; nothing when it is away, halted or the field is off."""
        with self._lock:
            return tag.exchange(command) if self._reaches(tag) else None

    def wake(self, tag: Tag) -> bool:
        """Select a certain tag again, also a halted one (WUPA): whether it was there."""
        with self._lock:
            if self._reaches(tag):
                tag.select()
                return True
            return False

    def halt(self, tag: Tag) -> None:
        """HLTA to a selected tag; another does not hear it."""
        with self._lock:
            if self._reaches(tag) and tag.state is State.ACTIVE:
                tag.state = State.HALTED

    def _reaches(self, tag: Tag) -> bool:
        return self._on and tag in self._tags

    def _changed(self) -> None:
        on_change = self.on_change
        if on_change is not None:
            on_change()
