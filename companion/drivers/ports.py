"""Which serial port a board is at: named for good, never by the order of plugging in.

`serial=` and `usb=` are looked up each time the port is opened, so that a board is found
again under whatever device name it got. Everything else is a port or URL of pyserial.
"""

from __future__ import annotations

import errno
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias
from urllib.parse import urlsplit

from companion.drivers.api import DriverMissing, DriverName
from companion.said import say, together

BAUD = 115_200
READ_S = 0.02
"""How long a read waits: what is to be written waits as long at most."""

WRITE_S = 0.5

_PYSERIAL = (
    *("all", "class", "color", "file", "ign_set_control", "logging", "n", "poll_modem"),
    *("raw", "skip_busy", "timeout"),
)
"""What may follow `?` in a URL of pyserial."""

LISTING = ("-m", "serial.tools.list_ports", "-v")
"""With these words Python names the ports; it has to be one that has pyserial."""

HIGHEST = 999_999_999
"""No option's number is above it."""

_LIST_PORTS = shlex.join((f"{sys.prefix}/bin/python3", *LISTING))
_PASSING = re.compile(r"/dev/tty(?:ACM|USB)[0-9]+")


class PortTrouble(Exception):
    """The port is not there or cannot be used; the text is one sentence for people."""


class ListedPort(Protocol):
    """What is known of a port without opening it, as pyserial's `list_ports` tells it."""

    @property
    def device(self) -> str:
        """Such as `/dev/ttyACM0`."""
        ...

    @property
    def serial_number(self) -> str | None:
        """That of the USB device."""
        ...

    @property
    def location(self) -> str | None:
        """The USB path and interface, such as `1-1.2:1.0`."""
        ...


class Port(Protocol):
    """An open port of pyserial, as much of it as is used."""

    @property
    def in_waiting(self) -> int:
        """How many bytes came, or whether any came."""
        ...

    def read(self, size: int = 1, /) -> bytes:
        """So many bytes, or those that came within READ_S."""
        ...

    def write(self, data: bytes, /) -> int | None:
        """Write them within WRITE_S."""
        ...

    def reset_output_buffer(self) -> None:
        """Throw away what was not sent yet."""
        ...

    def open(self) -> None:
        """Open it."""
        ...

    def close(self) -> None:
        """Close it."""
        ...


Listing: TypeAlias = Callable[[], Iterable[ListedPort]]


@dataclass(frozen=True, slots=True)
class Address:
    """Where a board is, as the user named it.

    Attributes:
        how: `url` for a port or URL of pyserial, `serial` for the serial number of a USB
            device, `usb` for the path of the socket that it is plugged into.
        where: the URL, number or path.
        baud: bits a second, where the line has such a thing.
    """

    how: Literal["url", "serial", "usb"]
    where: str
    baud: int

    @property
    def port(self) -> tuple[str, str]:
        """The same of two addresses that name one port in the same way, whatever their options."""
        if self.how == "serial":
            return self.how, self.where.casefold()
        where = self.where.partition("?")[0]
        return self.how, os.path.realpath(where) if where.startswith("/") else where

    def __str__(self) -> str:
        return self.where if self.how == "url" else f"{self.how}={self.where}"

    @property
    def is_remote(self) -> bool:
        """Whether there is no cable that would tell when it is pulled."""
        return self.how == "url" and "://" in self.where


def parse(kind: str, text: str, baud: int = BAUD) -> Address:
    """Read what follows a kind such as `bridge:`; `?baud=9600` may end it.

    Raises:
        DriverName: no port is named, or not in a way that is known.
    """
    text, baud = cut_option(kind, text, "baud", baud)
    _check_options(kind, text)
    how, equals, where = text.partition("=")
    if equals and how in ("serial", "usb") and where:
        return Address("serial" if how == "serial" else "usb", where, baud)
    if not text or how in ("serial", "usb"):
        raise DriverName(
            f"{kind} needs a port: {kind}serial=NUMBER or {kind}usb=PATH (both are listed by "
            f"`{_LIST_PORTS}`), {kind}/dev/ttyACM0, or "
            f"{kind}socket://ADDRESS:PORT."
        )
    _check_network(kind, text)
    return Address("url", text, baud)


def cut_option(
    kind: str, text: str, key: str, otherwise: int, highest: int = HIGHEST
) -> tuple[str, int]:
    """The text without an option such as `?baud=9600`, and the option's number.

    Other options stay, since pyserial's URLs have some.

    Raises:
        DriverName: it is no number from 1 to the highest.
    """
    found = re.search(rf"([?&]){key}=([^&]*)(&|$)", text)
    if found is None:
        return text, otherwise
    if not re.fullmatch("[0-9]{1,9}", found[2]) or not 1 <= int(found[2]) <= highest:
        upper = "on" if highest == HIGHEST else f"to {highest}"
        raise DriverName(
            f"In {kind}{text}, {key} is a number from 1 {upper}, and not {found[2]!r}."
        )
    kept = found[1] if found[3] else ""
    return text[: found.start()] + kept + text[found.end() :], int(found[2])


def _check_network(kind: str, text: str) -> None:
    """Refuse a network address that no board can ever answer at."""
    scheme, separator, _ = text.partition("://")
    if not separator or scheme not in ("socket", "rfc2217"):
        return
    try:
        parts = urlsplit(text)
        is_whole = bool(parts.hostname and parts.port)
    except ValueError:
        is_whole = False
    if not is_whole:
        raise DriverName(
            f"{kind}{text} has no address, or no port number from 1 to 65535: write "
            f"{kind}{scheme}://ADDRESS:PORT."
        )


def _check_options(kind: str, text: str) -> None:
    """Refuse what is left after `?` and no option of pyserial's URLs."""
    _, mark, options = text.partition("?")
    allowed = _PYSERIAL if "://" in text else ()
    for option in options.split("&") if mark else ():
        if option.partition("=")[0] not in allowed:
            raise DriverName(
                f"{kind}{text} has an option {option!r} that is not known, or has it twice: known "
                "are baud and number, such as ?baud=9600&number=2, and targets of pn532:."
            )


def find(address: Address, listed: Iterable[ListedPort]) -> str:
    """The port or URL to open.

    Raises:
        PortTrouble: nothing is plugged in there, or several things answer to the name.
    """
    if address.how == "url":
        return address.where
    found = sorted(
        (port for port in listed if _answers(port, address)), key=lambda port: port.location or ""
    )
    if not found:
        raise PortTrouble(_nothing_there(address))
    sockets = {_socket(port) for port in found}
    if len(sockets) > 1:
        raise PortTrouble(
            say(
                "%(count)s devices have the serial number %(where)s: name the one you mean by its "
                "socket, %(sockets)s.",
                count=len(found),
                where=address.where,
                sockets=together((f"usb={socket}" for socket in sorted(sockets)), "or"),
            )
        )
    # A board may show several interfaces; the console is the first.
    return found[0].device


def note(kind: str, address: Address, listed: Iterable[ListedPort]) -> str | None:
    """How to name a port for good; None if its name does not pass to another board."""
    if address.how != "url" or not _PASSING.fullmatch(address.where):
        return None
    for port in listed:
        if port.device != address.where:
            continue
        names = [
            *([f"{kind}serial={port.serial_number}"] if port.serial_number else []),
            *([f"{kind}usb={_socket(port)}"] if port.location else []),
        ]
        if names:
            return (
                f"{address.where} may be another board after the next start: "
                f"write {' or '.join(names)} instead."
            )
    return f"{address.where} may be another board after the next start."


class SerialLibrary:
    """pyserial, with types.

    Raises:
        DriverMissing: it is not installed.
    """

    def __init__(self) -> None:
        try:
            import serial  # noqa: PLC0415
            from serial.tools import list_ports  # noqa: PLC0415
        except ImportError as error:
            raise DriverMissing(
                say("Serial ports need pyserial: install it with `pip install pyserial`.")
            ) from error
        self._serial: Any = serial
        self._list_ports: Any = list_ports

    def listed(self) -> Sequence[ListedPort]:
        """The ports of this computer; none of them is opened."""
        return list(self._list_ports.comports())

    def open(self, url: str, baud: int) -> Port:
        """Open a port for this program alone.

        Raises:
            PortTrouble: it cannot be opened; the text says what to do.
        """
        try:
            port: Port = self._serial.serial_for_url(
                url,
                do_not_open=True,
                baudrate=baud,
                timeout=READ_S,
                write_timeout=WRITE_S,
                exclusive=True,
            )
        except (OSError, ValueError) as error:
            raise PortTrouble(_open_failed(url, error)) from error
        try:
            port.open()
        except (OSError, ValueError) as error:
            close(port)
            raise PortTrouble(_open_failed(url, error)) from error
        return port


def read(port: Port) -> bytes:
    """What came, at most some thousand bytes; waits READ_S if nothing did.

    Raises:
        OSError: the port is gone.
    """
    data = port.read(1)
    try:
        while data and len(data) < 4096 and (waiting := port.in_waiting):
            data += port.read(min(waiting, 4096))
    except OSError:
        return data  # what came before the end counts; the next read tells of the end
    return data


def close(port: Port, *, sent: bool = False) -> None:
    """Close a port that may be gone already.

    Args:
        port: the port.
        sent: let what was written go out first; else it is thrown away, since a port whose
            device takes nothing may close only after half a minute.
    """
    network = getattr(port, "_socket", None)
    if not sent:
        with suppress(Exception):
            port.reset_output_buffer()
    with suppress(Exception):
        port.close()
    if network is not None:  # pyserial leaves one open whose other end was closed first
        network.close()


def _answers(port: ListedPort, address: Address) -> bool:
    if address.how == "serial":
        return (port.serial_number or "").casefold() == address.where.casefold()
    return address.where in (port.location, _socket(port))


def _socket(port: ListedPort) -> str:
    return (port.location or port.device).partition(":")[0]


def _nothing_there(address: Address) -> str:
    if address.how == "serial":
        return say(
            "No board with the serial number %(where)s is plugged in: plug it in.",
            where=address.where,
        )
    return say(
        "No board is plugged in at the USB socket %(where)s: plug it in there.", where=address.where
    )


def _cause(error: Exception) -> object:
    """The number of the error that pyserial made a text of, such as one of `termios`."""
    cause = error.__context__
    return cause.args[0] if cause is not None and cause.args else None


def _open_failed(url: str, error: Exception) -> str:
    if isinstance(error, ValueError):
        return say(
            "%(where)s is no port that can be opened (%(error)s).", where=url, error=f"{error}"
        )
    match getattr(error, "errno", None) or _cause(error):
        case errno.EACCES | errno.EPERM:
            return say(
                "This user may not open %(where)s: add them to the group dialout with `sudo usermod "
                "-aG dialout $USER`, and log in again.",
                where=url,
            )
        case errno.EAGAIN | errno.EBUSY:
            return say("Another program holds %(where)s: close it.", where=url)
        case errno.ENOENT | errno.ENXIO | errno.ENODEV:
            return say("Nothing is plugged in at %(where)s: plug the board in.", where=url)
        case errno.EISDIR | errno.ENOTTY:
            return say(
                "%(where)s is no serial port: name one that `%(command)s` lists.",
                where=url,
                command=_LIST_PORTS,
            )
    if "://" in url:
        return say(
            "The board at %(where)s cannot be reached: switch it on, and see that it is in range.",
            where=url,
        )
    return say(
        "%(where)s cannot be opened (%(error)s): plug the board in again.",
        where=url,
        error=f"{error}",
    )
