"""A board of software on a clock of the test, with the chips of the simulation on its wires."""

from __future__ import annotations

from firmware_bridge import messages
from firmware_bridge.app import App
from firmware_bridge.link import Link
from firmware_bridge.pn532 import Pn532
from firmware_bridge.rc522 import Rc522
from firmware_bridge.wires import Pn532SpiWire, Rc522SpiWire, UartWire
from hardware_sim.board.parts import Pn532Antenna, Rc522Antenna

START_MS = 1000


class Spi:
    """A bus with one chip on it."""

    def __init__(self, antenna, clock):
        self._antenna, self._clock = antenna, clock

    def write(self, data):
        self._antenna.transfer(data, self._clock.now_ms)

    def readinto(self, buffer):
        buffer[:] = self._antenna.transfer(bytes(len(buffer)), self._clock.now_ms)

    def write_readinto(self, data, buffer):
        buffer[:] = self._antenna.transfer(data, self._clock.now_ms)


class Uart:
    def __init__(self, antenna, clock):
        self._antenna, self._clock, self._waiting = antenna, clock, b""

    def write(self, data):
        self._antenna.write(data, self._clock.now_ms)
        return len(data)

    def any(self):
        self._waiting += self._antenna.read(self._clock.now_ms)
        return len(self._waiting)

    def read(self, size):
        data, self._waiting = self._waiting[:size], self._waiting[size:]
        return data


class Sensor:
    def __init__(self):
        self.axes = (0, 0, 1000)

    def look(self, now_ms):
        del now_ms
        return self.axes


class SoftBoard:
    """What `App` is handed, and its world."""

    name = "bench"
    capabilities = messages.HAS_SHIP

    def __init__(self, places=1, reader="pn532-spi"):
        self.now_ms = START_MS
        made = Rc522Antenna if reader == "rc522" else Pn532Antenna
        self.antennas = [made() for _ in range(places)]
        self.readers = [self._reader(reader, antenna) for antenna in self.antennas]
        self.button_kinds = [messages.STOP] * places
        self.sensor = Sensor()
        self.down = [False] * places
        self.shown = []
        self.resets = 0

    def _reader(self, reader, antenna):
        if reader == "pn532-uart":
            return Pn532(), UartWire(Uart(antenna, self))
        spi = Spi(antenna, self)
        if reader == "rc522":
            return Rc522(), Rc522SpiWire(spi, antenna.select)
        return Pn532(), Pn532SpiWire(spi, antenna.select)

    def touched(self, place):
        return self.down[place]

    def light(self, place, colour):
        self.shown.append((self.now_ms, place, colour))

    def sound(self, place, tone_hz):
        self.shown.append((self.now_ms, place, tone_hz))

    def reset(self):
        self.resets += 1


class Bench:
    """The board's app, a host at the other end of the link, and what the host was told.

    Attributes:
        told: kind and body of each message, without HELLO and ATTITUDE.
        attitudes: the bodies of ATTITUDE.
        crowded: how often two fields were on at once.
        looks: how often each field went on.
    """

    def __init__(self, places=1, reader="pn532-spi", *, listening=True):
        self.board = SoftBoard(places, reader)
        self.app = App(self.board, 5, self.board.now_ms)
        self.host = Link(7)
        self.listening = listening
        self.told = []
        self.hellos = []
        self.attitudes = []
        self.crowded = 0
        self.looks = [0] * places
        self._sent = [False] * places

    # The app's port.

    def fresh(self):
        return False

    def read(self):
        return self.host.output(self.board.now_ms)

    def writable(self):
        return self.listening

    def write(self, data):
        piece = data[:64]
        for kind, body in self.host.feed(piece, self.board.now_ms):
            if kind == messages.HELLO:
                self.hellos.append(messages.unpack_hello(body))
            elif kind == messages.ATTITUDE:
                self.attitudes.append(messages.unpack_attitude(body))
            else:
                self.told.append((kind, body))
        return len(piece)

    def run(self, milliseconds):
        for _ in range(milliseconds):
            self.app.serve(self, self.board.now_ms)
            sends = [antenna.sends for antenna in self.board.antennas]
            self.crowded += sum(sends) > 1
            for place, (is_on, was_on) in enumerate(zip(sends, self._sent, strict=True)):
                self.looks[place] += is_on and not was_on
            self._sent = sends
            self.board.now_ms += 1

    def until(self, *kinds, limit_ms=20_000):
        """Run until these kinds were told next, and nothing else; their bodies."""
        start = len(self.told)
        for _ in range(limit_ms):
            if len(self.told) - start >= len(kinds):
                break
            self.run(1)
        found = self.told[start:]
        assert tuple(kind for kind, _ in found) == kinds
        return [body for _, body in found]

    def say(self, kind, body=b""):
        assert self.host.send(kind, body, self.board.now_ms)

    def settle(self):
        """Until every place has answered, and the ship."""
        expected = len(self.board.antennas) + 1
        while len(self.told) < expected:
            self.run(1)
            assert self.board.now_ms < 5_000
        assert {kind for kind, _ in self.told} == {messages.PLACE_BACK}
        self.told.clear()
