"""What Home Assistant is told: all that it demands of a device, and templates that give values."""

from __future__ import annotations

import json
import re

import pytest
from jinja2 import Environment, StrictUndefined

from companion.drivers.api import DeviceBack, DeviceLost
from companion.match import Setup
from companion.rules import GAMES
from companion.rules.octopus_alarm_words import Flip, Reef, Sail
from companion.rules.tentacles_words import Reveal
from companion.telling.home_assistant import device, device_topic, most_seats
from companion.telling.public import EVENT_TYPES, state_of
from tests.support.tables import API, running

KNOWN = {
    "device": {"identifiers", "name", "manufacturer", "model", "sw_version"},
    "origin": {"name", "sw_version"},
    "": {"device", "origin", "components", "availability_topic", "state_topic", "qos"},
    "sensor": {"name", "value_template", "icon", "state_class", "default_entity_id", "unique_id"},
    "binary_sensor": {
        *("name", "value_template", "icon", "default_entity_id", "unique_id"),
        *("device_class", "entity_category"),
    },
    "event": {"name", "state_topic", "event_types", "icon", "qos", "default_entity_id"}
    | {"unique_id"},
}
"""Of what Home Assistant knows, all that is used here."""
NEEDED = {
    "device": {"identifiers"},
    "origin": {"name"},
    "": {"device", "origin", "components"},
    "sensor": {"unique_id", "value_template"},
    "binary_sensor": {"unique_id", "value_template"},
    "event": {"unique_id", "event_types", "state_topic"},
}


def fits(kind, mapping):
    keys = set(mapping) - ({"platform"} if kind in ("sensor", "binary_sensor", "event") else set())
    return NEEDED[kind] <= keys <= KNOWN[kind]


def described(state):
    return json.loads(json.dumps(device(f"tidetable/{state['table']}", state, "1.2")))


def value(entity, state):
    return (
        Environment(undefined=StrictUndefined, autoescape=True)
        .from_string(entity["value_template"])
        .render(value_json=state)
    )


@pytest.fixture
def alarmed(tmp_path):
    with running(tmp_path, Setup("octopus-alarm", ("Ann", "Bo", "Cy"))) as table:
        table.report(DeviceBack("pcsc-1", "ACME", 0))
        table.report(DeviceLost("pcsc-1", "The cable is out.", 1))
        for stack, animal in enumerate(("crab", "fish", "squid", "snail")):
            table.act(Reef(stack, animal), source=API)
        table.act(Sail(2), source=API)
        yield state_of(table.act(Flip(0, "wave"), source=API).snapshot)


@pytest.mark.parametrize("game", GAMES)
def test_a_table_is_a_device_as_home_assistant_demands(tmp_path, game):
    with running(tmp_path, Setup(game, ("Ann", "Bo"))) as table:
        state = state_of(table.snapshot)
    told = described(state)
    assert fits("", told)
    assert fits("device", told["device"])
    assert fits("origin", told["origin"])
    topic = device_topic("homeassistant", state["table"])
    assert re.fullmatch(r"homeassistant/device/[a-zA-Z0-9_-]+/config", topic)
    ids = [entity.get("unique_id") for entity in told["components"].values()]
    there = [name for name in ids if name]
    assert len(set(there)) == len(there) == 8 + 2
    for key, entity in told["components"].items():
        # A space in a key would break Home Assistant's own account of what it has.
        assert re.fullmatch(r"[a-z0-9_]+", key)
        if entity.keys() != {"platform"}:
            assert fits(entity["platform"], entity), key
            assert entity["default_entity_id"] == f"{entity['platform']}.tidetable_{key}"
            assert entity["unique_id"].endswith(f"-{key}")
    assert not any("command" in key for key in json.dumps(told).split('"'))


def test_the_templates_give_what_is_true(alarmed, tmp_path):
    entities = described(alarmed)["components"]
    shown = {
        key: value(entity, alarmed)
        for key, entity in entities.items()
        if "value_template" in entity
    }
    assert shown == {
        "turn": "Ann",
        "game": "octopus-alarm",
        "phase": "alarm",
        "target": "7",
        "alarm": "ON",
        "over": "OFF",
        "reader_problem": "ON",
        "score_1": "0",
        "score_2": "0",
        "score_3": "0",
    }
    with running(tmp_path / "tentacles", Setup("tentacles", ("Ann", "Bo"))) as table:
        for card in ("dots", "rings", "stars", "stripes", "waves"):
            table.act(Reveal(card), source=API)
        over = state_of(table.snapshot)
    entities = described(over)["components"]
    assert value(entities["turn"], over) == "nobody"
    assert value(entities["over"], over) == "ON"
    assert value(entities["alarm"], over) == "OFF"
    assert value(entities["score_1"], over) == "5"


def test_seats_that_are_empty_and_a_target_that_is_none_are_taken_away(alarmed):
    told = described(alarmed)["components"]
    assert [key for key, entity in told.items() if entity == {"platform": "sensor"}] == [
        f"score_{seat}" for seat in range(4, most_seats() + 1)
    ]
    assert described({**alarmed, "target": None})["components"]["target"] == {"platform": "sensor"}


def test_an_event_is_one_of_those_that_were_named(alarmed):
    assert described(alarmed)["components"]["event"]["event_types"] == list(EVENT_TYPES)


def test_a_player_may_be_called_as_anything(alarmed, tmp_path):
    players = ('{{ 7 * 7 }} "', "{% raw %}")
    with running(tmp_path / "odd", Setup("tentacles", players)) as table:
        state = state_of(table.snapshot)
    entities = described(state)["components"]
    assert entities["score_1"]["name"] == f"Score of {players[0]}"
    # A name is never part of a template, which Home Assistant would carry out.
    assert not [entity for entity in entities.values() if "7" in entity.get("value_template", "")]
