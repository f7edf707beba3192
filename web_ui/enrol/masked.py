"""UIDs stay in the service: of a text that names one, its last two digits are shown."""

from __future__ import annotations

import re

SHORTEST = 7
"""A UID of four bytes of which a zero was dropped has so many digits."""

_HEX = "[0-9A-Fa-f]"
_UID = re.compile(rf"(?:0[xX])?{_HEX}{{2}}(?:[ :.-]?{_HEX}{{1,2}}){{2,}}")


def masked(text: str) -> str:
    """The text with each UID, however it is written, cut down to its end."""
    return _UID.sub(_end, text)


def _end(found: re.Match[str]) -> str:
    digits = re.sub("[^0-9A-Fa-f]", "", found[0].lower().removeprefix("0x"))
    return f"…{digits[-2:].upper()}" if len(digits) >= SHORTEST else found[0]
