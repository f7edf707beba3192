"""What a PN532 does when it is told to: its commands, without the line that they come by.

Where real chips differ, this one is the stricter: tags that were deselected or released
stay silent until the field was off, as ISO/IEC 14443-3 has it for halted ones, and without
a SAMConfiguration it looks for no tag. (User manual UM0701-02, chapter 7.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hardware_sim.pn532_radio import ATTEMPT_MS, Field, crc_a
from hardware_sim.tags import ACKNOWLEDGED, KEY_A, KEY_B, MifareClassic, State, Tag

FIRMWARE_VERSION = bytes.fromhex("32010607")
"""IC PN532, version 1.6, all three kinds of cards."""

OK, TIMED_OUT, CRC_WRONG = 0x00, 0x01, 0x02
REFUSED_BY_TAG, NOT_NOW = 0x14, 0x27
"""Status bytes (7.1, table 13)."""

SAM_CONFIGURATION = 0x14
IN_LIST_PASSIVE_TARGET = 0x4A
FOR_EVER = 0xFF

_TX_MODE, _RX_MODE, _TX_CONTROL, _FIFO = 0x6302, 0x6303, 0x6304, 0x6339
_CRC_BY_CHIP = 0x80
_REQA = 0x26
_RF_SIZES = {0x01: 1, 0x02: 3, 0x04: 1, 0x05: 3, 0x0A: 11, 0x0B: 8, 0x0C: 3, 0x0D: 9}


class Misunderstood(Exception):
    """The command has no such form: the chip answers with an error frame."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command is answered with.

    Attributes:
        data: what follows the command's code.
        after_ms: how long the chip needs for it.
        sleeps: whether the chip goes to sleep once it has answered.
    """

    data: bytes = b""
    after_ms: int = 0
    sleeps: bool = False


@dataclass(slots=True)
class Look:
    """A search for tags that is under way; its answer comes when it ends.

    Attributes:
        wanted: how many tags at most, 1 or 2.
        type_a: whether it is for tags of the kind that is simulated; others find nothing.
        uid: the only tag that is looked for, or empty.
        attempts: how many are left; None: for ever.
    """

    wanted: int
    type_a: bool
    uid: bytes
    attempts: int | None


class Firmware:
    """The commands, and all that the chip forgets without power.

    Args:
        field: what lies before the antenna; it is switched off.
    """

    def __init__(self, field: Field) -> None:
        self._field = field
        self._field.switch(on=False)
        self._targets: dict[int, Tag] = {}
        self._registers = {_TX_MODE: _CRC_BY_CHIP, _RX_MODE: _CRC_BY_CHIP}
        self._sam_is_normal = False
        self._retries = FOR_EVER
        self._commands: dict[int, Callable[[bytes], Answer | Look | None]] = {
            0x00: self._diagnose,
            0x02: lambda _: Answer(FIRMWARE_VERSION),
            0x04: self._general_status,
            0x06: self._read_registers,
            0x08: self._write_registers,
            0x0C: lambda _: Answer(bytes(3)),
            0x0E: lambda data: _sized(data, 2),
            0x10: self._set_baud_rate,
            0x12: lambda data: _sized(data, 1),
            SAM_CONFIGURATION: self._configure_sam,
            0x16: self._power_down,
            0x32: self._configure_rf,
            0x40: self._exchange,
            0x42: self._communicate_through,
            0x44: self._deselect,
            0x46: self._no_peer,
            IN_LIST_PASSIVE_TARGET: self._list_targets,
            0x4E: self._no_peer,
            0x50: self._no_peer,
            0x52: self._release,
            0x54: self._select,
            0x56: self._no_peer,
        }

    def obey(self, code: int, data: bytes) -> Answer | Look | None:
        """Do a command.

        Args:
            code: its first byte.
            data: what follows.

        Returns:
            The answer; or the search that was begun; or None where none ever comes.

        Raises:
            Misunderstood: no such command, or not in that form.
        """
        command = self._commands.get(code)
        if command is None:
            raise Misunderstood
        return command(data)

    def _diagnose(self, data: bytes) -> Answer:
        if not data:
            raise Misunderstood
        if data[0] == 0x00:  # communication line: everything comes back
            return Answer(data)
        if data[0] in (0x01, 0x02, 0x06, 0x07):  # memory, presence of a card, antenna
            return Answer(bytes([OK]))
        raise Misunderstood

    def _general_status(self, _data: bytes) -> Answer:
        targets = b"".join(bytes([number, 0, 0, 0x10]) for number in self._targets)
        return Answer(bytes([OK, 0, len(self._targets)]) + targets + b"\x80")

    def _read_registers(self, data: bytes) -> Answer:
        if not data or len(data) % 2:
            raise Misunderstood
        addresses = [int.from_bytes(data[at : at + 2], "big") for at in range(0, len(data), 2)]
        self._registers[_TX_CONTROL] = 0x80 | (0x03 if self._field.on else 0)
        return Answer(bytes(self._registers.get(address, 0) for address in addresses))

    def _write_registers(self, data: bytes) -> Answer:
        if not data or len(data) % 3:
            raise Misunderstood
        for at in range(0, len(data), 3):
            self._registers[int.from_bytes(data[at : at + 2], "big")] = data[at + 2]
        return Answer()

    def _set_baud_rate(self, data: bytes) -> Answer:
        if len(data) != 1 or data[0] > 8:
            raise Misunderstood
        return Answer()  # a line in software has no rate

    def _configure_sam(self, data: bytes) -> Answer:
        if not 1 <= len(data) <= 3 or not 1 <= data[0] <= 4:
            raise Misunderstood
        self._sam_is_normal = data[0] == 1
        return Answer()

    def _power_down(self, data: bytes) -> Answer:
        if not 1 <= len(data) <= 2:
            raise Misunderstood
        self._field.switch(on=False)
        self._targets = {}
        return Answer(bytes([OK]), sleeps=True)

    def _configure_rf(self, data: bytes) -> Answer:
        if not data or len(data) - 1 != _RF_SIZES.get(data[0]):
            raise Misunderstood
        if data[0] == 0x01:
            self._field.switch(on=bool(data[1] & 1))
        elif data[0] == 0x05:
            self._retries = data[3]
        return Answer()

    def _list_targets(self, data: bytes) -> Look | None:
        if len(data) < 2 or not 1 <= data[0] <= 2 or data[1] > 4:
            raise Misunderstood
        self._targets = {}
        if not self._sam_is_normal:
            return None
        self._field.switch(on=True)
        self._registers[_TX_MODE] = self._registers[_RX_MODE] = _CRC_BY_CHIP
        type_a = data[1] == 0
        return Look(
            data[0],
            type_a,
            _without_cascade_tags(data[2:]) if type_a else b"",
            None if self._retries == FOR_EVER else self._retries + 1,
        )

    def attempt(self, look: Look, *, missed: bool = False) -> bytes | None:
        """One attempt of a search.

        Args:
            look: the search; it counts its attempts.
            missed: whether chance has it that nothing is heard this time.

        Returns:
            The data of the answer when the search ends with this attempt.
        """
        found: tuple[Tag, ...] = ()
        if look.type_a and not missed:
            found = self._field.request(look.wanted, look.uid)
        if look.attempts is not None:
            look.attempts -= 1
        if not found and look.attempts != 0:
            return None
        self._targets = dict(enumerate(found, start=1))
        self._registers[_FIFO] = 0 if found else _REQA
        described = (
            bytes([number]) + tag.atqa.to_bytes(2, "big") + bytes([tag.sak, len(tag.uid)]) + tag.uid
            for number, tag in self._targets.items()
        )
        return bytes([len(found)]) + b"".join(described)

    def _exchange(self, data: bytes) -> Answer:
        if len(data) < 2:
            raise Misunderstood
        tag = self._targets.get(data[0] & 0x3F)
        if tag is None:
            return Answer(bytes([NOT_NOW]))
        command = data[1:]
        if isinstance(tag, MifareClassic):
            if command[0] in (KEY_A, KEY_B):
                return self._authenticate(tag, command)
            refused = REFUSED_BY_TAG
        else:
            refused = TIMED_OUT
        reply = self._field.exchange(tag, command)
        if reply is None:
            return Answer(bytes([TIMED_OUT]), ATTEMPT_MS)
        if isinstance(reply, int):
            return Answer(bytes([OK if reply == ACKNOWLEDGED else refused]))
        return Answer(bytes([OK]) + reply)

    def _authenticate(self, tag: MifareClassic, command: bytes) -> Answer:
        if len(command) < 12:
            raise Misunderstood
        which, block, key, uid = command[0], command[1], command[2:8], command[8:12]
        opened = uid == tag.uid[-4:] and tag.authenticate(block, which, key)
        return Answer(bytes([OK if opened else REFUSED_BY_TAG]))

    def _communicate_through(self, data: bytes) -> Answer:
        selected = [tag for tag in self._field.tags if tag.state is State.ACTIVE]
        if not self._registers.get(_TX_MODE, 0) & _CRC_BY_CHIP:
            data, crc = data[:-2], data[-2:]
            if crc_a(data) != crc:
                selected = []  # a tag does not answer what was garbled
        reply = self._field.exchange(selected[0], data) if selected else None
        if reply is None:
            return Answer(bytes([TIMED_OUT]), ATTEMPT_MS)
        crc_by_chip = self._registers.get(_RX_MODE, 0) & _CRC_BY_CHIP
        if isinstance(reply, int):
            # Four bits have no CRC, so a chip that checks one calls it wrong.
            return Answer(bytes([CRC_WRONG] if crc_by_chip else [OK, reply]))
        return Answer(bytes([OK]) + reply + (b"" if crc_by_chip else crc_a(reply)))

    def _deselect(self, data: bytes) -> Answer:
        chosen = self._chosen(data)
        for number in chosen:
            self._field.halt(self._targets[number])
        return Answer(bytes([OK if chosen or data[0] == 0 else NOT_NOW]))

    def _release(self, data: bytes) -> Answer:
        answer = self._deselect(data)
        for number in self._chosen(data):
            del self._targets[number]
        return answer

    def _select(self, data: bytes) -> Answer:
        if len(data) != 1:
            raise Misunderstood
        tag = self._targets.get(data[0])
        if tag is None:
            return Answer(bytes([NOT_NOW]))
        return Answer(bytes([OK if self._field.wake(tag) else TIMED_OUT]))

    def _chosen(self, data: bytes) -> list[int]:
        """The numbers of targets that a command is for; 0 is for all."""
        if len(data) != 1:
            raise Misunderstood
        return [number for number in self._targets if data[0] in (0, number)]

    def _no_peer(self, _data: bytes) -> Answer:
        """InATR, InPSL, InJumpForDEP: nobody is there who would answer."""
        return Answer(bytes([TIMED_OUT]), ATTEMPT_MS)


def _sized(data: bytes, size: int) -> Answer:
    if len(data) != size:
        raise Misunderstood
    return Answer()


def _without_cascade_tags(uid: bytes) -> bytes:
    """The UID of a tag as a host names it: `88` before each level but the last."""
    if len(uid) == 8 and uid[0] == 0x88:
        return uid[1:]
    if len(uid) == 12 and uid[0] == uid[4] == 0x88:
        return uid[1:4] + uid[5:]
    return uid
