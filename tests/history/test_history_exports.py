"""Games of the past as JSON and CSV: exact, and as they are described."""

from __future__ import annotations

import csv
import io
import json

import pytest
from jsonschema import Draft202012Validator
from past import NOBODY, Past, mixed
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from companion.record.reading import games, reading
from web_ui.openapi import DOCUMENT


def schema_of(path: str, status: int = 200):
    registry = Registry().with_resource(
        "urn:api", Resource.from_contents(DOCUMENT, default_specification=DRAFT202012)
    )
    place = [path.replace("/", "~1"), "get", "responses", str(status), "content"]
    pointer = "/".join(["urn:api#/paths", *place, "application~1json", "schema"])
    return Draft202012Validator({"$ref": pointer}, registry=registry)


def fetched(client, address: str, path: str | None = None):
    answer = client.get(f"/api/v1/{address}")
    assert answer.status_code == 200, answer.text
    body = json.loads(answer.text)
    schema_of(f"/api/v1/{path or address.partition('?')[0]}").validate(body)
    return body


def rows(client, address: str) -> list[dict[str, str]]:
    answer = client.get(f"/api/v1/{address}")
    assert answer.status_code == 200, answer.text
    assert answer.mimetype == "text/csv"
    assert answer.text.endswith("\r\n")
    return list(csv.DictReader(io.StringIO(answer.text, newline="")))


def test_the_newest_games(past):
    mixed(past)
    client = past.open()
    body = fetched(client, "games?limit=4")
    assert [game["number"] for game in body["games"]] == [6, 5, 4, 3]
    assert (body["total"], body["before"]) == (6, 3)
    rest = fetched(client, f"games?limit=4&before={body['before']}")
    assert ([game["number"] for game in rest["games"]], rest["before"]) == ([2, 1], None)
    assert fetched(client, "games?game=tentacles")["total"] == 4


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=201", "limit=x", "before=-1", "before=" + "9" * 30, "limit=²"]
)
def test_a_query_that_makes_no_sense_is_refused(past, query):
    past.win()
    answer = past.open().get(f"/api/v1/games?{query}")
    assert (answer.status_code, answer.get_json()["error"]["code"]) == (400, "bad-command")
    schema_of("/api/v1/games", 400).validate(answer.get_json())


def test_all_games_are_what_the_record_says(past):
    mixed(past)
    client = past.open()
    body = fetched(client, "games.json")
    with reading(past.folder / "table.sqlite") as connection:
        recorded = {game.id: game.setup for game in games(connection)}
    assert [game["id"] for game in body["games"]] == [*recorded][::-1]
    for game in body["games"]:
        setup = recorded[game["id"]]
        assert (game["game"], tuple(game["players"])) == (setup.game, setup.players)
        standing = past.archive.played(game["id"], NOBODY).matches[-1]
        assert game["scores"] == standing.game.standing(standing.state).scores
    assert fetched(client, "games")["games"] == body["games"]


def test_the_table_of_all_games_says_the_same(past):
    mixed(past)
    client = past.open()
    told = {game["id"]: game for game in fetched(client, "games.json")["games"]}
    found = rows(client, "games.csv")
    assert len(found) == sum(len(game["players"]) for game in told.values())
    for row in found:
        game = told[row["id"]]
        assert int(row["number"]) == game["number"]
        assert row["player"] == game["players"][int(row["seat"]) - 1]
        assert int(row["score"]) == game["scores"][row["player"]]
        assert bool(int(row["won"])) == (row["player"] in game["winners"])
        assert (row["state"], row["began"]) == (game["state"], game["began"])
        assert int(row["length_s"]) == game["length_s"]


def test_a_damaged_game_is_in_the_exports_by_name(past):
    past.win()
    past.win()
    past.spoil("UPDATE game SET players = '[' WHERE number = 1")
    client = past.open()
    body = fetched(client, "games.json")
    assert [game["state"] for game in body["games"]] == ["over", "damaged"]
    assert "changed" in body["games"][1]["trouble"]
    assert [row["state"] for row in rows(client, "games.csv")] == ["over", "over", "damaged"]
    identity = past.games[0].id
    for path in ("", ".json", ".csv"):
        assert client.get(f"/api/v1/games/{identity}{path}").status_code == 409
    assert len(fetched(client, "plays.json")["plays"]) == 1


def test_one_game_with_its_course(past):
    past.begin()
    past.tell("dots", "rings", {"undo": 1}, {"do": "stop"}, "stars")
    past.tell({"correct": [{"entry": "1", "do": "reveal", "card": "waves"}]})
    past.win()
    identity = past.games[0].id
    client = past.open()
    short = fetched(client, f"games/{identity}", "games/{game}")
    assert short["course"] == [
        {"step": 0, "player": None, "scores": {"Ann": 0, "Bo": 0}},
        {"step": 2, "player": "Ann", "scores": {"Ann": 1, "Bo": 0}},
        {"step": 3, "player": "Bo", "scores": {"Ann": 1, "Bo": 1}},
    ]
    body = fetched(client, f"games/{identity}.json", "games/{game}.json")
    assert (body["state"], body["corrections"]) == ("given-up", 1)
    first = body["history"][0]
    assert (first["first"]["action"], first["now"]["action"]) == (
        {"do": "reveal", "card": "dots"},
        {"do": "reveal", "card": "waves"},
    )
    assert body["times"][2] == {"entry": 3, "at": "2026-11-01T18:00:30+00:00", "seconds": 20.0}
    found = rows(client, f"games/{identity}.csv")
    assert [(row["step"], row["entry"], row["turn"]) for row in found] == [
        ("1", "1", "1"),
        ("2", "4", "1"),
        ("3", "5", "2"),
    ]
    assert [(row["player"], row["do"], row["action"], row["corrected"]) for row in found] == [
        ("Ann", "reveal", '{"card": "waves"}', "1"),
        ("Ann", "stop", "", "0"),
        ("Bo", "reveal", '{"card": "stars"}', "0"),
    ]
    assert [(row["Ann"], row["Bo"]) for row in found] == [("1", "0"), ("1", "0"), ("1", "1")]
    assert found[1]["seconds"] == "30.0"


@pytest.mark.parametrize("kind", ["octopus-alarm", "sea-salt-paper", "tentacles"])
def test_the_table_of_one_game_ends_with_the_score(past, kind):
    begun = past.play(kind, 2, seed=4)
    client = past.open()
    body = fetched(client, f"games/{begun.id}.json", "games/{game}.json")
    found = rows(client, f"games/{begun.id}.csv")
    assert len(found) == body["actions"]
    assert {name: int(found[-1][name]) for name in body["players"]} == body["scores"]
    assert body["course"][-1]["scores"] == body["scores"]
    assert int(found[-1]["turn"]) == body["turns"]


def test_hidden_cards_are_in_no_export(past):
    begun = past.play("sea-salt-paper", 2, seed=4)
    client = past.open()
    played = past.archive.played(begun.id, NOBODY)
    secret = [
        step
        for step, match in enumerate(played.matches)
        if step and match.game.secret(match.action)
    ]
    assert secret
    found = rows(client, f"games/{begun.id}.csv")
    assert {found[step - 1]["action"] for step in secret} == {'{"secret": true}'}


def test_plays_as_logs_of_plays_take_them_in(past):
    past.between_s = 60
    past.win()
    past.wall = past.wall.replace(year=1970)
    past.win()
    past.wall = past.wall.replace(year=2026)
    past.begin()
    past.tell("dots")
    body = fetched(past.open(), "plays.json")
    (play,) = body["plays"]
    assert play["uuid"] == past.games[0].id
    assert play["durationMin"] == 4
    assert play["playDate"][:8] == "2026-11-"
    names = {player["id"]: player["name"] for player in body["players"]}
    assert [
        (names[each["playerRefId"]], each["score"], each["winner"], each["rank"])
        for each in play["playerScores"]
    ] == [("Ann", "5", True, 1), ("Bo", "0", False, 2)]
    assert {game["id"]: game["name"] for game in body["games"]}[play["gameRefId"]] == "tentacles"


def test_a_table_has_no_formulas(past):
    past.begin("tentacles", ("=1+1", "@SUM(A1)", 'a "b", c'))
    past.tell("dots")
    past.win()
    found = rows(past.open(), "games.csv?game=tentacles")
    assert {row["player"] for row in found} >= {"'=1+1", "'@SUM(A1)", 'a "b", c'}


def test_files_are_offered_to_be_kept(past):
    past.win()
    client = past.open()
    identity = past.games[0].id
    for path, name in (
        ("games.csv", "tidetable-games.csv"),
        ("plays.json", "tidetable-plays.json"),
        (f"games/{identity}.csv", "tidetable-game-1.csv"),
    ):
        header = client.get(f"/api/v1/{path}").headers["Content-Disposition"]
        assert header == f'attachment; filename="{name}"'


def test_what_is_not_there_is_not_found(past):
    past.win()
    client = past.open()
    for path in ("games/1", "games/4f5f3a0e-0000-4000-8000-000000000000", "games/x.csv"):
        answer = client.get(f"/api/v1/{path}")
        assert (answer.status_code, answer.get_json()["error"]["code"]) == (404, "not-found")


def test_a_game_that_goes_on_gives_its_scores_alone(past: Past):
    past.play("octopus-alarm", 2, seed=2, upto=20)
    client = past.open()
    identity = past.games[0].id
    assert fetched(client, f"games/{identity}", "games/{game}")["state"] == "going-on"
    for kind in ("json", "csv"):
        assert client.get(f"/api/v1/games/{identity}.{kind}").status_code == 409
