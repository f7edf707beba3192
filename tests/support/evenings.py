"""Whole games by robot people with names, tags and secrets that a test looks for afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import xor
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote

from companion.data_folder import JOURNAL
from companion.record.reading import newest_game, reading_without_a_trace
from hardware_sim.evening import api, octopus_alarm, people_of, sea_salt_paper, tentacles
from hardware_sim.evening.faults import KINDS, USUAL, Plan
from hardware_sim.evening.runner import play_one
from hardware_sim.evening.tally import Tally

NAMES = ("Zosia O'Brien", "Øyvind & Søn", "Xanthippe", "Grzegorz", "Fjölnir", "Quentin")


@dataclass(frozen=True)
class Played:
    """A record of one game.

    Attributes:
        folder: the data folder.
        names: of the players.
        tags: component by UID.
    """

    folder: Path
    names: tuple[str, ...]
    tags: dict[str, str]


def played(
    folder: Path, game: str, monkeypatch: Any, *, number: int = 0, faults: bool = True
) -> Played:
    """Play one game to its end; all its tags are enrolled."""
    tags: dict[str, str] = {}
    chance = Random(f"{game}/{number}")

    def numbered(components: Any) -> dict[str, str]:
        made = {}
        for component in components:
            size = chance.choice((4, 7, 7))
            first = chance.choice((0x04, 0x0B, 0xA7))  # with zeros that some programs drop
            made[bytes([first, *chance.randbytes(size - 1)]).hex().upper()] = component
        tags.update(made)
        return made

    for module in (api, octopus_alarm, sea_salt_paper, tentacles):
        monkeypatch.setattr(module, "numbered_tags", numbered)
        for names in ("NAMES", "MANY_READERS"):
            if hasattr(module, names):
                monkeypatch.setattr(module, names, NAMES[: len(getattr(module, names))])
    usual = Plan.of(USUAL).rates if faults else {}
    rates = {kind: rate for kind, rate in usual.items() if kind not in KINDS["service"]}
    plan = Plan({**rates, "garbage": 0.2} if faults else {})
    people = people_of(game)
    play_one(people, folder, plan, seed=3, number=number, temper="attentive", tally=Tally())
    with reading_without_a_trace(folder / JOURNAL) as connection:
        return Played(folder, newest_game(connection).setup.players, tags)


def spellings_of_name(name: str) -> set[str]:
    return {name, name.casefold(), quote(name), ascii(name)[1:-1]}


def spellings_of_uid(uid: str) -> set[str]:
    """As readers, programs and prints spell it; in lower case."""
    raw = bytes.fromhex(uid)
    found = set()
    for way in (raw, raw[::-1], raw + bytes([reduce(xor, raw)])):
        digits = [f"{byte:02x}" for byte in way]
        found |= {between.join(digits) for between in ("", ":", " ", "-")}
        found.add("".join(f"{byte:x}" for byte in way))
        found.add(str(int.from_bytes(way, "big")))
        found.add(", ".join(map(str, way)))
    return found
