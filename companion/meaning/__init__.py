"""What taps mean, game by game.

A game whose tags say all by themselves needs nothing here: `Plain` asks `Game.meaning`.
"""

from __future__ import annotations

from typing import Any

from companion.meaning.api import Understanding
from companion.meaning.octopus_alarm import OctopusAlarm
from companion.meaning.plain import Plain
from companion.meaning.sea_salt_paper import SeaSaltPaper
from companion.meaning.tentacles import Tentacles

_UNDERSTANDINGS: dict[str, Understanding[Any]] = {
    "octopus-alarm": OctopusAlarm(),
    "sea-salt-paper": SeaSaltPaper(),
    "tentacles": Tentacles(),
}
_PLAIN = Plain()


def understanding_of(game: str) -> Understanding[Any]:
    """What understands the taps of this game."""
    return _UNDERSTANDINGS.get(game, _PLAIN)
