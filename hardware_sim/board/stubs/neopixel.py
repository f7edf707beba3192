"""MicroPython's `neopixel`: a chain of lights at a pin."""

from world import ask


class NeoPixel:
    """The chain; nothing is shown before `write`."""

    def __init__(self, pin, count):
        self._pin = pin.number
        self._lights = [(0, 0, 0)] * count

    def __setitem__(self, index, colour):
        self._lights[index] = colour

    def write(self):
        ask(b"L", bytes([self._pin]) + b"".join([bytes(colour) for colour in self._lights]))
