"""A PN532 on its serial line, as a machine of bytes.

It sleeps until it is woken, acknowledges a command and answers it, knows the frames of
either size, repeats an answer on NACK, ends what it does on ACK, and says so where it does
not understand (user manual UM0701-02, chapter 6). What its commands do is in
`hardware_sim.pn532_commands`.

It is woken by five rising edges on the line, as a real one: `55` has them all, `00` one.
Unlike a real one it is never woken by a command alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from hardware_sim.pn532_commands import IN_LIST_PASSIVE_TARGET, Firmware, Look, Misunderstood
from hardware_sim.pn532_frames import ACK, ERROR, FROM_CHIP, FROM_HOST, FrameReader, Kind, encode
from hardware_sim.pn532_radio import ATTEMPT_MS, Field
from hardware_sim.tags import Tag

_EDGES_TO_WAKE = 5
_EDGES = {0x55: 5, 0x00: 1}


@dataclass(slots=True)
class _Memory:
    """All that is lost without power."""

    firmware: Firmware
    awake: bool = False
    edges: int = 0
    frames: FrameReader = field(default_factory=FrameReader)
    queue: list[tuple[int, bytes]] = field(default_factory=list)
    last_answer: bytes = b""
    look: Look | None = None
    attempt_ms: int = 0


class Pn532Chip:
    """The chip; see the module.

    Attributes:
        field: what lies before its antenna.
        looks: how many searches for tags have begun since the chip was made.
    """

    def __init__(self) -> None:
        self.field = Field()
        self.looks = 0
        self._now_ms = 0
        self._memory = _Memory(Firmware(self.field))

    @property
    def awake(self) -> bool:
        """Whether it hears commands."""
        return self._memory.awake

    @property
    def on_change(self) -> Callable[[], None] | None:
        """Called when a tag came or went, so that the chip may have to speak."""
        return self.field.on_change

    @on_change.setter
    def on_change(self, called: Callable[[], None] | None) -> None:
        self.field.on_change = called

    def put(self, tag: Tag) -> None:
        """Lay a tag on the antenna; by any thread."""
        self.field.put(tag)

    def take(self, tag: Tag) -> None:
        """Take a tag off the antenna; by any thread."""
        self.field.take(tag)

    def feed(self, data: bytes, now_ms: int) -> None:
        """The host has sent this.

        Args:
            data: any bytes.
            now_ms: the time, of a clock that does not go back.
        """
        self._now_ms = now_ms
        memory = self._memory
        if not memory.awake:
            data = self._wake(data)
        for frame in memory.frames.feed(data):
            if frame.kind is Kind.NACK:
                self._send(memory.last_answer, 0)
                continue
            # An ACK ends what the chip does, and so does the next command.
            memory.look = None
            memory.queue.clear()
            if frame.kind is Kind.INFORMATION:
                self._obey(frame.body)

    def output(self, now_ms: int) -> bytes:
        """What the chip sends now; it is handed out once."""
        self._now_ms = now_ms
        self._go_on_looking()
        queue = self._memory.queue
        due = [data for at_ms, data in queue if at_ms <= now_ms]
        queue[:] = [entry for entry in queue if entry[0] > now_ms]
        return b"".join(due)

    def due_ms(self) -> int | None:
        """When `output` has something at the earliest, unless bytes or tags come before."""
        memory = self._memory
        times = [at_ms for at_ms, _ in memory.queue]
        if memory.look is not None and not self._waits(memory.look):
            times.append(memory.attempt_ms)
        return min(times, default=None)

    def _wake(self, data: bytes) -> bytes:
        """Count edges on the line; what is left of the data once there were enough."""
        memory = self._memory
        for index, byte in enumerate(data):
            memory.edges = memory.edges + _EDGES[byte] if byte in _EDGES else 0
            if memory.edges >= _EDGES_TO_WAKE:
                memory.awake, memory.edges = True, 0
                return data[index + 1 :]
        return b""

    def _send(self, data: bytes, after_ms: int) -> None:
        self._memory.queue.append((self._now_ms + after_ms, data))

    def _answer(self, frame: bytes, after_ms: int) -> None:
        self._memory.last_answer = frame
        self._send(frame, after_ms)

    def _obey(self, body: bytes) -> None:
        memory = self._memory
        self._send(ACK, 0)
        if body[0] != FROM_HOST or len(body) == 1:
            self._answer(ERROR, 0)
            return
        code = body[1]
        if code == IN_LIST_PASSIVE_TARGET:
            self.looks += 1
        try:
            done = memory.firmware.obey(code, body[2:])
        except Misunderstood:
            self._answer(ERROR, 0)
            return
        if isinstance(done, Look):
            memory.look = done
            memory.attempt_ms = self._now_ms + ATTEMPT_MS
        elif done is not None:
            self._answer(encode(bytes([FROM_CHIP, code + 1]) + done.data), done.after_ms)
            if done.sleeps:
                memory.awake = False
                memory.frames.clear()

    def _waits(self, look: Look) -> bool:
        """Whether nothing will come of a search before a tag does."""
        return look.attempts is None and not (look.type_a and self.field.tags)

    def _go_on_looking(self) -> None:
        memory = self._memory
        while memory.look is not None:
            if self._waits(memory.look):
                memory.attempt_ms = self._now_ms + ATTEMPT_MS
            if memory.attempt_ms > self._now_ms:
                return
            found = memory.firmware.attempt(memory.look)
            if found is None:
                memory.attempt_ms += ATTEMPT_MS
                continue
            memory.look = None
            self._answer(encode(bytes([FROM_CHIP, IN_LIST_PASSIVE_TARGET + 1]) + found), 0)
