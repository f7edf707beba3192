"""The pages of octopus alarm and Sea Salt & Paper in mid-game, in every size."""

from __future__ import annotations

import json

import pytest
from every_page import sit
from test_browser import screens  # noqa: F401 - a fixture
from test_every_page_looks import FITS, LONGER, SIZES, axe

from companion.codec import action_to_json
from tests.make_pictures import GAMES, PLAYERS, mid_game
from tests.support.service import TOKEN
from tests.support.whole import whole

pytestmark = pytest.mark.needs("chromium")

PATHS = ("/", "/play", "/cards", "/virtual", "/correct", "/rules")
SQUEEZED = """() => [...document.querySelectorAll('button, summary, .note')]
  .filter((node) => node.checkVisibility() && node.textContent.trim().length > 9)
  .map((node) => [node.id || node.className, node.getBoundingClientRect()])
  .filter(([, box]) => box.height > 2.5 * box.width)
  .map(([name, box]) => `${name} is squeezed to ${box.width} x ${box.height}`)"""


@pytest.fixture(params=[game for game in GAMES if game != "tentacles"])
def its(request, tmp_path, monkeypatch):
    match = mid_game(request.param)
    settings = {"game": request.param, "players": PLAYERS, "set": {}}
    with whole(tmp_path, monkeypatch, **settings) as its:
        helper = its.helper()
        for past in reversed(list(match.back())):
            body = json.loads(json.dumps(action_to_json(past.action)))
            headers = {"Authorization": f"Bearer {TOKEN}"}
            assert helper.post("/api/v1/actions", json=body, headers=headers).status_code == 200
        its.turn = match.game.standing(match.state).turn
        yield its


def opened(its, screen):
    page = screen.context.new_page()
    page.goto(f"{its.url}/link/{TOKEN}")
    post = screen.context.request.post
    sit(its.app, lambda path, form: post(its.url + path, form=form), its.turn)
    return page


@pytest.mark.parametrize("size", SIZES)
def test_the_pages_of_a_game_fit(its, screens, size):  # noqa: F811
    width, height = SIZES[size]
    page = opened(its, screens())
    page.set_viewport_size({"width": width, "height": height})
    faults = {}
    for path in PATHS:
        page.goto(its.url + path)
        page.wait_for_load_state("load")
        faults[path] = page.evaluate(FITS) + page.evaluate(SQUEEZED)
        page.evaluate(LONGER)
        faults[f"{path} with longer texts"] = page.evaluate(FITS) + page.evaluate(SQUEEZED)
    assert {path: found for path, found in faults.items() if found} == {}


def test_axe_finds_nothing_in_a_game(its, screens):  # noqa: F811
    page = opened(its, screens(bypass_csp=True))
    faults = {}
    for path in PATHS:
        page.goto(its.url + path)
        page.wait_for_load_state("load")
        faults[path] = axe(page)
    assert {path: found for path, found in faults.items() if found} == {}
