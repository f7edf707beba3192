"""Where readers stand and how the ship feels: what the configuration says, then the household."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from companion.config import Config
from companion.household import Remembered
from companion.ship import Thresholds


def stations_of(config: Config, remembered: Remembered) -> Mapping[str, str]:
    """Where each reader stands, by name; of a reader or a place in both the configuration is right."""
    taken = set(config.stations.values()) - {"play"}
    chosen = {name: at for name, at in remembered.stations.items() if at not in taken}
    return {**chosen, **config.stations}


def thresholds_of(config: Config, remembered: Remembered) -> Thresholds:
    """How the ship is judged; where the configuration has no pose, the calibrated one counts."""
    if remembered.upright is None or config.ship.upright != Thresholds().upright:
        return config.ship
    return replace(config.ship, upright=remembered.upright)


def seats_of(stations: Mapping[str, str]) -> tuple[str, ...]:
    """The readers that stand at seats, in seating order; empty where none stands."""
    by_station = {station: reader for reader, station in stations.items()}
    count = max((int(name[5:]) for name in by_station if name.startswith("seat-")), default=0)
    return tuple(by_station.get(f"seat-{number}", "") for number in range(1, count + 1))
