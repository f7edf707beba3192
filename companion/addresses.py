"""Where to go, told to people at the start. What opens the table is never told to the journal.

In a terminal the lines are on standard error. Under systemd that is the journal, which others
read too and which is sent about; so they are kept in the data folder, for its user alone.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from companion.errors import PlainError

log = logging.getLogger(__name__)

FILE = "addresses.txt"
PUBLIC = "address"
"""In the folder of the service below /run: where this computer itself finds the pages."""


class NoAddresses(PlainError):
    """The service has not run there as a service of the system, or we may not look."""


def tell(folder: Path, lines: Sequence[str]) -> None:
    """Tell people the lines; the first one has no secret.

    Args:
        folder: the data folder.
        lines: such as `Scoreboard: http://127.0.0.1:8080`.
    """
    if not os.environ.get("NOTIFY_SOCKET"):
        _say(*lines)
        return
    _say(lines[0])
    _tell_display(lines[0])
    try:
        _write(folder / FILE, "\n".join((*lines, "")), 0o600)
    except OSError as error:
        log.warning("The addresses could not be kept in %s (%s).", folder, error.strerror)
        return
    _say("How to join, to help and to act: sudo companion addresses")


def _tell_display(line: str) -> None:
    """Say to everybody at this computer where the pages are, which is no secret."""
    if folder := os.environ.get("RUNTIME_DIRECTORY"):
        try:
            _write(Path(folder) / PUBLIC, line.partition(": ")[2] + "\n", 0o644)
        except OSError as error:
            log.warning("The display cannot be told where it is (%s).", error.strerror)


def _write(place: Path, text: str, mode: int) -> None:
    """By a rename, so that nobody reads half of it; it is for others only once it has its mode."""
    partial = place.with_name(f".{place.name}.new")
    handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        os.fchmod(file.fileno(), mode)
        file.write(text)
    partial.replace(place)


def _say(*lines: str) -> None:
    sys.stderr.write("\n".join((*lines, "")))
    sys.stderr.flush()


def kept(folder: Path) -> str:
    """The lines of the last start.

    Raises:
        NoAddresses: there are none, or they are not ours to read.
    """
    try:
        return (folder / FILE).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise NoAddresses(
            f"No service of the system has run with the data folder {folder}; one that was "
            "started by hand says in its terminal where to go."
        ) from None
    except OSError as error:
        raise NoAddresses(
            f"The addresses in {folder} cannot be read ({error.strerror}); type: "
            "sudo companion addresses"
        ) from None
