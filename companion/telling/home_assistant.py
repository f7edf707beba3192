"""How Home Assistant finds the table: one device, described by one message.

Pure. It is the form that describes a whole device at once, which Home Assistant knows since
2024.11. Entities belong to seats, not to people: another player at the same seat keeps the entity,
so that an automation goes on working, and a seat that is empty in this game takes its own away.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.rules import GAMES
from companion.telling.public import EVENT_TYPES

BIRTH = b"online"
"""What Home Assistant says on its status topic when it has started."""


def device_topic(prefix: str, table: str) -> str:
    """Where the description goes."""
    return f"{prefix}/device/tidetable-{table}/config"


def status_topic(prefix: str) -> str:
    """Where Home Assistant says that it has started."""
    return f"{prefix}/status"


def device(base: str, state: Mapping[str, Any], version: str) -> dict[str, Any]:
    """The description of the table as a device with its entities.

    Args:
        base: the topic below which the table tells.
        state: of the table, as it is told (`companion.telling.public.state_of`).
        version: of the program.
    """
    table = state["table"]
    return {
        "device": {
            "identifiers": [f"tidetable-{table}"],
            "name": "Tidetable",
            "manufacturer": "Tidetable",
            "model": "A table that keeps the score",
            "sw_version": version,
        },
        "origin": {"name": "Tidetable", "sw_version": version},
        "availability_topic": f"{base}/availability",
        "state_topic": f"{base}/state",
        "qos": 1,
        "components": {
            key: {**entity, "unique_id": f"tidetable-{table}-{key}"} if len(entity) > 1 else entity
            for key, entity in _entities(base, state).items()
        },
    }


def _entities(base: str, state: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    entities = {
        "turn": _sensor("turn", "Turn", "{{ value_json.turn or 'nobody' }}", "mdi:account-clock"),
        "game": _sensor("game", "Game", "{{ value_json.game_name }}", "mdi:cards"),
        "phase": _sensor("phase", "Phase", "{{ value_json.phase }}", "mdi:state-machine"),
        "target": _gone("sensor")
        if state["target"] is None
        else _sensor("target", "Points to win", "{{ value_json.target }}", "mdi:flag-checkered"),
        "alarm": _binary("alarm", "Alarm", "mdi:ship-wheel"),
        "over": _binary("over", "Game over", "mdi:trophy"),
        "reader_problem": {
            **_binary("reader_problem", "Reader", ""),
            "device_class": "problem",
            "entity_category": "diagnostic",
        },
        "event": {
            "platform": "event",
            "name": "Event",
            "default_entity_id": "event.tidetable_event",
            "state_topic": f"{base}/event",
            "event_types": list(EVENT_TYPES),
            "icon": "mdi:bell-ring",
            # An event is news of the moment, so it is never sent twice.
            "qos": 0,
        },
    }
    players = {player["seat"]: player["name"] for player in state["players"]}
    for seat in range(1, most_seats() + 1):
        entities[f"score_{seat}"] = (
            {
                **_sensor(
                    f"score_{seat}",
                    f"Score of {players[seat]}",
                    f"{{{{ value_json.players[{seat - 1}].score }}}}",
                    "mdi:counter",
                ),
                "state_class": "measurement",
            }
            if seat in players
            else _gone("sensor")
        )
    return entities


def most_seats() -> int:
    """Of the game that most people can play."""
    return max(game.seats[-1] for game in GAMES.values())


def _sensor(key: str, name: str, template: str, icon: str) -> dict[str, Any]:
    return {
        "platform": "sensor",
        "name": name,
        "default_entity_id": f"sensor.tidetable_{key}",
        "value_template": template,
        "icon": icon,
    }


def _binary(key: str, name: str, icon: str) -> dict[str, Any]:
    return {
        "platform": "binary_sensor",
        "name": name,
        "default_entity_id": f"binary_sensor.tidetable_{key}",
        "value_template": f"{{{{ 'ON' if value_json.{key} else 'OFF' }}}}",
        **({"icon": icon} if icon else {}),
    }


def _gone(platform: str) -> dict[str, Any]:
    """An entity with nothing but its platform is taken away, if it was there."""
    return {"platform": platform}
