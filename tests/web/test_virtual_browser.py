"""The virtual tables in Chromium: they fit, and things are dragged, tapped, and pushed."""

from __future__ import annotations

import pytest
from evening import HOSTILE_NAMES, TOKEN, serving
from virtual_evening import virtual_evening

from companion.drivers.api import DeviceBack, DeviceLost
from companion.match import Setup
from tests.support.tables import SECOND_NS

pytestmark = pytest.mark.needs("chromium")

SIZES = {"tv": (1920, 1080), "pi": (800, 480), "phone": (390, 844), "phone-lying": (844, 390)}
FOUR = ("Kari", "Ola", "Zosia", "Maximilian")


@pytest.fixture
def evenings(tmp_path):
    made = []

    def make(game, players=FOUR, **options):
        context = virtual_evening(tmp_path / game, Setup(game, players, None, options))
        made.append(context)
        evening = context.__enter__()
        evening.clock.step_ns = 2 * SECOND_NS
        return evening

    yield make
    for context in made:
        context.__exit__(None, None, None)


def opened(page, server, size="tv"):
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"http://127.0.0.1:{server.port}/link/{TOKEN}?to=virtual")
    page.locator("#v-faults").wait_for()
    return page


def sail(evening):
    evening.post("/virtual/lay-out")
    evening.answer("agrees")
    evening.lay("area-1:0", "area-1")


def deal(evening):
    evening.post("/virtual/deal")
    evening.post("/virtual/draw")
    evening.lay("drawn:0", "seat-1")
    evening.lay("drawn:0", "discard-1")
    evening.token("pass")
    evening.post("/virtual/draw")
    evening.post("/virtual/turn-over", place="drawn")
    evening.post("/virtual/turn-over", place="hand-1")


def alarm(evening):
    evening.post("/virtual/show", game="octopus-alarm")
    (run,) = evening.run_show
    evening.clock.step_ns = 0
    steps = iter(range(100))
    evening.show._pace = lambda seconds: next(steps) > 15
    run()


STATES = {
    "sea": ("octopus-alarm", FOUR, sail),
    "sea-to-lay-out": ("octopus-alarm", FOUR, lambda evening: None),
    "sea-of-two": ("octopus-alarm", ("Ann", "Bo"), alarm),
    "cards": ("sea-salt-paper", FOUR, deal),
    "cards-of-strangers": ("sea-salt-paper", HOSTILE_NAMES[1:5], deal),
    "pile": ("tentacles", (*FOUR, "Tim", "Charlotte"), lambda evening: None),
}

FAULTS = """() => {
  const faults = [];
  const box = (node) => node.getBoundingClientRect();
  const name = (node) => node.id || node.querySelector('input')?.id || node.className;
  const shown = (selector) => [...document.querySelectorAll(selector)].filter((n) => box(n).width);
  const wide = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > wide) faults.push('the page is too wide');
  const hands = document.getElementById('hands');
  if (hands.scrollWidth > hands.clientWidth + 1) faults.push('the hands are too wide');
  const edge = getComputedStyle(hands).display === 'contents' ? wide : box(hands).right;
  for (const node of shown('.hands *')) {
    if (node.closest('svg') && node.localName !== 'svg') continue;
    if (box(node).left < -1 || box(node).right > edge + 1) faults.push(`${name(node)} leaves sideways`);
  }
  const targets = shown('.hands button, .hands summary, .hands select, .thing');
  for (const node of targets) {
    const it = box(node);
    if (it.width < 47.5 || it.height < 47.5) faults.push(`${name(node)}: ${it.width} x ${it.height}`);
  }
  targets.forEach((a, i) => targets.slice(i + 1).forEach((b) => {
    const p = box(a), q = box(b);
    if (Math.min(p.right, q.right) - Math.max(p.left, q.left) > 1 &&
        Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 1) faults.push(`${name(a)} lies on ${name(b)}`);
  }));
  const parts = shown('.hands > *');
  parts.forEach((a, i) => parts.slice(i + 1).forEach((b) => {
    const p = box(a), q = box(b);
    if (Math.min(p.right, q.right) - Math.max(p.left, q.left) > 1 &&
        Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 1) faults.push(`${name(a)} lies on ${name(b)}`);
  }));
  for (const inner of shown('.hands .button > span, .hands .tile-face, .hands .card')) {
    const a = box(inner), b = box(inner.closest('button, label, .lies'));
    if (a.left < b.left - 3 || a.right > b.right + 3 || a.top < b.top - 3 || a.bottom > b.bottom + 3)
      faults.push(`${inner.textContent.trim() || inner.className} sticks out of ${name(inner.parentElement)}`);
  }
  return faults;
}"""


@pytest.mark.parametrize("state", STATES)
def test_nothing_is_clipped_or_overlaps_at_the_virtual_table(evenings, page, state):
    game, players, play = STATES[state]
    evening = evenings(game, players)
    play(evening)
    with serving(evening.app) as server:
        opened(page, server)
        page.locator("#v-faults").evaluate("node => { node.open = true; }")
        found = {}
        for size, (width, height) in SIZES.items():
            page.set_viewport_size({"width": width, "height": height})
            found[size] = page.evaluate(FAULTS)
    assert found == {size: [] for size in SIZES}


@pytest.mark.parametrize(
    ("rule", "fault"),
    [
        (".v-tiles { grid-template-columns: repeat(4, 99px) !important; }", "lies on"),
        (".hands .button { min-height: 20px !important; height: 20px !important; }", " x 20"),
        (".v-sea { width: 150vw; }", "too wide"),
    ],
)
def test_a_planted_fault_of_the_virtual_table_is_found(evenings, browser, rule, fault):
    evening = evenings("octopus-alarm")
    context = browser.new_context(bypass_csp=True)
    with serving(evening.app) as server:
        page = opened(context.new_page(), server, "pi")
        page.add_style_tag(content=rule)
        assert fault in " ".join(page.evaluate(FAULTS))
    context.close()


@pytest.mark.parametrize("size", ["pi", "phone", "phone-lying"])
@pytest.mark.parametrize("game", ["tentacles", "octopus-alarm"])
def test_a_question_and_its_buttons_need_no_scrolling(evenings, page, size, game):
    six = (*FOUR, "Tim", "Charlotte")[: 6 if game == "tentacles" else 4]
    evening = evenings(game, six)
    if game == "tentacles":
        evening.post("/virtual/turn-top")
    else:
        sail(evening)
    evening.table.report(DeviceLost("sim", "unplugged", evening.clock()))
    evening.clock.wait(60)
    evening.table.report(DeviceBack("sim", "Virtual reader", evening.clock()))
    evening.table.settle()
    assert evening.table.snapshot.questions
    with serving(evening.app) as server:
        opened(page, server, size)
        height = SIZES[size][1]
        for number in range(1, len(evening.table.snapshot.questions[0].choices) + 1):
            box = page.locator(f"#v-a-{number}").bounding_box()
            assert 0 <= box["y"] <= height - box["height"], number
        if size != "phone":
            for button in page.locator("#touch .button").all():
                box = button.bounding_box()
                assert box["y"] + box["height"] <= height, button.text_content()
        page.locator("#v-a-1").click()
        page.locator("#v-a-1").wait_for(state="detached")


def test_a_card_is_dragged_to_where_it_goes(evenings, page):
    evening = evenings("sea-salt-paper")
    with serving(evening.app) as server:
        opened(page, server)
        page.locator("#v-big").click()
        page.locator("#v-big", has_text="Draw").click()
        page.locator("#v-big", has_text="Look").click()
        page.locator("#v-hint").wait_for()
        box = page.locator(".thing:has(#v-drawn-2)").bounding_box()
        page.mouse.move(box["x"] + 20, box["y"] + 20)
        page.mouse.down()
        to = page.locator("#v-hand-1 h2").bounding_box()
        page.mouse.move(to["x"] + 80, to["y"] + 5, steps=5)
        assert page.locator(".ghost").count() == 1
        assert "aimed" in page.locator("#v-at-seat-1").get_attribute("class")
        page.mouse.up()
        page.locator("#v-h-1-1").wait_for(state="attached")
        assert evening.match.state.hands[0].bit_count() == 1
        assert page.locator(".ghost").count() == 0


def test_a_card_that_is_dropped_beside_stays_where_it_lies(evenings, page):
    evening = evenings("sea-salt-paper")
    evening.post("/virtual/deal")
    step = evening.match.step
    with serving(evening.app) as server:
        opened(page, server)
        box = page.locator(".thing:has(#v-d-top)").bounding_box()
        page.mouse.move(box["x"] + 20, box["y"] + 20)
        page.mouse.down()
        page.mouse.move(1500, 600, steps=5)
        page.mouse.up()
        assert page.locator(".ghost").count() == 0
        assert evening.match.step == step


@pytest.mark.parametrize("scripted", [True, False])
def test_two_taps_move_a_card(evenings, browser, scripted):
    evening = evenings("sea-salt-paper")
    evening.post("/virtual/deal")
    evening.post("/virtual/draw")
    context = browser.new_context(java_script_enabled=scripted)
    with serving(evening.app) as server:
        page = opened(context.new_page(), server, "phone")
        page.locator(".thing:has(#v-drawn-1)").click()
        page.locator("#v-at-seat-1").click()
        page.locator("#v-h-1-1").wait_for(state="attached")
    context.close()
    assert evening.match.state.hands[0].bit_count() == 1


@pytest.mark.parametrize("scripted", [True, False])
def test_a_newcomer_plays_a_turn_of_octopus_alarm(evenings, browser, scripted):
    evening = evenings("octopus-alarm")
    context = browser.new_context(java_script_enabled=scripted)
    with serving(evening.app) as server:
        page = opened(context.new_page(), server)
        page.locator("#v-big").click()
        page.locator("#v-a-1").click()
        page.locator("#v-hint", has_text="Sail").wait_for()
        page.locator("#v-t-1-0").click()
        page.locator(".v-tile.up, #v-hint:has-text('area 2')").first.wait_for()
    context.close()
    assert evening.match.step >= 6


def test_the_slider_needs_no_button(evenings, page):
    evening = evenings("octopus-alarm")
    with serving(evening.app) as server:
        opened(page, server)
        page.locator("#v-angle").fill("60")
        page.locator("svg.tilted g[transform*='rotate(60 ']").wait_for()
        assert evening.virtual.ship.angle == 60


def test_a_show_is_begun_and_stopped_with_one_press_each(evenings, page):
    evening = evenings("tentacles")
    with serving(evening.app) as server:
        opened(page, server, "pi")
        page.locator("#v-show-2").click()
        page.locator("#v-caption-1").wait_for()
        assert evening.table.snapshot.game_name == "octopus-alarm"
        page.locator("#v-stop").click()
        page.locator("#v-show-1").wait_for()
