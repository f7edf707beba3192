"""What one reader's field has told so far, and which readings follow from the next look.

Pure: it is handed what was seen and when, and answers with readings. It never asks.
"""

from __future__ import annotations

from companion.drivers.api import DeviceBack, DeviceLost, Reading, TagOff, TagOn, TagUnreadable

REST_MS = 10_000
"""How long to wait for a change when nothing is due; pcscd wakes the wait at a change."""

READ_AGAIN_MS = 300
"""How often a card that lies there is read again: a swap of two like cards between two
looks of the reader's own driver raises no event and moves no counter."""

FIRST_RETRY_MS = 60
LONGEST_RETRY_MS = 1_000
TRIES_UNTIL_RESET = 3
"""A card that does not answer is reset, but not before pcscd has looked whether it is still
there, which it does every 400 ms: a reset of a card that has left makes pcscd take the
reader for empty, and blind to a card that was laid down in between."""

TRIES_UNTIL_TOLD = 5
"""With waits of 60, 120, 240 and 480 ms a card that cannot be read is told after 0.9 s."""

SETTLE_MS = 1_500
"""A reader that has come back shows an empty field until it has found the card again."""

_MS = 1_000_000


class FieldMemory:
    """The memory of one reader: whether it answers, and which tag is believed to lie there.

    A tag is believed to lie there until the reader itself says that it left: by an
    empty field, or by an event counter that moved on (PC/SC part 5: the high word of
    the event state counts insertions and removals). An error says nothing about the tag.
    Times are nanoseconds of a monotonic clock.
    """

    def __init__(self, reader: str) -> None:
        self._reader = reader
        self._answers: bool | None = None
        self._uid: str | None = None
        self._counter: int | None = None
        self._present = False
        self._confirmed = True  # whether the belief was checked since the reader came back
        self._uid_due = False
        self._failures = 0
        self._found = False  # whether the card was there at the first look
        self._empty_until_ns: int | None = None

    @property
    def uid_due(self) -> bool:
        """Whether the card in the field has to be read (again)."""
        return self._uid_due

    @property
    def reset_due(self) -> bool:
        """Whether the card is to be reset if it does not answer now."""
        return self._failures >= TRIES_UNTIL_RESET

    @property
    def answers(self) -> bool:
        """Whether the reader was there at the last look."""
        return bool(self._answers)

    def lost(self, reason: str, at_ns: int) -> tuple[Reading, ...]:
        """The reader does not answer; told once."""
        self._uid_due = False
        if self._answers is False:
            return ()
        self._answers = False
        return (DeviceLost(self._reader, reason, at_ns),)

    def seen(
        self, hardware: str, counter: int, at_ns: int, *, present: bool
    ) -> tuple[Reading, ...]:
        """The reader answered: whether a card is present, and its event counter.

        Args:
            hardware: the reader's own name, for people.
            counter: the event counter, 0 to 65535.
            at_ns: when it answered.
            present: whether a card lies in the field.
        """
        if self._answers:
            return self._look(counter, at_ns, present=present)
        self._answers = True
        self._confirmed = self._uid is None
        self._counter = None
        self._present = False
        self._empty_until_ns = None
        self._failures = 0
        self._found = present
        back = DeviceBack(self._reader, hardware, at_ns)
        return (back, *self._look(counter, at_ns, present=present))

    def read(self, uid: str, at_ns: int) -> tuple[Reading, ...]:
        """The card in the field gave this canonical UID."""
        self._uid_due = False
        self._failures = 0
        self._confirmed = True
        if uid == self._uid:
            return ()
        left = self._leave(at_ns)
        self._uid = uid
        found, self._found = self._found, False
        return (*left, TagOn(self._reader, uid, at_ns, lay_there=found))

    def unreadable(self, reason: str, at_ns: int) -> tuple[Reading, ...]:
        """The card in the field gave no UID; told once, after some tries."""
        self._failures += 1
        if self._failures == TRIES_UNTIL_TOLD:
            return (TagUnreadable(self._reader, reason, at_ns),)
        return ()

    def wait_ms(self, at_ns: int) -> int:
        """How long to wait for the next change, in milliseconds."""
        if self._uid_due:
            doublings = min(max(self._failures - 1, 0), 5)
            return min(FIRST_RETRY_MS << doublings, LONGEST_RETRY_MS)
        if self._empty_until_ns is not None:
            return max(1, -((at_ns - self._empty_until_ns) // _MS))
        return READ_AGAIN_MS if self._present else REST_MS

    def _look(self, counter: int, at_ns: int, *, present: bool) -> tuple[Reading, ...]:
        moved = self._counter is not None and counter != self._counter
        appeared = present and not self._present
        self._counter, self._present = counter, present
        if moved or not present:
            self._found = False
        if not present:
            self._uid_due, self._failures = False, 0
            return self._empty(at_ns)
        self._empty_until_ns = None
        self._uid_due = True
        if moved or appeared:
            self._failures = 0
        # Until the belief is confirmed the counter says nothing about the old tag.
        return self._leave(at_ns) if moved and self._confirmed else ()

    def _empty(self, at_ns: int) -> tuple[Reading, ...]:
        if not self._confirmed:
            if self._empty_until_ns is None:
                self._empty_until_ns = at_ns + SETTLE_MS * _MS
            if at_ns < self._empty_until_ns:
                return ()
        self._empty_until_ns = None
        self._confirmed = True
        return self._leave(at_ns)

    def _leave(self, at_ns: int) -> tuple[Reading, ...]:
        if self._uid is None:
            return ()
        left = TagOff(self._reader, self._uid, at_ns)
        self._uid = None
        return (left,)
