"""The history in Chromium: the slider moves the board, and everything fits."""

from __future__ import annotations

import itertools
import threading
from contextlib import contextmanager

import pytest
from past import mixed

from web_ui import Server, listen

pytestmark = pytest.mark.needs("chromium")

SIZES = {
    "tv": (1920, 1080),
    "pi": (800, 480),
    "phone": (390, 844),
    "phone-lying": (844, 390),
}
LONG = ("Anna-Katharina Wolkenstein", "WWWWWWWWWWWWWWWWWW", "Bo", "שלום", "Ola", "Tim")

CLIPPED = """() => [...document.querySelectorAll('main.shell, main.shell *, #scrub *')]
    .filter(node => !node.closest('svg, .hidden, .wide-table, .at')
        && node.scrollWidth > node.clientWidth + 1 && node.clientWidth > 0
        && getComputedStyle(node).display !== 'inline')
    .map(node => node.outerHTML.slice(0, 120))"""
SMALL = """() => [...document.querySelectorAll('a.button, button, summary, .games-played a, .moment, input')]
    .filter(node => node.offsetParent !== null && node.type !== 'hidden')
    .map(node => [node.id || node.className, node.getBoundingClientRect()])
    .filter(([, box]) => box.width < 47.5 || box.height < 47.5)
    .map(([name, box]) => `${name} ${box.width}x${box.height}`)"""
OVERLAPPING = """selector => {
    const boxes = [...document.querySelectorAll(selector)].filter(n => n.textContent.trim())
        .map(n => [n.textContent, n.getBoundingClientRect()]);
    return boxes.flatMap(([name, a], i) => boxes.slice(i + 1)
        .filter(([, b]) => a.left < b.right - 1 && b.left < a.right - 1
            && a.top + 3 < b.bottom - 3 && b.top + 3 < a.bottom - 3)
        .map(([other]) => `${name} / ${other}`));
}"""


@contextmanager
def served(past):
    past.open()
    server = Server(past.app, listen("127.0.0.1", 0))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.port}"
    finally:
        server.close()
        thread.join(5)


def hostile(past):
    past.begin("tentacles", LONG)
    for card in ("dots", "rings", "stars", "dots", "waves", "stripes", "rings"):
        past.tell(card, {"do": "stop"})
    past.tell({"correct": [{"entry": "5", "do": "reveal", "card": "waves"}]})
    past.win()


@pytest.fixture
def opened(browser):
    """Opens pages at a size; a fault of a script or of the policy fails the test."""
    contexts, faults = [], []

    def make(size="tv", **options):
        width, height = SIZES[size]
        options.setdefault("reduced_motion", "reduce")
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        context.set_default_timeout(45_000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on(
            "console",
            lambda message: faults.append(message.text) if message.type == "error" else None,
        )
        return page

    yield make
    for context in contexts:
        context.close()
    assert faults == []


def test_the_board_follows_the_slider_while_it_is_dragged(past, opened):
    begun = past.begin()
    past.tell("dots", "rings", {"do": "stop"}, "stars", "stripes", {"do": "stop"}, "waves")
    past.win()
    with served(past) as base:
        page = opened()
        page.goto(f"{base}/history/{begun.id}/replay?step=0")
        page.locator("#happened .main", has_text="A new game").wait_for()
        slider = page.locator("#step")
        box = slider.bounding_box()
        middle = box["y"] + box["height"] / 2
        page.mouse.move(box["x"] + 4, middle)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] * 0.6, middle, steps=5)
        page.locator("#at b", has_text="4").wait_for()  # before the button is let go
        page.locator("#happened .main", has_text="fish on stars").wait_for()
        page.mouse.move(box["x"] + box["width"] - 2, middle, steps=5)
        page.mouse.up()
        page.locator("#at b", has_text="7").wait_for()
        page.locator("#slot-1-waves.full").wait_for()
        assert page.url.endswith("?step=7")
        page.locator("#j-back").click()
        page.locator("#at b", has_text="6").wait_for()
        assert page.locator("#slot-1-waves.full").count() == 0
        page.locator("#j-start").click()
        page.locator("#at b", has_text="0").wait_for()
        page.keyboard.press("ArrowRight")
        page.locator("#at b", has_text="1").wait_for()
        page.locator("#j-play").click()
        page.locator("#at b", has_text="3").wait_for()
        page.locator("#j-play").click()
        page.reload()
        assert slider.input_value() == page.locator("#at b").text_content()


def test_without_a_script_the_slider_is_a_form(past, opened):
    begun = past.win()
    past.win()
    with served(past) as base:
        page = opened(java_script_enabled=False)
        page.goto(f"{base}/history/{begun.id}/replay?step=1")
        page.locator("#j-on").click()
        page.locator("#at b", has_text="2").wait_for()
        page.locator("#step").focus()
        page.keyboard.press("ArrowRight")
        page.locator("#b-show").click()
        page.locator("#at b", has_text="3").wait_for()
        page.locator("#slot-1-stars.full").wait_for()


def test_from_the_list_to_the_best_moment(past, opened):
    mixed(past)
    with served(past) as base:
        page = opened("phone")
        page.goto(f"{base}/history")
        page.locator("#f-tentacles").click()
        page.locator("#game-5 a").click()
        page.locator("#moment").click()
        page.locator("#scrub").wait_for()
        page.locator("#b-back").click()
        page.locator("#ranking").wait_for()


@pytest.mark.parametrize("size", SIZES)
def test_everything_fits(past, opened, size):
    hostile(past)
    mixed(past)
    ids = [begun.id for begun in past.games]
    with served(past) as base:
        page = opened(size)
        for path in (
            "/history",
            "/history/charts",
            f"/history/{ids[0]}",
            f"/history/{ids[0]}/replay?step=7",
            f"/history/{ids[3]}",
            f"/history/{ids[-1]}",
        ):
            page.goto(base + path)
            for summary in page.locator("details").all():
                summary.evaluate("node => { node.open = true; }")
            assert page.evaluate(CLIPPED) == [], path
            assert page.evaluate(SMALL) == [], path
            assert page.evaluate(OVERLAPPING, ".chart text") == [], path
            wide = page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
            assert wide <= 0, path


@pytest.mark.parametrize("size", ["tv", "pi", "phone-lying"])
def test_the_board_and_the_slider_share_the_screen(past, opened, size):
    hostile(past)
    with served(past) as base:
        page = opened(size)
        page.goto(f"{base}/history/{past.games[0].id}/replay?step=10")
        board = page.locator("#board").bounding_box()
        scrub = page.locator("#scrub").bounding_box()
        foot = page.locator("#foot").bounding_box()
        height = SIZES[size][1]
        assert board["y"] + board["height"] <= scrub["y"] + 1
        assert foot["y"] + foot["height"] <= scrub["y"] + 1
        assert scrub["y"] + scrub["height"] <= height + 1
        buttons = page.locator("#scrub .jumps > *").all()
        boxes = [button.bounding_box() for button in buttons]
        for one, other in itertools.pairwise(boxes):
            assert other["x"] - one["x"] - one["width"] >= 9


def test_a_planted_overlap_is_found(past, opened):
    past.win()
    with served(past) as base:
        page = opened()
        page.goto(f"{base}/history/{past.games[0].id}")
        assert page.evaluate(OVERLAPPING, ".chart text") == []
        page.evaluate(
            "() => document.querySelectorAll('.line text').forEach(n => n.setAttribute('y', 50))"
        )
        assert page.evaluate(OVERLAPPING, ".chart text") != []
