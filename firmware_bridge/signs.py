"""What a place shows and sounds: four signs that differ by colour and by rhythm.

Whoever does not see the colours, or has the buzzers off, still tells them apart.
"""

from firmware_bridge.messages import ACCEPTED, ALARM, REFUSED, YOUR_TURN
from firmware_bridge.milliseconds import since

DARK = (0, 0, 0)
GREEN = (0, 90, 0)
RED = (110, 0, 0)
BLUE = (0, 20, 110)
AMBER = (120, 60, 0)

SIGNS = {
    # steps of milliseconds, colour (red, green, blue: 0 to 255) and tone (Hz, 0 for silence)
    ACCEPTED: ((90, GREEN, 1760), (410, GREEN, 0)),  # one short
    REFUSED: ((350, RED, 220), (120, DARK, 0), (350, RED, 220)),  # two long, low
    YOUR_TURN: ((80, BLUE, 880), (80, DARK, 0), (80, BLUE, 1109), (80, DARK, 0), (160, BLUE, 1319)),
    ALARM: ((100, AMBER, 988), (60, DARK, 0)) * 8,  # fast, for over a second
}


class Sign:
    """What one place shows now: nothing, until a sign is started."""

    def __init__(self) -> None:
        self._steps: tuple[tuple[int, tuple[int, int, int], int], ...] = ()
        self._started_ms = 0

    def start(self, sign: int, now_ms: int) -> None:
        """Begin this sign, whatever was shown; one that is not known ends the running one."""
        self._steps = SIGNS.get(sign, ())
        self._started_ms = now_ms

    def look(self, now_ms: int) -> tuple[tuple[int, int, int], int]:
        """The colour and the tone of this moment."""
        elapsed_ms = since(now_ms, self._started_ms)
        for lasts_ms, colour, tone_hz in self._steps:
            if elapsed_ms < lasts_ms:
                return colour, tone_hz
            elapsed_ms -= lasts_ms
        self._steps = ()
        return DARK, 0
