"""A host at the other end of a board's link, over the real pyserial, without the driver."""

from __future__ import annotations

import time

import serial

from firmware_bridge import messages
from firmware_bridge.link import Link

LIMIT_S = 30.0


class Host:
    """What the board tells, with a deadline.

    Attributes:
        told: kind and body of each message so far.
    """

    def __init__(self, url: str, boot_id: int = 77) -> None:
        deadline = time.monotonic() + LIMIT_S
        while True:
            try:
                self._port = serial.serial_for_url(url, timeout=0.005)
                break
            except serial.SerialException:
                # A board that has just been switched on does not listen yet.
                assert time.monotonic() < deadline, f"nothing answers at {url}"
        self.link = Link(boot_id)
        self.told: list[tuple[int, bytes]] = []

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._port.close()

    @staticmethod
    def _now_ms() -> int:
        return time.monotonic_ns() // 1_000_000

    def turn(self) -> None:
        """Move bytes both ways once."""
        self.told += self.link.feed(self._port.read(256), self._now_ms())
        out = self.link.output(self._now_ms())
        if out:
            self._port.write(out)

    def say(self, kind: int, body: bytes = b"") -> None:
        assert self.link.send(kind, body, self._now_ms())

    def until(self, condition, limit_s: float = LIMIT_S):
        """The first message for which the condition holds, from those that were not asked yet."""
        deadline = time.monotonic() + limit_s
        while time.monotonic() < deadline:
            for index, (kind, body) in enumerate(self.told):
                if condition(kind, body):
                    del self.told[: index + 1]
                    return kind, body
            self.turn()
        raise AssertionError(f"not within {limit_s} s; there came {self.told}")

    def until_kind(self, wanted: int) -> bytes:
        return self.until(lambda kind, _: kind == wanted)[1]

    def until_ready(self, places: int) -> None:
        """Until every place has answered."""
        for _ in range(places):
            self.until(lambda kind, body: kind == messages.PLACE_BACK and body[0] != messages.SHIP)
