"""The pages on which the past is set right, as they leave the service, for all three games."""

from __future__ import annotations

import html
import json
import re

import pytest
from evening import TOKEN

from companion.match import Setup
from companion.rules.octopus_alarm_words import Flip, Reef, Sail
from companion.rules.sea_salt_paper import words as salt
from tests.support.tables import API, running
from web_ui import create_app

SALT = Setup("sea-salt-paper", ("Ann", "Bo"))
ALARM = Setup("octopus-alarm", ("Ann", "Bo"))
SCORE = Setup("sea-salt-paper", ("Ann", "Bo"), None, {"tracking": "score"})
REEF = [Reef(stack, animal) for stack, animal in enumerate(("crab", "squid", "snail", "turtle"))]
DRAWN = (
    salt.Deal(("crab-grey", "boat-yellow-2")),
    salt.Draw(("fish-green", "shoal-grey")),
    salt.Keep("shoal-grey"),
    salt.Discard(1),
)
WAVES = '{"entry": "1", "do": "reveal", "card": "waves"}'


class Phone:
    """A phone that holds the table's link and follows links and forms."""

    def __init__(self, client):
        self.client = client
        self.text = ""

    def get(self, path):
        self.response = self.client.get(path, follow_redirects=True)
        self.text = html.unescape(self.response.text)
        return self

    def fields(self):
        """The hidden fields of the first form that has them."""
        found = re.findall(
            r'<input type="hidden" name="(\w+)" value="([^"]*)">', self.response.text
        )
        return {name: html.unescape(value) for name, value in reversed(found)}

    def post(self, path, **more):
        data = {**self.fields(), **more}
        self.response = self.client.post(path, data=data, follow_redirects=True)
        self.text = html.unescape(self.response.text)
        return self

    def chosen(self, words, number=0):
        """What the button with these words sends."""
        pattern = (
            rf'<button [^>]*name="add" value="([^"]*)">(?:(?!</button>).)*?<span>{words}</span>'
        )
        return html.unescape(re.findall(pattern, self.response.text, re.DOTALL)[number])


@pytest.fixture
def phone(evening):
    return Phone(evening.client(helper=True))


def playing(tmp_path, setup, actions):
    """A table on which this was told."""
    context = running(tmp_path, setup)

    class Playing:
        def __enter__(self):
            table = context.__enter__()
            for action in actions:
                assert table.act(action, source=API).code is None
            client = create_app(table, token=TOKEN).test_client()
            client.get(f"/link/{TOKEN}")
            return table, Phone(client)

        def __exit__(self, *error):
            context.__exit__(*error)

    return Playing()


def test_only_who_holds_the_link_sees_and_sets_right(evening):
    evening.do("dots")
    stranger = evening.client()
    for path in ("", "/entry/1", "/entry/1/missing", "/entry/1/back", "/restore/1", "/moves/1"):
        assert stranger.get(f"/correct{path}").status_code == 401
    helper = Phone(evening.client(helper=True)).get("/correct/entry/1")
    form = helper.fields()
    for path in ("", "/preview", "/undo", "/restore/1"):
        assert stranger.post(f"/correct{path}", data=form).status_code == 401
        without = {**form, "key": "wrong"}
        assert helper.client.post(f"/correct{path}", data=without).status_code == 403
    assert len(evening.table.past.entries) == 1


def test_nothing_has_happened_yet(phone):
    assert "Nothing has happened yet." in phone.get("/correct").text


def test_three_forms_without_a_script(evening, phone):
    evening.do("dots", {"do": "stop"})
    phone.get("/correct/entry/1").post("/correct/preview", add=WAVES)
    assert "1 later step is replayed" in phone.text
    assert phone.post("/correct").response.status_code == 200
    assert "Ann: move the fish on dots to waves." in phone.text
    assert evening.table.snapshot.state["fish"]["Ann"] == ["waves"]
    assert evening.table.past.entries[-1].source.kind == "page"
    phone.get("/correct")
    assert "<s>" in phone.response.text
    assert "corrected" in phone.text


def test_a_double_tap_corrects_once(evening, phone):
    evening.do("dots")
    phone.get("/correct/entry/1").post("/correct/preview", add=WAVES)
    form = phone.fields()
    for _ in range(2):
        assert phone.client.post("/correct", data=form).status_code == 303
    assert len(evening.table.past.entries) == 2


def test_when_the_game_has_moved_on_the_preview_comes_again(evening, phone):
    evening.do("dots")
    phone.get("/correct/entry/1").post("/correct/preview", add=WAVES)
    evening.do({"do": "stop"})
    phone.post("/correct")
    assert "The game has moved on since that view" in phone.text
    assert "1 later step is replayed" in phone.text
    phone.post("/correct")
    assert evening.table.snapshot.state["fish"]["Ann"] == ["waves"]


def test_a_correction_is_taken_back(evening, phone):
    evening.do("dots")
    phone.get("/correct/entry/1").post("/correct/preview", add=WAVES).post("/correct")
    assert "/correct/restore/2" in phone.get("/correct").text
    phone.get("/correct/restore/2").post("/correct/restore/2")
    assert evening.table.snapshot.state["fish"]["Ann"] == ["dots"]
    assert "the correction was taken back" in phone.get("/correct").text
    assert phone.get("/correct/restore/2").response.status_code == 409


def test_a_later_choice_for_the_same_action_takes_the_place_of_the_earlier(evening, phone):
    evening.do("dots", {"do": "stop"})
    phone.get("/correct/entry/1").post("/correct/preview", add=WAVES)
    phone.post("/correct/preview", add=WAVES.replace("waves", "stars"))
    assert json.loads(phone.fields()["edits"]) == [json.loads(WAVES.replace("waves", "stars"))]


def test_what_no_longer_fits_is_left_out_with_all_after_it(evening, phone):
    evening.do("dots", {"do": "stop"}, "waves", "rings")
    phone.get("/correct/entry/2")
    phone.post("/correct/preview", add=phone.chosen("It never happened"))
    assert "This step no longer fits" in phone.text
    phone.post("/correct/preview", add=phone.chosen("Leave it and all after it out"))
    phone.post("/correct")
    assert evening.table.snapshot.step == 1


def test_an_edit_that_cannot_be_is_told_and_nothing_is_fixed(evening, phone):
    evening.do("dots")
    phone.get("/correct/entry/1")
    phone.post("/correct/preview", add='{"entry": "1", "do": "steal", "from": "Bo"}')
    assert "This is not possible there" in phone.text
    assert "Fix it" not in phone.text


def test_what_was_kept_with_all_after_it_and_cannot_be_is_decided_on(evening, phone):
    evening.do("dots", {"do": "stop"}, "rings", {"do": "stop"}, "stars", "rings-tentacle")
    evening.do({"do": "steal", "from": "Bo"})
    phone.get("/correct/entry/2")
    phone.post("/correct/preview", add=phone.chosen("It never happened"))
    phone.post("/correct/preview", add=phone.chosen("Keep it and all after it, whoever is in turn"))
    assert "This is not possible there" in phone.text
    assert "has no fish on rings to take" in phone.text
    assert "Keep it, whoever is in turn" not in phone.text
    stuck = phone.response
    phone.post("/correct/preview", add=phone.chosen("Leave it out"))
    assert "Fix it" in phone.text
    phone.response = stuck
    likeliest = re.findall(r'id="likely-1"[^>]*value="([^"]*)"', stuck.text)[0]
    assert json.loads(html.unescape(likeliest)) == {"entry": "7", "do": "steal", "from": "Ann"}
    phone.post("/correct/preview", add=html.unescape(likeliest))
    assert "Fix it" in phone.text
    phone.post("/correct")
    assert len(evening.table.past.entries) == 8


def test_the_end_of_a_game_can_be_taken_back_and_corrected(evening, phone):
    evening.do("dots", "rings", "stars", "stripes", "waves")
    assert evening.table.snapshot.standing.over
    phone.get("/correct/entry/5")
    phone.post("/correct/preview", add='{"entry": "5", "do": "reveal", "card": "dots"}')
    phone.post("/correct")
    assert not evening.table.snapshot.standing.over
    phone.get("/correct/entry/2/back").post("/correct/undo")
    assert evening.table.snapshot.step == 1


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("/preview", {"add": "x"}),
        ("/preview", {"add": "[]"}),
        ("/preview", {"add": "{}"}),
        ("/preview", {"add": WAVES, "edits": "x"}),
        ("/preview", {"add": WAVES, "field": "cards", "name": "x"}),
        ("", {"edits": "[]"}),
        ("", {"edits": ""}),
        ("", {"edits": f"[{WAVES}]", "view": "x"}),
        ("/undo", {"count": "0"}),
        ("/undo", {"count": "-1"}),
        ("/undo", {"count": "9" * 30}),
    ],
)
def test_forms_of_any_kind_are_refused_politely(evening, phone, path, form):
    evening.do("dots")
    phone.get("/correct/entry/1").post(f"/correct{path}", **form)
    assert phone.response.status_code == 400
    assert len(evening.table.past.entries) == 1


def test_addresses_of_any_kind(evening, phone):
    evening.do("dots")
    for path in ("/entry/2", "/entry/x", "/entry/2/missing", "/entry/2/back", "/moves/9"):
        assert phone.get(f"/correct{path}").response.status_code == 409


def test_only_the_last_are_shown_at_first(evening, phone):
    for pattern in ("dots", "rings", "stars", "stripes", "waves"):
        evening.do(*2 * [f"{pattern}-eyes", {"do": "stop"}], *2 * [f"{pattern}-tentacle"])
    evening.do("octopus")
    told = len(evening.table.past.entries)
    assert told > 30
    assert phone.get("/correct").response.text.count("<li id=") == 30
    assert phone.get("/correct?all").response.text.count("<li id=") == told


def test_cards_of_hands_are_on_no_page(tmp_path):
    hidden = ("shoal", "captain")
    told = (
        *DRAWN,
        salt.Pass(),
        salt.Draw(("captain-light-orange", "shell-grey")),
        salt.Keep("captain-light-orange"),
        salt.Discard(2),
    )
    with playing(tmp_path, SALT, told) as (table, phone):
        seen = [phone.get("/correct").text]
        for label in range(1, len(told) + 1):
            for part in ("", "/missing", "/back"):
                text = phone.get(f"/correct/entry/{label}{part}").text
                # What can be chosen is offered whether it is hidden or not.
                seen.append(re.sub(r"<option.*?</option>", "", text, flags=re.DOTALL))
        phone.get("/correct/entry/2/back").post("/correct/undo", count="7")
        seen.append(phone.text)
        assert "Ann: put the card that you took last back on top of the deck." in phone.text
        assert table.snapshot.step == 1
    assert [card for card in hidden for text in seen if card in text] == []


def test_drawn_cards_are_chosen_from_lists(tmp_path):
    with playing(tmp_path, SALT, DRAWN) as (table, phone):
        phone.get("/correct/entry/2")
        names = ["fish-green", "captain-light-orange"]
        phone.post(
            "/correct/preview", add='{"entry": "2", "do": "draw"}', field="cards", name=names
        )
        assert "nobody is told before" in phone.text
        phone.post("/correct")
        # Everybody has been shown that it does not fit: now the page can say how to go on.
        assert phone.response.status_code == 409
        assert "This step no longer fits" in phone.text
        assert table.past.entries[-1].entry == 4
        keep = '{"entry": "3", "do": "keep"}'
        phone.post("/correct/preview", add=keep, field="card", name=["captain-light-orange"])
        assert "Fix it" in phone.text
        phone.post("/correct")
        assert "Nothing has to be moved by hand" in phone.text
        assert table.timeline.match.state.hands[0].bit_count() == 1
        assert "captain" not in phone.get("/correct").text


def test_a_hand_of_score_tracking_is_ticked(tmp_path):
    told = (salt.Call("Ann", "stop"), salt.Hand("Ann", ("crab-grey",)), salt.Hand("Bo", ()))
    with playing(tmp_path, SCORE, told) as (table, phone):
        phone.get("/correct/entry/2")
        assert phone.text.count('type="checkbox"') >= 58
        add = '{"entry": "2", "do": "hand", "player": "Ann"}'
        mermaids = [f"mermaid-white-{number}" for number in range(1, 5)]
        phone.post("/correct/preview", add=add, field="cards", name=mermaids).post("/correct")
        assert table.past.entries[-1].command["correct"][0]["cards"] == tuple(mermaids)


def test_a_tile_that_lies_face_down_again_is_on_no_page(tmp_path):
    told = (*REEF, Sail(1), Flip(2, "seahorse"), Sail(1), Flip(1, "billy"))
    with playing(tmp_path, ALARM, told) as (_, phone):
        assert "seahorse" not in phone.get("/correct").text
        assert "<bdi>Ann</bdi>: tile 2 of area 1, face down again" in phone.text
        text = phone.get("/correct/entry/6").text
        assert "Seahorse" not in re.sub(r"<button.*?</button>", "", text, flags=re.DOTALL)
        assert text.count("seahorse") == text.count("starfish") > 0
        phone.post(
            "/correct/preview", add='{"entry": "6", "do": "flip", "tile": 2, "face": "crab"}'
        )
        assert "This step no longer fits" in phone.text or "Fix it" in phone.text
        assert "seahorse" not in re.sub(r"<button.*?</button>", "", phone.text, flags=re.DOTALL)
