"""Setting the past right on a phone, in Chromium: three taps, and everything fits."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from evening import HOSTILE_NAMES, TOKEN, serving
from test_browser import SIZES, screens  # noqa: F401 - a fixture

from companion.match import Setup
from companion.rules.octopus_alarm_words import ANIMALS, Flip, Reef, Sail
from companion.rules.sea_salt_paper import words as salt
from tests.support.tables import API, running
from web_ui import create_app

pytestmark = pytest.mark.needs("chromium")

PICTURES = os.environ.get("CORRECTION_PICTURES")
"""A folder: then each page of these tests is kept there as a picture, to be looked at."""


def picture(page, name):
    if PICTURES:
        size = page.viewport_size
        name = f"{name}-{size['width']}x{size['height']}.png"
        page.screenshot(path=Path(PICTURES) / name, full_page=True)


def open_correct(screen, server, path="/correct"):
    page = screen.open(server, helper=True)
    page.goto(f"http://127.0.0.1:{server.port}{path}")
    return page


def check(page, name):
    """Nothing is wider than the screen, and all that is pressed is big enough."""
    page.wait_for_load_state()
    picture(page, name)
    width = page.viewport_size["width"]
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    for target in page.locator("a.button, button, select, label:has(input)").all():
        if target.is_visible():
            box = target.bounding_box()
            assert box["height"] >= 48, target.inner_text()
            assert box["width"] >= 48, target.inner_text()
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
    for line in page.locator(".feed li, .about").all():
        # The player's shape stands before the words, on one line with them.
        shape, words = line.locator(".shape").bounding_box(), line.locator("p, s").first
        assert shape["x"] + shape["width"] <= words.bounding_box()["x"]
        whole = line.bounding_box()
        assert shape["y"] + shape["height"] <= whole["y"] + whole["height"]
        assert abs(shape["y"] + shape["height"] / 2 - whole["y"] - whole["height"] / 2) < 3


@pytest.mark.parametrize("size", ["phone", "pi"])
def test_three_taps_correct_a_misread_card(evening, screens, size):  # noqa: F811
    evening.do("stars", "dots", {"do": "stop"}, "waves")
    with serving(evening.app) as server:
        page = open_correct(screens(size), server, "/")
        page.locator("#b-correct").click()
        check(page, "feed")
        page.locator("#entry-2 .pencil").click()
        check(page, "entry")
        page.locator("#likely-2").click()
        check(page, "preview")
        assert "Ann" in page.locator(".change .changed").inner_text()
        page.locator("#b-fix").click()
        check(page, "moves")
        assert evening.table.snapshot.state["fish"] == {"Ann": ["stars"], "Bo": ["waves"]}
        page.locator("label", has_text="put the fish on dots into the sea").click()
        assert page.locator("input").is_checked()
        page.locator("#b-done").click()
        page.locator("#happened", has_text="Fixed: ").wait_for()
        page.goto(page.url + "correct")
        check(page, "corrected")
        line = page.locator("#entry-2")
        assert "dots" in line.locator("s").inner_text()
        assert "corrected" in line.inner_text()


def test_what_does_not_fit_is_asked_about(evening, screens):  # noqa: F811
    evening.do("stars", {"do": "stop"}, "waves", "rings", {"do": "stop"})
    with serving(evening.app) as server:
        page = open_correct(screens("phone"), server, "/correct/entry/2")
        page.locator("#b-never").click()
        check(page, "misfit")
        assert "It was Bo's, and Ann would be in turn there" in page.locator("#misfit").inner_text()
        page.locator("#b-keep-rest").click()
        check(page, "kept")
        page.locator("#b-fix").click()
        page.locator("#fixed, .moves").wait_for()
    assert evening.table.snapshot.standing.scores == {"Ann": 3, "Bo": 0}


def test_something_that_was_missed(evening, screens):  # noqa: F811
    evening.do("stars", {"do": "stop"})
    with serving(evening.app) as server:
        page = open_correct(screens("phone"), server, "/correct/entry/2")
        page.locator("#b-missing").click()
        check(page, "missing")
        page.locator("#others summary").click()
        check(page, "others")
        page.locator("#others button", has_text="waves").first.click()
        page.locator("#b-fix").click()
        page.locator(".moves").wait_for()
    assert evening.table.snapshot.state["fish"]["Ann"] == ["stars", "waves"]


@pytest.mark.parametrize("size", ["phone", "pi"])
def test_taking_back_to_any_depth_warns_of_what_was_seen(evening, screens, size):  # noqa: F811
    evening.do("stars", "dots", {"do": "stop"}, "waves")
    with serving(evening.app) as server:
        page = open_correct(screens(size), server, "/correct/entry/2")
        page.locator("#b-to-here").click()
        check(page, "back")
        assert "2 cards were turned up" in page.locator("#hidden").inner_text()
        page.locator("#b-fix").dblclick()
        page.locator(".moves").wait_for()
        assert evening.table.snapshot.step == 1
        page.goto(f"http://127.0.0.1:{server.port}/correct")
        check(page, "undone")
        assert page.locator("li.gone").count() == 3


def test_names_of_any_kind_fit(evenings, screens):  # noqa: F811
    evening = evenings(HOSTILE_NAMES[:5])
    evening.do("stars", {"do": "stop"}, "waves", {"do": "stop"})
    with serving(evening.app) as server:
        for size in SIZES:
            page = open_correct(screens(size), server)
            check(page, "names")
            page.locator("#entry-1 .pencil").click()
            check(page, "names-entry")
            page.locator("#likely-1").click()
            check(page, "names-preview")


@pytest.mark.parametrize(
    ("game", "label", "told"),
    [
        (
            "octopus-alarm",
            "6",
            [
                *(Reef(number, animal) for number, animal in enumerate(ANIMALS[:4])),
                *(Sail(1), Flip(2, "crab")),
            ],
        ),
        (
            "sea-salt-paper",
            "2",
            [
                salt.Deal(("crab-grey", "boat-yellow-2")),
                salt.Draw(("fish-green", "shoal-grey")),
                *(salt.Keep("shoal-grey"), salt.Discard(1)),
            ],
        ),
    ],
)
def test_games_with_a_plain_face_fit_as_well(tmp_path, screens, game, label, told):  # noqa: F811
    with running(tmp_path, Setup(game, ("Ann", "Bo"))) as table:
        for action in told:
            assert table.act(action, source=API).code is None
        with serving(create_app(table, token=TOKEN)) as server:
            page = open_correct(screens("phone"), server)
            check(page, f"{game}-feed")
            page.locator(f"#entry-{label} .pencil").click()
            page.locator("#others:not([open]) summary, #others[open]").first.click()
            check(page, f"{game}-entry")
            page.locator("#b-back").click()
            page.locator(f"#entry-{label} .pencil").click()
            page.locator("#b-to-here").click()
            check(page, f"{game}-back")
            page.locator("#b-fix").click()
            page.locator(".moves").wait_for()
            check(page, f"{game}-moves")
