"""The pages without a browser: what they say, who may press what, and how they are sent."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from evening import HOSTILE_NAMES, TOKEN

from companion.snapshot import Source
from web_ui import create_app


class Page(HTMLParser):
    """The words, elements and form fields of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        # The button for sounds sends nothing: it is the script's own.
        if ("id", "b-sound") not in attrs:
            self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.tags if name == tag]

    def with_class(self, name: str) -> list[dict[str, str | None]]:
        return [attrs for _, attrs in self.tags if name in (attrs.get("class") or "").split()]

    def fields(self) -> dict[str, str]:
        return {field["name"] or "": field["value"] or "" for field in self.all("input")}


def page(client, path="/", **headers) -> Page:
    response = client.get(path, headers=headers)
    assert response.status_code == 200
    return Page(response.text)


def press(client, shown: Page, path: str, headers=None, **fields):
    return client.post(path, data={**shown.fields(), **fields}, headers=headers or {})


def test_the_board_is_complete_without_a_script(evening):
    evening.do("dots", "waves", {"do": "stop"}, "rings")
    shown = page(evening.client())
    for words in ("Bo", "Turn a card, or stop", "Bo : fish on rings", "card read on sim"):
        assert words in shown.text
    for words in ("Pile 40", "Seen 3", "Reader sim ✓", "2 /5", "1 /5"):
        assert words in shown.text
    assert len(shown.with_class("slot")) == 10
    assert len(shown.with_class("full")) == 3
    labels = [slot["aria-label"] for slot in shown.with_class("slot")]
    assert labels[:2] == ["dots: a fish", "rings: empty"]
    assert [row["id"] for row in shown.with_class("active")] == ["row-2"]


def test_a_viewer_has_no_buttons_and_no_form_key(evening):
    evening.do("dots")
    shown = page(evening.client())
    assert shown.all("button") == []
    assert shown.fields() == {}
    assert [button["id"] for button in page(evening.client(helper=True)).all("button")] == [
        "b-undo",
        "b-end-1",
    ]


@pytest.mark.parametrize(
    ("commands", "options", "words"),
    [
        ([], {}, "A new game: Ann starts"),
        (["dots"], {}, "Ann : fish on dots"),
        (["dots", "dots"], {}, "Ann : there is a fish on dots already"),
        (["dots-eyes"], {}, "Ann : eyes on dots, no fish there"),
        (["dots", "dots-eyes"], {}, "Ann : the eyes take the fish on dots the turn ends"),
        (["dots-tentacle"], {}, "Ann : nobody has a fish on dots the turn ends"),
        (["dots-tentacle"], {"dry_tentacle": "continue"}, "tentacle on dots, nothing to take"),
        (["octopus"], {}, "Ann : the octopus finds no fish the turn ends"),
        (["dots", "octopus"], {}, "Ann : the octopus takes the fish the turn ends"),
        (["dots", "rings", "octopus"], {}, "Ann : the octopus takes 2 fish the turn ends"),
        (["dots", "rings", "octopus"], {"octopus_takes": "one"}, "the octopus wants a fish"),
        (
            ["dots", "rings", "octopus", {"do": "lose", "pattern": "dots"}],
            {"octopus_takes": "one"},
            "Ann : the fish on dots is gone the turn ends",
        ),
        (["dots", {"do": "stop"}], {}, "Ann : stop the turn ends"),
        (["dots", {"do": "stop"}, "dots-tentacle"], {}, "Bo may take a fish on dots"),
        (
            ["dots", {"do": "stop"}, "dots-tentacle"],
            {"steal": "forced"},
            "Bo : fish on dots, taken from Ann the turn ends",
        ),
        (
            ["dots", {"do": "stop"}, "dots-tentacle", {"do": "steal", "from": "Ann"}],
            {},
            "Bo : fish on dots, taken from Ann",
        ),
        (
            ["dots", {"do": "stop"}, "dots-tentacle", {"do": "decline"}],
            {},
            "Bo takes nothing the turn ends",
        ),
        ([{"do": "leave", "player": "Bo"}], {}, "Bo leaves Ann wins"),
        (["dots", "rings", "stars", "stripes", "waves"], {}, "Ann : fish on waves Ann wins"),
    ],
)
def test_every_outcome_has_a_sentence(evenings, commands, options, words):
    evening = evenings(**options)
    evening.do(*commands)
    assert words in page(evening.client()).text


def test_who_has_left_stays_on_the_board_as_one_who_has_left(evenings):
    evening = evenings(players=("Ann", "Bo", "Cy"))
    assert 'seat-2 gone"' not in evening.client().get("/").text
    evening.do({"do": "leave", "player": "Bo"})
    assert 'seat-2 gone"' in evening.client().get("/").text


def test_a_shuffle_is_told_and_asked_for(evenings):
    evening = evenings(pattern=1, eyes=0, tentacle=0, octopus=1)
    evening.do("dots", "rings", "stars", "octopus", "stripes", "waves")
    shown = page(evening.client(helper=True))
    assert "Shuffle all cards, or stop" in shown.text
    assert "Cards are shuffled" in shown.text
    evening.do({"do": "reshuffle"})
    assert "All cards are shuffled" in page(evening.client()).text


def test_what_is_refused_says_why(evening):
    client = evening.client(helper=True)
    shown = page(client)
    response = press(client, shown, "/touch", action='{"do":"stop"}')
    assert response.status_code == 409
    after = page(client)
    assert "Not possible now, nothing changed" in after.text
    assert "must turn a card first" in after.text
    assert "touch" in after.text


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("tap_unknown", "This tag is not known yet, nothing changed"),
        ("lay_two", "One card at a time, please"),
        ("unplug", "Check the cable"),
    ],
)
def test_each_fault_of_a_reader_is_shown(evening, fault, words):
    getattr(evening.virtual, fault)()
    assert words in page(evening.client()).text


def test_the_winner_is_shown_and_taking_back_stays_possible(evening):
    evening.do("dots", "rings", "stars", "stripes", "waves")
    client = evening.client(helper=True)
    shown = page(client)
    assert "Ann Wins the game!" in shown.text
    assert [button["id"] for button in shown.all("button")] == [
        "ask-1",
        "ask-2",
        "b-undo",
        "b-again",
    ]
    assert press(client, shown, "/touch/undo").status_code == 303
    assert not evening.table.snapshot.standing.over


def test_whoever_says_that_something_was_missed_is_led_to_set_it_right(evening):
    evening.do("dots", "rings", "stars", "stripes", "waves")
    client = evening.client(helper=True)
    shown = page(client)
    said = {"question": "closing", "choice": "missed"}
    scripted = press(client, shown, "/touch/answer", {"Accept": "application/json"}, **said)
    assert scripted.get_json() == {"ok": True, "go": "/correct"}
    assert "Does the table agree?" not in page(client).text
    press(client, page(client), "/touch/undo")
    evening.do("waves")
    plain = press(client, page(client), "/touch/answer", **said)
    assert (plain.status_code, plain.location) == (303, "/correct")


def test_play_again_twice_begins_one_game(evening):
    evening.do("dots", "rings", "stars", "stripes", "waves")
    client = evening.client(helper=True)
    shown = page(client)
    assert press(client, shown, "/touch/new-game").status_code == 303
    begun = evening.table.snapshot.game
    evening.do("dots")
    assert press(client, shown, "/touch/new-game").status_code == 303
    assert (evening.table.snapshot.game, evening.table.snapshot.step) == (begun, 1)


def test_a_double_tap_counts_once(evening):
    evening.do("dots")
    client = evening.client(helper=True)
    shown = page(client)
    for _ in range(2):
        assert press(client, shown, "/touch", action='{"do":"stop"}').status_code == 303
    assert evening.table.snapshot.step == 2
    shown = page(client)
    for _ in range(2):
        assert press(client, shown, "/touch/undo").status_code == 303
    assert evening.table.snapshot.step == 1


def test_a_button_of_an_old_view_does_nothing(evening):
    evening.do("dots")
    client = evening.client(helper=True)
    shown = page(client)
    evening.do("rings")
    response = press(client, shown, "/touch", action='{"do":"stop"}')
    assert response.status_code == 409
    assert evening.table.snapshot.step == 2


def test_undo_reaches_back_fifty_steps(evenings):
    evening = evenings(pattern=20)
    client = evening.client(helper=True)
    evening.do(*["dots", {"do": "stop"}] * 13, *["rings", {"do": "stop"}] * 13)
    for left in reversed(range(52)):
        assert press(client, page(client), "/touch/undo").status_code == 303
        assert evening.table.snapshot.step == left


def test_touch_needs_the_link_and_our_own_form(evening):
    evening.do("dots")
    helper = evening.client(helper=True)
    shown = page(helper)
    stop = {"action": '{"do":"stop"}'}
    assert press(evening.client(), shown, "/touch", **stop).status_code == 401
    assert press(helper, shown, "/touch", **stop, key="0" * 32).status_code == 403
    assert press(helper, shown, "/touch", **stop, key="é").status_code == 403
    for origin in ("http://evil.example", "http://localhost:99"):
        response = press(helper, shown, "/touch", {"Origin": origin}, **stop)
        assert response.status_code == 403
    assert evening.table.snapshot.step == 1
    assert press(helper, shown, "/touch", {"Origin": "null"}, **stop).status_code == 303


@pytest.mark.parametrize(("host", "status"), [("table.example.org", 303), ("127.0.0.1:8080", 403)])
def test_a_server_in_front_passes_the_name_on(evening, host, status):
    """As docs/network.md has it: the browser speaks https with that server, and it http with us."""
    evening.do("dots")
    helper = evening.client()
    helper.get(f"/link/{TOKEN}", headers={"Host": host})
    sent = {"Origin": "https://table.example.org", "Host": host, "X-Forwarded-Proto": "https"}
    shown = page(helper, Host=host)
    response = press(helper, shown, "/touch", sent, action='{"do":"stop"}')
    assert response.status_code == status


@pytest.mark.parametrize(
    "fields",
    [
        {"action": ""},
        {"action": "{"},
        {"action": "\ud800".encode("utf-16", "surrogatepass").decode("latin-1")},
        {"action": '{"do":"stop"}', "view": ""},
        {"action": '{"do":"stop"}', "view": "1.x"},
        {"action": '{"do":"stop"}', "view": "1." + "9" * 400},
        {"action": "[" * 4000},
    ],
)
def test_a_form_that_makes_no_sense_is_refused(evening, fields):
    client = evening.client(helper=True)
    response = press(client, page(client), "/touch", **fields)
    assert response.status_code == 400
    assert "<h1>" in response.text


def test_the_link_makes_a_helper_for_good(evenings):
    evening = evenings()
    client = evening.client()
    response = client.get(f"/link/{TOKEN}")
    cookie = response.headers["Set-Cookie"]
    assert (response.status_code, response.headers["Location"]) == (303, "/")
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert TOKEN not in cookie
    assert client.get(f"/link/{TOKEN}?to=virtual").headers["Location"] == "/virtual"
    assert client.get(f"/link/{TOKEN}?to=http://evil.example").headers["Location"] == "/"
    # The service starts again: the same token, the same table.
    again = create_app(evening.table, token=TOKEN, virtual=evening.virtual).test_client()
    name, value = cookie.split(";")[0].split("=")
    again.set_cookie(name, value)
    assert again.get("/virtual").status_code == 200
    other = evenings(folder="two").client().get(f"/link/{TOKEN}").headers["Set-Cookie"]
    assert other.split("=")[0] != name
    assert other.split(";")[0].split("=")[1] != value


@pytest.mark.parametrize("token", ["wrong", TOKEN + "x", TOKEN[:-1], "é", "%00", "x" * 3000])
def test_a_wrong_link_is_not_found(evening, token):
    response = evening.client().get(f"/link/{token}")
    assert response.status_code == 404
    assert "Set-Cookie" not in response.headers


def test_an_empty_token_is_no_token(evening):
    with pytest.raises(ValueError, match="token"):
        create_app(evening.table, token="")


def test_the_virtual_table_needs_the_link_and_a_simulated_reader(evening):
    without = evening.client().get("/virtual")
    assert without.status_code == 401
    assert "link" in without.text
    real = create_app(evening.table, token=TOKEN).test_client()
    real.get(f"/link/{TOKEN}")
    assert real.get("/virtual").status_code == 404
    assert evening.client().get("/stream?page=virtual").status_code == 401
    assert evening.client().post("/virtual/turn-top").status_code == 401


def test_a_whole_turn_on_the_virtual_table(evening):
    client = evening.client(helper=True)

    def move(what, **fields):
        assert (
            press(client, page(client, "/virtual"), f"/virtual/{what}", **fields).status_code == 303
        )
        return page(client, "/virtual").text

    assert "43 cards lie face down" in page(client, "/virtual").text
    assert "42 cards lie face down" in move("tap", component="tentacles/dots")
    assert "Ann : fish on dots" in page(client, "/virtual").text
    assert "Ann : stop" in move("tap", component="control/stop")
    assert "41 cards lie face down" in move("turn-top")
    assert "42 cards lie face down" in move("tap", component="control/undo")
    assert "not known yet" in move("unknown")
    assert "One card at a time" in move("two")
    assert "Check the cable" in move("unplug")
    response = press(client, page(client, "/virtual"), "/virtual/turn-top")
    assert (response.status_code, "plug it in" in response.text) == (409, True)
    assert "Reader sim ✓" in move("plug")
    assert press(client, page(client, "/virtual"), "/virtual/dance").status_code == 404
    response = press(client, page(client, "/virtual"), "/virtual/tap", component="<nothing>")
    assert response.status_code == 409


def test_a_script_gets_the_fresh_view_with_the_answer(evening):
    client = evening.client(helper=True)
    answer = press(
        client, page(client, "/virtual"), "/virtual/turn-top", {"Accept": "application/json"}
    ).get_json()
    assert answer["ok"] is True
    assert answer["id"].endswith(f".{evening.table.snapshot.revision}")
    assert "42 cards lie face down" in answer["view"]
    refused = press(
        client, page(client), "/touch", {"Accept": "application/json"}, action='{"do":"fly"}'
    )
    assert refused.get_json()["error"]["code"] == "bad-command"


@pytest.mark.parametrize(
    ("wishes", "language"),
    [
        ("nb", "nb"),
        ("no", "nb"),
        ("nn", "nb"),
        ("NN-no,en;q=0.5", "nb"),
        ("pl-PL,en;q=0.5", "pl"),
        ("sv,no;q=0.8,en;q=0.5", "nb"),
        ("en-GB,no;q=0.5", "en"),
        ("no;q=0.3,pl;q=0.6", "pl"),
        ("no;q=0", "en"),
        ("nob", "en"),
        ("sv", "en"),
        ("*", "en"),
        ("", "en"),
    ],
)
def test_a_page_speaks_the_language_that_the_browser_asks_for(evening, wishes, language):
    """Browsers ask for Norwegian by three names; whoever reads one of them reads ours."""
    shown = page(evening.client(), **{"Accept-Language": wishes})
    assert shown.all("html")[0]["lang"] == language


def test_a_language_that_was_chosen_goes_before_what_the_browser_asks_for(evening):
    client = evening.client()
    client.set_cookie("lang", "pl")
    assert page(client, **{"Accept-Language": "no"}).all("html")[0]["lang"] == "pl"


def test_hostile_names_stay_names(evenings):
    evening = evenings(HOSTILE_NAMES)
    evening.do("dots", {"do": "stop"}, "dots", {"do": "stop"}, "dots-tentacle")
    client = evening.client(helper=True)
    html = client.get("/").text
    assert "<script>alert" not in html
    assert html.count("<script") == 2
    assert "<bdi>&lt;script&gt;alert(1)&lt;/script&gt;</bdi>" in html
    assert "%(player)s</bdi>" in html
    shown = page(client)
    choices = [button["value"] for button in shown.all("button") if "choice" in button["class"]]
    assert len(choices) == 2
    assert press(client, shown, "/touch", action=choices[0]).status_code == 303
    assert evening.table.snapshot.state["fish"][HOSTILE_NAMES[2]] == ["dots"]
    for _ in HOSTILE_NAMES[1:]:
        evening.do("octopus")
        shown = client.get("/").text + client.get("/virtual").text
        assert "<script>alert" not in shown
        assert shown.count("<script") == 5
        evening.table.undo(1, source=Source("page"))
        evening.do({"do": "leave", "player": evening.table.snapshot.standing.turn})


def test_a_game_without_a_face_of_its_own_gets_the_plain_one(evening, monkeypatch):
    monkeypatch.setattr("web_ui.games._FACES", {})
    evening.do("rings")
    shown = page(evening.client(helper=True))
    assert "Ann Choose: reveal or stop" in shown.text
    assert "Ann : card, rings Ann: fish won, rings" in shown.text
    assert len(shown.with_class("row")) == 2


def test_page_errors_are_pages(evening):
    client = evening.client(helper=True)
    missing = client.get("/nothing")
    assert (missing.status_code, missing.mimetype) == (404, "text/html")
    assert client.post("/").status_code == 405
    assert client.post("/touch", data=b"x" * 20000).status_code == 413
    body = b'--x\r\nContent-Disposition: form-data; name="key"\r\n\r\n' + b"y" * 20000
    assert (
        client.post("/touch", data=body, content_type="multipart/form-data; boundary=x").status_code
        == 413
    )


def test_cards_by_touch_are_for_holders_of_the_link(evening):
    assert evening.client().get("/cards").status_code == 401
    assert evening.client().get("/stream?page=cards").status_code == 401


def test_cards_by_touch_work_without_a_script(evening):
    client = evening.client(helper=True)
    shown = client.get("/cards").text
    key = re.search('name="key" value="([^"]+)"', shown).group(1)
    view = re.search('name="view" value="([^"]+)"', shown).group(1)
    form = {"key": key, "view": view, "page": "cards", "action": '{"do":"reveal","card":"dots"}'}
    assert form["action"].replace('"', "&#34;") in shown
    answer = client.post("/touch", data=form)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/cards")
    assert evening.table.snapshot.standing.scores["Ann"] == 1


def test_no_card_is_offered_where_none_can_be_turned(evening):
    evening.do("dots", {"do": "stop"}, "dots-tentacle")
    assert 'name="action"' in evening.client(helper=True).get("/").text
    assert 'class="face"' not in evening.client(helper=True).get("/cards").text
