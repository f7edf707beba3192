"""MicroPython's `machine`, as far as the firmware uses it, with the world behind its pins."""

import struct

from world import ask


class Pin:
    """A pin by its GPIO number."""

    IN, OUT, PULL_UP = 0, 1, 2

    def __init__(self, number, mode=None, pull=None, value=None):
        self.number = number
        if mode is not None:
            ask(b"M", struct.pack(">BBB", number, mode, 0 if pull is None else pull))
        if value is not None:
            self(value)

    def __call__(self, value=None):
        if value is None:
            return ask(b"p", bytes([self.number]))[0]
        ask(b"P", bytes([self.number, value]))
        return None

    def value(self, value=None):
        return self(value)


class SPI:
    """A bus; whichever chip is selected answers."""

    def __init__(self, id, baudrate, polarity, phase, sck, mosi, miso):
        if polarity or phase:
            raise ValueError("the chips speak in mode 0")

    def write(self, data):
        self._transfer(data)

    def readinto(self, buffer, write=0):
        buffer[:] = self._transfer(bytes([write] * len(buffer)))

    def write_readinto(self, data, buffer):
        if len(data) != len(buffer):
            raise ValueError("buffers must be the same length")
        buffer[:] = self._transfer(data)

    def _transfer(self, data):
        answer = ask(b"S", bytes(data))
        if len(answer) != len(data):
            raise RuntimeError("the bus brought another number of bytes")
        return answer


class UART:
    """A serial line by its number."""

    def __init__(self, id, baudrate, tx, rx, rxbuf):
        self._id = id
        self._limit = rxbuf
        self._waiting = b""

    def write(self, data):
        ask(b"U", bytes([self._id]) + data)
        return len(data)

    def any(self):
        # What does not fit into the buffer is lost, as on a board that is too slow.
        self._waiting = (self._waiting + ask(b"u", bytes([self._id])))[: self._limit]
        return len(self._waiting)

    def read(self, size):
        data, self._waiting = self._waiting[:size], self._waiting[size:]
        return data or None


class I2C:
    """A bus of sensors, by their addresses."""

    def __init__(self, id, sda, scl, freq, timeout):
        pass

    def readfrom_mem_into(self, address, register, buffer):
        answer = ask(b"I", bytes([address, register, len(buffer)]))
        if not answer:
            raise OSError(5)
        buffer[:] = answer

    def writeto_mem(self, address, register, data):
        if not ask(b"i", bytes([address, register]) + data):
            raise OSError(5)


class PWM:
    """A tone at a pin."""

    def __init__(self, pin, freq, duty_u16):
        self._pin, self._hz, self._duty = pin.number, freq, duty_u16
        self._tell()

    def freq(self, hz):
        self._hz = hz
        self._tell()

    def duty_u16(self, duty):
        self._duty = duty
        self._tell()

    def _tell(self):
        ask(b"T", struct.pack(">BH", self._pin, self._hz if self._duty else 0))


def reset():
    """The power goes, and comes again."""
    ask(b"R")
