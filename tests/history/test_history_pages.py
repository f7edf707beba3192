"""The pages of the games that were played, without a script."""

from __future__ import annotations

import re
from html import unescape

import pytest
from past import Past, mixed

from companion.rules import GAMES
from companion.snapshot import Source
from web_ui import create_app

HOSTILE = ("<script>alert(1)</script>", "שלום \u202eevil", "=1+1", "W" * 60)


def text_of(response) -> str:
    assert response.status_code == 200, response.text
    plain = re.sub(r"<(style|script|svg).*?</\1>|<[^>]+>", " ", response.text, flags=re.DOTALL)
    return " ".join(unescape(plain).split())


def get(client, address: str) -> str:
    return text_of(client.get(address))


def address(past: Past, number: int, more: str = "") -> str:
    return f"/history/{past.games[number - 1].id}{more}"


def test_no_game_yet(past):
    past.open()
    past.archive._record = past.folder / "table.sqlite"
    past.table.new_game(source=Source("page"))
    shown = get(past.open(), "/history")
    assert "1 game" in shown
    assert "goes on" in shown
    assert "When a game is over" in get(past.open(), "/history/charts")


def test_a_record_without_any_game(past, monkeypatch):
    client = past.open()
    past.spoil("DELETE FROM game")
    shown = get(client, "/history")
    assert "No game was played yet" in shown
    assert "Charts" not in shown


def test_the_list(past):
    mixed(past)
    client = past.open()
    shown = get(client, "/history")
    assert "6 games" in shown
    assert shown.count("over") == 4
    assert "goes on" in shown
    assert "not played to its end" in shown
    only = get(client, "/history?game=octopus-alarm")
    assert "1 game" in only
    assert "No game of this kind" in get(client, "/history?game=chess")


def test_thousands_come_page_by_page(past, monkeypatch):
    monkeypatch.setattr("web_ui.history.A_PAGE", 2)
    for _ in range(5):
        past.win()
    client = past.open()
    found, at = [], "/history?game=tentacles"
    while at:
        html = client.get(at).text
        found += re.findall(r'id="game-(\d+)"', html)
        more = re.search(r'id="b-more"[^>]*href="([^"]+)"', html)
        at = more and unescape(more[1])
    assert found == ["5", "4", "3", "2", "1"]
    assert "There are no older games" in get(client, "/history?before=1")
    for wrong in ("x", "-1", "9" * 40, "1.5", "²"):
        assert "5 games" in get(client, f"/history?before={wrong}")


def test_one_game(past):
    mixed(past)
    shown = get(past.open(), address(past, 1))
    assert "Best moment" in shown
    assert "in one turn" in shown
    assert "Score after each turn" in shown
    assert "All that happened" in shown
    assert "Watch it again" in shown


def test_every_step_of_every_game_can_be_shown(past):
    mixed(past)
    client = past.open()
    for number, begun in enumerate(past.games[:-1], 1):
        last = past.archive.played(begun.id, past_names()).summary.actions
        for step in range(0, last + 1, max(1, last // 12)):
            shown = get(client, address(past, number, f"/replay?step={step}"))
            assert f"{step} / {last}" in shown


def past_names():
    from past import NOBODY  # noqa: PLC0415

    return NOBODY


def test_a_step_is_the_board_as_it_was(past):
    past.begin()
    past.tell("dots", {"do": "stop"}, "rings", "rings-eyes", "stars", {"do": "stop"})
    past.win()
    client = past.open()
    assert "A new game: Ann starts" in get(client, address(past, 1, "/replay?step=0"))
    third = get(client, address(past, 1, "/replay?step=3"))
    assert "Bo : fish on rings" in third
    assert "card read on pcsc-1" in third
    assert "3 / 6" in third
    assert "Bo : the eyes take the fish on rings" in get(client, address(past, 1, "/replay?step=4"))
    assert "6 / 6" in get(client, address(past, 1, "/replay"))
    assert "6 / 6" in get(client, address(past, 1, "/replay?step=700"))
    assert "6 / 6" in get(client, address(past, 1, "/replay?step=-1"))


def test_the_script_gets_the_same_board(past):
    past.win()
    past.win()
    client = past.open()
    where = address(past, 1, "/replay?step=2")
    answer = client.get(where, headers={"Accept": "application/json"}).get_json()
    html = client.get(where).text
    assert answer["step"] == 2
    assert answer["board"].strip() in html
    assert answer["at"].strip() in html


def test_what_was_corrected_is_shown_as_the_history_shows_it(past):
    past.begin()
    past.tell("dots", "rings", "stars", {"undo": 1}, "stripes")
    past.tell({"correct": [{"entry": "2", "do": "reveal", "card": "waves"}]})
    past.win()
    client = past.open()
    second = client.get(address(past, 1, "/replay?step=2")).text
    assert "Ann : fish on waves" in text_of(client.get(address(past, 1, "/replay?step=2")))
    assert re.search(r"<s>[^<]*(<bdi>)?Ann.*fish on rings.*</s>\s*corrected", second, re.DOTALL)
    third = client.get(address(past, 1, "/replay?step=3")).text
    assert re.search(r"<s>.*fish on stars.*</s>\s*taken back", third, re.DOTALL)
    first = client.get(address(past, 1, "/replay?step=1")).text
    assert "<s>" not in first
    course = client.get(address(past, 1)).text
    assert "fish on rings" in course
    assert "fish on stars" in course


def test_what_was_taken_back_at_the_end_is_shown_at_the_end(past):
    past.begin()
    past.tell("dots", "rings", {"undo": 1})
    past.begin()
    past.tell("dots", {"undo": 1})
    past.win()
    client = past.open()
    assert "taken back" in get(client, address(past, 1, "/replay?step=1"))
    assert "taken back" in get(client, address(past, 2, "/replay?step=0"))


def test_a_game_that_goes_on_shows_its_score_and_nothing_of_its_course(past):
    past.play("octopus-alarm", 2, seed=6, upto=30)
    client = past.open()
    shown = get(client, address(past, 1))
    assert "This game goes on" in shown
    assert "All that happened" not in shown
    assert "replay" not in client.get(address(past, 1)).text
    refused = client.get(address(past, 1, "/replay?step=2"))
    assert (refused.status_code, "when it is over" in refused.text) == (409, True)


@pytest.mark.parametrize("game", ["sea-salt-paper", "octopus-alarm"])
def test_nothing_hidden_of_a_game_that_goes_on_is_in_any_answer(past, game):
    """Two games that differ in what is hidden alone look alike in the history, byte for byte."""
    past.play(game, 2, seed=6, upto=25)
    client = past.open()
    components = [name for name in GAMES[game].components if "-" in name or len(name) > 4]
    body = client.get(address(past, 1)).text + client.get("/history").text
    body += client.get(f"/api/v1/games/{past.games[0].id}").text + client.get("/api/v1/games").text
    assert [name for name in components if f'"{name}"' in body] == []
    for kind in ("json", "csv"):
        assert client.get(f"/api/v1/games/{past.games[0].id}.{kind}").status_code == 409


def test_of_a_finished_game_hands_stay_hidden(past):
    """What one drew was never to be seen: so it is not in the replay, either."""
    past.play("sea-salt-paper", 2, seed=9)
    past.win()
    client = past.open()
    played = past.archive.played(past.games[0].id, past_names())
    for match in played.matches[1:40]:
        if match.game.secret(match.action) and match.step > 0:
            hand = match.game.view(match.state, "Ann")
            public = match.game.view(match.state, None)
            assert hand != public
            html = client.get(address(past, 1, f"/replay?step={match.step}")).text
            told = unescape(html)
            for card in match.action.__slots__:
                value = getattr(match.action, card)
                names = value if isinstance(value, tuple) else (value,)
                for name in names:
                    if isinstance(name, str) and name not in repr(public):
                        assert name not in told


def test_a_damaged_game_is_named_and_the_others_are_shown(past):
    past.win()
    past.win(("Cy", "Dee"))
    past.win()
    past.spoil(
        'UPDATE entry SET command = \'{"do": "stop"}\' WHERE entry = 3 AND game = ?',
        past.games[1].id,
    )
    client = past.open()
    shown = get(client, "/history")
    assert "Its record is damaged: row 3" in shown
    assert "Cy" in shown
    assert shown.count("over") == 2
    for more in ("", "/replay"):
        refused = client.get(address(past, 2, more))
        assert (refused.status_code, "The other games are as they were" in refused.text) == (
            409,
            True,
        )
    assert "over" in get(client, address(past, 1))


def test_a_record_that_cannot_be_read_is_said_in_one_sentence(past):
    past.win()
    client = past.open()
    past.archive.close()
    past.archive._record = past.folder / "nothing.sqlite"
    for path in ("/history", "/history/charts", address(past, 1)):
        answer = client.get(path)
        assert (answer.status_code, "cannot be read now" in answer.text) == (503, True)
    assert client.get("/api/v1/games").get_json()["error"]["code"] == "storage"
    assert client.get("/api/v1/games.csv").status_code == 503
    assert client.get("/").status_code == 200


def test_there_is_no_such_game(past):
    past.win()
    client = past.open()
    for wrong in ("4f5f3a0e-0000-4000-8000-000000000000", "1", "x" * 300, "%00"):
        assert client.get(f"/history/{wrong}").status_code == 404
        assert client.get(f"/history/{wrong}/replay").status_code == 404


def test_without_a_record_there_is_no_history(past):
    past.win()
    past.open()
    app = create_app(past.table, token="t")
    assert app.test_client().get("/history").status_code == 404


def test_hostile_names_stay_names(past):
    past.begin("tentacles", HOSTILE)
    past.tell("dots", {"do": "stop"}, "rings", {"do": "stop"}, "stars")
    past.win()
    client = past.helper()
    pages = ("/history", address(past, 1), address(past, 1, "/replay"), "/history/charts")
    for page in (*pages, "/history/players"):
        html = client.get(page).text
        assert "<script>alert" not in html
        assert "=alert" not in html
        assert not re.search(r"\sstyle=|<style|\son[a-z]+=", html)


def test_charts_over_all_games(past):
    mixed(past)
    client = past.open()
    shown = get(client, "/history/charts")
    assert "4 finished games" in shown
    for title in ("Games won", "Length of a game, in minutes", "Alarms", "Fish lost"):
        assert title in shown
    only = get(client, "/history/charts?game=sea-salt-paper")
    assert "1 finished game" in only
    assert "Alarms" not in only


# A player who is named no more


def forms_of(client, path):
    html = client.get(path).text
    return {
        name: unescape(value)
        for name, value in re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', html)
    }


def test_a_player_is_named_no_more(past):
    past.win(("Ann", "Bo"))
    past.win(("Ann", "Cy"))
    past.begin("tentacles", ("Ann", "Bo"))
    past.tell("dots")
    client = past.helper()
    past.household.sit("0" * 16, "Ann", "heart")
    past.household.remember(("Ann", "Bo"))
    shown = get(client, "/history/players")
    assert "Ann 3 games" in shown
    sure = get(client, "/history/players?name=Ann")
    assert "Ann is called “Player 1”" in sure
    form = forms_of(client, "/history/players?name=Ann")
    answer = client.post("/history/players/forget", data=form)
    assert answer.status_code == 303
    assert "Done." in get(client, answer.location)
    assert "Ann" not in get(client, "/history/players")
    now = past.household.now
    assert (now.names, now.devices, now.shapes) == (("Bo",), {}, {})
    for page in (
        address(past, 1),
        address(past, 2),
        address(past, 1, "/replay"),
        "/history/charts",
    ):
        assert "Ann" not in client.get(page).text
    for export in ("games.csv", "games.json", "plays.json"):
        body = client.get(f"/api/v1/{export}?game=tentacles").text
        # The game that goes on is played by people who are there.
        assert "Player 1" in body
        assert body.count("Ann") == (0 if export == "plays.json" else body.count("Ann"))
    for kind in ("json", "csv"):
        assert "Ann" not in client.get(f"/api/v1/games/{past.games[0].id}.{kind}").text
    assert "Ann" in get(client, address(past, 3))
    past.tell("rings", "stars", "stripes", "waves")
    assert "Ann" not in client.get(address(past, 3)).text
    past.win(("Ann", "Bo"))
    assert "Ann" in get(client, address(past, 4))
    assert "Ann 4 games" in get(client, "/history/players")


def test_whoever_was_never_there_cannot_be_forgotten(past):
    past.win()
    client = past.helper()
    form = {**forms_of(client, "/history/players?name=Ann"), "name": "Eve"}
    assert client.post("/history/players/forget", data=form).status_code == 404
    assert past.household.now.hidden == {}
    assert "is called" not in get(client, "/history/players?name=Eve")


def test_forgetting_is_for_helpers_and_their_own_forms(past):
    past.win()
    client, helper = past.open(), past.helper()
    form = forms_of(helper, "/history/players?name=Ann")
    assert client.get("/history/players").status_code == 401
    assert client.post("/history/players/forget", data=form).status_code == 401
    wrong = {**form, "key": "0" * 32}
    assert helper.post("/history/players/forget", data=wrong).status_code == 403
    foreign = {"Origin": "http://evil.example"}
    assert helper.post("/history/players/forget", data=form, headers=foreign).status_code == 403
    assert past.household.now.hidden == {}
    assert "Name a player no more" not in get(client, "/history")
    assert "Name a player no more" in get(helper, "/history")


def test_what_is_hidden_stays_so_after_a_restart(tmp_path):
    from companion.household import Household  # noqa: PLC0415

    first = Household(tmp_path / "household.sqlite")
    first.forget("Ann", 7)
    first.forget("Bo")
    first.close()
    second = Household(tmp_path / "household.sqlite")
    assert second.now.hidden == {"Ann": 7}
    second.close()
