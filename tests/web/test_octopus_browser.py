"""Octopus alarm in Chromium: nothing is clipped or overlaps, and it can be played by touch."""

from __future__ import annotations

from dataclasses import replace

import pytest
from evening import HOSTILE_NAMES, TOKEN, serving
from sea_table import (
    ALARM,
    AWAY,
    CAUGHT,
    OWN,
    REEF,
    SHIPS,
    STOP,
    SeaTable,
    flip,
    long_game,
    played,
    reef,
    sail,
    swing,
)
from test_browser import GEOMETRY, SIZES, in_every_size, screens
from test_every_page_looks import FITS, LONGER

from companion.codec import action_from_json
from companion.match import Setup
from companion.ship_watch import LAID
from companion.snapshot import ShipStatus, Source
from tests.support.tables import API, running
from web_ui import create_app

__all__ = ["screens"]
pytestmark = pytest.mark.needs("chromium")

PAIR = ("Kari", "Maximilian-Alexander")
OWN_REEF = reef("cat", "humpback whale", "<b>owl</b>", "crab")
STATES = {
    "start": lambda: played([]),
    "sail": lambda: played(REEF),
    "caught": lambda: played(CAUGHT),
    "waiting": lambda: played([*REEF, sail(1), flip(0, "fish")], readers=(AWAY,)),
    "take": lambda: played([*REEF, sail(1), flip(0, "crab")]),
    "long": long_game,
    "pair": lambda: played([*REEF, sail(1), flip(0, "fish")], PAIR, target=12),
    "own": lambda: played([*OWN_REEF, sail(1), flip(0, "humpback whale")], animals=OWN),
    "many": lambda: played(REEF, provisions=900),
    "aid": lambda: played([*CAUGHT, flip(1, "wave"), STOP], memory_aid="on"),
    "refused": lambda: played(REEF, refused=STOP),
    "armed": lambda: played(ALARM, ship=SHIPS["armed"]),
    "settling": lambda: played(ALARM, ship=SHIPS["settling"]),
    "asking": lambda: played(ALARM, ship=SHIPS["asking"]),
    "stranded": lambda: played([*ALARM, swing("capsized")], provisions=1, stranded="eliminate"),
    "lies": lambda: played(
        [*ALARM, swing("capsized")], ship=ShipStatus("stand-up", 88, "", alarm=False)
    ),
    "over": lambda: played([*ALARM, swing("capsized")], provisions=1),
    "hostile": lambda: played(CAUGHT, HOSTILE_NAMES[:4], readers=(AWAY,)),
    "hostile-alarm": lambda: played(ALARM, HOSTILE_NAMES[2:6], ship=SHIPS["asking"]),
}
# What is drawn on the sea lies on nothing else of it, and within it.
SEA = """() => {
  const faults = [];
  const box = (node) => node.getBoundingClientRect();
  const sea = document.querySelector('#sea > svg');
  const all = box(sea);
  const side = Math.min(all.width, all.height);
  const frame = { left: all.left + (all.width - side) / 2, top: all.top + (all.height - side) / 2 };
  const scale = side / 400;
  if (side < 150) faults.push(`the sea is ${side} wide`);
  const drawn = (node) => [...node.querySelectorAll(':scope > use, :scope > rect')].map(box)
    .find((it) => it.width);
  const things = [...sea.querySelectorAll('.tile'), sea.querySelector('#ship'), sea.querySelector('#billy')];
  const boxes = things.map((node) => [node.id, drawn(node)]);
  for (const [name, it] of boxes) {
    if (it.left < frame.left - 1 || it.top < frame.top - 1 ||
        it.right > frame.left + side + 1 || it.bottom > frame.top + side + 1)
      faults.push(`${name} leaves the sea`);
  }
  boxes.forEach(([name, a], i) => boxes.slice(i + 1).forEach(([other, b]) => {
    const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (across > 2 * scale && down > 2 * scale) faults.push(`${name} lies on ${other}`);
  }));
  const pole = box(sea.querySelector('.store > circle'));
  for (const [name, it] of boxes) {
    const x = Math.max(it.left, Math.min(pole.left + pole.width / 2, it.right));
    const y = Math.max(it.top, Math.min(pole.top + pole.height / 2, it.bottom));
    if (Math.hypot(x - pole.left - pole.width / 2, y - pole.top - pole.height / 2) < pole.width / 2 - 2)
      faults.push(`${name} lies on the pole`);
  }
  return faults;
}"""
# Chips, barrels and stacks are whole, inside what they belong to, and beside each other.
CREW = """() => {
  const faults = [];
  const box = (node) => node.getBoundingClientRect();
  const within = (inner, outer, name) => {
    const a = box(inner), b = box(outer);
    if (a.left < b.left - 1.5 || a.right > b.right + 1.5 || a.top < b.top - 1.5 || a.bottom > b.bottom + 1.5)
      faults.push(`${name} sticks out of ${outer.id || outer.className}`);
  };
  for (const row of document.querySelectorAll('.crew .row')) {
    for (const each of row.querySelectorAll('.catch li, .barrels > *')) within(each, row, each.className.baseVal ?? each.className);
  }
  for (const stack of document.querySelectorAll('.stack')) {
    for (const each of stack.querySelectorAll('.disc, .left')) within(each, stack, each.className);
    const disc = box(stack.querySelector('.disc'));
    if (Math.abs(disc.width - disc.height) > 1.5) faults.push(`the disc of ${stack.id} is not round`);
  }
  for (const each of document.querySelectorAll('.phases li, .either > *, .scene')) within(each, document.querySelector('.happened'), each.className);
  for (const row of document.querySelectorAll('.crew .name bdi'))
    if (box(row).height < 10) faults.push('a name is too small');
  return faults;
}"""


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("helper", [False, True])
def test_nothing_is_clipped_or_overlaps(screens, state, helper):
    app = create_app(SeaTable(STATES[state]()), token=TOKEN)
    with serving(app) as server:
        for size, page in in_every_size(screens, server, SIZES, helper=helper):
            faults = [*page.evaluate(GEOMETRY), *page.evaluate(SEA), *page.evaluate(CREW)]
            assert (size, faults) == (size, [])
            assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0]


CUT = """(selector) => [...document.querySelectorAll(selector)]
  .filter((node) => node.scrollHeight > node.clientHeight + 1 || node.scrollWidth > node.clientWidth + 1)
  .map((node) => node.textContent)"""


@pytest.mark.parametrize("locale", ["pl-PL", "nb-NO"])
def test_that_nothing_has_changed_is_read_whole_on_an_upright_phone(screens, locale):
    app = create_app(SeaTable(STATES["refused"]()), token=TOKEN)
    with serving(app) as server:
        page = screens("phone", locale=locale).open(server)
        assert page.locator(".tone-refused .main > span").count() == 1
        assert page.evaluate(CUT, ".told .main > span") == []


@pytest.mark.parametrize("state", ["waiting", "take", "armed", "asking", "stranded", "over"])
def test_texts_may_be_longer_in_other_languages(screens, state):
    with serving(create_app(SeaTable(STATES[state]()), token=TOKEN)) as server:
        for size, page in in_every_size(screens, server, SIZES, helper=True, anew=True):
            page.evaluate(LONGER)
            faults = [*page.evaluate(GEOMETRY), *page.evaluate(SEA), *page.evaluate(CREW)]
            assert (size, faults) == (size, [])


SCROLLED_TO = """nodes => nodes.map((node) => {
  node.scrollIntoView({ block: 'nearest' });
  const box = node.getBoundingClientRect();
  return [box.left, box.width, box.height];
})"""


@pytest.mark.parametrize("state", ["start", "caught", "take", "asking", "own"])
def test_by_touch_everything_can_be_reached(screens, state):
    with serving(create_app(SeaTable(STATES[state]()), token=TOKEN)) as server:
        for size, page in in_every_size(screens, server, SIZES, "/cards"):
            page.goto(page.url.partition("/link")[0].rstrip("/").removesuffix("/cards") + "/cards")
            page.locator("#play").wait_for()
            spot = page.locator(".spot:not(.away)").last
            if spot.count():
                spot.click()
            faults = [fault for fault in page.evaluate(GEOMETRY) if " is " in fault]
            faults += page.evaluate(SEA)
            assert (size, faults) == (size, [])
            boxes = page.locator("#play button:visible").evaluate_all(SCROLLED_TO)
            assert len(boxes) >= 2
            for left, width, height in boxes:
                assert min(width, height) >= 48, size
                assert 0 <= left <= SIZES[size][0] + 1 - width, size


@pytest.mark.parametrize("state", ["sail", "waiting", "take", "asking", "own", "over"])
@pytest.mark.parametrize("seat", ["Kari", "Ola"])
def test_a_phone_shows_all_of_it(screens, state, seat):
    app = create_app(SeaTable(STATES[state]()), token=TOKEN)
    with serving(app) as server:
        screen = screens("phone")
        form = {"code": app.extensions["tidetable"].link.join_code, "seat": seat}
        base = f"http://127.0.0.1:{server.port}"
        screen.context.request.post(f"{base}/join", form=form)
        page = screen.open(server, "/play")
        for size in ("phone", "phone-lying"):
            width, height = SIZES[size]
            page.set_viewport_size({"width": width, "height": height})
            page.locator("#mine .sea").wait_for()
            assert (size, page.evaluate(FITS)) == (size, [])
            page.evaluate(LONGER)
            assert (size, page.evaluate(FITS)) == (size, [])
            offered = page.locator("#play button:visible").count()
            acts = state == "asking" or (seat == "Kari" and state in ("sail", "take", "waiting"))
            assert (offered > 0) == acts, size
            page.reload()


@pytest.mark.parametrize("script", [True, False])
def test_a_turn_by_touch(tmp_path, screens, script):
    with running(tmp_path, Setup("octopus-alarm", ("Ann", "Bo"))) as table:
        for command in REEF:
            table.act(action_from_json("octopus-alarm", command), source=API)
        with serving(create_app(table, token=TOKEN)) as server:
            page = screens("phone", java_script_enabled=script).open(server, helper=True)
            page.goto(f"http://127.0.0.1:{server.port}/cards")
            page.locator("#p-sail-1").click()
            page.locator("label:has(#spot-2)").click()
            assert page.locator(".shows:visible").count() == 1
            page.locator(".shows-2 [aria-label=turtle]").click()
            page.locator("#happened .main", has_text="turtle, caught!").wait_for()
            assert page.locator("#spot-3").is_checked()
            page.locator(".shows-3 [aria-label=squid]").click()
            page.locator("#p-stop").click()
            page.locator("#banner h1", has_text="Bo").wait_for()
            assert table.snapshot.state["animals"]["Ann"] == ["turtle"]
            assert table.snapshot.event.source == Source("page")


def test_tiles_turn_back_a_moment_after_the_turn_and_are_gone(tmp_path, screens):
    with running(tmp_path, Setup("octopus-alarm", ("Ann", "Bo"))) as table:
        for command in CAUGHT:
            table.act(action_from_json("octopus-alarm", command), source=API)
        with serving(create_app(table, token=TOKEN)) as server:
            page = screens().open(server)
            page.locator("#face-1-0").wait_for(state="attached")
            table.act(action_from_json("octopus-alarm", STOP), source=API)
            page.locator("#face-1-0.leaving").wait_for(state="attached")
            page.locator("#face-1-0").wait_for(state="detached")
            assert page.locator(".face-up").count() == 0


def test_the_ball_swings_and_the_ship_sails(tmp_path, screens):
    with running(tmp_path, Setup("octopus-alarm", ("Ann", "Bo"))) as table:
        for command in [*REEF, sail(2)]:
            table.act(action_from_json("octopus-alarm", command), source=API)
        with serving(create_app(table, token=TOKEN)) as server:
            page = screens(reduced_motion="no-preference").open(server)
            page.locator("#ship.at-2").wait_for(state="attached")
            table.act(action_from_json("octopus-alarm", flip(1, "wave")), source=API)
            page.locator("#ship.at-3").wait_for(state="attached")
            motion = "node => getComputedStyle(node).animationName"
            assert page.locator("#sea .store .ball").evaluate(motion) == "swing"
            red = page.locator("#banner").evaluate("node => getComputedStyle(node).backgroundColor")
            assert red == "rgb(212, 42, 53)"


def test_the_judge_gives_way_to_people_who_know_better(screens):
    """The ship lies and was not in its place: the scene says what hands have to do."""
    snapshot = replace(played(ALARM), ship=ShipStatus("stand-up", 88, LAID))
    with serving(create_app(SeaTable(snapshot), token=TOKEN)) as server:
        page = screens("phone").open(server, helper=True)
        page.locator(".to-do", has_text="Stand the ship up, then Ola swings the ball").wait_for()
        for number in (1, 2):
            assert page.locator(f"#b-answer-{number}").is_visible()
