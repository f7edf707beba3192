"""What each game says and shows. A further game is one module here and one template."""

from __future__ import annotations

from companion.rules import GAMES
from web_ui.games import octopus_alarm, plain, sea_salt_paper, tentacles
from web_ui.games.face import Face
from web_ui.words import call_things

_FACES: dict[str, Face] = {
    "octopus-alarm": octopus_alarm.FACE,
    "sea-salt-paper": sea_salt_paper.FACE,
    "tentacles": tentacles.FACE,
}


def face_of(game_name: str) -> Face:
    """How to show this game; a plain face for one that has none of its own."""
    return _FACES.get(game_name) or plain.face(game_name)


for _name, _face in _FACES.items():
    call_things(GAMES[_name].components, _face.component)
call_things(GAMES, lambda game_name: face_of(game_name).title())
