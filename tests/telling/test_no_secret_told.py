"""The whole service, a real broker and a real receiver: nothing that is told has a secret in it.

Two games that look the same to everybody, and differ in what lies hidden, are played in two whole
services. Both must tell the same, byte for byte.
"""

from __future__ import annotations

import json
import re
from itertools import groupby
from random import Random

import pytest
from told_games import whole_game

from companion.drivers import registry
from companion.drivers.api import DeviceBack, Driver, TagOn
from companion.match import Setup
from companion.rules.api import Refusal
from companion.telling.settings import Mqtt, Webhook
from tests.support.mosquitto import listening_to, mosquitto
from tests.support.receiver import receiving
from tests.support.service import TOKEN
from tests.support.tables import API
from tests.support.twins import ALARM, EXTRA_SALT, SALT, twins
from tests.support.whole import whole

pytestmark = pytest.mark.needs("mosquitto")

KINDS = {"salt": SALT, "extra salt": EXTRA_SALT, "alarm": ALARM}
UIDS = ("04A1A2A3A4A5A6", "0400000000CAFE")
SECRET, PASSWORD = "hook-secret", "hidden-hook-path"

NAMED_ANEW = re.compile(
    r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"  # tables and games
    r"|\b[1-9]\d{9,}\b"  # revisions
    r"|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+\+00:00"
)


class Quiet(Driver):
    """A reader on which a test lays tags."""

    def open(self, report, clock):
        self.report, self.clock = report, clock
        report(DeviceBack("quiet", "Quiet reader", clock()))

    def close(self):
        pass


def everything(folder, monkeypatch, setup, actions, broker, *, tags=()):
    """What both were told: messages by the end of their topic, and bodies; and what is secret."""
    reader = Quiet()
    monkeypatch.setattr(registry, "make", lambda name: reader)
    with listening_to(broker.port) as listener, receiving() as receiver:
        settings = {
            "game": setup.game,
            "players": setup.players,
            "set": setup.options,
            "mqtt": Mqtt("127.0.0.1", broker.port),
            "webhook": Webhook(f"{receiver.url}&{PASSWORD}", SECRET),
        }
        with whole(folder, monkeypatch, **settings) as its:
            table = its.parts.table
            where = f"/{table.snapshot.table}/state"

            def caught_up(revision):
                def is_it(message):
                    return message[0].endswith(where) and f'"revision":{revision},' in message[1]

                listener.wait(is_it)

            caught_up(table.snapshot.revision)
            for uid in tags:
                reader.report(TagOn("quiet", uid, reader.clock()))
            caught_up(table.settle().revision)
            for action in actions:
                answer = table.act(action, source=API)
                assert answer.code is None, answer.message
                caught_up(answer.snapshot.revision)
            table.refresh()  # another state, which comes after all events
            caught_up(table.snapshot.revision)
            link = its.parts.link
            secrets = (TOKEN, link.join_code, link.pin, SECRET, PASSWORD, *UIDS)
            events = [each for each in listener.messages if where[:-6] + "/event" in each[0]]
            bodies = [json.dumps(receiver.next()[2]) for _ in events]
    told = {"webhook": bodies}
    for topic, text, *_ in listener.messages:
        if table.snapshot.table in topic:
            told.setdefault(topic.rpartition("/")[2], []).append(text)
    return told, secrets


def same(told):
    """Without what is of one table alone, and without a state that came once more.

    The network may say something in between; and the first state may be from before the reader.
    """
    return {
        topic: [
            text
            for text, _ in groupby(NAMED_ANEW.sub("X", text) for text in texts)
            if '"readers":0' not in text
        ]
        for topic, texts in told.items()
    }


def a_pair(kind):
    for seed in range(400):
        try:
            pair = twins(KINDS[kind], seed, 40)
        except Refusal:
            continue
        if pair is not None:
            return pair
    raise AssertionError("no twins were found")


@pytest.mark.parametrize("kind", KINDS)
def test_games_that_look_the_same_are_told_the_same_to_the_last_byte(tmp_path, monkeypatch, kind):
    setup, *both = a_pair(kind)
    with mosquitto(tmp_path / "broker") as broker:
        (one, _), (other, _) = (
            everything(tmp_path / f"{number}", monkeypatch, setup, actions, broker)
            for number, actions in enumerate(both)
        )
    assert set(one) == {"webhook", "availability", "state", "event", "config"}
    assert len(one["state"]) > len(both[0])
    assert len(one["event"]) == len(one["webhook"]) > len(both[0])
    assert same(one) == same(other)


GAMES = {
    "tentacles": Setup("tentacles", ("Ann", "Bo"), seed=11),
    "alarm": Setup("octopus-alarm", ("Ann", "Bo"), seed=12),
    "salt": Setup("sea-salt-paper", ("Ann", "Bo"), options={"salt": True}, seed=13),
}


@pytest.mark.parametrize("name", GAMES)
def test_a_whole_game_tells_no_code_no_tag_and_no_password(tmp_path, monkeypatch, name):
    setup = GAMES[name]
    actions = whole_game(setup, Random(3), most=120)
    with mosquitto(tmp_path / "broker") as broker:
        told, secrets = everything(tmp_path, monkeypatch, setup, actions, broker, tags=UIDS)
    text = "\n".join(line for lines in told.values() for line in lines)
    assert len(told["event"]) > 60
    assert [secret for secret in secrets if secret.lower() in text.lower()] == []
    assert not re.search(r"04:?A1:?A2", text, re.IGNORECASE)
