"""Why a tag cannot be read, as the firmware's own half of the drivers tells it.

The firmware runs where nothing of this program exists, so its sentences are plain text.
"""

from __future__ import annotations

from companion.said import say
from firmware_bridge import pn532

_KNOWN = {
    pn532.INCOMPLETE: say("The reader gives a part of the UID only: hold the card closer."),
    pn532.WRONG_SIZE: say("The reader gives a UID of a size that there is not."),
    pn532.WRONG_CHECK: say("The check byte of the UID is wrong."),
}


def said(reason: str) -> str:
    """The firmware's sentence, as one that a page can tell in any language where it is known."""
    return _KNOWN.get(reason, reason)
