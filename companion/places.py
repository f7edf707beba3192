"""Where readers stand and how the ship is judged: what the settings say, as soon as they do."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Protocol

from companion.config import ONE_READER, STATION, Config
from companion.household import Household, NotRemembered
from companion.settings.live import LiveSettings
from companion.settings.writing import NotWritten
from companion.ship import Thresholds

log = logging.getLogger(__name__)


class Arranged(Protocol):
    """The table, as far as it matters here."""

    def arrange(self, stations: Mapping[str, str], thresholds: Thresholds) -> None:
        """From now on readers stand there, by their names, and the ship is judged so."""
        ...


def follow(
    settings: LiveSettings[Config], table: Arranged, software: Mapping[str, str] | None = None
) -> None:
    """Let the table hear of every change of the stations and of the ship's thresholds.

    Args:
        settings: in force.
        table: which is arranged so already.
        software: where the readers of tables in software stand; the settings may say otherwise.
    """

    def arrange(_: object) -> None:
        now = settings.now
        table.arrange({**(software or {}), **now.stations}, now.ship)

    settings.subscribe("stations", arrange)
    settings.subscribe("ship", arrange)


def seats_of(stations: Mapping[str, str]) -> tuple[str, ...]:
    """The readers that stand at seats, in seating order; empty where none stands."""
    by_station = {station: reader for reader, station in stations.items()}
    count = max((int(name[5:]) for name in by_station if name.startswith("seat-")), default=0)
    return tuple(by_station.get(f"seat-{number}", "") for number in range(1, count + 1))


def hand_over(
    household: Household, settings: LiveSettings[Config], software: Mapping[str, str]
) -> None:
    """Put into the file of the settings what the household kept of them, once.

    What the file says already is right, as it was before.
    """
    if not household.settings:
        return
    try:
        changes = _handed(household.settings, settings.now, software)
        if changes:
            settings.change(changes)
            log.info(
                "Where readers stand, how the ship stands and what was chosen for the table is in "
                "%s from now on: %s.",
                settings.path,
                ", ".join(".".join(place) for place in changes),
            )
        household.forget_settings()
    except (NotWritten, NotRemembered) as fault:
        log.warning("What was set up on the pages before is not in force: %s", fault)


def _handed(
    kept: Mapping[str, Any], now: Config, software: Mapping[str, str]
) -> dict[tuple[str, ...], Any]:
    changes: dict[tuple[str, ...], Any] = {}
    taken = {at for at in now.stations.values() if at != "play"}
    for reader, at in (kept.get("stations") or {}).items():
        if reader in now.stations or at in taken or not STATION.fullmatch(at):
            continue
        if software.get(reader) != at:
            changes["stations", reader] = at
        if ONE_READER.fullmatch(at):
            taken.add(at)
    usual, upright = Config(), kept.get("upright")
    if upright and any(upright) and now.ship.upright == usual.ship.upright:
        changes["ship", "upright"] = tuple(map(float, upright))
    for name, chosen in (kept.get("choices") or {}).items():
        default = getattr(usual.choices, name, None)
        if isinstance(chosen, bool) and {default, getattr(now.choices, name, None)} == {not chosen}:
            changes["choices", name] = chosen
    return changes
