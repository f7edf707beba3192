"""A game with secret hands at the table: what is secret leaves by no page, stream or log."""

from __future__ import annotations

import json
import logging
import random
import sqlite3
from contextlib import contextmanager

import pytest
from evening import TOKEN, serving
from test_streams import listening

from companion.codec import outcome_to_json
from companion.instruments import Instruments
from companion.log_tail import LogTail
from companion.match import Match, Setup
from companion.rules import GAMES
from companion.rules.sea_salt_paper.cards import NAMES
from companion.service import lay_out
from companion.snapshot import Source
from hardware_sim.virtual_table import VirtualReader
from tests.support.secret_game import CARDS, FAULT, GAME, Draw, Drew, Keep, Stop, Throw
from tests.support.tables import API, SECOND_NS, Hands, running
from web_ui import create_app

BEARER = {"Authorization": f"Bearer {TOKEN}"}
SETUP = Setup(GAME.name, ("Ann", "Bo"))
UIDS = {f"04A3C6CAE2{number:04X}": card for number, card in enumerate(CARDS)}
TAGS = {
    **{uid: f"{GAME.name}/{card}" for uid, card in UIDS.items()},
    "8B6566B9": "control/stop",
    "82ACB95D": "control/undo",
}
DIAGNOSTICS = ("/diagnostics", "/api/v1/diagnostics", "/diagnostics/report.txt")
NO_COMMANDS = ({"do": "keep"}, {"do": "stop", "card": "xylophone"}, {"do": "keep", "card": [FAULT]})
UID_OF = {card: uid for uid, card in UIDS.items()}


@pytest.fixture(autouse=True)
def played(monkeypatch):
    monkeypatch.setitem(GAMES, GAME.name, GAME)


class Eyes:
    """Looks at everything that leaves the service, as a viewer and as a helper."""

    def __init__(self, table):
        self.tail = LogTail()
        logging.getLogger().addHandler(self.tail)
        self.app = create_app(
            table, token=TOKEN, instruments=Instruments(table.passages, tail=self.tail)
        )
        self.viewer = self.app.test_client()
        self.helper = self.app.test_client()
        self.helper.get(f"/link/{TOKEN}")
        self._seen: list[str] = []

    @property
    def seen(self):
        return "".join(self._seen)

    def see(self, text):
        self._seen.append(text)

    def forget(self):
        self._seen.clear()

    def look(self):
        for client in (self.viewer, self.helper):
            for path in ("/", "/api/v1/table", "/api/v1/openapi.json"):
                self.see(client.get(path).text)
            for path in ("/stream", "/api/v1/table/stream"):
                stream = client.get(path)
                parts = iter(stream.response)
                self.see(b"".join(next(parts) for _ in range(2)).decode())
                stream.close()

        for path in DIAGNOSTICS:
            self.see(self.helper.get(path).text)

    def post(self, body):
        response = self.helper.post("/api/v1/actions", json=body, headers=BEARER)
        self.see(response.text)
        return response

    def touch(self, action, view):
        page = self.helper.get("/").text
        key = page.partition('name="key" value="')[2].partition('"')[0]
        form = {"key": key, "view": view, "page": "tv", "action": json.dumps(action)}
        for headers in ({}, {"Accept": "application/json"}):
            self.see(self.helper.post("/touch", data=form, headers=headers).text)

    def no_secret(self):
        seen = self.seen.lower()
        found = [card for card in CARDS if card in seen]
        assert found == []


@contextmanager
def at_table(folder):
    with running(folder, SETUP, tags=TAGS) as table:
        eyes = Eyes(table)
        yield table, eyes
        logging.getLogger().removeHandler(eyes.tail)


def version(table):
    return f"{table.snapshot.epoch}.{table.snapshot.revision}"


def test_what_is_possible_is_published_without_what_is_secret(tmp_path):
    with running(tmp_path, SETUP) as table:
        assert table.snapshot.legal == (Draw(), Stop())
        table.act(Draw("xylophone"), source=API)
        assert table.snapshot.legal == ()


def test_a_secret_action_is_told_without_its_card(tmp_path):
    with at_table(tmp_path) as (table, eyes):
        table.act(Draw("xylophone"), source=API)
        event = table.snapshot.event
        assert (event.kind, event.player, event.action) == ("action", "Ann", None)
        assert event.outcomes == (Drew("Ann", 1),)
        table.act(Keep("zeppelin"), source=API)
        assert (table.snapshot.event.kind, table.snapshot.event.action) == ("refused", None)
        table.act(Keep("xylophone"), source=API)
        eyes.look()
        table.act(Stop(), source=API)
        assert table.snapshot.event.action == Stop()
        eyes.no_secret()


def test_the_record_keeps_what_nobody_is_shown(tmp_path):
    with running(tmp_path, SETUP) as table:
        table.act(Draw("xylophone"), source=API)
        table.act(Keep("xylophone"), source=API)
        before = table.snapshot
    rows = sqlite3.connect(tmp_path / "table.sqlite").execute("SELECT command FROM entry")
    assert [json.loads(command) for (command,) in rows] == [
        {"do": "draw", "card": "xylophone"},
        {"do": "keep", "card": "xylophone"},
    ]
    with running(tmp_path, SETUP) as table:
        assert (table.snapshot.state, table.snapshot.step) == (before.state, 2)


def test_a_storm_of_posts_and_readings_washes_no_secret_out(tmp_path, caplog, capfd):
    chance = random.Random(11)
    caplog.set_level("DEBUG")
    with at_table(tmp_path) as (table, eyes):
        hands = Hands(table)
        done = set()
        for number in range(150):
            card = chance.choice(CARDS)
            verb = chance.choice(["draw", "draw", "keep", "throw"])
            wish = {"do": verb, "card": card}
            match chance.randrange(10):
                case 0 | 1 | 2:
                    done.add(eyes.post(wish).status_code)
                case 3:
                    for _ in range(2):
                        done.add(eyes.post({**wish, "id": f"wish-{number}"}).status_code)
                case 4:
                    done.add(eyes.post({**wish, "revision": 1}).status_code)
                case 5:
                    eyes.touch(wish, version(table))
                case 6:
                    done.add(eyes.post({"undo": 1}).status_code)
                case 7 | 8:
                    hands.tap(UID_OF[card])
                case 9:
                    done.add(eyes.post(chance.choice(NO_COMMANDS)).status_code)
            eyes.look()
        assert {200, 400, 409, 500} <= done
        if table.snapshot.standing.phase == "keep":
            table.undo(1, source=API)
        table.act(Stop(), source=API)
        hands.tap(UID_OF["quokka"])
        assert table.snapshot.event.code == "no-meaning"
        eyes.look()
        assert '"known":true,"component":null' in eyes.seen, "diagnostics were to be looked at, too"
        eyes.see(table.snapshot.event.message)
    eyes.see(caplog.text + "".join(capfd.readouterr()))
    assert "KeyError" in eyes.seen, "the fault of the rules was to be logged"
    eyes.no_secret()


def test_a_tag_that_was_read_before_is_refused_without_its_name(tmp_path):
    with at_table(tmp_path) as (table, eyes):
        hands = Hands(table)
        hands.tap(UID_OF["zeppelin"])
        hands.tap(UID_OF["zeppelin"], after_s=5)
        event = table.snapshot.event
        assert (event.kind, event.code) == ("refused", "card-not-available")
        eyes.look()
        assert "since the last shuffle" in eyes.seen
        eyes.no_secret()


def test_a_fault_of_the_rules_is_logged_by_its_kind_and_place_alone(tmp_path, caplog):
    with at_table(tmp_path) as (table, eyes):
        table.act(Draw(FAULT), source=API)
        assert eyes.post({"do": "throw", "card": FAULT}).status_code == 500
        assert "secret_game.py" in caplog.text
        assert "KeyError" in caplog.text
        eyes.see(caplog.text)
        eyes.no_secret()


def test_a_live_stream_tells_of_secret_moves_without_their_cards(tmp_path):
    with (
        at_table(tmp_path) as (table, eyes),
        serving(eyes.app) as server,
        listening(server.port) as board,
        listening(server.port, "/api/v1/table/stream") as program,
    ):
        for listener in (board, program):
            assert listener.next()[0] == "hello"
            listener.next()
        for action in (Draw("xylophone"), Throw("xylophone"), Draw("zeppelin"), Keep("zeppelin")):
            table.act(action, source=Source("page"))
            for listener in (board, program):
                eyes.see(" ".join(listener.next()))
        assert '"scores":{"Ann":0,"Bo":1}' in eyes.seen
        eyes.no_secret()


def test_the_virtual_table_shows_no_more_of_the_cards_than_everybody_knows(tmp_path):
    reader = VirtualReader("", random.Random(3))
    with running(tmp_path, SETUP, look_up=reader.component) as table:
        lay_out(reader, table, {})
        now_ns = iter(range(0, 100 * SECOND_NS, 2 * SECOND_NS))
        reader.open(table.report, lambda: next(now_ns))
        client = create_app(table, token=TOKEN, virtual=reader).test_client()
        client.get(f"/link/{TOKEN}")

        def faces(path):
            page = client.get(path).text
            return page[page.index('id="v-cards"') : page.index('id="v-faults"')]

        before = faces("/virtual")
        assert before.count("</small>") == len(CARDS)
        assert reader.pile() == 6
        reader.turn_top()
        assert table.snapshot.step == 1
        assert reader.pile() == 5
        assert faces("/virtual") == before


@pytest.mark.parametrize("seed", range(3))
def test_a_game_of_sea_salt_and_paper_shows_no_card_that_only_one_player_knows(tmp_path, seed):
    """Dealt beside the table, and played at it: pages name what a spectator may see, no more."""
    chance = random.Random(seed)
    players = ("Ann", "Bo", "Cy")
    dealt = Match.start(Setup("sea-salt-paper", players, seed=seed))
    hidden = 0
    with running(tmp_path, Setup("sea-salt-paper", players)) as table:
        eyes = Eyes(table)
        while dealt.step < 80 and (legal := dealt.game.legal(dealt.state)):
            dealt = dealt.do(chance.choice(legal))
            assert table.act(dealt.action, source=API).code is None
            eyes.forget()
            eyes.look()
            public = json.dumps(
                [
                    dealt.game.view(dealt.state, None),
                    [outcome_to_json(outcome) for outcome in dealt.outcomes],
                ]
            )
            seen = eyes.seen
            assert [name for name in NAMES if name in seen and name not in public] == []
            hidden += dealt.game.secret(dealt.action)
    assert hidden > 10
