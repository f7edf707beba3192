"""A button whose contact bounces."""

from firmware_bridge.milliseconds import since

STEADY_MS = 25
"""A contact that was still for so long has stopped to bounce."""


class Button:
    """Tells each press once. A button that is held down at the start was not pressed."""

    def __init__(self) -> None:
        self._down = True
        self._touched = True
        self._since_ms: int | None = None

    def heard(self, touched: bool, now_ms: int) -> int | None:  # noqa: FBT001 - it is what is heard
        """Take a look at the contact; when it was closed for good, when that began.

        Returns:
            The milliseconds of the press, once for each; else None.
        """
        if touched != self._touched or self._since_ms is None:
            self._touched = touched
            self._since_ms = now_ms
        if touched == self._down or since(now_ms, self._since_ms) < STEADY_MS:
            return None
        self._down = touched
        return self._since_ms if touched else None
