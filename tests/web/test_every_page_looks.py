"""Every page, in every size: it fits, its targets are big enough, and axe finds nothing."""

from __future__ import annotations

from importlib.resources import files

import pytest
from evening import serving
from every_page import addresses, pages, sit
from test_browser import screens  # noqa: F401 - a fixture

pytestmark = pytest.mark.needs("chromium")

SIZES = {
    "tv": (1920, 1080),
    "tv at 200 %": (960, 540),
    "pi": (800, 480),
    "phone": (390, 844),
    "phone lying": (844, 390),
    "small phone": (320, 568),  # 1280 pixels at 400 %, as WCAG 1.4.10 has it
}

FITS = """() => {
  const faults = [];
  const name = (node) => node.id ? '#' + node.id : node.localName + '.' + node.className;
  const seen = (node) => {
    const box = node.getBoundingClientRect(), style = getComputedStyle(node);
    return box.width > 1 && box.height > 1 && style.visibility !== 'hidden' && node.checkVisibility();
  };
  const all = (selector) => [...document.querySelectorAll(selector)].filter(seen);
  if (document.documentElement.scrollWidth > innerWidth + 1) faults.push('the page scrolls sideways');
  for (const node of all('body *')) {
    if (node.closest('svg') && node.localName !== 'svg') continue;
    if (node.closest('.hidden, .flash')) continue;
    const box = node.getBoundingClientRect();
    if (box.left < -1 || box.right > innerWidth + 1) faults.push(`${name(node)} leaves the page sideways`);
    const style = getComputedStyle(node);
    const cut = style.overflowX === 'hidden' && node.scrollWidth > node.clientWidth + 2;
    const meant = style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none' || node.closest('.banner, .card, .row, .hands');
    if (cut && !meant && node.textContent.trim()) faults.push(`the text of ${name(node)} is cut off`);
  }
  const targets = all('a, button, summary, select, input:not([type=hidden]):not([type=radio]):not([type=checkbox]), label:has(input[type=radio]), label:has(input[type=checkbox])')
    .filter((node) => !node.closest('.hidden') && !node.classList.contains('hidden'));
  for (const node of targets) {
    const box = node.getBoundingClientRect();
    if (box.width < 47.5 || box.height < 47.5) faults.push(`${name(node)} is ${box.width} x ${box.height}`);
  }
  targets.forEach((a, i) => targets.slice(i + 1).forEach((b) => {
    if (a.contains(b) || b.contains(a)) return;
    const p = a.getBoundingClientRect(), q = b.getBoundingClientRect();
    if (Math.min(p.right, q.right) - Math.max(p.left, q.left) > 1 && Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 1)
      faults.push(`${name(a)} lies on ${name(b)}`);
  }));
  return faults;
}"""

LONGER = """() => {
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walk.nextNode()) texts.push(walk.currentNode);
  for (const text of texts) {
    if (text.parentElement.closest('bdi, script, template, svg, noscript')) continue;
    const words = text.data.trim();
    if (/[a-z]{2}/i.test(words)) text.data += ' ' + words.slice(0, Math.ceil(0.4 * words.length));
  }
}"""
"""Makes all texts 40 % longer, as other languages may be."""

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text()
AXE_RULES = "() => axe.run(document, {resultTypes: ['violations']}).then((found) => found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.target).join(', ')}`))"


PLAIN_SEA = "body { background: #134f69 !important }"
"""The lightest part of the background: axe judges no contrast on a gradient."""


def axe(page):
    page.add_style_tag(content=PLAIN_SEA)
    page.evaluate(AXE)
    return page.evaluate(AXE_RULES)


@pytest.fixture
def played(evening):
    evening.do("dots", "waves", {"do": "stop"}, "rings")
    return evening


def helper_at_seat(played):
    client = played.client(helper=True)
    sit(played.app, lambda path, form: client.post(path, data=form), "Bo")
    return client


def every_page(played, screen, server):
    base = f"http://127.0.0.1:{server.port}"
    client = helper_at_seat(played)
    page = screen.open(server, "/", helper=True)
    sit(played.app, lambda path, form: screen.context.request.post(base + path, form=form), "Bo")
    for path in pages(played.app, client):
        page.goto(f"http://127.0.0.1:{server.port}{path}")
        page.wait_for_load_state("load")
        page.locator("main").wait_for()
        yield path, page


def test_no_route_is_forgotten(played):
    """An argument of a route that nobody gave a value would raise here."""
    client = helper_at_seat(played)
    statuses = {path: client.get(path).status_code for _, path in addresses(played.app)}
    assert {path: status for path, status in statuses.items() if status >= 500} == {}
    assert len(pages(played.app, client)) >= 10


def misfits(page):
    """What does not fit, size by size; a page that is made wider or narrower lays itself out anew."""
    found = {}
    for size, (width, height) in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        found[size] = page.evaluate(FITS)
    return {size: faults for size, faults in found.items() if faults}


def test_every_page_fits(played, screens):  # noqa: F811
    faults = {}
    with serving(played.app) as server:
        for path, page in every_page(played, screens(), server):
            faults[path] = misfits(page)
            page.evaluate(LONGER)
            faults[f"{path} with longer texts"] = misfits(page)
    assert {path: found for path, found in faults.items() if found} == {}


def test_axe_finds_nothing_on_any_page(played, screens):  # noqa: F811
    faults = {}
    with serving(played.app) as server:
        for path, page in every_page(played, screens(bypass_csp=True), server):
            faults[path] = axe(page)
    assert {path: found for path, found in faults.items() if found} == {}


@pytest.mark.parametrize(
    ("plant", "found"),
    [
        ("document.querySelector('html').removeAttribute('lang')", "html-has-lang"),
        ("document.querySelector('main button, main a').replaceChildren()", "name"),
        ("document.querySelector('main p, main h1').style.color = '#0a3a50'", "color-contrast"),
    ],
)
def test_axe_finds_a_planted_fault(played, screens, plant, found):  # noqa: F811
    with serving(played.app) as server:
        page = screens(bypass_csp=True).open(server, "/", helper=True)
        page.goto(f"http://127.0.0.1:{server.port}/settings")
        page.evaluate(plant)
        assert found in " ".join(axe(page))


def test_a_planted_fault_of_size_is_found(played, screens):  # noqa: F811
    with serving(played.app) as server:
        page = screens(bypass_csp=True).open(server, "/", helper=True)
        page.goto(f"http://127.0.0.1:{server.port}/settings")
        assert misfits(page) == {}
        page.add_style_tag(
            content=".switch .button { min-height: 0; height: 30px } main.shell { min-width: 900px }"
        )
        found = misfits(page)
    assert all("30" in " ".join(faults) for faults in found.values())
    sideways = {size for size, faults in found.items() if "sideways" in " ".join(faults)}
    assert sideways == {size for size, (width, _) in SIZES.items() if width < 900}
