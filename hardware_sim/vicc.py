"""A virtual NFC tag on the real pcscd, through the virtual smart-card reader `vpcd`.

The tag is the client of vpcd's TCP protocol: two bytes of length, big-endian, then a
body. A body of one byte is a command to the card: 0 power off, 1 power on, 2 reset,
4 send the ATR, the only one with an answer. Any other body is an APDU with one answer
(vsmartcard, `virtualsmartcard/VirtualSmartcard.py`).

As a program it lays tags on a reader one after the other, see `add_arguments`.
"""

from __future__ import annotations

import argparse
import contextlib
import socket
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from hardware_sim.tags import EMPTY_NDEF, PAGE_BYTES, ntag213_memory, parse_uid
from hardware_sim.visits import DEFAULT_HOLD_MS, ScriptError, Visit, visits_of

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 35963
NTAG213_ATR = bytes.fromhex("3B8F8001804F0CA0000003060300030000000068")
"""Answer to reset of a contactless storage card, type 2 (PC/SC part 3, 3.1.3.2.3)."""

OK = b"\x90\x00"
OPERATION_FAILED = b"\x63\x00"
NOT_SUPPORTED = b"\x6a\x81"
WRONG_ADDRESS = b"\x6a\x82"

_GET_UID = bytes.fromhex("FFCA000000")
_READ_BINARY = bytes.fromhex("FFB0")
_SEND_ATR = b"\x04"
_RECONNECT_S = 0.05
_CONNECT_LIMIT_S = 5.0
_JOIN_LIMIT_S = 2.0


class ViccError(Exception):
    """The tag cannot be laid on the reader; the text says what to do."""


@dataclass(slots=True)
class _Faults:
    mute: bool = False
    drop: bool = False
    delay_s: float = 0.0
    wrong_answers: int = 0
    wrong_answer: bytes = OPERATION_FAILED


class VirtualCard:
    """One tag that can be laid on a virtual reader and taken away again.

    As a context manager it lies there for the length of the block. While it lies there
    and pcscd goes, it comes back with it, as a card does that stays on its reader.

    Args:
        uid: 4, 7 or 10 bytes, or their hexadecimal text.
        host: where pcscd runs.
        port: the TCP port of the virtual reader.
        atr: the answer to reset, 1 to 33 bytes.
        user_bytes: what the tag's memory holds from page 4.

    Raises:
        ValueError: the UID or the user bytes cannot be.
    """

    def __init__(
        self,
        uid: bytes | str,
        *,
        host: str = DEFAULT_HOST,
        port: int = DEFAULT_PORT,
        atr: bytes = NTAG213_ATR,
        user_bytes: bytes = EMPTY_NDEF,
    ) -> None:
        self._address = (host, port)
        self._atr = atr
        self._user_bytes = user_bytes
        self._uid = b""
        self._memory = b""
        self._set_uid(uid)
        self._faults = _Faults()
        self._away = threading.Event()
        self._away.set()
        self._socket: socket.socket | None = None
        self._thread: threading.Thread | None = None
        self.uid_reads = 0

    @property
    def uid(self) -> str:
        """The UID in upper-case hexadecimal."""
        return self._uid.hex().upper()

    def __enter__(self) -> Self:
        self.insert()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.remove()

    def insert(self) -> None:
        """Lay the tag on the reader; pcscd notices within 400 ms.

        Raises:
            ViccError: nothing listens at the port, or the tag lies there already.
        """
        if not self._away.is_set():
            raise ViccError(f"The tag {self.uid} lies on the reader already.")
        self._away = threading.Event()
        self._socket = self._connect()
        self._thread = threading.Thread(
            target=self._lie_there,
            args=(self._socket, self._away),
            name=f"vicc-{self.uid}",
            daemon=True,
        )
        self._thread.start()

    def remove(self) -> None:
        """Take the tag away; pcscd notices within 400 ms. Without effect when it is away."""
        self._away.set()
        self._hang_up()
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.join(_JOIN_LIMIT_S)

    def swap(self, uid: bytes | str) -> None:
        """Take the tag away and lay one with this UID down in the same moment."""
        self.remove()
        self._set_uid(uid)
        self.insert()

    def change_silently(self, uid: bytes | str) -> None:
        """Another tag lies there, exchanged so fast that the reader noticed no moment between."""
        self._set_uid(uid)

    def mute(self, *, on: bool = True) -> None:
        """Give no answer to APDUs any more, or answer again from the next one on."""
        self._faults.mute = on

    def answer_wrongly(self, times: int, answer: bytes = OPERATION_FAILED) -> None:
        """Answer the next APDUs with something else, such as `63 00`."""
        self._faults.wrong_answer = answer
        self._faults.wrong_answers = times

    def drop_in_next_apdu(self) -> None:
        """Be pulled away in the middle of the next APDU."""
        self._faults.drop = True

    def answer_after(self, delay_s: float) -> None:
        """Take this long for each answer from now on."""
        self._faults.delay_s = delay_s

    def answer(self, apdu: bytes) -> bytes:
        """What a well card answers, status word included (PC/SC part 3, 3.2.2.1)."""
        if apdu == _GET_UID:
            self.uid_reads += 1
            return self._uid + OK
        if apdu[:2] == _READ_BINARY and len(apdu) == 5:
            start = int.from_bytes(apdu[2:4], "big") * PAGE_BYTES
            if start >= len(self._memory):
                return WRONG_ADDRESS
            # A type 2 tag rolls over to page 0 behind its last page.
            around = self._memory + self._memory
            return around[start : start + (apdu[4] or 4 * PAGE_BYTES)] + OK
        return NOT_SUPPORTED

    def _set_uid(self, uid: bytes | str) -> None:
        self._uid = parse_uid(uid if isinstance(uid, str) else uid.hex())
        self._memory = ntag213_memory(self._uid, self._user_bytes)

    def _connect(self) -> socket.socket:
        host, port = self._address
        try:
            return socket.create_connection(self._address, timeout=_CONNECT_LIMIT_S)
        except OSError as error:
            self._away.set()
            raise ViccError(
                f"No virtual reader listens at {host} port {port} ({error.strerror or error}): "
                "install vsmartcard-vpcd, start pcscd, and look at its log for the port."
            ) from error

    def _hang_up(self) -> None:
        connection, self._socket = self._socket, None
        if connection is not None:
            with contextlib.suppress(OSError):  # the other side may have hung up first
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()

    def _lie_there(self, connection: socket.socket | None, away: threading.Event) -> None:
        while not away.is_set():
            if connection is not None:
                try:
                    self._converse(connection, away)
                except OSError:
                    pass  # pcscd went, or the tag was taken away: the loop's head tells
                finally:
                    connection.close()
            if away.wait(_RECONNECT_S):
                return
            try:
                connection = socket.create_connection(self._address, timeout=_CONNECT_LIMIT_S)
                self._socket = connection
            except OSError:
                connection = None
        if connection is not None:
            connection.close()

    def _converse(self, connection: socket.socket, away: threading.Event) -> None:
        connection.settimeout(None)
        while (size := _receive(connection, 2)) is not None:
            body = _receive(connection, int.from_bytes(size, "big"))
            if body is None:
                return
            answer = self._react(body, away)
            if answer is not None:
                connection.sendall(len(answer).to_bytes(2, "big") + answer)

    def _react(self, body: bytes, away: threading.Event) -> bytes | None:
        if len(body) == 1:
            return self._atr if body == _SEND_ATR else None
        faults = self._faults
        if faults.delay_s and away.wait(faults.delay_s):
            return None
        if faults.drop:
            faults.drop = False
            away.set()
            raise ConnectionAbortedError("pulled away")
        if faults.mute:
            return None
        if faults.wrong_answers > 0:
            faults.wrong_answers -= 1
            return faults.wrong_answer
        return self.answer(body)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Give a parser the arguments of this program."""
    parser.add_argument("--host", default=DEFAULT_HOST, help="where pcscd runs (%(default)s)")
    parser.add_argument(
        "--port", type=_port, default=DEFAULT_PORT, help="the virtual reader's port (%(default)s)"
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--uid", help="the tag to lay down once: 4, 7 or 10 bytes in hexadecimal")
    what.add_argument(
        "--script",
        type=Path,
        metavar="FILE",
        help="tags to lay down one after the other: a line each, UID [hold_ms [gap_ms]], "
        "# for comments",
    )
    parser.add_argument(
        "--hold-ms",
        type=int,
        default=DEFAULT_HOLD_MS,
        help="how long a tag lies there (%(default)s); pcscd looks every 400 ms, so under 500 it "
        "may be overlooked",
    )


def run(namespace: argparse.Namespace) -> int:
    """Do what the arguments ask.

    Returns:
        0 when every tag was laid down; 2 when nothing listens at the port or a line of
        the script is not understood, which is told on standard error.
    """
    try:
        visits = visits_of(namespace.uid, namespace.script, namespace.hold_ms)
        _lay(visits, namespace.host, namespace.port)
    except (ViccError, ScriptError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """The program; see `run`."""
    parser = argparse.ArgumentParser(description="Lay virtual NFC tags on a virtual reader.")
    add_arguments(parser)
    return run(parser.parse_args(arguments))


def _port(text: str) -> int:
    port = int(text)
    if not 1 <= port <= 65535:
        raise argparse.ArgumentTypeError(f"{port} is no TCP port: they go from 1 to 65535")
    return port


def _lay(visits: Sequence[Visit], host: str, port: int) -> None:
    pause = threading.Event()  # nobody sets it: a wait that Ctrl-C ends on every system
    for index, visit in enumerate(visits):
        if index:
            pause.wait(visits[index - 1].gap_ms / 1000)
        with VirtualCard(visit.uid, host=host, port=port):
            sys.stdout.write(f"{visit.uid} for {visit.hold_ms} ms\n")
            sys.stdout.flush()
            pause.wait(visit.hold_ms / 1000)


def _receive(connection: socket.socket, size: int) -> bytes | None:
    received = b""
    while len(received) < size:
        if hasattr(socket, "TCP_QUICKACK"):
            # vpcd sends length and body apart; without this each APDU waits 44 ms.
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
        part = connection.recv(size - len(received))
        if not part:
            return None
        received += part
    return received


if __name__ == "__main__":
    sys.exit(main())
