"""The firmware's loop as a class: it is handed a board, and times, and never waits.

It senses (tags, buttons, the ship), tells the host over the link, and shows what the host
wants shown. It runs on CPython as well, with a board that is made of software.
"""

from firmware_bridge.button import Button
from firmware_bridge.link import Link
from firmware_bridge.messages import (
    ATTITUDE,
    BUTTON,
    PLACE_BACK,
    PLACE_LOST,
    RESET,
    SAMPLING,
    SEVERAL,
    SHIP,
    SIGNAL,
    TAG_OFF,
    TAG_ON,
    UNREADABLE,
    pack_attitude,
    pack_button,
    pack_hello,
    pack_place,
    pack_tag_off,
    pack_tag_on,
    pack_unreadable,
    unpack_sampling,
    unpack_signal,
)
from firmware_bridge.milliseconds import since
from firmware_bridge.presence import Presence
from firmware_bridge.signs import DARK, Sign

TYPE_CHECKING = False  # MicroPython has no `typing`
if TYPE_CHECKING:
    from typing import Protocol

    class _Chip(Protocol):
        """`Pn532` or `Rc522`."""

        @property
        def resting(self) -> bool: ...
        def output(self, now_ms: int) -> bytes: ...
        def feed(self, data: bytes, now_ms: int) -> None: ...
        def next_event(self) -> "tuple[str, str | tuple[bytes, ...]] | None": ...

    class _Wire(Protocol):
        """How bytes get to a chip and back, see `firmware_bridge.wires`."""

        def exchange(self, data: bytes) -> bytes: ...

    class _Sensor(Protocol):
        """How the ship lies, see `firmware_bridge.sensors`."""

        def look(self, now_ms: int) -> tuple[int, int, int] | None: ...

    class _Board(Protocol):
        """What the loop is handed; `board.Board` on a real one.

        `readers` has a chip and its wire for each place, `button_kinds` what each place's
        button means (`messages.STOP` and so on).
        """

        name: str
        capabilities: int
        readers: "list[tuple[_Chip, _Wire]]"
        button_kinds: "list[int]"

        @property
        def sensor(self) -> "_Sensor | None": ...
        def touched(self, place: int) -> bool: ...
        def light(self, place: int, colour: tuple[int, int, int]) -> None: ...
        def sound(self, place: int, tone_hz: int) -> None: ...
        def reset(self) -> None: ...

    class _Port(Protocol):
        """The host's end, see `firmware_bridge.ports`; `fresh` once for each new host."""

        def fresh(self) -> bool: ...
        def read(self) -> bytes: ...
        def writable(self) -> bool: ...
        def write(self, data: bytes) -> int: ...


FIRMWARE = "Tidetable 1.0"

TURN_MS = 1000
"""A place whose chip fell silent in its turn gives way to the next one after this time. No look
takes so long, and a chip that does not answer is given no turn."""

TRANSACTIONS = 16
"""So many of one chip follow at once; then the rest of the board has its turn."""

LAY_THERE_MS = 1000
"""A tag of the first look that is believed in this time lay there before anybody looked."""

UNREADABLE_LOOKS = 3
SENSOR_SILENT_MS = 1500
SLOW_HZ = 1
RENAME_MS = 500
"""Chips that answer one after the other are told in one HELLO."""
RESET_AFTER_MS = 200
"""Time for the acknowledgement to leave."""

LONGEST_NAME = 20


class Place:
    """One antenna with its light, buzzer and button."""

    def __init__(self, chip: "_Chip", wire: "_Wire") -> None:
        self.chip = chip
        self.wire = wire
        self.name = type(chip).__name__.upper()  # until it tells more
        self.presence = Presence()
        self.button = Button()
        self.sign = Sign()
        self.colour = DARK
        self.tone_hz = 0
        self.found: tuple[bytes, ...] = ()
        self.looked = False
        self.stays = False
        self.unreadable = 0
        self.ready_ms = 0
        self.lay_there: tuple[bytes, ...] = ()
        self.first_look = True


class App:
    """All that the board does.

    Args:
        board: what it is made of.
        boot_id: another one whenever the board starts, 1 to 2**32 - 1.
        now_ms: milliseconds; a counter that may wrap at 2**30.
    """

    def __init__(self, board: "_Board", boot_id: int, now_ms: int) -> None:
        self._board = board
        self._places = [Place(chip, wire) for chip, wire in board.readers]
        self.link = Link(boot_id, self._hello())
        self._turn: int | None = None
        self._turn_ms = now_ms
        self._period_ms = 1000 // SLOW_HZ
        self._sampled_ms = now_ms - self._period_ms
        self._sensor_ms = now_ms
        self._sensor_lost: bool | None = None
        self._reset_ms: int | None = None
        self._renamed_ms: int | None = None
        self._unwritten = b""

    def serve(self, port: "_Port", now_ms: int) -> None:
        """One round: hear the host, sense, tell the host."""
        if port.fresh():
            self._unwritten = b""
            self.link.cut()
        data = port.read()
        if data:
            self.hear(data, now_ms)
        self.sense(now_ms)
        if not port.writable():
            return
        if not self._unwritten:
            self._unwritten = self.link.output(now_ms)
        if self._unwritten:
            self._unwritten = self._unwritten[port.write(self._unwritten) :]

    def hear(self, data: bytes, now_ms: int) -> None:
        """What the host has sent, in whatever pieces."""
        for kind, body in self.link.feed(data, now_ms):
            try:
                self._obey(kind, body, now_ms)
            except ValueError:  # the host is newer, or broken: what it wants is not known
                continue

    def sense(self, now_ms: int) -> None:
        """One round without the host."""
        for number, place in enumerate(self._places):
            # A chip that is being set up sends nothing yet, so it disturbs nobody.
            if number == self._turn or not place.chip.resting:
                self._serve_chip(number, place, now_ms)
            self._serve_people(number, place, now_ms)
        self._pass_turn(now_ms)
        self._sample(now_ms)
        if self._renamed_ms is not None and since(now_ms, self._renamed_ms) >= RENAME_MS:
            self._renamed_ms = None
            self.link.introduce(self._hello())
        if self._reset_ms is not None and since(now_ms, self._reset_ms) >= RESET_AFTER_MS:
            self._reset_ms = None
            self._board.reset()

    def _hello(self) -> bytes:
        names = [place.name[:LONGEST_NAME] for place in self._places]
        return pack_hello(f"{self._board.name}, {FIRMWARE}", self._board.capabilities, names)

    def _obey(self, kind: int, body: bytes, now_ms: int) -> None:
        if kind == SIGNAL:
            number, sign = unpack_signal(body)
            for place in self._places if number == SHIP else self._places[number : number + 1]:
                place.sign.start(sign, now_ms)
        elif kind == SAMPLING:
            self._period_ms = 1000 // max(1, unpack_sampling(body))
            self._sampled_ms = now_ms - self._period_ms
        elif kind == RESET:
            self._reset_ms = now_ms

    # --- tags -------------------------------------------------------------------------

    def _serve_chip(self, number: int, place: Place, now_ms: int) -> None:
        for _ in range(TRANSACTIONS):
            data = place.chip.output(now_ms)
            received = place.wire.exchange(data)
            if received:
                place.chip.feed(received, now_ms)
            event = place.chip.next_event()
            while event is not None:
                self._heard_chip(number, place, event, now_ms)
                event = place.chip.next_event()
            at_rest = place.chip.resting and (place.looked or number != self._turn)
            if not data or at_rest:
                return

    def _heard_chip(
        self,
        number: int,
        place: Place,
        event: "tuple[str, str | tuple[bytes, ...]]",
        now_ms: int,
    ) -> None:
        kind, what = event
        if kind == "targets" and not isinstance(what, str):
            self._saw(number, place, what, now_ms)
        elif kind == "unreadable" and isinstance(what, str):
            place.looked = True
            place.unreadable += 1
            if place.unreadable == UNREADABLE_LOOKS:
                self.link.send(UNREADABLE, pack_unreadable(number, what, now_ms), now_ms)
        elif kind == "ready":
            place.first_look = True
            if place.name != what:
                place.name = str(what)
                self._renamed_ms = now_ms
            self.link.send(PLACE_BACK, pack_place(number, now_ms), now_ms)
        elif kind == "lost":
            if number == self._turn:
                self._turn = None
            self.link.send(PLACE_LOST, pack_place(number, now_ms), now_ms)

    def _saw(self, number: int, place: Place, found: tuple[bytes, ...], now_ms: int) -> None:
        place.unreadable = 0
        # Where something has changed a second look follows before the turn passes on.
        place.stays = found != place.found and not place.stays
        place.looked = True
        place.found = found
        if place.first_look:
            place.first_look = False
            place.lay_there = found
            place.ready_ms = now_ms
        for event in place.presence.seen(found, now_ms):
            if len(event) == 1:
                self.link.send(SEVERAL, pack_place(number, now_ms), now_ms)
                continue
            kind, uid = event
            if kind == "off":
                self.link.send(TAG_OFF, pack_tag_off(number, uid, now_ms), now_ms)
                continue
            at_start = since(now_ms, place.ready_ms) < LAY_THERE_MS and uid in place.lay_there
            body = pack_tag_on(number, uid, now_ms, lay_there=at_start)
            self.link.send(TAG_ON, body, now_ms)

    def _pass_turn(self, now_ms: int) -> None:
        """Give the turn to the next place whose chip is ready for a look.

        Fields of neighbours reach into each other, so one looks at a time.
        """
        if self._turn is not None:
            place = self._places[self._turn]
            over = place.looked and place.chip.resting
            if over and place.stays:
                place.looked = False
                return
            if not over and since(now_ms, self._turn_ms) < TURN_MS:
                return
        first = 0 if self._turn is None else self._turn + 1
        self._turn = None
        for ahead in range(len(self._places)):
            number = (first + ahead) % len(self._places)
            if self._places[number].chip.resting:
                self._turn, self._turn_ms = number, now_ms
                self._places[number].looked = False
                return

    # --- people -----------------------------------------------------------------------

    def _serve_people(self, number: int, place: Place, now_ms: int) -> None:
        pressed_ms = place.button.heard(self._board.touched(number), now_ms)
        if pressed_ms is not None:
            kind = self._board.button_kinds[number]
            self.link.send(BUTTON, pack_button(number, kind, pressed_ms), now_ms)
        colour, tone_hz = place.sign.look(now_ms)
        if colour != place.colour:
            place.colour = colour
            self._board.light(number, colour)
        if tone_hz != place.tone_hz:
            place.tone_hz = tone_hz
            self._board.sound(number, tone_hz)

    # --- the ship ---------------------------------------------------------------------

    def _sample(self, now_ms: int) -> None:
        sensor = self._board.sensor
        if sensor is None or since(now_ms, self._sampled_ms) < self._period_ms:
            return
        self._sampled_ms += self._period_ms
        if since(now_ms, self._sampled_ms) >= self._period_ms:
            self._sampled_ms = now_ms  # what was missed is not made up for
        axes = sensor.look(now_ms)
        lost = self._sensor_lost
        if axes is not None:
            lost = False
            self._sensor_ms = now_ms
            self.link.send(ATTITUDE, pack_attitude(*axes, now_ms), now_ms)
        elif since(now_ms, self._sensor_ms) >= SENSOR_SILENT_MS:
            lost = True  # less than this is a gap among the readings and no more
        if lost != self._sensor_lost:
            self._sensor_lost = lost
            kind = PLACE_LOST if lost else PLACE_BACK
            self.link.send(kind, pack_place(SHIP, now_ms), now_ms)
