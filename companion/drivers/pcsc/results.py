"""PC/SC's result codes that the driver tells apart, and what to say about them.

The numbers are those of PC/SC part 5 and pcsc-lite's `pcsclite.h`, unsigned 32 bits.
"""

from __future__ import annotations

from enum import Enum, auto

from companion.said import Listed, say

SUCCESS = 0x00000000
CANCELLED = 0x80100002
INVALID_HANDLE = 0x80100003
UNKNOWN_READER = 0x80100009
TIMEOUT = 0x8010000A
SHARING_VIOLATION = 0x8010000B
NO_SMARTCARD = 0x8010000C
SYSTEM_CANCELLED = 0x80100012
COMM_ERROR = 0x80100013
NOT_TRANSACTED = 0x80100016
READER_UNAVAILABLE = 0x80100017
NO_SERVICE = 0x8010001D
SERVICE_STOPPED = 0x8010001E
NO_ACCESS = 0x80100027
NO_READERS_AVAILABLE = 0x8010002E
UNRESPONSIVE_CARD = 0x80100066
REMOVED_CARD = 0x80100069
SECURITY_VIOLATION = 0x8010006A


class Trouble(Enum):
    """Whose fault a result is."""

    SERVICE = auto()
    """The service is away; every context and handle of it is dead."""

    ACCESS = auto()
    """The service is there and does not serve this user."""

    READER = auto()
    """The reader is away."""

    CARD = auto()
    """Only this try with this card failed; the reader is well."""


_TROUBLES = {
    INVALID_HANDLE: Trouble.SERVICE,
    SYSTEM_CANCELLED: Trouble.SERVICE,
    COMM_ERROR: Trouble.SERVICE,
    NO_SERVICE: Trouble.SERVICE,
    SERVICE_STOPPED: Trouble.SERVICE,
    NO_ACCESS: Trouble.ACCESS,
    SECURITY_VIOLATION: Trouble.ACCESS,
    UNKNOWN_READER: Trouble.READER,
    READER_UNAVAILABLE: Trouble.READER,
    NO_READERS_AVAILABLE: Trouble.READER,
}

SERVICE_AWAY = say(
    "The smart-card service pcscd is not running: start it with `sudo systemctl start "
    "pcscd.socket`, or install it with `sudo apt install pcscd`."
)
ACCESS_DENIED = say(
    "The smart-card service denied access: add a polkit rule that allows "
    "org.debian.pcsc-lite.access_pcsc and org.debian.pcsc-lite.access_card to this user."
)
NO_READER = say(
    "No contactless reader is plugged in: plug one in. If one is, take it back from the "
    "kernel with `sudo modprobe -r pn533_usb`."
)


class PcscFailure(Exception):
    """A call of PC/SC gave another result than success.

    Attributes:
        code: the result, unsigned 32 bits.
    """

    def __init__(self, code: int) -> None:
        super().__init__(f"PC/SC result 0x{code:08X}")
        self.code = code

    @property
    def trouble(self) -> Trouble:
        """Whose fault it is; a result that is not in the table is the card's."""
        return _TROUBLES.get(self.code, Trouble.CARD)


def unplugged(pcsc_name: str) -> str:
    """What to say of a reader that PC/SC no longer shows."""
    return say("The reader %(reader)s was unplugged: plug it in again.", reader=pcsc_name)


def none_matches(which: str, pcsc_names: tuple[str, ...]) -> str:
    """What to say when readers are there, but none that was asked for."""
    return (
        say(
            "No contactless reader's name contains %(text)s: give a part of one of these: "
            "%(readers)s.",
            text=repr(which),
            readers=Listed(pcsc_names),
        )
        if which
        else say(
            "None of these takes contactless cards: %(readers)s. Plug in one that does.",
            readers=Listed(pcsc_names),
        )
    )


def device_reason(failure: PcscFailure, pcsc_name: str | None) -> str:
    """One sentence about a reader, or the service, that does not answer."""
    match failure.trouble:
        case Trouble.SERVICE:
            return SERVICE_AWAY
        case Trouble.ACCESS:
            return ACCESS_DENIED
        case Trouble.READER:
            return NO_READER if pcsc_name is None else unplugged(pcsc_name)
        case Trouble.CARD:
            if pcsc_name is None:
                return say(
                    "The smart-card service does not answer (%(failure)s): unplug the reader and "
                    "plug it in again.",
                    failure=f"{failure}",
                )
            return say(
                "The reader %(reader)s does not answer (%(failure)s): unplug the reader and plug it "
                "in again.",
                reader=pcsc_name,
                failure=f"{failure}",
            )


def card_reason(failure: PcscFailure) -> str:
    """One sentence about a card that could not be read."""
    if failure.trouble is Trouble.ACCESS:
        return ACCESS_DENIED
    if failure.code == SHARING_VIOLATION:
        return say("Another program holds the card: close it.")
    if failure.code == UNRESPONSIVE_CARD:
        return say("The card does not answer: lay it flat on the reader, or take another.")
    return say(
        "The card could not be read (%(failure)s): lay it flat on the reader and hold it there.",
        failure=f"{failure}",
    )
