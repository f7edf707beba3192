"""The phones in Chromium: what is held, felt, heard and covered; and that everything fits."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from evening import HOSTILE_NAMES, serving
from test_browser import GEOMETRY, HIDE, screens  # noqa: F401 - a fixture
from test_joining import Door

from companion.network.nearby import Nearby
from companion.network.settings import Wifi
from companion.snapshot import Source
from tests.support.whole import whole

pytestmark = pytest.mark.needs("chromium")

SIZES = {"tv": (1920, 1080), "pi": (800, 480), "phone": (390, 844), "lying": (844, 390)}

FELT = """() => {
  window.felt = [];
  Object.defineProperty(navigator, 'vibrate', { value: (pattern) => window.felt.push(pattern) });
}"""

SOUNDS = """() => {
  window.tones = 0;
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (...all) { window.tones += 1; return start.apply(this, all); };
}"""


@pytest.fixture
def door(evening):
    return Door(evening, placeholders=())


class Phone:
    """A phone that joined."""

    def __init__(self, screen, server, door, player, prepare=""):
        self.screen = screen
        if prepare:
            screen.context.add_init_script(f"({prepare})()")
        self.page = screen.open(server, f"/join/{door.code}")
        self.page.locator(".seat", has_text=player).click()
        self.page.locator("#board.handheld").wait_for()
        # Elements are there before the styles are that say how large they are.
        self.page.wait_for_load_state()

    def says(self, words, place="#banner"):
        self.page.locator(place, has_text=words).wait_for()


def press(page, selector):
    """Put a finger there and leave it."""
    page.locator(selector).hover()
    page.mouse.down()


def test_a_turn_is_seen_felt_and_played(door, screens):  # noqa: F811
    with serving(door.app) as server:
        ann = Phone(screens("phone"), server, door, "Ann")
        bo = Phone(screens("phone"), server, door, "Bo", FELT)
        ann.says("Your turn!")
        bo.says("Ann plays")
        tinted = "node => getComputedStyle(node).backgroundColor"
        assert ann.page.locator("#board").evaluate(tinted) != bo.page.locator("#board").evaluate(
            tinted
        )
        door.evening.do("dots")
        ann.page.locator("#b-end-1").click()
        bo.says("Your turn!")
        ann.says("Bo plays")
        assert bo.page.locator("#touch").count() == 0  # the card is to be turned on the table
        bo.page.locator("#board.acting").wait_for()
        assert bo.page.evaluate("window.felt.length") == 1
        door.evening.do("rings")
        bo.says("Turn a card, or stop")
        assert bo.page.evaluate("window.felt.length") == 1


def test_a_double_tap_counts_once(door, screens):  # noqa: F811
    door.evening.do("dots")
    with serving(door.app) as server:
        ann = Phone(screens("phone"), server, door, "Ann")
        ann.page.locator("#b-end-1").dblclick()
        ann.says("Bo plays")
        assert door.table.snapshot.step == 2


# Words on buttons that are broken in the middle, or cut off.
BROKEN = """() => {
  const broken = [];
  for (const button of document.querySelectorAll('#do .button, #foot .button')) {
    if (!button.checkVisibility()) continue;
    const walker = document.createTreeWalker(button, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      for (const word of walker.currentNode.data.matchAll(/\\S+/g)) {
        const range = document.createRange();
        range.setStart(walker.currentNode, word.index);
        range.setEnd(walker.currentNode, word.index + word[0].length);
        const lines = range.getClientRects();
        const span = walker.currentNode.parentElement.closest('span').getBoundingClientRect();
        if (lines.length > 1 || lines[0]?.right > span.right + 1 || lines[0]?.bottom > span.bottom + 1) broken.push(word[0]);
      }
    }
  }
  return broken;
}"""


@pytest.mark.parametrize("locale", ["en-GB", "pl-PL", "nb-NO"])
@pytest.mark.parametrize("size", [(390, 844), (360, 640)])
def test_no_word_on_a_button_is_broken(door, screens, size, locale):  # noqa: F811
    door.evening.do("dots", {"do": "stop"}, "dots-tentacle")
    with serving(door.app) as server:
        page = Phone(screens("phone", locale=locale), server, door, "Bo").page
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.locator("#do .against").wait_for()
        assert page.evaluate(BROKEN) == []


def test_a_tap_that_began_on_another_button_is_none(door, screens):  # noqa: F811
    door.evening.do("dots")
    with serving(door.app) as server:
        ann = Phone(screens("phone"), server, door, "Ann")
        press(ann.page, "#b-end-1")
        ann.page.locator("#b-end-1").evaluate('node => { node.value = \'{"do":"fly"}\' }')
        ann.page.mouse.up()
        ann.page.locator("#b-undo").click()
        ann.says("One step taken back", "#happened")
        assert door.table.snapshot.step == 0


def stop_the_clock(page):
    """A clock that is only installed goes on by itself, and on a busy machine a second passes."""
    page.clock.install(time=0)
    page.clock.pause_at(1)


def test_leaving_is_held_for_a_second(door, screens):  # noqa: F811
    door.evening.do("dots")
    with serving(door.app) as server:
        page = Phone(screens("phone"), server, door, "Ann").page
        page.locator("#more summary").click()
        stop_the_clock(page)
        press(page, "#b-leave")
        page.locator("#b-leave.holding").wait_for()
        page.clock.run_for(900)
        page.mouse.up()
        page.clock.run_for(500)
        assert door.table.snapshot.step == 1
        press(page, "#b-leave")
        page.clock.run_for(1050)
        page.mouse.up()
        page.clock.resume()
        page.locator("#do", has_text="You left this game").wait_for()
        assert door.table.snapshot.standing.gone == ("Ann",)


def test_what_is_held_works_with_keys_and_without_a_script(door, screens):  # noqa: F811
    door.evening.do("dots")
    with serving(door.app) as server:
        page = Phone(screens("phone"), server, door, "Ann").page
        page.locator("#more summary").click()
        stop_the_clock(page)
        page.locator("#b-leave").focus()
        page.keyboard.down("Enter")
        page.clock.run_for(500)
        page.keyboard.up("Enter")
        page.clock.run_for(2000)
        assert door.table.snapshot.step == 1
        page.keyboard.down(" ")
        page.clock.run_for(1050)
        page.clock.resume()
        page.locator("#do", has_text="You left this game").wait_for()
        plain = Phone(screens("phone", java_script_enabled=False), server, door, "Bo").page
        plain.locator("#more summary").click()
        plain.locator("#b-stand-up").click()
        plain.locator("h1", has_text="Who are you?").wait_for()


def test_sounds_begin_after_a_tap_and_have_captions(door, screens):  # noqa: F811
    with serving(door.app) as server:
        ann = Phone(screens("phone"), server, door, "Ann", SOUNDS).page
        door.evening.do("dots")
        ann.locator("#cue", has_text="bul, bul").wait_for()
        assert ann.evaluate("window.tones") == 0
        ann.locator("#b-sound").click()
        ann.locator("html.sounds").wait_for()
        ann.locator("html[data-played=accepted]").wait_for(state="attached")
        door.evening.do("waves")
        ann.locator("html[data-played=bubbles]").wait_for(state="attached")
        door.evening.virtual.tap("player/2")
        ann.locator("#cue", has_text="Not counted").wait_for()
        ann.locator("html[data-played=refused]").wait_for(state="attached")
        door.evening.do({"do": "stop"}, "stars", {"do": "stop"})
        ann.locator("html[data-played=your-turn]").wait_for(state="attached")
        ann.reload()
        ann.locator("html.sounds").wait_for()
        played = ann.evaluate("window.tones")
        assert played == 0  # what is there when a page opens was heard before


SECRET = """() => {
  const section = document.createElement('section');
  section.className = 'secret'; section.id = 'hand';
  section.innerHTML = '<div class="inside"><p id="card">crab</p></div><button type="button" class="button peek">look</button>';
  document.getElementById('view').append(section);
}"""


@pytest.mark.parametrize("ends", ["release", "time", "hidden", "turn", "key"])
def test_a_secret_is_covered_unless_it_is_held(door, screens, ends):  # noqa: F811
    door.evening.do("dots")
    with serving(door.app) as server:
        page = Phone(screens("phone"), server, door, "Ann").page
        stop_the_clock(page)
        page.evaluate(SECRET)
        card = page.locator("#card")
        assert card.is_hidden()
        if ends == "key":
            page.locator(".peek").focus()
            page.keyboard.down("Enter")
        else:
            press(page, ".peek")
        page.clock.run_for(1000)
        assert card.is_visible()
        match ends:
            case "release":
                page.mouse.up()
            case "key":
                page.keyboard.up("Enter")
            case "time":
                page.clock.run_for(20_000)
            case "hidden":
                page.evaluate(HIDE, True)
            case "turn":
                page.evaluate(
                    "document.getElementById('board').dataset.turn = 'theirs';"
                    "document.dispatchEvent(new Event('shown'))"
                )
        assert card.is_hidden()


def test_after_sleep_the_buttons_wait_for_a_fresh_view(door, screens):  # noqa: F811
    door.evening.do("dots")
    with serving(door.app) as server:
        ann = Phone(screens("phone"), server, door, "Ann")
        ann.page.locator("#b-end-1:enabled").wait_for()
        ann.page.wait_for_load_state("load")
        ann.page.evaluate(HIDE, True)
        door.evening.do({"do": "stop"}, "rings", {"do": "stop"}, "stars")
        ann.page.route("**/stream*", lambda route: None)
        ann.page.evaluate(HIDE, False)
        ann.page.locator("#b-end-1:disabled").wait_for()
        ann.page.unroute("**/stream*")
        ann.page.evaluate("dispatchEvent(new Event('online'))")
        # Without that event the missing heartbeat would tell, after ten seconds.
        ann.page.locator("#b-end-1:enabled").wait_for(timeout=8000)
        ann.says("stars", "#happened")
        assert ann.page.locator("#offline").is_hidden()


def test_a_freed_seat_leads_to_the_seats_at_once(door, screens):  # noqa: F811
    with serving(door.app) as server:
        page = Phone(screens("phone"), server, door, "Ann").page
        (device,) = door.household.now.devices
        door.household.stand_up(device)
        door.table.refresh()
        page.locator("h1", has_text="five letters").or_(page.locator("#code")).first.wait_for()


def test_the_qr_on_the_tv_leads_to_a_seat_in_fifteen_seconds(evening, screens):  # noqa: F811
    """As far as a program can tell: from the address of the code, two taps and a name."""
    door = Door(evening, nearby=lambda: Nearby("http://192.168.1.7:8080"))
    with serving(door.app) as server:
        tv = screens("tv").open(server)
        tv.locator("#join.begin .qr").wait_for()
        assert door.code in tv.locator("#join").inner_text()
        phone = screens("phone").open(server, f"/join/{door.code}")
        phone.locator("#name").fill("Kari")
        phone.locator("#b-sit").click()
        phone.locator("#banner", has_text="Kari").wait_for(timeout=15_000)
        tv.locator(".row", has_text="Kari").wait_for()
        evening.do("dots")
        tv.locator("#join:not(.begin) .qr").wait_for()
        other = screens("phone").open(server, "/join")
        other.locator("#code").fill(door.code.lower())
        other.locator("#b-go").click()
        other.locator(".seat", has_text="Bo").click()
        other.locator("#banner", has_text="Bo").wait_for()
        tv.locator("#join").wait_for(state="detached")


FITS = """() => {
  const faults = [];
  const box = (node) => node.getBoundingClientRect();
  const name = (node) => node.id || node.className || node.localName;
  const shown = (selector) => [...document.querySelectorAll(selector)].filter((n) => n.checkVisibility() && box(n).width > 1 && !n.closest('svg svg'));
  const lying = innerWidth > innerHeight;
  for (const node of shown('#view *')) {
    if (node.closest('svg') && node.localName !== 'svg') continue;
    if (node.closest('.flash, h1 bdi')) continue;
    const it = box(node);
    if (it.left < -1 || it.right > innerWidth + 1) faults.push(`${name(node)} leaves the page sideways`);
    const rolls = node.closest('.recent, .mine, .told') && node.closest('.recent, .mine, .happened').scrollHeight > 0;
    if (lying && !rolls && (it.top < -1 || it.bottom > innerHeight + 1)) faults.push(`${name(node)} lies below the fold`);
  }
  const parts = ['#banner', '#do', '#happened', '#mine', '#recent', '#foot'].flatMap((one) => shown(one));
  const apart = (all, why) => all.forEach((a, i) => all.slice(i + 1).forEach((b) => {
    if (a.contains(b) || b.contains(a)) return;
    const p = box(a), q = box(b);
    if (Math.min(p.right, q.right) - Math.max(p.left, q.left) > 1 && Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 1)
      faults.push(`${name(a)} lies on ${name(b)}`);
  }));
  apart(parts);
  const targets = shown('button, summary, a');
  apart(targets);
  for (const node of targets) {
    const it = box(node);
    if (it.width < 47.5 || it.height < 47.5) faults.push(`${name(node)} is ${it.width} x ${it.height}`);
    if (node.scrollWidth > node.clientWidth + 2) faults.push(`${name(node)} is cut off`);
  }
  const near = shown('.do .button, .foot .button');
  near.forEach((a, i) => near.slice(i + 1).forEach((b) => {
    const p = box(a), q = box(b);
    const across = Math.max(p.left, q.left) - Math.min(p.right, q.right);
    const down = Math.max(p.top, q.top) - Math.min(p.bottom, q.bottom);
    if (Math.max(across, down) < 11.5) faults.push(`${name(a)} is too near to ${name(b)}`);
  }));
  return faults;
}"""

STATES = {
    "start": (("Ann", "Bo"), {}, []),
    "choose": (("Ann", "Bo"), {}, ["dots", "waves"]),
    "other": (("Ann", "Bo", "Cy"), {}, ["dots", {"do": "stop"}, "waves"]),
    "steal": (
        ("Ann", "Bo", "Cy"),
        {},
        ["dots", {"do": "stop"}, "dots", {"do": "stop"}, "rings", {"do": "stop"}, "dots-tentacle"],
    ),
    "lose": (
        ("Ann", "Bo"),
        {"octopus_takes": "one"},
        ["dots", "rings", "stars", "waves", "octopus"],
    ),
    "over": (("Ann", "Bo"), {}, ["dots", "rings", "stars", "stripes", "waves"]),
    "hostile": (
        HOSTILE_NAMES,
        {},
        [
            "dots",
            *(
                step
                for card in ("rings", "rings", "stars", "stars", "dots")
                for step in ({"do": "stop"}, card)
            ),
            {"do": "stop"},
        ],
    ),
}


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("reader", ["ready", "lost"])
def test_a_phone_fits_in_every_size(evenings, screens, state, reader):  # noqa: F811
    players, options, commands = STATES[state]
    evening = evenings(players, **options)
    door = Door(evening, placeholders=())
    evening.do(*commands)
    if reader == "lost":
        evening.virtual.unplug()
    faults = {}
    with serving(door.app) as server:
        page = Phone(screens("phone"), server, door, players[0]).page
        for size, (width, height) in SIZES.items():
            page.set_viewport_size({"width": width, "height": height})
            faults[size] = page.evaluate(FITS)
            if state == "choose":
                page.locator("#more summary").click()
                faults[f"{size}, more"] = page.evaluate(FITS) if size == "phone" else []
                page.locator("#more summary").click()
    assert {size: found for size, found in faults.items() if found} == {}


@pytest.mark.parametrize(
    ("rule", "fault"),
    [
        (".do .touch .button { min-height: 0 !important; height: 30px !important; }", "30"),
        (".foot { gap: 4px !important; }", "too near"),
        (".handheld .happened { margin-top: -90px; }", "lies on"),
        ("#b-undo { position: relative; left: 95vw; }", "sideways"),
    ],
)
def test_a_planted_fault_of_a_phone_is_found(door, screens, rule, fault):  # noqa: F811
    door.evening.do("dots")
    with serving(door.app) as server:
        page = Phone(screens("phone", bypass_csp=True), server, door, "Ann").page
        assert page.evaluate(FITS) == []
        page.add_style_tag(content=rule)
        assert fault in " ".join(page.evaluate(FITS))


def test_flashes_are_no_more_than_three_in_a_second(door, screens):  # noqa: F811
    with serving(door.app) as server:
        page = screens("tv", reduced_motion="no-preference").open(server)
        page.locator("#flash-1, .flash").first.wait_for(state="attached")
        page.evaluate(
            """() => { window.flashes = []; document.addEventListener('animationstart', (event) => {
                if (event.animationName === 'flash') window.flashes.push(performance.now()); }); }"""
        )
        flashes = []
        while len(flashes) < 3:
            door.evening.do("dots")
            page.wait_for_timeout(100)
            door.table.undo(1, source=Source("page"))
            page.wait_for_timeout(100)
            flashes = page.evaluate("window.flashes")
    assert all(later - sooner >= 333 for sooner, later in pairwise(flashes))


FAR = Nearby("http://192.168.100.200:8080", "http://tidetable-2.local:8080")
IN_ITS_OWN_WIFI = replace(FAR, wifi=Wifi("The table of the Smiths", "with a long; password: yes"))


WHOLE = """() => [...document.querySelectorAll('.join-at small')].filter((each) => each.offsetWidth)
    .flatMap((each) => {
        const range = document.createRange();
        const pieces = each.textContent.replace('/join', '').matchAll(/[^-]+-?/g);
        return [...pieces].flatMap(({0: piece, index: from}) => {
            range.setStart(each.firstChild, from);
            range.setEnd(each.firstChild, from + piece.length);
            return range.getClientRects().length > 1 ? [`${piece} is broken`] : [];
        });
    })"""
"""An address is read aloud and typed: a line ends at a hyphen or before the last stroke alone."""


def test_both_codes_fit_beside_the_sea(tmp_path, monkeypatch, screens):  # noqa: F811
    """Octopus alarm has the least room for them."""
    faults = {}
    with whole(tmp_path, monkeypatch, game="octopus-alarm") as its, serving(its.app) as server:
        object.__setattr__(its.parts, "nearby", lambda: IN_ITS_OWN_WIFI)
        page = screens("tv").open(server)
        page.locator("#join.begin").wait_for(state="attached")
        for size, (width, height) in SIZES.items():
            page.set_viewport_size({"width": width, "height": height})
            faults[size] = page.evaluate(GEOMETRY) + page.evaluate(WHOLE)
    assert {state: found for state, found in faults.items() if found} == {}


@pytest.mark.parametrize("nearby", [FAR, IN_ITS_OWN_WIFI], ids=["home", "own"])
@pytest.mark.parametrize("helper", [False, True], ids=["viewer", "helper"])
def test_the_invitation_fits_on_every_screen(evening, screens, helper, nearby):  # noqa: F811
    door = Door(evening, nearby=lambda: nearby)
    faults = {}
    with serving(door.app) as server:
        page = screens("tv").open(server, helper=helper)
        for steps in ((), ("dots", "waves")):
            evening.do(*steps)
            page.locator("#join.begin" if not steps else "#join:not(.begin)").wait_for(
                state="attached"
            )
            for size, (width, height) in SIZES.items():
                page.set_viewport_size({"width": width, "height": height})
                found = page.evaluate(GEOMETRY) + page.evaluate(WHOLE)
                for code in page.locator(".qr").all() if size == "tv" else ():
                    box = code.bounding_box()
                    if box is None or box["height"] < 115:
                        found.append(f"the code is too small to be scanned: {box}")
                faults[size, len(steps)] = found
    assert {state: found for state, found in faults.items() if found} == {}


@pytest.mark.parametrize("size", ["phone", "pi"])
def test_the_code_for_the_next_is_large(evening, screens, size):  # noqa: F811
    door = Door(evening, nearby=lambda: FAR)
    with serving(door.app) as server:
        page = screens(size).open(server, helper=True)
        page.goto(f"http://127.0.0.1:{server.port}/table")
        box = page.locator("#invite .qr").bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) >= 200
