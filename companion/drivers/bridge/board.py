"""What one board has told so far, and which readings follow from what it tells next.

Pure: it is handed bytes and the time, and answers with readings and bytes.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import get_args

from companion import uid as uids
from companion.drivers import unreadable
from companion.drivers.api import (
    Attitude,
    ButtonPressed,
    ClockJumped,
    DeviceBack,
    DeviceLost,
    Reading,
    SeveralTags,
    Sign,
    TagOff,
    TagOn,
    TagUnreadable,
)
from companion.drivers.bridge.clock import BoardClock
from companion.drivers.port_thread import Talk
from companion.said import say, say_number
from firmware_bridge import messages
from firmware_bridge.link import Link
from firmware_bridge.milliseconds import since

logger = logging.getLogger(__name__)

SILENCE_NS = 2_000_000_000
"""A board that says nothing for this long is lost."""

SETTLE_NS = 2_000_000_000
"""A board that has started anew tells within this time what lies there."""

PATIENCE_NS = 10_000_000_000
"""Opening a port may restart the board, which then needs some seconds until it speaks."""

PATIENCE_REMOTE_NS = 3_000_000_000

MOST_COMPLAINTS = 100
"""Each is logged once; a board that sends noise must not fill the log."""

ARMED_HZ = 50
AT_REST_HZ = 1

_MS = 1_000_000
_BUTTONS = {messages.STOP: "stop", messages.UNDO: "undo", messages.SHUFFLE: "shuffle"}
_SIGNS: dict[Sign, int] = dict(
    zip(
        get_args(Sign),
        (messages.ACCEPTED, messages.REFUSED, messages.YOUR_TURN, messages.ALARM),
        strict=True,
    )
)


class Board(Talk):
    """A board at one port, with its places and the ship's sensor.

    Args:
        name: such as `bridge-1`; its places are `bridge-1/0` and so on, the ship's sensor
            `bridge-1/ship`. The name itself is a reader only while no place is known.
        where: the port, for people.
        boot_id: of this process, 1 to 2**32 - 1.
        armed: whether an alarm runs.
        remote: whether there is no cable that would tell when it is pulled.
    """

    def __init__(self, name: str, where: str, boot_id: int, *, armed: bool, remote: bool) -> None:
        self._name = name
        self._where = where
        self._patience_ns = PATIENCE_REMOTE_NS if remote else PATIENCE_NS
        self._link = Link(boot_id, messages.pack_hello("Tidetable", 0, []))
        self._clock = BoardClock()
        self._time_heard = (0, 0)
        self._board_id = 0  # its boot id
        self._hardware: dict[str, str] = {}  # what each reader of the board calls itself
        self._answers: dict[str, bool] = {}  # as it was told
        self._reason = ""  # why all were lost
        self._broken: set[str] = set()  # readers that do not answer the board
        self._doubted: set[str] = set()  # readers of which something was lost
        self._lying: dict[str, str] = {}  # canonical UID by reader
        self._unsure: dict[str, int] = {}  # until when a tag's lying there is to be confirmed
        self._armed = armed
        self._sampling: bool | None = None  # what the board was told
        self._opened_ns = 0
        self._good_ns = 0
        self._event_ns = 0
        self._attitude_ns = 0
        self._refused: set[str] = set()  # what was complained of

    # --- Talk -------------------------------------------------------------------------

    def opened(self, at_ns: int) -> None:
        """The port was opened (again)."""
        self._link.cut()
        self._opened_ns = self._good_ns = at_ns

    def heard(self, data: bytes, at_ns: int) -> list[Reading]:
        """The readings that follow from these bytes, and from the time."""
        readings: list[Reading] = []
        for kind, body in self._link.feed(data, at_ns // _MS):
            readings += self._learn_time(at_ns)
            try:
                readings += self._message(kind, body, at_ns)
            except ValueError as error:
                self._complain(f"the board sends what makes no sense (kind {kind:#x}): {error}")
        readings += self._learn_time(at_ns)
        readings += self._settled(at_ns)
        if self._link.alive(at_ns // _MS):
            self._good_ns = at_ns - since(at_ns // _MS, self._link.heard_ms) * _MS
        elif self._link.peer_protocol is not None:
            readings += self._all_lost(self._update_sentence(), at_ns, again=True)
        elif at_ns - self._good_ns >= SILENCE_NS:
            never = not self._board_id
            readings += self._all_lost(self._silence_sentence(), at_ns, again=never)
        return readings

    def lost(self, reason: str, at_ns: int) -> list[Reading]:
        """The port cannot be opened or was lost."""
        self._link.cut()
        return list(self._all_lost(reason, at_ns))

    def to_say(self, at_ns: int) -> bytes:
        """What to write now."""
        return self._link.output(at_ns // _MS)

    def gave_up(self, at_ns: int) -> bool:
        """Whether it is silent for so long that the port is to be opened anew."""
        return at_ns - max(self._opened_ns, self._good_ns) >= self._patience_ns

    # --- to the board -----------------------------------------------------------------

    def signal(self, reader: str, sign: Sign, at_ns: int) -> None:
        """Tell people something at a place; dropped while the board is away."""
        if reader in self._hardware and self._link.alive(at_ns // _MS):
            body = messages.pack_signal(self._number(reader), _SIGNS[sign])
            self._link.send(messages.SIGNAL, body, at_ns // _MS)

    def arm(self, at_ns: int, *, armed: bool) -> None:
        """How often the ship is looked at; a board that is away is told when it is back."""
        self._armed = armed
        if self._sampling is not None and self._sampling != armed:
            self._tell_sampling(at_ns)

    def _tell_sampling(self, at_ns: int) -> None:
        self._sampling = self._armed
        rate_hz = ARMED_HZ if self._armed else AT_REST_HZ
        self._link.send(messages.SAMPLING, messages.pack_sampling(rate_hz), at_ns // _MS)

    # --- from the board ---------------------------------------------------------------

    def _message(self, kind: int, body: bytes, now_ns: int) -> Iterator[Reading]:
        match kind:
            case messages.HELLO:
                yield from self._greeted(body, now_ns)
            case messages.OVERFLOW:
                yield from self._overflowed(messages.unpack_overflow(body), now_ns)
            case messages.PLACE_LOST | messages.PLACE_BACK:
                place, t_ms = messages.unpack_place(body)
                at_ns = self._event(t_ms, now_ns)
                answers = kind == messages.PLACE_BACK
                yield from self._place(self._reader(place), at_ns, answers=answers)
            case _:
                yield from self._sensed(kind, body, now_ns)

    def _sensed(self, kind: int, body: bytes, now_ns: int) -> Iterator[Reading]:
        match kind:
            case messages.TAG_ON:
                place, raw, t_ms, lay_there = messages.unpack_tag_on(body)
                yield from self._tag_on(place, raw, self._event(t_ms, now_ns), lay_there=lay_there)
            case messages.TAG_OFF:
                place, raw, t_ms = messages.unpack_tag_off(body)
                yield from self._tag_off(place, raw, self._event(t_ms, now_ns))
            case messages.SEVERAL:
                place, t_ms = messages.unpack_place(body)
                yield SeveralTags(self._tag_reader(place), self._event(t_ms, now_ns))
            case messages.UNREADABLE:
                place, reason, t_ms = messages.unpack_unreadable(body)
                reader, at_ns = self._tag_reader(place), self._event(t_ms, now_ns)
                yield TagUnreadable(reader, unreadable.said(reason), at_ns)
            case messages.BUTTON:
                place, button, t_ms = messages.unpack_button(body)
                if button not in _BUTTONS:
                    raise ValueError(f"no button has the number {button}")
                at_ns = self._event(t_ms, now_ns)
                yield ButtonPressed(self._tag_reader(place), _BUTTONS[button], at_ns)
            case messages.ATTITUDE:
                x_mg, y_mg, z_mg, t_ms = messages.unpack_attitude(body)
                reader = self._reader(messages.SHIP)
                self._attitude_ns = max(self._attitude_ns, self._clock.at_ns(t_ms, now_ns))
                yield Attitude(reader, x_mg, y_mg, z_mg, self._attitude_ns)
            case _:
                raise ValueError("this program does not know that kind")

    def _greeted(self, body: bytes, now_ns: int) -> Iterator[Reading]:
        firmware, capabilities, places = messages.unpack_hello(body)
        hardware = {
            f"{self._name}/{number}": f"{firmware}: {place}" if place else firmware
            for number, place in enumerate(places[: messages.SHIP])
        }
        if capabilities & messages.HAS_SHIP:
            hardware[f"{self._name}/ship"] = f"{firmware}: the ship"
        if self._link.peer_boot_id != self._board_id:
            if self._board_id:
                yield from self._all_lost(
                    say(
                        "The board at %(where)s has started anew: see that its power holds. What was laid "
                        "down meanwhile was not read.",
                        where=self._where,
                    ),
                    now_ns,
                )
            self._restarted()
        gone = [reader for reader in self._hardware if reader not in hardware]
        self._hardware = hardware
        for reader in gone:
            reason = say(
                "The board at %(where)s no longer has this place: look at its wiring.",
                where=self._where,
            )
            yield from self._lost(reader, reason, now_ns)
        if self._answers.get(self._name) is False:
            self._answers[self._name] = True
            yield DeviceBack(self._name, firmware, now_ns)
        for reader in hardware:
            if reader not in self._broken | self._doubted:
                yield from self._back(reader, now_ns)
        if self._sampling is None or self._sampling != self._armed:
            self._tell_sampling(now_ns)

    def _restarted(self) -> None:
        self._board_id = self._link.peer_boot_id
        self._broken.clear()
        self._doubted.clear()
        self._sampling = None
        # What lay there is told anew; what is not told within a moment has left meanwhile.
        self._unsure = dict.fromkeys(self._lying, 0)

    def _tag_on(self, place: int, raw: bytes, at_ns: int, *, lay_there: bool) -> Iterator[Reading]:
        reader = self._tag_reader(place)
        yield from self._believed(reader, at_ns)
        try:
            uid = uids.parse(uids.from_bytes(raw))  # parse finds those that were cut
        except uids.UidError as error:
            yield TagUnreadable(reader, str(error), at_ns)
            return
        self._unsure.pop(reader, None)
        if self._lying.get(reader) == uid:
            return  # told again by a board that has started anew
        yield from self._leave(reader, at_ns)
        self._lying[reader] = uid
        yield TagOn(reader, uid, at_ns, lay_there=lay_there)

    def _tag_off(self, place: int, raw: bytes, at_ns: int) -> Iterator[Reading]:
        reader = self._tag_reader(place)
        yield from self._believed(reader, at_ns)
        try:
            uid = uids.from_bytes(raw)
        except uids.UidError:
            return  # it was told as unreadable when it came
        if self._lying.get(reader) == uid:
            del self._lying[reader]
            self._unsure.pop(reader, None)
        yield TagOff(reader, uid, at_ns)

    def _place(self, reader: str, at_ns: int, *, answers: bool) -> Iterator[Reading]:
        if answers:
            self._broken.discard(reader)
            if reader not in self._doubted:
                yield from self._back(reader, at_ns)
            return
        self._broken.add(reader)
        reason = (
            say("The ship's sensor does not answer its board: look at its wires.")
            if reader.endswith("/ship")
            else say(
                "The reader of %(reader)s does not answer its board: look at its wires.",
                reader=reader,
            )
        )
        yield from self._lost(reader, reason, at_ns)

    def _overflowed(self, count: int, now_ns: int) -> Iterator[Reading]:
        """So much was lost that nobody knows what lies where: every place is in doubt.

        It stays so, for people to see, until something is read there again. What was
        believed to lie there is given up, so that laying it down once more counts.
        """
        reason = say_number(
            "%(num)d reading was lost while nobody took what the board at %(where)s read: compare "
            "the table with the page, and put right by touch what differs.",
            "%(num)d readings were lost while nobody took what the board at %(where)s read: compare "
            "the table with the page, and put right by touch what differs.",
            count,
            where=self._where,
        )
        for reader in [reader for reader in self._hardware if not reader.endswith("/ship")]:
            yield from self._leave(reader, now_ns)
            yield from self._lost(reader, reason, now_ns)
            self._doubted.add(reader)

    # --- what is believed -------------------------------------------------------------

    def _believed(self, reader: str, at_ns: int) -> Iterator[Reading]:
        """A tag was read there: the reader answers, and is no longer in doubt."""
        self._broken.discard(reader)
        self._doubted.discard(reader)
        yield from self._back(reader, at_ns)

    def _leave(self, reader: str, at_ns: int) -> Iterator[Reading]:
        self._unsure.pop(reader, None)
        uid = self._lying.pop(reader, None)
        if uid is not None:
            yield TagOff(reader, uid, at_ns)

    def _settled(self, now_ns: int) -> Iterator[Reading]:
        """Tags that a board which started anew did not find again have left."""
        if not self._unsure or not self._link.alive(now_ns // _MS):
            return
        for reader, until_ns in list(self._unsure.items()):
            if reader in self._broken:
                self._unsure[reader] = 0
            elif until_ns == 0:
                self._unsure[reader] = now_ns + SETTLE_NS
            elif now_ns >= until_ns:
                yield from self._leave(reader, now_ns)

    def _back(self, reader: str, at_ns: int) -> Iterator[Reading]:
        if not self._answers.get(reader):
            self._answers[reader] = True
            yield DeviceBack(reader, self._hardware[reader], at_ns)

    def _lost(self, reader: str, reason: str, at_ns: int) -> Iterator[Reading]:
        if self._answers.get(reader) is not False:
            self._answers[reader] = False
            yield DeviceLost(reader, reason, at_ns)

    def _all_lost(self, reason: str, at_ns: int, *, again: bool = False) -> Iterator[Reading]:
        """No reader of the board answers; another reason is told only where `again` says so."""
        anew = again and reason != self._reason
        told = False
        for reader in self._hardware or (self._name,):
            if anew:
                self._answers.pop(reader, None)
            for reading in self._lost(reader, reason, at_ns):
                told = True
                yield reading
        if told:
            self._reason = reason

    # --- names and times --------------------------------------------------------------

    def _reader(self, place: int) -> str:
        reader = f"{self._name}/{'ship' if place == messages.SHIP else place}"
        if reader not in self._hardware:
            raise ValueError(f"it did not say that it has a place {place}")
        return reader

    def _tag_reader(self, place: int) -> str:
        if place == messages.SHIP:
            raise ValueError("neither tags nor buttons are at the ship's sensor")
        return self._reader(place)

    def _number(self, reader: str) -> int:
        last = reader.rpartition("/")[2]
        return messages.SHIP if last == "ship" else int(last)

    def _learn_time(self, now_ns: int) -> Iterator[Reading]:
        heard = (self._link.peer_ms, self._link.peer_ms_at)
        if heard != self._time_heard:
            self._time_heard = heard
            if self._link.peer_boot_id != self._board_id:
                self._clock.restarted()
            jumped_ms = self._clock.heard(self._link.peer_ms, now_ns)
            if jumped_ms:
                yield ClockJumped(self._name, jumped_ms / 1000, now_ns)

    def _event(self, t_ms: int, now_ns: int) -> int:
        """When it happened: never later than now, nor earlier than what was told before."""
        self._event_ns = max(self._event_ns, self._clock.at_ns(t_ms, now_ns))
        return self._event_ns

    # --- sentences --------------------------------------------------------------------

    def _update_sentence(self) -> str:
        theirs, ours = self._link.peer_protocol or 0, messages.PROTOCOL
        if theirs > ours:
            return say(
                "The board at %(where)s speaks version %(theirs)s of the board protocol and this "
                "program version %(ours)s: update this program.",
                where=self._where,
                theirs=theirs,
                ours=ours,
            )
        return say(
            "The board at %(where)s speaks version %(theirs)s of the board protocol and this "
            "program version %(ours)s: flash the board anew.",
            where=self._where,
            theirs=theirs,
            ours=ours,
        )

    def _silence_sentence(self) -> str:
        if self._board_id:
            return say(
                "The board at %(where)s has fallen silent: see that it has power, and plug it in "
                "again.",
                where=self._where,
            )
        return say(
            "Nothing at %(where)s speaks the board protocol: see that the firmware is on the "
            "board and that it has power.",
            where=self._where,
        )

    def _complain(self, text: str) -> None:
        if text not in self._refused and len(self._refused) < MOST_COMPLAINTS:
            self._refused.add(text)
            logger.warning("%s: %s", self._name, text)
