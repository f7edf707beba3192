"""Whole games: four phones, a TV and a table with tags, and a service that is killed in between."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from random import Random

import pytest

from companion.codec import action_to_json
from companion.match import Match, Setup
from companion.rules.sea_salt_paper import words as salt
from tests.support.service import TOKEN, serving

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.timeout(600)]

PLAYERS = ("Kari", "Ola", "Zosia", "Tim")
SEEDS = {"tentacles": 239, "octopus-alarm": 869, "sea-salt-paper": 421}
"""Games that chance ends soon, of 16, 33 and 207 actions."""
PATIENCE_MS = 30_000
ALIKE_S = 10.0
"""A second is promised and measured by the benchmark of the pages; a busy machine has more."""


AGAIN_S = 0.6
"""Later than a tap that may be the second half of the one before."""


def whole_game(game, seed):
    """The actions of a game that chance plays to its end, as a table tells them."""
    match = Match.start(Setup(game, PLAYERS, seed=seed))
    chance = Random(seed)
    while legal := match.game.legal(match.state):
        ends = [each for each in legal if isinstance(each, (salt.Stop, salt.LastChance))]
        match = match.do(chance.choice(ends or legal))
    assert match.game.standing(match.state).over
    return [each.action for each in reversed(list(match.back()))]


@dataclass
class Family:
    """Four phones and a TV.

    Attributes:
        tv: the page of the TV.
        phones: the page of each player.
        faults: what went wrong in them.
    """

    tv: object
    phones: dict
    faults: list = field(default_factory=list)

    @property
    def pages(self):
        return [self.tv, *self.phones.values()]

    def alike(self, revision):
        """Until every page shows this revision or a newer one."""
        limit_s = time.monotonic() + ALIKE_S
        for page in self.pages:
            while revision_of(page) < revision:
                assert time.monotonic() < limit_s, "a page stays behind"
                page.wait_for_timeout(10)


def revision_of(page):
    version = page.locator("#board, #phone").first.get_attribute("data-version")
    return int(version.rpartition(".")[2])


@pytest.fixture
def family(browser):
    contexts, faults = [], []

    def gather(service):
        def page_of(size):
            contexts.append(browser.new_context(viewport=size, reduced_motion="reduce"))
            contexts[-1].set_default_timeout(PATIENCE_MS)
            page = contexts[-1].new_page()
            page.on("pageerror", lambda error: faults.append(str(error)))
            return page

        helper = page_of({"width": 800, "height": 600})
        helper.goto(f"{service.url}/link/{TOKEN}")
        helper.goto(f"{service.url}/settings")
        code = helper.locator("#join-code").inner_text()
        tv = page_of({"width": 1280, "height": 720})
        tv.goto(service.url)
        phones = {}
        for player in PLAYERS:
            phone = phones[player] = page_of({"width": 390, "height": 844})
            phone.goto(f"{service.url}/join")
            phone.locator("input[name=code]").fill(code)
            phone.keyboard.press("Enter")
            phone.locator("button[name=seat]", has_text=player).click()
            phone.locator("[data-version]").first.wait_for()
        return Family(tv, phones, faults)

    yield gather
    for context in contexts:
        context.close()
    assert faults == []


def spelled(action):
    return json.loads(json.dumps(action_to_json(action)))


def press(phone, body):
    """Press the button of exactly that action, where the phone shows one; whether it did."""
    for button in phone.locator("button[name=action]:visible:enabled").all():
        if json.loads(button.get_attribute("value")) == body:
            if button.get_attribute("data-hold") is None:
                button.click()
            else:
                button.click(delay=1200)
            return True
    return False


@pytest.mark.parametrize("game", SEEDS)
def test_a_family_plays_a_whole_game(tmp_path, browser, family, game):
    actions = whole_game(game, SEEDS[game])
    kill_at = len(actions) // 2
    arguments = ("--game", game, "--players", ",".join(PLAYERS), "--reader", "sim:")
    pressed = 0
    with serving(tmp_path, *arguments) as service:
        port = service.port
        people = family(service)
        told = 0
        for number, action in enumerate(actions[:kill_at]):
            told, touched = carry_out(service, people, number, action)
            pressed += touched
        service.kill()
    for page in people.pages:
        page.locator("html.stale").wait_for(timeout=PATIENCE_MS)
    with serving(tmp_path, port=port) as service:
        assert service.get()["step"] == kill_at
        people.alike(told + 1)
        for page in people.pages:
            page.locator("html:not(.stale)").wait_for(timeout=PATIENCE_MS)
        for number, action in enumerate(actions[kill_at:], kill_at):
            told, touched = carry_out(service, people, number, action)
            pressed += touched
        end = service.get()
        assert end["over"]
        assert end["step"] == len(actions)
        for page in people.pages:
            assert str(end["winners"][0]) in page.locator("body").inner_text()
    assert pressed >= len(actions) // 8, f"{pressed} of {len(actions)} by phone"


def carry_out(service, people, number, action):
    """One action, by the phone of the player in turn if it can, else by a reader; all see it."""
    body = spelled(action)
    turn = service.get()["turn"]
    touched = press(people.phones[turn], body)
    if not touched:
        status, reply = service.post(body)
        assert status == 200, (number, body, reply)
    limit_s = time.monotonic() + ALIKE_S
    again_s = time.monotonic() + AGAIN_S
    while (table := service.get())["step"] <= number:
        assert time.monotonic() < limit_s, f"{body} was pressed and not done"
        people.tv.wait_for_timeout(10)
        if touched and time.monotonic() > again_s:
            # A tap at the spot of the one before, a moment later, is taken for the same.
            press(people.phones[turn], body)
            again_s = time.monotonic() + AGAIN_S
    people.alike(table["revision"])
    return table["revision"], touched
