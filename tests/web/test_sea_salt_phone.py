"""The phones of those who play Sea Salt & Paper: one's own hand, and what can be done with it."""

from __future__ import annotations

import json
import re

import pytest
from evening import TOKEN, serving
from flask import Response
from salt_evening import GAME, dealt
from test_browser import SIZES, Screen, screens
from test_pages import Page

from companion.codec import action_to_json
from companion.drivers.api import DeviceBack
from companion.household import Household
from companion.match import Setup
from companion.rules.sea_salt_paper.cards import names_of
from companion.rules.sea_salt_paper.words import (
    Call,
    Draw,
    Duo,
    Hand,
    Keep,
    LastChance,
    Stop,
)
from tests.support.settings import chosen
from tests.support.tables import API, running
from web_ui import create_app

__all__ = ["screens"]


class Phones:
    """The application over a table, and a phone for each player."""

    def __init__(self, table, **choices):
        self.table = table
        self.household = Household()
        self.app = create_app(
            table, token=TOKEN, household=self.household, settings=chosen(**choices)
        )
        self.link = self.app.extensions["tidetable"].link

    def cookie(self, player):
        """The cookie of this player's phone."""
        device = f"{self.table.snapshot.players.index(player) + 1:016x}"
        self.household.sit(device, player, None)
        response = Response()
        self.link.hand_device(response, device)
        return re.match(r"[^=]+=([^;]+)", response.headers["Set-Cookie"])[1]

    def of(self, player):
        client = self.app.test_client()
        client.set_cookie(self.link.device_cookie_name, self.cookie(player))
        return client

    def page(self, player):
        return Page(self.of(player).get("/play").text)

    def in_turn(self):
        return self.table.snapshot.standing.turn

    def press(self, player, path="/touch", **form):
        """Send a form of that phone's page; the page after it."""
        client = self.of(player)
        fields = Page(client.get("/play").text).fields()
        keys = {name: fields[name] for name in ("key", "view", "page")}
        return client.post(path, data={**keys, **form}, headers={"Accept": "application/json"})

    def screen(self, browser_screen, server, player):
        url = f"http://127.0.0.1:{server.port}"
        cookie = {
            "name": self.link.device_cookie_name,
            "value": self.cookie(player),
            "url": url,
        }
        browser_screen.context.add_cookies([cookie])
        return browser_screen.open(server, "/play")


def sent(page):
    """What the buttons of a page send, as verbs with their fields."""
    return [
        json.loads(button["value"])
        for button in page.all("button")
        if button.get("name") == "action"
    ]


def in_phase(phase):
    return lambda match: match.state.phase == phase


def spelt(action):
    return action_to_json(action)


def crabs_first(match, legal, chance):
    del match
    pairs = [each for each in legal if isinstance(each, Duo) and "crab" in each.cards[0]]
    draws = [each for each in legal if isinstance(each, Draw)]
    return (pairs or draws or [chance.choice([e for e in legal if not isinstance(e, Stop)])])[0]


@pytest.mark.parametrize(
    ("phase", "kinds"),
    [
        ("take", {"take"}),
        ("keep", {"keep"}),
        ("discard", {"discard"}),
        ("look", {"look"}),
        ("pick", {"pick"}),
    ],
)
def test_exactly_what_is_legal_and_needs_no_reader_has_a_button(tmp_path, phase, kinds):
    for seed in range(2):
        with dealt(tmp_path / str(seed), seed=seed) as game:
            game.play(
                lambda match: match.state.phase == phase and all(match.state.piles), crabs_first
            )
            phones = Phones(game.table)
            legal = [spelt(each) for each in game.match.game.legal(game.match.state)]
            shown = sent(phones.page(phones.in_turn()))
            told = [each for each in shown if each["do"] in kinds]
            assert sorted(map(str, told)) == sorted(
                str(each) for each in legal if each["do"] in kinds
            )
            others = [name for name in ("Ann", "Bo", "Cy") if name != phones.in_turn()]
            for other in others:
                assert sent(phones.page(other)) == []


def test_ending_a_round_is_offered_when_it_is_possible_and_is_to_be_held(tmp_path):
    seen = set()
    with dealt(tmp_path, seed=3) as game:
        phones = Phones(game.table)
        while seen != {True, False}:
            if game.match.state.phase == "play":
                page = phones.page(phones.in_turn())
                legal = game.match.game.legal(game.match.state)
                buttons = {
                    json.loads(button["value"])["do"]: button
                    for button in page.all("button")
                    if button.get("name") == "action"
                }
                assert ("stop" in buttons) == ("last-chance" in buttons) == (Stop() in legal)
                assert "data-hold" not in buttons["pass"]
                for call in buttons.keys() & {"stop", "last-chance"}:
                    assert "data-hold" in buttons[call]
                seen.add("stop" in buttons)
            start = game.match.step
            game.play(lambda match, start=start: match.step > start)


def test_the_hand_its_points_and_their_parts(tmp_path):
    with dealt(tmp_path, seed=2) as game:
        game.play(lambda match: match.step > 60)
        phones = Phones(game.table)
        for player in ("Ann", "Bo", "Cy"):
            view = game.match.game.view(game.match.state, player)
            page = phones.page(player)
            assert f"{view['points']} point" in page.text
            assert f"Colour bonus {view['colour_bonus']}" in page.text
            labels = [tag["aria-label"] for tag in page.all("span") if tag.get("role") == "img"]
            assert len(labels) >= len(view["hand"])
            for part, label in (("duos", "Pairs"), ("collectors", "Collections")):
                if view["parts"][part]:
                    assert f"{label} {view['parts'][part]}" in page.text


def test_two_pairs_that_look_alike_are_one_button_and_many_are_sorted_by_kind(tmp_path):
    with dealt(tmp_path, seed=11, players=("Ann", "Bo"), options={"salt": True}) as game:
        no_pairs = lambda match, legal, chance: chance.choice(  # noqa: E731 - a chooser
            [each for each in legal if not isinstance(each, Stop | LastChance | Duo)]
        )
        game.play(
            lambda match: match.state.deck.bit_count() < 8 and match.state.phase == "play", no_pairs
        )
        page = Phones(game.table).page(game.table.snapshot.standing.turn)
        pairs = [each["cards"] for each in sent(page) if each["do"] == "duo"]
        looks = [tuple(sorted(re.sub(r"-\d$", "", card) for card in cards)) for cards in pairs]
        assert len(looks) == len(set(looks)) > 12
        assert len(page.with_class("which")) > 3


def test_a_card_of_the_deck_is_told_by_touch_and_nobody_else_hears_which(tmp_path):
    with dealt(tmp_path, seed=5) as game:
        game.play(lambda match: match.step > 20 and match.state.phase == "take")
        phones = Phones(game.table)
        player = phones.in_turn()
        deck = _deck(game)[:2]
        other = next(name for name in ("Ann", "Bo", "Cy") if name != player)
        for number, card in enumerate(deck):
            page = phones.page(player)
            assert "Draw two: which is the first card?" in page.text or number
            offered = {button.get("value") for button in page.all("button")}
            assert f"{GAME}/{card}" in offered
            answer = phones.press(player, "/touch/card", component=f"{GAME}/{card}", place="draw")
            assert answer.get_json()["ok"]
            for html in (phones.of(other).get("/play").text, phones.of(other).get("/").text):
                assert card not in html
        assert game.table.snapshot.standing.phase == "keep"
        kept = spelt(Keep(deck[1]))
        assert kept in sent(phones.page(player))
        phones.press(player, action=json.dumps(kept, separators=(",", ":")))
        assert deck[1] in {*game.table.moment.seen_by(player).state["hand"]}


def _deck(game):
    return names_of(game.match.state.deck)


def test_the_picker_is_the_same_whatever_is_hidden(tmp_path):
    """It leaves out what the player sees lying elsewhere, and no other card."""
    with dealt(tmp_path, seed=6) as game:
        game.play(lambda match: match.step > 40 and match.state.phase == "take")
        phones = Phones(game.table)
        player = phones.in_turn()
        page = phones.page(player)
        offered = {
            button["value"].partition("/")[2]
            for button in page.all("button")
            if button.get("name") == "component"
        }
        view = game.match.game.view(game.match.state, player)
        seen = {
            *view["hand"],
            *(card for table in view["tables"].values() for card in table),
            *(pile["top"] for pile in view["piles"] if pile["top"]),
        }
        assert len(offered) == 58 - len(seen)
        assert not offered & seen


@pytest.mark.parametrize(
    "form",
    [
        {"place": "seat", "component": "player/1"},
        {"place": "seat", "component": "control/undo"},
        {"place": "seat-2", "component": f"{GAME}/crab-black"},
        {"place": "draw", "component": "tentacles/dots"},
        {"place": "", "component": ""},
    ],
)
def test_only_cards_are_told_and_only_for_the_own_seat(tmp_path, form):
    with dealt(tmp_path, seed=5) as game:
        game.play(in_phase("take"))
        phones = Phones(game.table)
        answer = phones.press(phones.in_turn(), "/touch/card", **form)
        assert answer.status_code == 400


def test_who_is_not_in_turn_tells_no_card(tmp_path):
    with dealt(tmp_path, seed=5) as game:
        game.play(in_phase("take"))
        phones = Phones(game.table)
        other = next(name for name in ("Ann", "Bo", "Cy") if name != phones.in_turn())
        form = {"place": "draw", "component": f"{GAME}/{_deck(game)[0]}"}
        assert phones.press(other, "/touch/card", **form).status_code == 409
        assert game.table.snapshot.waiting == ""


def test_odds_are_for_the_player_in_turn_alone_and_only_where_they_are_wanted(tmp_path):
    with dealt(tmp_path, seed=5) as game:
        game.play(in_phase("take"))
        for odds in (False, True):
            phones = Phones(game.table, odds=odds)
            for player in ("Ann", "Bo", "Cy"):
                shown = bool(phones.page(player).with_class("odds"))
                assert shown == (odds and player == phones.in_turn())
            assert "odds" not in phones.app.test_client().get("/").text


# Score tracking


@pytest.fixture
def tallied(tmp_path):
    setup = Setup(GAME, ("Ann", "Bo", "Cy"), None, {"tracking": "score"})
    with running(tmp_path, setup) as table:
        yield Phones(table)


def tell(phones, player, *cards):
    for card in cards:
        form = {"component": f"{GAME}/{card}", "place": "seat"}
        assert phones.press(player, "/touch/card", **form).get_json()["ok"]


def test_any_player_ends_the_round_on_the_own_phone_and_for_nobody_else(tallied):
    calls = [each for each in sent(tallied.page("Bo")) if each["do"] == "call"]
    assert [each["call"] for each in calls] == ["stop", "last-chance", "mermaids", "deck-empty"]
    assert {each["player"] for each in calls} == {"Bo"}
    for_ann = json.dumps(spelt(Call("Ann", "stop")))
    assert tallied.press("Bo", action=for_ann).status_code == 409
    assert tallied.table.snapshot.standing.phase == "call"
    assert tallied.press("Bo", action=json.dumps(calls[1])).status_code == 200
    assert tallied.table.snapshot.standing.phase == "hand"
    assert tallied.table.snapshot.event.outcomes[0].player == "Bo"


def test_the_sum_grows_on_the_own_phone_card_by_card(tallied):
    tallied.table.act(Call("Bo", "stop"), source=API)
    assert "0 points 0 cards" in tallied.page("Bo").text
    tell(tallied, "Bo", "crab-black")
    assert "0 points 1 card" in tallied.page("Bo").text
    tell(tallied, "Bo", "crab-grey", "shell-grey", "shell-black")
    page = tallied.page("Bo")
    assert "3 points 4 cards" in page.text
    assert "Pairs 1 Collections 2" in page.text
    assert [button["id"] for button in page.with_class("in")] == [
        "tell-crab-black",
        "tell-crab-grey",
        "tell-shell-black",
        "tell-shell-grey",
    ]
    assert "0 points 0 cards" in tallied.page("Ann").text


def test_each_tells_the_own_hand_at_the_same_time_and_says_that_it_is_all(tallied):
    tallied.table.act(Call("Bo", "stop"), source=API)
    tell(tallied, "Ann", "crab-black", "crab-grey")
    tell(tallied, "Bo", "shell-grey")
    tell(tallied, "Ann", "shell-black")
    assert "1 point 3 cards" in tallied.page("Ann").text
    done = {"component": "control/stop", "place": "seat"}
    assert tallied.press("Bo", "/touch/card", **done).status_code == 200
    assert tallied.table.snapshot.event.action == Hand("Bo", ("shell-grey",))
    assert "Your cards are told" in tallied.page("Bo").text
    assert tallied.press("Bo", "/touch/card", **done).status_code == 409
    tallied.press("Ann", "/touch/card", **done)
    tell(tallied, "Cy", "boat-black-1")
    tallied.press("Cy", "/touch/card", **done)
    assert dict(tallied.table.snapshot.standing.scores) == {"Ann": 1, "Bo": 0, "Cy": 0}


def test_a_card_that_was_told_for_another_is_asked_about(tallied):
    tallied.table.act(Call("Bo", "stop"), source=API)
    tell(tallied, "Ann", "crab-black")
    tell(tallied, "Bo", "crab-black")
    assert "whose is it" in tallied.page("Bo").text


def test_what_was_told_by_touch_is_still_there_after_a_restart(tmp_path):
    setup = Setup(GAME, ("Ann", "Bo"), None, {"tracking": "score"})
    with running(tmp_path, setup) as table:
        table.act(Call("Bo", "stop"), source=API)
        tell(Phones(table), "Bo", "crab-black", "crab-grey")
    with running(tmp_path, setup) as table:
        assert "1 point 2 cards" in Phones(table).page("Bo").text


# In a browser

LYING = ("phone", "phone-lying", "pi")
FITS = """() => {
  const faults = [];
  const box = (node) => node.getBoundingClientRect();
  for (const node of document.querySelectorAll('#view button, #view summary, .mini, .fan > *, .worth, .drawn > *, .term')) {
    const it = box(node);
    if (!node.checkVisibility()) continue;
    const name = node.id || node.className;
    if (it.left < -1 || it.right > document.documentElement.clientWidth + 1) faults.push(`${name} leaves the page`);
    if (node.matches('button, summary') && (it.width < 47.5 || it.height < 47.5)) faults.push(`${name} is ${it.width} x ${it.height}`);
  }
  const all = [...document.querySelectorAll('#do button, #do summary, #mine button, #mine summary, #foot > *')].filter((n) => n.checkVisibility());
  all.forEach((a, i) => all.slice(i + 1).forEach((b) => {
    // What is scrolled out of a column cannot lie on another one.
    if (a.contains(b) || b.contains(a) || a.closest('section, footer') !== b.closest('section, footer')) return;
    const p = box(a), q = box(b);
    const across = Math.max(p.left, q.left) - Math.min(p.right, q.right);
    const down = Math.max(p.top, q.top) - Math.min(p.bottom, q.bottom);
    const clipped = a.closest('.inside') !== b.closest('.inside');
    if (Math.max(across, down) < 0 && !clipped) faults.push(`${a.id} lies on ${b.id}`);
  }));
  return faults;
}"""


@pytest.mark.needs("chromium")
@pytest.mark.parametrize("phase", ["take", "keep", "play", "look"])
def test_everything_fits_on_phones_of_all_sizes(tmp_path, browser, phase):
    with dealt(tmp_path, seed=9, options={"salt": True}) as game:
        game.play(
            lambda match: match.step > 30 and match.state.phase == phase and all(match.state.piles),
            crabs_first,
        )
        phones = Phones(game.table, odds=True)
        with serving(phones.app) as server:
            for size in LYING:
                screen = Screen(browser, size)
                page = phones.screen(screen, server, phones.in_turn())
                page.evaluate("document.documentElement.classList.add('looking')")
                assert (size, page.evaluate(FITS)) == (size, [])
                width = page.evaluate("document.documentElement.scrollWidth")
                assert width <= SIZES[size][0]
                if size != "phone":
                    peek = page.locator(".peek").bounding_box()
                    assert peek["y"] + peek["height"] <= SIZES[size][1], size
                screen.context.close()
                assert screen.faults == []


@pytest.mark.needs("chromium")
@pytest.mark.parametrize("locale", ["pl-PL", "nb-NO"])
def test_who_waits_reads_on_a_lying_phone_what_a_turn_is_made_of(tmp_path, browser, locale):
    with dealt(tmp_path, seed=9) as game:
        phones = Phones(game.table)
        with serving(phones.app) as server:
            screen = Screen(browser, "phone-lying", locale=locale)
            waits = next(name for name in game.match.setup.players if name != phones.in_turn())
            page = phones.screen(screen, server, waits)
            steps = page.locator(".turn-steps li span")
            assert steps.count() == 3
            for step in steps.all():
                assert step.evaluate(
                    "(it) => it.clientWidth > 9 && it.scrollWidth <= it.clientWidth"
                )
            screen.context.close()


@pytest.mark.needs("chromium")
@pytest.mark.parametrize("size", LYING)
def test_beside_a_reader_each_button_has_its_whole_width(tmp_path, browser, size):
    with dealt(tmp_path, seed=9) as game:
        game.play(
            lambda match: match.step > 30 and match.state.phase == "take" and all(match.state.piles)
        )
        game.table.report(DeviceBack("r1", "Virtual reader", 1))
        phones = Phones(game.table)
        with serving(phones.app) as server:
            screen = Screen(browser, size)
            page = phones.screen(screen, server, phones.in_turn())
            page.locator("#by-touch").wait_for()
            assert page.evaluate(FITS) == []
            # One below the other, each as wide as the column.
            widths = page.evaluate(
                "[...document.getElementById('do').children].map((node) => node.offsetWidth)"
            )
            assert len(set(widths)) == 1
            assert widths[0] > SIZES[size][0] / 3
            # A yellow octopus is yellow on its button as well.
            hues = page.locator(".pair .mini").evaluate_all(
                "nodes => nodes.map((node) => [node, node.querySelector('.i')].map((each) => getComputedStyle(each).color))"
            )
            assert hues
            assert [hue for hue in hues if len(set(hue)) > 1] == []
            screen.context.close()
            assert screen.faults == []


@pytest.mark.needs("chromium")
def test_the_hand_is_covered_until_the_bar_is_held(tmp_path, browser):
    with dealt(tmp_path, seed=2) as game:
        game.play(lambda match: match.step > 40)
        phones = Phones(game.table)
        with serving(phones.app) as server:
            screen = Screen(browser, "phone")
            page = phones.screen(screen, server, phones.in_turn())
            card = page.locator(".fan .card").first
            assert card.evaluate("node => getComputedStyle(node).visibility") == "hidden"
            page.locator(".peek").scroll_into_view_if_needed()
            box = page.locator(".peek").bounding_box()
            page.mouse.move(box["x"] + 20, box["y"] + 20)
            page.mouse.down()
            assert card.evaluate("node => getComputedStyle(node).visibility") == "visible"
            page.mouse.up()
            assert card.evaluate("node => getComputedStyle(node).visibility") == "hidden"
            screen.context.close()


@pytest.mark.needs("chromium")
def test_stop_is_held_for_a_second(tmp_path, browser):
    with dealt(tmp_path, seed=3) as game:
        game.play(
            lambda match: match.state.phase == "play" and Stop() in match.game.legal(match.state)
        )
        phones = Phones(game.table)
        with serving(phones.app) as server:
            screen = Screen(browser, "phone")
            page = phones.screen(screen, server, phones.in_turn())
            stop = page.locator("button[value*=stop]")
            stop.click()
            assert game.table.snapshot.standing.phase == "play"
            box = stop.bounding_box()
            page.mouse.move(box["x"] + 20, box["y"] + 20)
            page.mouse.down()
            page.locator("#happened", has_text="STOP!").wait_for()
            page.mouse.up()
            assert game.table.snapshot.standing.phase == "deal"
            screen.context.close()


# A tap as a phone tells it: not counted, at a place, and at a time that the test says.
TAP = """([x, y, at]) => {
    const spot = document.elementFromPoint(x, y);
    for (const kind of ["pointerdown", "pointerup", "click"]) {
        const event = new PointerEvent(kind, {
            bubbles: true, cancelable: true, clientX: x, clientY: y, detail: kind === "click" ? 1 : 0,
        });
        Object.defineProperty(event, "timeStamp", { value: at });
        spot.dispatchEvent(event);
    }
}"""


@pytest.mark.needs("chromium")
def test_impatient_taps_at_one_spot_count_once(tmp_path, browser):
    with dealt(tmp_path, seed=2) as game:
        game.play(lambda match: match.state.phase == "keep" and all(match.state.piles))
        phones = Phones(game.table)
        with serving(phones.app) as server:
            screen = Screen(browser, "phone")
            page = phones.screen(screen, server, phones.in_turn())
            box = page.locator("button[value*=keep]").first.bounding_box()
            x, y = box["x"] + 30, box["y"] + 20
            page.evaluate(TAP, [x, y, 90_000])
            # Now a pile is chosen, by a button at the same place.
            page.locator("button[value*=discard]").first.wait_for()
            step = game.table.snapshot.step
            page.evaluate(TAP, [x, y, 90_200])
            page.evaluate(TAP, [x + 3, y - 3, 90_600])
            assert page.locator("button[disabled]:not(#b-undo)").count() == 0
            assert game.table.snapshot.step == step
            page.evaluate(TAP, [x, y, 91_200])
            page.locator("#happened", has_text="pile 1").wait_for()
            assert game.table.snapshot.step == step + 1
            screen.context.close()
            assert screen.faults == []
