"""The few calls of PC/SC that the driver makes, typed, with failures as exceptions.

`smartcard.scard` of pyscard hands every result back as a number; on Windows a negative
one. It is imported when a reader is opened and not earlier.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from companion.drivers.api import DriverMissing
from companion.drivers.pcsc.results import (
    CANCELLED,
    NO_READERS_AVAILABLE,
    SUCCESS,
    TIMEOUT,
    UNKNOWN_READER,
    PcscFailure,
)
from companion.said import say

GET_UID = (0xFF, 0xCA, 0x00, 0x00, 0x00)
"""Get Data, UID (PC/SC part 3, 3.2.2.1.3)."""

NEW_READER = "\\\\?PnP?\\Notification"
"""The pseudo reader whose state changes when readers come and go."""

_STATE_CHANGED = 0x0002
_STATE_UNKNOWN = 0x0004
_STATE_UNAVAILABLE = 0x0008
_STATE_PRESENT = 0x0020
_COUNTER_BITS = 16
_ANSWER_OK = (0x90, 0x00)
_MISSING = say(
    "The smart-card library pyscard is not installed: type `sudo apt install "
    "libpcsclite-dev gcc libc6-dev python3-dev` and start with `./run`, which then adds "
    "it."
)


class NoUid(Exception):
    """The card answered and gave no UID; the text is a sentence for people."""


@dataclass(frozen=True, slots=True)
class ReaderState:
    """What a reader's event state says (PC/SC part 5, SCARD_READERSTATE).

    Attributes:
        present: a card lies in the field.
        counter: how often a card came or went, modulo 65536.
        raw: the state to wait for changes from.
    """

    present: bool
    counter: int
    raw: int


UNAWARE = ReaderState(present=False, counter=0, raw=0)
"""The state to wait from when nothing is known: the wait ends at once."""


class PcscLibrary:
    """pyscard's low-level face. Contexts and cards are PC/SC's own numbers.

    Raises:
        DriverMissing: pyscard is not installed.
    """

    def __init__(self) -> None:
        try:
            self._scard: Any = importlib.import_module("smartcard.scard")
        except ImportError as error:
            raise DriverMissing(_MISSING) from error

    @contextmanager
    def context(self) -> Iterator[int]:
        """A conversation with the service; one for each thread.

        Raises:
            PcscFailure: the service is away, or denies access.
        """
        code, context = self._scard.SCardEstablishContext(self._scard.SCARD_SCOPE_USER)
        _check(code)
        try:
            yield context
        finally:
            self._scard.SCardReleaseContext(context)

    def reader_names(self, context: int) -> tuple[str, ...]:
        """The readers that are there, as PC/SC names them.

        Raises:
            PcscFailure: the service is away.
        """
        code, names = self._scard.SCardListReaders(context, [])
        if _unsigned(code) == NO_READERS_AVAILABLE:
            return ()
        _check(code)
        return tuple(names)

    def wait_for_reader(self, context: int, readers: int, limit_ms: int) -> bool:
        """Wait until a reader comes or goes.

        Args:
            context: of this thread.
            readers: how many there are now.
            limit_ms: how long to wait at most.

        Returns:
            False where the platform cannot tell; then the wait ended at once.

        Raises:
            PcscFailure: the service is away.
        """
        watched = [(NEW_READER, readers << _COUNTER_BITS)]
        code, states = self._scard.SCardGetStatusChange(context, limit_ms, watched)
        if _unsigned(code) in (TIMEOUT, CANCELLED):
            return True
        if _unsigned(code) == UNKNOWN_READER:
            return False
        _check(code)
        return not states[0][1] & _STATE_UNKNOWN

    def wait_for_card(
        self, context: int, reader: str, known: ReaderState, limit_ms: int
    ) -> ReaderState:
        """Wait until the reader's state differs from the known one.

        Returns:
            The state then; the known one itself when the time is up or `cancel` came.

        Raises:
            PcscFailure: the reader or the service is away.
        """
        code, states = self._scard.SCardGetStatusChange(context, limit_ms, [(reader, known.raw)])
        if _unsigned(code) in (TIMEOUT, CANCELLED):
            return known
        _check(code)
        raw = states[0][1]
        if raw & (_STATE_UNKNOWN | _STATE_UNAVAILABLE):
            raise PcscFailure(UNKNOWN_READER)
        return ReaderState(
            present=bool(raw & _STATE_PRESENT),
            counter=raw >> _COUNTER_BITS & 0xFFFF,
            raw=raw & ~_STATE_CHANGED,
        )

    def cancel(self, context: int) -> None:
        """End another thread's wait; without effect when it waits for nothing."""
        self._scard.SCardCancel(context)

    def uid(self, context: int, reader: str, *, reset: bool = False) -> bytes:
        """The UID of the card in the field, as the reader passes it on.

        The call has no time limit: it lasts as long as the card takes to answer.

        Args:
            context: of the calling thread.
            reader: its PC/SC name.
            reset: reset the card if it does not answer, so that the next try finds it awake.

        Raises:
            PcscFailure: the card, the reader or the service is away.
            NoUid: the card answered something else.
        """
        scard = self._scard
        protocols = scard.SCARD_PROTOCOL_T0 | scard.SCARD_PROTOCOL_T1
        code, card, protocol = scard.SCardConnect(
            context, reader, scard.SCARD_SHARE_SHARED, protocols
        )
        _check(code)
        farewell = scard.SCARD_RESET_CARD if reset else scard.SCARD_LEAVE_CARD
        try:
            frame = (
                scard.SCARD_PCI_T0 if protocol == scard.SCARD_PROTOCOL_T0 else scard.SCARD_PCI_T1
            )
            code, answer = scard.SCardTransmit(card, frame, list(GET_UID))
            _check(code)
            if len(answer) < 2:
                # Seen when a card is pulled while it answers: success, and no bytes.
                raise NoUid(
                    say("The card was pulled away while it was read: hold it there longer.")
                )
            if tuple(answer[-2:]) != _ANSWER_OK:
                raise NoUid(
                    say(
                        "The card gives no UID (it answered %(answer)s): lay it flat on the reader, or take "
                        "another.",
                        answer=bytes(answer[-2:]).hex(" ").upper(),
                    )
                )
            farewell = scard.SCARD_LEAVE_CARD
            return bytes(answer[:-2])
        finally:
            scard.SCardDisconnect(card, farewell)


def _unsigned(code: int) -> int:
    return code & 0xFFFFFFFF


def _check(code: int) -> None:
    if _unsigned(code) != SUCCESS:
        raise PcscFailure(_unsigned(code))
