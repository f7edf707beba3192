"""The pages in Chromium: they live, come back, fit, and take each press once."""

from __future__ import annotations

import threading

import pytest
from evening import HOSTILE_NAMES, TOKEN, serving

pytestmark = pytest.mark.needs("chromium")

SIZES = {
    "tv": (1920, 1080),
    "hd": (1280, 720),
    "pi": (800, 480),
    "phone": (390, 844),
    "phone-lying": (844, 390),
}
PATIENCE_MS = 30_000


class Screen:
    """A browser of its own, and what went wrong in it."""

    def __init__(self, browser, size="tv", **options):
        width, height = SIZES[size]
        options.setdefault("reduced_motion", "reduce")
        self.context = browser.new_context(viewport={"width": width, "height": height}, **options)
        self.context.set_default_timeout(PATIENCE_MS)
        self.faults = []
        self.requests = []

    def open(self, server, path="/", *, helper=False):
        base = f"http://127.0.0.1:{server.port}"
        page = self.context.new_page()
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", self._hear)
        if helper:
            target = "?to=virtual" if path == "/virtual" else ""
            page.goto(f"{base}/link/{TOKEN}{target}")
        else:
            page.on("request", lambda request: self.requests.append(request.url))
            page.goto(base + path)
        return page

    def _hear(self, message):
        # The console is told of a server that is away and of refusals, which tests ask for;
        # a server that ends answers 503. Everything else is a fault, a breach of the policy
        # above all.
        expected = any(
            words in message.text
            for words in ("net::ERR_", "responded with a status of 4", "status of 503")
        )
        if message.type in {"error", "warning"} and not expected:
            self.faults.append(message.text)


@pytest.fixture
def screens(browser):
    made = []

    def make(size="tv", **options):
        made.append(Screen(browser, size, **options))
        return made[-1]

    yield make
    for screen in made:
        screen.context.close()
    assert [screen.faults for screen in made if screen.faults] == []


# Without a window, Chromium takes every tab for visible; so a tab is told.
HIDE = """value => {
    Object.defineProperty(document, 'hidden', { value, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
}"""


def says(page, words, place="#happened .main"):
    page.locator(place, has_text=words).wait_for()


def test_a_change_appears_by_itself(evening, screens):
    screen = screens()
    with serving(evening.app) as server:
        page = screen.open(server)
        says(page, "A new game")
        evening.do("dots")
        says(page, "Ann: fish on dots")
        page.locator("#slot-1-dots.full.won").wait_for()
        evening.do({"do": "stop"})
        says(page, "Bo", "#banner h1")
        assert len(screen.requests) <= 8
        assert all(f"127.0.0.1:{server.port}" in url for url in screen.requests)


def test_motion_and_the_sprite_obey_the_policy(evening, screens):
    """Nothing is refused by the policy, and the drawings of the sprite are really drawn."""
    screen = screens(reduced_motion="no-preference")
    with serving(evening.app) as server:
        page = screen.open(server)
        evening.do("dots")
        says(page, "Ann: fish on dots")
        box = page.locator("#slot-1-dots .fish use").evaluate("node => node.getBBox().width")
        assert box > 10


def test_touch_buttons_and_a_double_tap(evening, screens):
    evening.do("dots")
    with serving(evening.app) as server:
        page = screens().open(server, helper=True)
        page.locator("#b-end-1").dblclick()
        says(page, "Ann: stop")
        assert evening.table.snapshot.step == 2
        page.locator("#b-undo").click()
        says(page, "One step taken back")
        says(page, "Ann", "#banner h1")


def test_a_form_works_without_a_script(evening, screens):
    evening.do("dots")
    with serving(evening.app) as server:
        page = screens(java_script_enabled=False).open(server, helper=True)
        page.locator("#b-end-1").click()
        says(page, "Ann: stop")
        assert page.url == f"http://127.0.0.1:{server.port}/"


def test_what_is_refused_is_said_on_the_device_that_asked(evening, screens):
    evening.do("dots")
    with serving(evening.app) as server:
        page = screens().open(server, helper=True)
        page.locator("[name=action]").evaluate('node => { node.value = \'{"do":"fly"}\' }')
        page.locator("#b-end-1").click()
        page.locator("#said", has_text="no verb").wait_for()


def test_the_server_dies_and_comes_back(evenings, screens):
    evening = evenings()
    evening.do("dots")
    screen = screens()
    with serving(evening.app) as server:
        page = screen.open(server, helper=True)
        port = server.port
        page.locator("#b-end-1:enabled").wait_for()
    page.locator("#offline").wait_for()
    page.locator("#b-end-1:disabled").wait_for()
    assert page.locator("html.stale").count() == 1
    evening.close()
    again = evenings()  # the same folder: the service starts again, in another epoch
    again.do("rings")
    with serving(again.app, port):
        page.locator("#happened .main", has_text="Ann: fish on rings").wait_for(timeout=3000)
        page.locator("#offline").wait_for(state="hidden")
        page.locator("#b-end-1:enabled").click()
        says(page, "Ann: stop")
    epoch = page.locator("[data-version]").get_attribute("data-version").partition(".")[0]
    assert epoch != evening.table.snapshot.epoch


def test_silence_is_noticed(evening, screens):
    """A server that neither answers nor hangs up, as a lost Wi-Fi looks."""
    with serving(evening.app) as server:
        page = screens().open(server)
        page.clock.install()
        page.reload()
        says(page, "A new game")
        assert page.locator("#offline").is_hidden()
        page.route("**/stream*", lambda route: None)
        page.clock.fast_forward(11_000)
        page.clock.fast_forward(1_000)
        page.locator("#offline").wait_for()
        page.unroute("**/stream*")
        page.clock.fast_forward(11_000)
        page.locator("#offline").wait_for(state="hidden")


def test_a_hidden_page_gives_its_stream_back_and_is_right_when_shown(evening, screens):
    streams = evening.app.extensions["tidetable"].streams
    with serving(evening.app) as server:
        page = screens().open(server)
        says(page, "A new game")
        page.wait_for_load_state("load")
        page.evaluate(HIDE, True)
        deadline = threading.Event()
        for _ in range(100):
            if streams.count == 0:
                break
            deadline.wait(0.05)
        assert streams.count == 0
        evening.do("dots")
        says(page, "A new game")
        page.evaluate(HIDE, False)
        says(page, "Ann: fish on dots")
        assert page.locator("#offline").is_hidden()


def test_ten_tabs_of_one_browser_all_load(evening, screens):
    screen = screens()
    with serving(evening.app) as server:
        pages = []
        for _ in range(10):
            pages.append(screen.open(server))
            says(pages[-1], "A new game")
            pages[-1].evaluate(HIDE, True)
        evening.do("dots")
        for page in pages:
            page.evaluate(HIDE, False)
            says(page, "Ann: fish on dots")
            page.evaluate(HIDE, True)


def test_a_page_of_another_version_loads_again(evening, screens):
    with serving(evening.app) as server:
        page = screens().open(server)
        says(page, "A new game")
        page.evaluate("document.documentElement.dataset.assets = 'old'; document.title = 'old'")
        page.evaluate("dispatchEvent(new Event('online'))")
        page.locator("html:not([data-assets=old])").wait_for(state="attached")
        assert page.title() == "Tidetable"


def test_a_newcomer_plays_a_turn_at_the_virtual_table(evening, screens):
    with serving(evening.app) as server:
        page = screens().open(server, "/virtual", helper=True)
        page.locator("[aria-label=dots]").click()
        says(page, "Ann: fish on dots")
        page.locator("#v-top small", has_text="42 cards").wait_for()
        page.locator("#v-cards summary").click()
        page.locator("#v-top").click()
        page.locator("#v-top small", has_text="41 cards").wait_for()
        assert page.locator("#v-cards").get_attribute("open") is None
        page.locator("[value='control/undo']").click()
        says(page, "One step taken back")
        page.locator("[value='control/stop']").click()
        says(page, "Bo", "#banner h1")
        page.locator("#v-cable", has_text="Pull").click()
        page.locator(".chip.lost").wait_for()
        page.locator("#v-top").click()
        page.locator("#said", has_text="plug it in").wait_for()
        page.locator("#v-cable", has_text="Plug").click()
        page.locator(".chip.ready").wait_for()


def test_a_lost_reader_is_replaced_by_touch(evening, screens):
    with serving(evening.app) as server:
        page = screens().open(server, "/", helper=True)
        says(page, "A new game")
        assert page.locator("#b-cards").count() == 0
        evening.virtual.unplug()
        page.locator("#b-cards").click()
        page.locator("[aria-label='dots with eyes']").click()
        says(page, "Ann: eyes on dots, no fish there")
        says(page, "touch", "#happened .cause")
        page.locator("[aria-label='dots with eyes'] small", has_text="1").wait_for()
        page.locator("#b-back").click()
        page.locator("#b-cards").wait_for()
        evening.virtual.plug()
        page.locator("#b-cards").wait_for(state="detached")


GEOMETRY = """() => {
  const faults = [];
  const box = (node) => node.getBoundingClientRect();
  const name = (node) => node.id || node.className || node.localName;
  const shown = (selector) => [...document.querySelectorAll(selector)].filter((n) => box(n).width);
  const wide = document.documentElement.clientWidth;
  const upright = innerWidth < innerHeight;
  const virtual = !!document.querySelector('.virtual');
  for (const node of shown('#view *')) {
    const it = box(node);
    if (node.closest('svg') && node.localName !== 'svg') continue;
    if (node.closest('.hands') || node.closest('.flash') || node.closest('bdi')) continue;
    if (it.left < -1 || it.right > wide + 1) faults.push(`${name(node)} leaves the page sideways`);
    if (!upright && !virtual && (it.top < -1 || it.bottom > innerHeight + 1))
      faults.push(`${name(node)} leaves the page below`);
  }
  // A child that is cut off by its box; names and sentences end in an ellipsis on purpose.
  for (const inner of shown('.banner > div, .banner > p, .happened > *, .picture > *, .told > *, .row > *, .slot, .chip, .button > *, .card > *')) {
    const outer = inner.parentElement;
    if (inner.closest('.hands') || getComputedStyle(outer).display === 'contents') continue;
    const a = box(inner), b = box(outer);
    if (a.left < b.left - 3 || a.right > b.right + 3 || a.top < b.top - 3 || a.bottom > b.bottom + 3)
      faults.push(`${name(inner)} sticks out of ${name(outer)}`);
  }
  for (const node of shown('.told p:not(.cause) > span, .to-do > span'))
    if (node.scrollWidth > node.clientWidth + 2 && getComputedStyle(node).textOverflow !== 'ellipsis')
      faults.push(`the text of ${name(node.parentElement)} is cut off`);
  for (const node of shown('.reason > span'))
    if (node.scrollHeight > node.clientHeight + 2) faults.push('the reason is cut off');
  const pairs = (selector) => {
    const all = shown(selector);
    all.forEach((a, i) => all.slice(i + 1).forEach((b) => {
      const p = box(a), q = box(b);
      if (Math.min(p.right, q.right) - Math.max(p.left, q.left) > 1 &&
          Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 1)
        faults.push(`${name(a)} lies on ${name(b)}`);
    }));
  };
  pairs('#banner, #happened, .row, #touch, #foot');
  pairs('button, .chip');
  pairs('.who, .to-do');
  pairs('.picture, .told > *');
  document.querySelectorAll('.row').forEach((row) => {
    const parts = [...row.children];
    parts.forEach((a, i) => parts.slice(i + 1).forEach((b) => {
      const p = box(a), q = box(b);
      if (Math.min(p.right, q.right) - Math.max(p.left, q.left) > 1 &&
          Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 1)
        faults.push(`in ${row.id} ${name(a)} lies on ${name(b)}`);
    }));
    const slot = row.querySelector('.slot') && box(row.querySelector('.slot'));
    if (slot && (Math.abs(slot.width - slot.height) > 2 || slot.width < 16)) faults.push(`slots of ${row.id}: ${slot.width} x ${slot.height}`);
    if (box(row.querySelector('.name')).width < 20) faults.push(`no room for the name in ${row.id}`);
  });
  const targets = shown('button, summary');
  for (const node of targets) {
    const it = box(node);
    if (it.width < 47.5 || it.height < 47.5) faults.push(`${name(node)} is ${it.width} x ${it.height}`);
  }
  const board = shown('.touch .button');
  board.forEach((a, i) => board.slice(i + 1).forEach((b) => {
    const p = box(a), q = box(b);
    const across = Math.max(p.left, q.left) - Math.min(p.right, q.right);
    const down = Math.max(p.top, q.top) - Math.min(p.bottom, q.bottom);
    if (Math.max(across, down) < 12) faults.push(`${name(a)} is too near to ${name(b)}`);
  }));
  return faults;
}"""

STATES = {
    "start": (("Ann", "Bo"), {}, [], "/"),
    "middle": (
        ("Ann", "Bo", "Cy", "Dora"),
        {},
        ["dots", "waves", {"do": "stop"}, "rings", "dots-eyes"],
        "/",
    ),
    "steal": (
        ("Ann", "Bo", "Cy"),
        {},
        ["dots", {"do": "stop"}, "dots", {"do": "stop"}, "dots-tentacle"],
        "/",
    ),
    "refused": (
        ("Ann", "Bo", "Cy", "Dora"),
        {},
        ["dots", {"do": "stop"}, "dots", {"do": "stop"}, "dots-tentacle"],
        "/",
    ),
    "lose": (
        ("Ann", "Bo"),
        {"octopus_takes": "one"},
        ["dots", "rings", "stars", "waves", "octopus"],
        "/",
    ),
    "over": (("Ann", "Bo"), {}, ["dots", "rings", "stars", "stripes", "waves"], "/"),
    "hostile": (
        HOSTILE_NAMES,
        {},
        ["dots", {"do": "stop"}]
        + ["rings", {"do": "stop"}] * 2
        + ["rings", {"do": "stop"}, "rings-tentacle"],
        "/",
    ),
    "cards": (("Maximilian", "Charlotte", "Bo"), {}, ["dots", {"do": "stop"}], "/cards"),
    "virtual": (("Ann", "Bo"), {}, ["dots"], "/virtual"),
    "virtual-six": (HOSTILE_NAMES, {}, ["dots", "octopus"], "/virtual"),
}


def in_every_size(screens, server, sizes, path="/", *, helper=True, anew=False):
    """The name of each size and the page in it: one tab, loaded once, since no script lays it out.

    A test that changes the page asks for a new one at each size.
    """
    first, *others = sizes
    page = screens(first).open(server, path, helper=helper)
    for size in sizes:
        if size in others:
            width, height = SIZES[size]
            page.set_viewport_size({"width": width, "height": height})
            if anew:
                page.reload()
        page.locator("#banner").wait_for()
        page.wait_for_load_state("load")
        yield size, page


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("reader", ["ready", "lost"])
def test_nothing_is_clipped_or_overlaps(evenings, screens, state, reader):
    players, options, commands, path = STATES[state]
    evening = evenings(players, **options)
    evening.do(*commands)
    if state == "refused":
        evening.virtual.tap("player/3")
    if reader == "lost":
        evening.virtual.unplug()
    with serving(evening.app) as server:
        faults = {
            size: page.evaluate(GEOMETRY)
            for size, page in in_every_size(screens, server, SIZES, path)
        }
    assert faults == {size: [] for size in SIZES}


@pytest.mark.parametrize(
    ("rule", "fault"),
    [
        (".slots { width: 70vw !important; }", "in row-1"),
        (
            ".picture .card { height: 90vh !important; flex: none !important; }",
            "leaves the page below",
        ),
        ("#b-undo { position: relative; left: 95vw; }", "sideways"),
        (".touch button { min-height: 0 !important; height: 30px !important; }", "30"),
        (".touch { gap: 4px !important; } .apart { display: none; }", "too near"),
    ],
)
def test_a_planted_fault_of_geometry_is_found(evening, screens, rule, fault):
    evening.do("dots")
    with serving(evening.app) as server:
        page = screens(bypass_csp=True).open(server, helper=True)
        page.add_style_tag(content=rule)
        assert fault in " ".join(page.evaluate(GEOMETRY))


def test_the_name_in_turn_is_read_across_the_room(evening, screens):
    """Capitals of at least 4.4 % of the screen's height: 17.5 mm on a 32 inch TV."""
    with serving(evening.app) as server:
        page = screens().open(server)
        capitals = page.locator("#banner h1").evaluate(
            """node => {
                const style = getComputedStyle(node);
                const pen = document.createElement('canvas').getContext('2d');
                pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
                return pen.measureText('H').actualBoundingBoxAscent;
            }"""
        )
        assert capitals / 1080 >= 0.044


def test_the_right_to_left_name_does_not_turn_its_neighbours_round(evenings, screens):
    evening = evenings(("שלום", "Bo"))
    evening.do("dots", {"do": "stop"})
    with serving(evening.app) as server:
        page = screens().open(server)
        line = page.locator("#happened .main span")
        left = line.evaluate("node => node.getBoundingClientRect().left")
        name = line.locator("bdi").evaluate("node => node.getBoundingClientRect().left")
        assert abs(left - name) < 3


SPEAKER = """globalThis.AudioContext = class {
    state = "suspended";
    resume() { globalThis.woken = true; }
};"""


def test_a_display_of_the_tables_own_sounds_without_a_tap_and_hides_its_pointer(screens, evening):
    with serving(evening.app) as server:
        display = screens()
        display.context.add_init_script(SPEAKER)
        page = display.open(server, "/?kiosk")
        page.locator("html.sounds").wait_for()
        assert page.evaluate("globalThis.woken")
        page.locator("body").hover()
        page.locator("html.pointing").wait_for()
        page.locator("html:not(.pointing)").wait_for(state="attached")
        assert page.evaluate("getComputedStyle(document.body).cursor") == "none"
        plain = screens().open(server, "/")
        plain.locator("html:not(.sounds)").wait_for()
        assert plain.evaluate("getComputedStyle(document.body).cursor") != "none"
