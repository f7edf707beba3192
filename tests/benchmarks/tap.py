"""From a tag laid on the virtual reader of the real pcscd to the change in a real Chromium."""

from __future__ import annotations

import random
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from companion.clocks import machine_clocks
from companion.data_folder import JOURNAL
from companion.record.journal import Journal
from hardware_sim.vicc import VirtualCard
from tests.benchmarks import bare_stream, readers
from tests.benchmarks.report import Missing, Row, percentile
from tests.conftest import chromium_missing
from tests.support.browser import chromium
from tests.support.pcscd import VirtualSlot
from tests.support.service import Service, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FACES = ("dots", "rings", "stars", "stripes")
NEVER_LAID = (*FACES, "waves", "octopus")
"""A deck needs one of each; as long as the last two do not come, nobody wins and nobody loses a fish."""

LIMIT_S = 10.0
POLL_S = 0.4
"""How often pcscd looks at a virtual reader."""

OBSERVER = """
(() => {
  let shown;
  const look = () => {
    const version = document.getElementById("board")?.dataset.version;
    if (version === undefined || version === shown) return;
    const told = shown === undefined ? "loaded" : "changed";
    shown = version;
    console.log(told, performance.timeOrigin + performance.now());
  };
  new MutationObserver(look).observe(document, { attributes: true, childList: true, subtree: true });
})();
"""
"""Tells on the console when the page shows another version, by the wall clock in ms."""

PERCENTS = (50, 90)


@dataclass(frozen=True, slots=True)
class _Tap:
    """One tap.

    Attributes:
        whole_ms: from the tag laid down to the page changed.
        told_ms: from pcscd's word that a card is there to the page changed.
    """

    whole_ms: float
    told_ms: float


class _Witness:
    """Notes when pcscd says that a card came or went."""

    def __init__(self, reader: str) -> None:
        self._scard: Any = import_module("smartcard.scard")
        self._reader = reader
        self._changed = threading.Condition()
        self._present: bool | None = None
        self._since_s = 0.0
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *problem: object) -> None:
        self._stopping.set()
        self._thread.join(LIMIT_S)

    def wait(self, *, present: bool) -> float:
        """Until a card lies there or none does; since when, in seconds of the wall clock."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._present is present, LIMIT_S):
                raise TimeoutError(f"pcscd said nothing of the card in {LIMIT_S} s")
            return self._since_s

    def _watch(self) -> None:
        scard = self._scard
        _, context = scard.SCardEstablishContext(scard.SCARD_SCOPE_USER)
        state = 0
        while not self._stopping.is_set():
            code, states = scard.SCardGetStatusChange(context, 1000, [(self._reader, state)])
            now_s = time.time()
            if code == scard.SCARD_E_TIMEOUT:
                continue
            if code != scard.SCARD_S_SUCCESS:
                return  # pcscd went: `wait` says that it says nothing
            state = states[0][1] & ~scard.SCARD_STATE_CHANGED
            present = bool(state & scard.SCARD_STATE_PRESENT)
            with self._changed:
                if present is not self._present:
                    self._present, self._since_s = present, now_s
                    self._changed.notify_all()
        scard.SCardReleaseContext(context)


def measure(*, quick: bool) -> list[Row]:
    taps = 3 if quick else 24
    reason = chromium_missing()
    if reason is not None:
        return [_none(f"{reason}.")]
    try:
        with (
            readers.virtual_reader() as slot,
            _Witness(slot.pcsc_name) as witness,
            chromium() as browser,
        ):
            with bare_stream.child("bare_tap", {"reader": slot.pcsc_name}) as port:
                bare = _taps(browser, f"http://127.0.0.1:{port}/", slot, witness, taps)
            with _table(slot, taps) as service:
                ours = _taps(browser, service.url, slot, witness, taps)
                service.stop()
    except Missing as missing:
        return [_none(str(missing))]
    return _rows(ours, bare)


def _none(reason: str) -> Row:
    return Row("tag laid to page", None, "", note=f"No tap: {reason}")


def _rows(ours: Sequence[_Tap], bare: Sequence[_Tap]) -> list[Row]:
    floor_name = "bare reader to bare page"
    rows = []
    for percent in PERCENTS:
        figures = [percentile([tap.whole_ms for tap in taps], percent) for taps in (ours, bare)]
        rows.append(Row(f"tag laid to page, p{percent}", figures[0], "ms", figures[1], floor_name))
    for percent in PERCENTS:
        figures = [percentile([tap.told_ms for tap in taps], percent) for taps in (ours, bare)]
        rows.append(
            Row(f"pcscd's word to page, p{percent}", figures[0], "ms", figures[1], floor_name)
        )
        rows.append(Row(f"added by the service, p{percent}", figures[0] - figures[1], "ms"))
    return rows


@contextmanager
def _table(slot: VirtualSlot, taps: int) -> Iterator[Service]:
    """A service that knows the tags, with its reader ready."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        faces = [FACES[number % len(FACES)] for number in range(taps)]
        journal = Journal(data / JOURNAL, machine_clocks())
        journal.enrol(
            {_uid(number): f"tentacles/{face}" for number, face in enumerate([*faces, *NEVER_LAID])}
        )
        journal.close()
        with serving(data, *readers.OPTION) as service:
            _await_reader(service, slot)
            yield service


def _await_reader(service: Service, slot: VirtualSlot) -> None:
    limit_s = time.monotonic() + LIMIT_S
    while time.monotonic() < limit_s:
        if any(
            reader["hardware"] == slot.pcsc_name and reader["state"] == "ready"
            for reader in service.get()["readers"]
        ):
            return
        threading.Event().wait(0.05)
    raise TimeoutError(f"the service did not find the reader in {LIMIT_S} s")


def _taps(
    browser: Browser, url: str, slot: VirtualSlot, witness: _Witness, count: int
) -> list[_Tap]:
    page = browser.new_page()
    page.add_init_script(OBSERVER)
    with page.expect_console_message(lambda said: said.text.startswith("loaded")):
        page.goto(url)
    page.wait_for_timeout(500)  # the page's stream opens after it has loaded
    chance = random.Random(1)
    witness.wait(present=False)
    taps = []
    for number in range(count):
        # The tag comes at any moment between two looks of pcscd.
        page.wait_for_timeout(1000 * chance.uniform(0, POLL_S))
        taps.append(_tap(page, VirtualCard(_uid(number), port=slot.port), witness))
    page.close()
    return taps


def _tap(page: Page, card: VirtualCard, witness: _Witness) -> _Tap:
    changed = page.expect_console_message(
        lambda said: said.text.startswith("changed"), timeout=1000 * LIMIT_S
    )
    with changed as said:
        laid_s = time.time()
        card.insert()
    told_s = witness.wait(present=True)
    shown_ms = float(said.value.text.split()[1])
    card.remove()
    witness.wait(present=False)
    return _Tap(shown_ms - 1000 * laid_s, shown_ms - 1000 * told_s)


def _uid(number: int) -> str:
    return f"04A1B2C3D4{number:04X}"
