"""A PN532 on its serial line, as a machine of bytes.

It sleeps until it is woken, acknowledges a command and answers it, knows the frames of
either size, repeats an answer on NACK, ends what it does on ACK, and says so where it does
not understand (user manual UM0701-02, chapter 6). What its commands do is in
`hardware_sim.pn532_commands`.

It is woken by five rising edges on the line, as a real one: `55` has them all, `00` one.
Unlike a real one it is never woken by a command alone.

Faults (`hardware_sim.pn532_faults`) can be set and changed while it works.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from hardware_sim.pn532_commands import (
    IN_LIST_PASSIVE_TARGET,
    SAM_CONFIGURATION,
    Firmware,
    Look,
    Misunderstood,
)
from hardware_sim.pn532_faults import NO_FAULTS, BadLine, Faults
from hardware_sim.pn532_frames import (
    ACK,
    ERROR,
    FROM_CHIP,
    FROM_HOST,
    Frame,
    FrameReader,
    Kind,
    encode,
)
from hardware_sim.pn532_radio import ATTEMPT_MS, Field
from hardware_sim.tags import Tag

GLUE_MS = 10
"""How long an ACK is held back to come with its answer; hosts wait 15 ms for it."""

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
    missed: bool = False
    commands: int = 0
    looks: int = 0


class Pn532Chip:
    """The chip; see the module. All of it may be called by any thread.

    Args:
        faults: what is wrong with it from the start.
        chance: decides where a fault happens now and then; gives numbers from 0 to below
            1. If left out, the same ones in every run.

    Attributes:
        field: what lies before its antenna.
        faults: what is wrong with it now; to be replaced at any time.
        looked: set once it was told to look for tags.
    """

    def __init__(
        self, faults: Faults = NO_FAULTS, chance: Callable[[], float] | None = None
    ) -> None:
        self.field = Field()
        self.faults = faults
        self.looked = threading.Event()
        chance = chance or random.Random(1).random  # noqa: S311 - it keeps no secret
        self._line = BadLine(chance)
        self._lock = threading.RLock()
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
        """Lay a tag on the antenna."""
        self.field.put(tag)

    def take(self, tag: Tag) -> None:
        """Take a tag off the antenna."""
        self.field.take(tag)

    def brown_out(self) -> None:
        """The power fails for a moment: it sleeps, and has forgotten everything."""
        with self._lock:
            self._memory = _Memory(Firmware(self.field))
        self._changed()

    def reboot(self) -> None:
        """It starts anew by itself: awake, with a stray byte, and everything forgotten."""
        with self._lock:
            self._memory = _Memory(Firmware(self.field), awake=True)
            self._memory.queue.append((self._now_ms, b"\x00"))
        self._changed()

    def feed(self, data: bytes, now_ms: int) -> None:
        """The host has sent this.

        Args:
            data: any bytes.
            now_ms: the time, of a clock that does not go back.
        """
        with self._lock:
            self._now_ms = now_ms
            data = self._line.bytes(data, self.faults)
            if not self._memory.awake:
                data = self._wake(data)
            for frame in self._memory.frames.feed(data):
                self._hear(frame)

    def output(self, now_ms: int) -> bytes:
        """What the chip sends now; it is handed out once."""
        with self._lock:
            self._now_ms = now_ms
            self._go_on_looking()
            queue = self._memory.queue
            due = [data for at_ms, data in queue if at_ms <= now_ms]
            queue[:] = [entry for entry in queue if entry[0] > now_ms]
            return b"".join(due)

    def due_ms(self) -> int | None:
        """When `output` has something at the earliest, unless bytes or tags come before."""
        with self._lock:
            memory = self._memory
            times = [at_ms for at_ms, _ in memory.queue]
            if memory.look is not None and not self._waits(memory.look):
                times.append(memory.attempt_ms)
            return min(times, default=None)

    def _changed(self) -> None:
        if self.on_change is not None:
            self.on_change()

    def _wake(self, data: bytes) -> bytes:
        """Count edges on the line; what is left of the data once there were enough."""
        memory = self._memory
        for index, byte in enumerate(data):
            memory.edges = memory.edges + _EDGES[byte] if byte in _EDGES else 0
            if memory.edges >= _EDGES_TO_WAKE:
                memory.awake, memory.edges = True, 0
                return data[index + 1 :]
        return b""

    def _hear(self, frame: Frame) -> None:
        memory = self._memory
        if frame.kind is Kind.NACK:
            self._send(memory.last_answer, 0)
            return
        # An ACK ends what the chip does, and so does the next command.
        memory.look = None
        memory.queue.clear()
        if frame.kind is Kind.ACK or self._fails():
            return
        memory.commands += 1
        self._obey(frame.body)

    def _fails(self) -> bool:
        """Whether this command falls victim to a fault, which is brought about."""
        faults, commands = self.faults, self._memory.commands
        if faults.brown_out and commands >= faults.brown_out:
            self.brown_out()
        elif faults.reboot and commands >= faults.reboot:
            self.reboot()
        elif faults.no_first_ack and commands == 0:
            self._memory.commands = 1
        else:
            return False
        return True

    def _obey(self, body: bytes) -> None:
        memory = self._memory
        self._send(ACK, GLUE_MS if self.faults.glue else 0)
        if body[0] != FROM_HOST or len(body) == 1:
            self._answer(ERROR, 0)
            return
        code = body[1]
        if code == SAM_CONFIGURATION:
            memory.looks = 0
        try:
            done = memory.firmware.obey(code, body[2:])
        except Misunderstood:
            self._answer(ERROR, 0)
            return
        if isinstance(done, Look):
            self._begin(done)
        elif done is not None:
            self._answer(encode(bytes([FROM_CHIP, code + 1]) + done.data), done.after_ms)
            if done.sleeps:
                memory.awake = False
                memory.frames.clear()

    def _answer(self, frame: bytes, after_ms: int) -> None:
        self._memory.last_answer = frame
        self._send(frame, after_ms)

    def _send(self, data: bytes, after_ms: int) -> None:
        queue = self._memory.queue
        at_ms = self._now_ms + after_ms + self.faults.delay
        if queue:  # nothing overtakes on a line
            at_ms = max(at_ms, queue[-1][0])
        queue.append((at_ms, self._line.frame(data, self.faults)))

    def _begin(self, look: Look) -> None:
        memory, faults = self._memory, self.faults
        self.looked.set()
        memory.looks += 1
        if faults.deaf and memory.looks > faults.deaf:
            return
        memory.look = look
        memory.attempt_ms = self._now_ms + ATTEMPT_MS
        memory.missed = self._line.happens(faults.miss)

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
            found = memory.firmware.attempt(memory.look, missed=memory.missed)
            if found is None:
                memory.attempt_ms += ATTEMPT_MS
                if memory.look.attempts is None:  # each attempt of an endless look is one
                    memory.missed = self._line.happens(self.faults.miss)
                continue
            memory.look = None
            if found[0] or not self.faults.silent:
                self._answer(encode(bytes([FROM_CHIP, IN_LIST_PASSIVE_TARGET + 1]) + found), 0)
