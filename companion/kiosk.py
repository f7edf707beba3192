"""A display at the table's own computer: a browser that shows the scoreboard, and nothing else.

It waits until the table answers, since a browser that comes first shows an error for ever. The
browser's profile is made anew at each start, so that after a pulled plug it has nothing to ask.
"""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import tempfile
import threading
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from companion.errors import PlainError

log = logging.getLogger(__name__)

BROWSERS = ("chromium", "chromium-browser")
"""Debian's, and Raspberry Pi OS's older name."""

ADDRESS = Path("/run/tidetable/address")
"""Where the service of this computer says where its pages are."""
USUAL = "http://127.0.0.1:8080"

LOOK_S = 1.0
REST_S = 2.0
"""Before a browser that ended is started again."""

FLAGS = (
    "--kiosk",
    # No bubble, bar or question stands before the board.
    "--no-first-run",
    "--no-default-browser-check",
    "--noerrdialogs",
    "--disable-infobars",
    "--hide-crash-restore-bubble",
    "--disable-session-crashed-bubble",
    "--disable-features=Translate,MediaRouter",
    "--password-store=basic",
    # Sounds come without a tap.
    "--autoplay-policy=no-user-gesture-required",
    # Fingers on a touch screen neither zoom nor leave the page.
    "--disable-pinch",
    "--overscroll-history-navigation=0",
    # It fetches nothing of its own, and its cache lies in memory.
    "--disable-component-update",
    "--disable-background-networking",
    "--disable-sync",
    "--check-for-update-interval=31536000",
    "--disk-cache-size=33554432",
)


class NoDisplay(PlainError):
    """Nothing can be shown here."""


def found_browser(named: str | None = None) -> str:
    """The browser's program.

    Raises:
        NoDisplay: there is none.
    """
    names = BROWSERS if named is None else (named,)
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        raise NoDisplay(
            f"No browser called {' or '.join(names)} is installed; type: sudo apt-get install "
            f"{BROWSERS[0]}"
        )
    return found


def command_line(browser: str, address: str, profile: Path, *, alone: bool) -> Sequence[str]:
    """What shows a page on the whole display.

    Args:
        browser: its program.
        address: of the page.
        profile: an empty folder.
        alone: whether there is no desktop, so that cage is one.

    Raises:
        NoDisplay: cage is to be one, and is not there.
    """
    platform = "--ozone-platform=wayland" if alone else "--ozone-platform-hint=auto"
    shows = [browser, *FLAGS, platform, f"--user-data-dir={profile}", address]
    if not alone:
        return shows
    cage = shutil.which("cage")
    if cage is None:
        raise NoDisplay("cage is not installed; type: sudo apt-get install cage")
    # -d: no frame; -s: Ctrl+Alt+F2 still leads to a place to log in.
    return [cage, "-d", "-s", "--", *shows]


def environment(folder: Path, given: Mapping[str, str], *, alone: bool) -> Mapping[str, str]:
    """What browser and cage are told, and where they may write.

    Args:
        folder: of this start alone.
        given: the environment that there is.
        alone: whether there is no desktop, whose sockets lie in a folder of its own.
    """
    own = {"XDG_RUNTIME_DIR": str(folder)} if alone else {}
    return {
        **given,
        **own,
        "HOME": str(folder),
        "WLR_LIBINPUT_NO_DEVICES": "1",  # a TV has neither keyboard nor mouse
    }


def show(
    port: int | None, stopped: threading.Event, *, alone: bool, browser: str | None = None
) -> None:
    """Show the table until somebody stops it; a browser that ends is started again.

    Args:
        port: of the table's pages; None for what the service says, wherever that is just now.
        stopped: ends it.
        alone: whether there is no desktop.
        browser: its program, if not the usual one.

    Raises:
        NoDisplay: a program is missing.
    """

    def told() -> str | None:
        return told_address() if port is None else f"http://127.0.0.1:{port}"

    program = found_browser(browser)
    runtime = os.environ.get("RUNTIME_DIRECTORY") or os.environ.get("XDG_RUNTIME_DIR")
    while (address := wait_until_served(lambda: told() or USUAL, stopped)) is not None:
        with tempfile.TemporaryDirectory(
            prefix="tidetable-kiosk-", dir=runtime, ignore_cleanup_errors=True
        ) as name:
            folder = Path(name)
            page = f"{address}/?kiosk"
            line = command_line(program, page, folder / "profile", alone=alone)

            def elsewhere(shown: str = address) -> bool:
                """Whether the pages moved, as they do with a new port in the settings."""
                return told() not in (None, shown)

            _shown(
                line,
                environment(folder, os.environ, alone=alone),
                lambda: stopped.is_set() or elsewhere(),
            )
        if elsewhere():
            log.info("The table is at another address; the display follows.")
        elif not stopped.wait(REST_S):
            log.warning("The browser of the display ended; it is started again.")


def told_address() -> str | None:
    """Where the pages are, as the service of this computer says; None while it does not run."""
    try:
        return ADDRESS.read_text(encoding="utf-8").strip() or None
    except OSError:
        return None


def wait_until_served(where: Callable[[], str], stopped: threading.Event) -> str | None:
    """Wait until a page answers; its address, and None where it was stopped before."""
    while not stopped.is_set():
        address = where()
        try:
            with urllib.request.urlopen(address, timeout=10):  # noqa: S310 - this computer's own
                return address
        except (OSError, ValueError):  # no answer, a refusal, or no address
            stopped.wait(LOOK_S)
    return None


def _shown(line: Sequence[str], variables: Mapping[str, str], is_over: Callable[[], bool]) -> None:
    """Run the browser until it ends, or until it is over for it and all that it started."""
    with subprocess.Popen(line, env=variables, stdin=subprocess.DEVNULL) as program:  # noqa: S603
        ended = threading.Thread(target=program.wait, daemon=True)
        ended.start()
        while ended.is_alive() and not is_over():
            ended.join(0.2)
        if program.poll() is None:
            program.terminate()
            try:
                program.wait(10)
            except subprocess.TimeoutExpired:
                program.kill()
