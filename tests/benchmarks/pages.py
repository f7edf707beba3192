"""The pages in a real Chromium: how heavy they are, how soon they show, how soon they change."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks.bare_stream import BareServer
from tests.benchmarks.bare_tap import PAGE
from tests.benchmarks.report import Aim, Row, median, percentile
from tests.benchmarks.tap import LIMIT_S, OBSERVER
from tests.conftest import chromium_missing
from tests.support.browser import chromium
from tests.support.service import TOKEN, Service, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PAGES = ("/", "/virtual", "/setup", "/settings", "/rules", "/correct")
AIMED = "/"
KILOBYTES = Aim(40)
REQUESTS = Aim(8)
CLIENTS = (1, 20)
PERCENTS = (50, 99)
FACES = ("dots", "rings", "stars", "stripes")

WEIGHT = """
() => {
  const [page] = performance.getEntriesByType("navigation");
  const parts = performance.getEntriesByType("resource").filter(({ initiatorType }) => initiatorType !== "other");
  const [first] = performance.getEntriesByName("first-contentful-paint");
  return {
    bytes: [page, ...parts].reduce((sum, part) => sum + part.transferSize, 0),
    requests: 1 + parts.length,
    first_ms: first ? first.startTime : null,
  };
}
"""


def measure(*, quick: bool) -> list[Row]:
    reason = chromium_missing()
    if reason is not None:
        return [Row("TV page, bytes", None, "", note=f"No page: {reason}.")]
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder), "--set", "octopus=0", "--set", "eyes=1") as service,
        chromium() as browser,
    ):
        rows = list(_weights(browser, service, 2 if quick else 10))
        for count in CLIENTS if not quick else CLIENTS[:1]:
            rows.extend(_changes(browser, service, count, 4 if quick else 60))
        service.stop()
    return rows


def _weights(browser: Browser, service: Service, rounds: int) -> Iterator[Row]:
    bare = BareServer(b"", b"", PAGE.encode())
    bare.run()
    floor_ms = [_first_ms(_load(browser, f"http://127.0.0.1:{bare.port}/")) for _ in range(rounds)]
    bare.shutdown()
    bare.server_close()
    for path in PAGES:
        found = [_load(browser, service.url + path, service) for _ in range(rounds)]
        name = "TV page" if path == AIMED else path
        aims = (KILOBYTES, REQUESTS) if path == AIMED else (None, None)
        yield Row(f"{name}, all it loads", found[0]["bytes"] / 1000, "kB", aim=aims[0])
        yield Row(f"{name}, requests", found[0]["requests"], "", aim=aims[1])
        first_ms = median(map(_first_ms, found))
        yield Row(f"{name}, first paint", first_ms, "ms", median(floor_ms), "a bare page")


def _first_ms(weight: dict[str, float]) -> float:
    return weight["first_ms"]


def _load(browser: Browser, url: str, service: Service | None = None) -> dict[str, float]:
    """Open it on a device that has nothing in store."""
    context = browser.new_context()
    if service is not None:
        # Not by a page, which would fill the store.
        context.request.get(f"{service.url}/link/{TOKEN}", max_redirects=0)
    page = context.new_page()
    page.goto(url)
    page.wait_for_timeout(200)  # the first paint is told a little later
    weight: dict[str, float] = page.evaluate(WEIGHT)
    context.close()
    return weight


def _changes(browser: Browser, service: Service, count: int, actions: int) -> Iterator[Row]:
    # Each on a device of its own: of one browser a site gets six connections.
    pages = [browser.new_context().new_page() for _ in range(count)]
    shown_ms: dict[int, list[float]] = {number: [] for number in range(count)}
    for number, page in enumerate(pages):
        page.add_init_script(OBSERVER)
        page.on("console", lambda said, number=number: _note(said.text, shown_ms[number]))
        page.goto(service.url)
    pages[0].wait_for_timeout(800)  # the streams open after the pages have loaded
    took: list[float] = []
    for step in range(actions):
        before = [len(times) for times in shown_ms.values()]
        posted_ms = 1000 * time.time()
        if step % 8 == 7:
            service.post({"undo": 7})
        else:
            service.do("reveal", card=FACES[step % len(FACES)])
        _await(pages, shown_ms, before)
        took.extend(times[-1] - posted_ms for times in shown_ms.values())
    for page in pages:
        page.context.close()
    clients = f"{count} page" + ("" if count == 1 else "s")
    for percent in PERCENTS:
        yield Row(f"post to DOM of {clients}, p{percent}", percentile(took, percent), "ms")


def _note(text: str, times: list[float]) -> None:
    if text.startswith("changed"):
        times.append(float(text.split()[1]))


def _await(pages: Sequence[Page], shown_ms: dict[int, list[float]], before: Sequence[int]) -> None:
    """Until each page has shown something newer."""
    limit_s = time.monotonic() + LIMIT_S
    while any(len(times) <= old for times, old in zip(shown_ms.values(), before, strict=True)):
        if time.monotonic() > limit_s:
            raise TimeoutError(f"a page did not change in {LIMIT_S} s")
        pages[0].wait_for_timeout(5)
