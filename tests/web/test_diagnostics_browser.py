"""The diagnostics in Chromium: they move by themselves, fit, and say what is wrong."""

from __future__ import annotations

import time
from random import Random

import pytest
from evening import HOSTILE_NAMES, serving
from test_browser import SIZES, screens
from test_every_page_looks import FITS as LOOKS
from test_every_page_looks import LONGER, axe

from companion.drivers.api import Attitude, DeviceBack, DeviceLost
from companion.instruments import Instruments
from companion.passages import Passages
from companion.ship import Thresholds
from hardware_sim.ship import Swing
from web_ui import create_app

__all__ = ["screens"]
pytestmark = pytest.mark.needs("chromium")

S = 1_000_000_000
SEED = 3
LONG = "The reader ACS ACR122U PICC Interface was unplugged from its socket: plug it in again."

FITS = """() => {
  const faults = [];
  const box = (node) => node.getBoundingClientRect();
  const name = (node) => node.id || node.className || node.localName;
  const shown = (selector) => [...document.querySelectorAll(selector)].filter((n) => box(n).width);
  const wide = document.documentElement.clientWidth;
  for (const node of shown('#board *')) {
    if (node.closest('svg') && node.localName !== 'svg') continue;
    const it = box(node);
    if (it.left < -1 || it.right > wide + 1) faults.push(`${name(node)} leaves the page sideways`);
  }
  for (const inner of shown('.verdict *, .link *, .panel *')) {
    if (inner.closest('svg') && inner.localName !== 'svg') continue;
    const a = box(inner), b = box(inner.closest('.verdict, .link, .d-reader, .panel') === inner
      ? inner.parentElement : inner.closest('.verdict, .link, .d-reader, .panel'));
    if (a.left < b.left - 2 || a.right > b.right + 2 || a.top < b.top - 2 || a.bottom > b.bottom + 2)
      faults.push(`${name(inner)} sticks out`);
  }
  const pairs = (selector) => {
    const all = shown(selector);
    all.forEach((a, i) => all.slice(i + 1).forEach((b) => {
      const p = box(a), q = box(b);
      if (Math.min(p.right, q.right) - Math.max(p.left, q.left) > 1 &&
          Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 1)
        faults.push(`${name(a)} lies on ${name(b)}`);
    }));
  };
  pairs('.d-head, .verdict, .link, .panel');
  for (const row of shown('.d-line, .rows-of-facts li, .verdict-line, .d-facts'))
    [...row.children].forEach((a, i, all) => all.slice(i + 1).forEach((b) => {
      const p = box(a), q = box(b);
      if (Math.min(p.right, q.right) - Math.max(p.left, q.left) > 1 &&
          Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 1)
        faults.push(`${name(a)} lies on ${name(b)}`);
    }));
  for (const node of shown('button, a.button')) {
    const it = box(node);
    if (it.width < 47.5 || it.height < 47.5) faults.push(`${name(node)} is ${it.width} x ${it.height}`);
  }
  return faults;
}"""


def swings(table, seconds=16):
    """A ship that was swung at in the last seconds."""
    swing = Swing(Random(SEED), "accelerometer", reader="bridge-1/ship")
    table.passages = Passages(time.monotonic_ns, Thresholds(upright=swing.upright))
    table.report(DeviceBack("bridge-1/ship", "LIS3DH", 0))
    began_ns = time.monotonic_ns() - seconds * S
    for reading in swing.readings():
        if reading.at_ns > seconds * S:
            break
        table.report(
            Attitude(
                reading.reader, reading.x_mg, reading.y_mg, reading.z_mg, began_ns + reading.at_ns
            )
        )


def furnished(evening, trouble="", **more):
    """An application over a table with some readers and a ship."""
    table = evening.table
    swings(table)
    app = create_app(
        table,
        token="a-token-for-tests",
        virtual=evening.virtual,
        instruments=Instruments(table.passages, bus_of=lambda _: "bridge:serial=E66", **more),
    )
    for number in range(2):
        table.report(DeviceBack(f"bridge-1/{number}", "PN532 1.6", 0))
    if trouble:
        table.report(DeviceBack("pcsc-1", "ACS ACR122U PICC Interface", 0))
        table.report(DeviceLost("pcsc-1", trouble, 0))
    evening.virtual.plug()
    evening.virtual.tap("tentacles/dots")
    return app


@pytest.mark.parametrize("players", [("Kari", "Ola"), HOSTILE_NAMES])
@pytest.mark.parametrize("trouble", ["", LONG])
def test_it_fits_every_size(evenings, screens, players, trouble):
    app = furnished(evenings(players), trouble)
    faults = {}
    with serving(app) as server:
        page = screens("tv").open(server, "/", helper=True)
        for size, (width, height) in SIZES.items():
            page.set_viewport_size({"width": width, "height": height})
            page.goto(f"http://127.0.0.1:{server.port}/diagnostics")
            page.locator("polyline").first.wait_for(state="attached")
            faults[size] = [*page.evaluate(FITS), *page.evaluate(LOOKS)]
            page.evaluate(LONGER)
            faults[size] += page.evaluate(LOOKS)
    assert faults == {size: [] for size in SIZES}


@pytest.mark.parametrize("trouble", ["", LONG])
def test_axe_finds_nothing(evening, screens, trouble):
    app = furnished(evening, trouble)
    evening.virtual.tap_unknown()
    with serving(app) as server:
        page = screens("hd", bypass_csp=True).open(server, helper=True)
        page.goto(f"http://127.0.0.1:{server.port}/diagnostics")
        page.locator("#verdict").wait_for()
        assert axe(page) == []


def test_a_planted_fault_of_geometry_is_found(evening, screens):
    app = furnished(evening, LONG)
    with serving(app) as server:
        page = screens("phone", bypass_csp=True).open(server, helper=True)
        page.goto(f"http://127.0.0.1:{server.port}/diagnostics")
        page.locator("#verdict").wait_for()
        page.add_style_tag(
            content=".link-text { min-width: 120vw; } #b-back { min-height: 0 !important; height: 20px; }"
        )
        found = " ".join(page.evaluate(FITS))
    assert "sideways" in found
    assert "b-back" in found


def test_the_trace_of_a_ship_moves_by_itself_and_obeys_the_policy(evening, screens):
    app = furnished(evening)
    screen = screens("pi")
    with serving(app) as server:
        page = screen.open(server, helper=True)
        page.goto(f"http://127.0.0.1:{server.port}/diagnostics")
        line = page.locator("polyline").first
        before = line.get_attribute("points")
        assert len(before.split()) > 100
        width = line.evaluate("node => getComputedStyle(node).strokeWidth")
        assert width == "3.5px"
        page.locator(".trace .settled").first.wait_for(state="attached")
        drawn = page.locator("#link-field .link-icon use")
        assert drawn.evaluate("node => node.getBBox().width") > 10
        for _ in range(100):
            if line.get_attribute("points") != before:
                break
            page.wait_for_timeout(100)
        assert line.get_attribute("points") != before


def test_a_cable_is_pulled_and_put_back_and_the_game_goes_on_by_touch(evening, screens):
    """Point 26: the page names it, touch works meanwhile, and green is back within 5 s."""
    with serving(evening.app) as server:
        base = f"http://127.0.0.1:{server.port}"
        screen = screens("hd")
        board = screen.open(server, helper=True)
        page = screen.context.new_page()
        page.goto(base + "/diagnostics")
        evening.virtual.tap("tentacles/dots")
        page.locator("#verdict.good").wait_for()
        evening.virtual.unplug()
        page.locator("#verdict.bad", has_text="The reader sim has not been heard").wait_for()
        page.locator("#link-driver.bad").wait_for()
        board.locator("#b-end-1").click()
        board.locator("#happened .main", has_text="Ann: stop").wait_for()
        began_s = time.monotonic()
        evening.virtual.plug()
        page.locator("#d-reader-1.good").wait_for(timeout=5000)
        assert time.monotonic() - began_s < 5
        evening.virtual.tap("tentacles/rings")
        page.locator("#verdict.good").wait_for()


def test_the_button_starts_a_reader_again(evening, screens):
    asked = []

    def restart(reader):
        asked.append(reader)
        evening.virtual.plug()
        return True

    app = furnished(evening, restart=restart)
    evening.virtual.unplug()
    with serving(app) as server:
        page = screens("phone").open(server, helper=True)
        page.goto(f"http://127.0.0.1:{server.port}/diagnostics")
        reader = page.locator(".d-reader", has_text="sim")
        reader.locator("button").click()
        page.locator(".d-reader.good", has_text="sim").wait_for()
    assert asked == ["sim"]


def test_it_is_complete_without_a_script(evening, screens):
    app = furnished(evening, LONG)
    with serving(app) as server:
        page = screens("phone", java_script_enabled=False).open(server, helper=True)
        page.goto(f"http://127.0.0.1:{server.port}/diagnostics")
        assert page.locator("#verdict").inner_text().startswith("The reader pcsc-1")
        assert page.locator("polyline").count() >= 1
