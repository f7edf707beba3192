"""What can carry a tag, as people see it: a drawing, a colour, and a name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from companion.enrolling.places import Part
from companion.household import SHAPES
from companion.rules.octopus_alarm_words import ANIMALS, WAVE
from web_ui.games import face_of
from web_ui.games.sea_salt_paper.cards import shown
from web_ui.games.tentacles import parts_of
from web_ui.words import gettext


@dataclass(frozen=True, slots=True)
class Picture:
    """How a thing is drawn and called.

    Attributes:
        component: its name among the components, such as `sea-salt-paper/crab-black`.
        icon: a symbol of the sprite.
        says: its name in the reader's language.
        sign: a second, smaller symbol that tells it from its like; or empty.
        style: the class that gives its colour and pattern; or empty.
        letters: one or two that tell the colour, or the number of a player; or empty.
    """

    component: str
    icon: str
    says: str
    sign: str = ""
    style: str = ""
    letters: str = ""


def picture_of(component: str, players: Sequence[str] = ()) -> Picture:
    """The picture of a component.

    Args:
        component: such as `tentacles/dots`, `player/1`, `control/stop`.
        players: names in seating order, for the tokens of players.
    """
    kind, _, name = component.partition("/")
    match kind:
        case "player":
            return _player(component, int(name), players)
        case "control":
            icon, says = _control(name)
            return Picture(component, icon, says)
        case "sea-salt-paper":
            card = shown(name)
            style = f"hue-{card.colour}"
            return Picture(component, f"salt-{card.kind}", card.says, "", style, card.letters)
        case "tentacles":
            pattern, sign = parts_of(name)
            says = face_of(kind).component(name)
            if not pattern:
                return Picture(component, sign, says, "", "p-octopus")
            return Picture(component, pattern, says, sign, f"p-{pattern}")
        case "octopus-alarm":
            return _piece(component, name)
    return Picture(component, "card", face_of(kind).component(name))


def title_of(part: Part, game: str) -> str:
    """What a part of the things is called."""
    match part:
        case "additions":
            return gettext("Extra Salt")
        case "tokens":
            return gettext("Tokens of players, and signs")
    return gettext("Tiles and chips") if game == "octopus-alarm" else gettext("Cards")


def _piece(component: str, name: str) -> Picture:
    bare = name.removeprefix("chip-")
    icon = f"animal-{bare}" if bare in ANIMALS else "tile-wave" if bare == WAVE else bare
    says = face_of("octopus-alarm").component(bare)
    if bare == name:
        return Picture(component, icon, gettext("%(what)s, tile") % {"what": says}, "", "tile")
    return Picture(component, icon, gettext("%(what)s, chip") % {"what": says}, "", "chip-round")


def _player(component: str, number: int, players: Sequence[str]) -> Picture:
    says = gettext("player %(number)s") % {"number": number}
    if number <= len(players):
        says = f"{says}: {players[number - 1]}"
    shape = SHAPES[number - 1]
    return Picture(component, shape, says, "", f"seat-{number}", str(number))


def _control(name: str) -> tuple[str, str]:
    match name:
        case "stop":
            return "stop", gettext("stop")
        case "undo":
            return "undo", gettext("take back")
        case "shuffle":
            return "shuffle", gettext("shuffled")
        case "pass":
            return "turn-over", gettext("pass")
        case "last-chance":
            return "salt-last-chance", gettext("last chance")
        case _:
            return "salt-mermaid", gettext("four mermaids")
