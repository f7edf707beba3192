"""docs/smart-home.md is true: shapes, topics, entities, settings, and the receiver that it shows."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import subprocess
import sys
import tomllib
import urllib.error
import urllib.request
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest
import yaml
from told_games import snapshots, told, told_by, whole_game

from companion.config import Config
from companion.drivers.api import DeviceBack, DeviceLost
from companion.match import Setup
from companion.repair.timeline import Replace
from companion.rules.tentacles_words import Reveal, Stop
from companion.settings.sections import checked
from companion.telling import broker, webhook
from companion.telling.home_assistant import device, device_topic, most_seats, status_topic
from companion.telling.public import EVENT_TYPES
from companion.telling.settings import Mqtt, Webhook
from tests.support.mosquitto import listening_to, mosquitto
from tests.support.tables import API, TWO, running

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "smart-home.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def rows(heading):
    """The rows below a heading of a table, as cells."""
    table = re.search(rf"^\| {re.escape(heading)} .*?\n\n", TEXT, re.MULTILINE | re.DOTALL)
    return [
        [cell.strip() for cell in line.strip("|").split(" | ")]
        for line in table[0].splitlines()[2:]
        if line
    ]


def coded(cell):
    return re.findall("`([^`]+)`", cell)


@pytest.fixture(scope="module")
def happened(tmp_path_factory):
    """States and events of games of all kinds, and of what else comes over a table."""
    folder = tmp_path_factory.mktemp("games")
    every = []
    for name, seed in (("tentacles", 1), ("octopus-alarm", 2), ("sea-salt-paper", 3)):
        actions = whole_game(Setup(name, ("Ann", "Bo"), seed=seed), Random(seed))
        every += told(snapshots(folder / name, Setup(name, ("Ann", "Bo")), actions))
    with running(folder / "odd", TWO) as table:
        first = table.snapshot
        table.act(Reveal("dots"), source=API)
        label = table.timeline.links[-1].label
        table.correct([Replace(label, Reveal("rings"))], source=API)
        table.undo(1, source=API)
        table.report(DeviceBack("pcsc-1", "ACME", 0))
        table.report(DeviceLost("pcsc-1", "The cable is out.", 10**9))
        table.report(DeviceBack("pcsc-1", "ACME", 10**11))
        table.settle()
        every += told([first, *table.since(first.revision, 0)])
    return every


def test_the_state_has_the_keys_that_are_described(happened):
    [described] = [body for body in map(json.loads, blocks("json")) if "players" in body]
    for state, _ in happened:
        assert list(state) == list(described)
        assert [list(player) for player in state["players"]] == [
            list(described["players"][0]) for _ in state["players"]
        ]
        kinds = {key: type(value) for key, value in described.items()}
        off = {key for key, value in state.items() if not isinstance(value, kinds[key])}
        assert off <= {"turn", "turn_seat", "target"}


def test_each_event_has_the_keys_that_are_described(happened):
    [common] = [list(body) for body in map(json.loads, blocks("json")) if "event_type" in body]
    common = common[: common.index("time") + 1]
    examples = {coded(kind)[0]: json.loads(coded(keys)[-1]) for kind, _, keys in rows("event_type")}
    assert tuple(examples) == EVENT_TYPES
    seen = set()
    for _, events in happened:
        for event in events:
            seen.add(event["event_type"])
            assert list(event) == [*common, *examples[event["event_type"]]]
    assert seen == set(EVENT_TYPES)


def test_the_ways_in_which_an_alarm_ends_are_named():
    [ended] = [row for row in rows("event_type") if "alarm-ended" in row[0]]
    assert set(coded(ended[1])) == {
        *("how", "upright", "capsized", "taken-back", "corrected", "otherwise"),
    }


def test_the_topics_are_those_that_are_told():
    described = [coded(row[0])[0] for row in rows("topic")]
    assert described == [
        *(f"tidetable/TABLE/{each}" for each in ("availability", "state", "event")),
        device_topic(Mqtt().discovery_prefix, "TABLE"),
    ]
    assert f"`{status_topic(Mqtt().discovery_prefix)}`" in TEXT
    assert Mqtt().prefix == "tidetable"


def entities(happened):
    return {
        entity["default_entity_id"]
        for state, _ in happened
        for entity in device("base", state, "1")["components"].values()
        if len(entity) > 1
    }


def test_the_entities_are_those_that_home_assistant_is_told(happened):
    named = [name for row in rows("entity") for name in coded(row[0])]
    there = {name for name in entities(happened) if "_score_" not in name}
    assert {name for name in named if "_score_" not in name} == there
    scores = [f"sensor.tidetable_score_{seat}" for seat in (1, most_seats())]
    assert [name for name in named if "_score_" in name] == scores


def test_the_automations_are_yaml_and_name_what_there_is(happened):
    automations = [each for block in blocks("yaml") for each in yaml.safe_load(block)]
    assert len(automations) == 3
    for each in automations:
        assert {"alias", "triggers", "actions"} <= set(each)
        text = json.dumps(each)
        ours = set(re.findall(r"\b\w+\.tidetable_\w+", text))
        assert ours <= entities(happened)
    text = json.dumps(automations)
    assert "game-over" in text
    assert "game-over" in EVENT_TYPES
    assert "tidetable/+/event" in text


def test_the_settings_can_be_read():
    tables = [tomllib.loads(block) for block in blocks("toml")]
    assert [list(table) for table in tables] == [["mqtt"], ["webhook"]]
    for table in tables:
        values, faults = checked(Config, table)
        assert faults == []
        assert values[next(iter(table))] not in (Mqtt(), Webhook())


@pytest.mark.needs("mosquitto")
def test_the_broker_that_is_set_up_so_takes_the_table_that_is_set_up_so(tmp_path):
    commands = blocks("sh")[1]
    passwords = tmp_path / "passwords"
    passwords.touch()
    [name] = re.findall(r"sudo (mosquitto_passwd .*)", commands)
    words = name.replace("/etc/mosquitto/tidetable.passwd", str(passwords)).split()
    subprocess.run(words, check=True, capture_output=True)
    passwords.chmod(0o644)
    [lines] = re.findall(r"printf '%s\\n' (.*) \| sudo tee", commands)
    listener, *rest = re.findall("'([^']+)'", lines)
    assert listener == "listener 1883"
    rest = [line.replace("/etc/mosquitto/tidetable.passwd", str(passwords)) for line in rest]
    values, _ = checked(Config, tomllib.loads(blocks("toml")[0]))
    with mosquitto(tmp_path / "broker", *rest) as its_broker:
        settings = replace(values["mqtt"], port=its_broker.port)
        with (
            listening_to(its_broker.port, settings.username, settings.password) as listener,
            told_by(tmp_path / "table", settings),
        ):
            listener.wait(lambda message: message[0].endswith("/state"))


def test_the_numbers_are_those_of_the_program():
    for sentence in (
        f"after {_word(broker.NEWS_S)} seconds it is not sent any more",
        f"within {_word(webhook.ANSWER_S)} seconds",
        f"for {_word(webhook.KEPT_S / 60)} minutes",
        f"At most {webhook.MOST_EVENTS} events wait",
    ):
        assert sentence in TEXT
    assert broker.FIRST_WAIT_S == webhook.FIRST_WAIT_S == 1
    assert broker.LONGEST_WAIT_S == webhook.LONGEST_WAIT_S == 60
    assert set(webhook.LATER) == {408, 425, 429}


def _word(number):
    return {10.0: "ten", 5.0: "five"}[number]


def test_the_receiver_believes_the_table_and_nobody_else(tmp_path):
    [program] = blocks("python")
    secret = tomllib.loads(blocks("toml")[1])["webhook"]["secret"]
    assert secret in program
    path = tmp_path / "receiver.py"
    path.write_text(program)
    receiver = subprocess.Popen(
        [sys.executable, "-u", str(path), "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        port = int(receiver.stdout.readline().rsplit(" ", 1)[1])
        url = f"http://127.0.0.1:{port}/"
        with told_by(tmp_path / "table", webhook=Webhook(url, secret)) as (table, _):
            table.act(Reveal("dots"), source=API)
            table.act(Stop(), source=API)
            said = [receiver.stdout.readline().strip() for _ in range(6)]
        assert said == ["game-begun", "shown", "happened", "score Ann", "happened", "turn Bo"]
        now = datetime.now(UTC).timestamp()
        assert post(url, secret, now) == 204
        assert post(url, "another secret", now) == 401
        assert post(url, secret, now - 3600) == 401
    finally:
        receiver.kill()
        receiver.wait()
        receiver.stdout.close()


def post(url, secret, at):
    body, sent = b'{"id": "x", "event_type": "turn"}', f"{int(at)}"
    digest = hmac.new(secret.encode(), sent.encode() + b"." + body, hashlib.sha256).hexdigest()
    headers = {"Tidetable-Timestamp": sent, "Tidetable-Signature": f"sha256={digest}"}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, body, headers)) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def test_the_readme_and_this_page_know_each_other():
    assert "(docs/smart-home.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
    for link in re.findall(r"\]\((?!http)([^)#]+)", TEXT):
        assert (ROOT / "docs" / link).exists(), link
