"""The pages of a game in play, in the languages of the catalogues, fit on the screens of a family."""

from __future__ import annotations

from random import Random

import pytest
from evening import serving
from every_page import pages, sit
from test_browser import screens  # noqa: F401 - a fixture
from test_every_page_looks import FITS
from test_no_english_left import GAMES_WITH_WORDS, LANGUAGES, PLAYERS
from virtual_evening import virtual_evening

from companion.match import SeededChance, Setup
from companion.rules.api import Leave
from companion.rules.sea_salt_paper.words import LastChance, Mermaids, Stop, Take
from companion.snapshot import Source

pytestmark = pytest.mark.needs("chromium")

SIZES = {"tv": (1280, 720), "tablet": (1024, 600), "pi": (800, 480), "phone": (390, 844)}
STEPS = 24
"""Actions after which each game shows cards, animals or fish."""


OF_A_GAME = ("/", "/play", "/cards", "/virtual", "/correct?all", "/rules")
"""The pages that are of their own for each game; the others are looked at once."""


BROKEN = """() => {
  const found = [], texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    if (text.parentElement.closest('bdi, dd, code, script, template, noscript, .hands')) continue;
    for (const word of text.data.matchAll(/\\p{L}{4,}/gu)) {
      const range = document.createRange();
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      const lines = [...range.getClientRects()].filter((box) => box.width > 0).map((box) => Math.round(box.top));
      if (new Set(lines).size > 1) found.push(`"${word[0]}" is broken in two`);
    }
  }
  return found;
}"""
"""Words of ours that stand on two lines; a name may be as long as people like."""

NEVER = (Leave, LastChance, Mermaids, Stop)


def asks_much(match):
    """Whether there is something to see, and whoever is in turn has much to choose from."""
    legal = match.game.legal(match.state)
    choices = sum(isinstance(action, Take) for action in legal)
    return match.step >= STEPS and (match.setup.game != "sea-salt-paper" or choices == 2)


@pytest.fixture(scope="module")
def played(request, tmp_path_factory):
    """A game in the middle, on a table whose readers are there."""
    chance = Random(3)
    with virtual_evening(
        tmp_path_factory.mktemp("played"), Setup(request.param, PLAYERS)
    ) as evening:
        while not asks_much(evening.match):
            match = evening.match
            legal = [each for each in match.game.legal(match.state) if not isinstance(each, NEVER)]
            action = match.game.deal(match.state, chance.choice(legal), SeededChance(11))
            assert evening.table.act(action, source=Source("page")).code is None
        yield evening


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("played", GAMES_WITH_WORDS, indirect=True)
def test_every_page_fits_in_this_language(played, language, screens):  # noqa: F811
    app, turn = played.app, played.table.snapshot.standing.turn
    client = played.client
    sit(app, lambda path, form: client.post(path, data=form), turn)
    faults = {}
    screen = screens()
    with serving(app) as server:
        base = f"http://127.0.0.1:{server.port}"
        screen.context.add_cookies([{"name": "lang", "value": language, "url": base}])
        page = screen.open(server, "/", helper=True)
        sit(app, lambda path, form: screen.context.request.post(base + path, form=form), turn)
        for path in (
            OF_A_GAME if played.match.setup.game != GAMES_WITH_WORDS[0] else pages(app, client)
        ):
            page.goto(base + path)
            page.wait_for_load_state("load")
            assert page.locator("html").get_attribute("lang") == language
            for size, (width, height) in SIZES.items():
                page.set_viewport_size({"width": width, "height": height})
                if found := page.evaluate(FITS) + page.evaluate(BROKEN):
                    faults[f"{path} on {size}"] = found
    assert faults == {}


@pytest.mark.parametrize("played", ["tentacles"], indirect=True)
def test_games_to_enrol_stand_below_their_heading(played, screens):  # noqa: F811
    with serving(played.app) as server:
        page = screens().open(server, "/", helper=True)
        page.goto(f"http://127.0.0.1:{server.port}/enrol")
        for width, height in SIZES.values():
            page.set_viewport_size({"width": width, "height": height})
            heading, games = (page.locator(name).bounding_box() for name in ("h1", ".games"))
            assert heading["y"] + heading["height"] <= games["y"], width
            assert games["width"] > 0.8 * min(width, 1000), width
