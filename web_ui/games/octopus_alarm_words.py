"""What things are called in octopus alarm, and what an action brought about, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from companion.rules.api import GameWon, Leave, Outcome, TurnEnded
from companion.rules.octopus_alarm_words import (
    ANIMALS,
    BILLY,
    UNKNOWN,
    WAVE,
    Alarm,
    AnimalNotVisible,
    AnimalTaken,
    BillyMoved,
    PlayerStranded,
    ProvisionLost,
    ReefTop,
    ShipCapsized,
    ShipMoved,
    ShipUpright,
    Stop,
    Tile,
)
from companion.snapshot import Event, Snapshot
from web_ui.sentences import Sentence, Tone
from web_ui.words import gettext, ngettext

_CHIP = "chip-"


def face_name(face: str) -> str:
    """A tile, or the animal of a chip, in the reader's language.

    A table may have named animals of its own: they stay as they were written.
    """
    match face.removeprefix(_CHIP):
        case "wave":
            return gettext("wave")
        case "billy":
            return gettext("Lille-Billy")
        case "crab":
            return gettext("crab")
        case "fish":
            return gettext("fish")
        case "jellyfish":
            return gettext("jellyfish")
        case "seahorse":
            return gettext("seahorse")
        case "snail":
            return gettext("snail")
        case "squid":
            return gettext("squid")
        case "starfish":
            return gettext("starfish")
        case "turtle":
            return gettext("turtle")
        case own:
            return own


def face_icon(face: str) -> str:
    """The drawing of a tile, or of the animal of a chip."""
    bare = face.removeprefix(_CHIP)
    if bare in (WAVE, BILLY):
        return "tile-wave" if bare == WAVE else "billy"
    return f"animal-{bare}" if bare in ANIMALS else "animal-any"


def is_own(face: str) -> bool:
    """Whether the table has thought of this animal, so that only its name tells it apart."""
    return face not in (WAVE, BILLY, UNKNOWN, *ANIMALS)


def spoken(icon: str, template: str, face: str = "", /, **parts: str | int) -> Sentence:
    """A sentence in which `player`, `swinger` and an animal of the table's own are names."""
    names = {key: str(part) for key, part in parts.items() if key in ("player", "swinger")}
    others = {key: part for key, part in parts.items() if key not in names}
    if face and is_own(face):
        names["animal"] = face
    elif face:
        others["animal"] = face_name(face)
    return Sentence(icon, template, names, others)


def words(snapshot: Snapshot, event: Event) -> tuple[tuple[Sentence, ...], Tone, str | None]:
    """What an action brought about (see `web_ui.sentences.OutcomeWords`)."""
    del snapshot
    sentences = tuple(_sentences(event))
    face = next((each.face for each in event.outcomes if isinstance(each, Tile)), None)
    return sentences, _tone(event.outcomes), face


def _tone(outcomes: tuple[Outcome, ...]) -> Tone:
    kinds = set(map(type, outcomes))
    if kinds & {Alarm, AnimalNotVisible, ShipCapsized}:
        return "bad"
    return "good" if kinds & {AnimalTaken, ShipUpright} else "plain"


def _sentences(event: Event) -> Iterator[Sentence]:
    player = event.player or ""
    outcomes = event.outcomes
    kinds = set(map(type, outcomes))
    if isinstance(event.action, Stop):
        yield spoken("stop", gettext("%(player)s: stop"), player=player)
    for number, outcome in enumerate(outcomes):
        match outcome:
            case Tile(_, _, face) if face not in (WAVE, BILLY):
                if not kinds & {AnimalTaken, AnimalNotVisible}:
                    template = gettext("%(player)s: %(animal)s, from which stack?")
                    yield spoken(face_icon(face), template, face, player=player)
            case ShipMoved(to):
                # A tile told at its area tells the voyage before it, too.
                waves = any(isinstance(earlier, Tile) for earlier in outcomes[:number])
                yield _ship_moved(player, to, waves=waves)
            case _:
                yield from _sentence(player, outcome)
    if _all_up(event, kinds):
        yield spoken("tile", gettext("All four tiles are up"))


def _ship_moved(player: str, to: int, *, waves: bool) -> Sentence:
    if waves:
        template = gettext("%(player)s: a wave carries the ship to area %(area)s")
        return spoken("tile-wave", template, player=player, area=to)
    return spoken("ship", gettext("%(player)s sails to area %(area)s"), player=player, area=to)


def _sentence(player: str, outcome: Outcome) -> Iterator[Sentence]:
    match outcome:
        case ReefTop(stack, animal):
            template = gettext("%(animal)s: on top of stack %(stack)s")
            yield spoken(face_icon(animal), template, animal, stack=stack)
        case AnimalTaken(taker, animal):
            template = gettext("%(player)s: %(animal)s, caught!")
            yield spoken(face_icon(animal), template, animal, player=taker)
        case AnimalNotVisible(animal):
            template = gettext("%(player)s: %(animal)s, not on top of the reef")
            yield spoken(face_icon(animal), template, animal, player=player)
        case BillyMoved(to):
            template = gettext("%(player)s: Lille-Billy swims to area %(area)s")
            yield spoken("billy", template, player=player, area=to)
        case Alarm(swinger):
            yield spoken("swing", gettext("Alarm! %(swinger)s swings the ball"), swinger=swinger)
        case ShipUpright():
            yield spoken("ship", gettext("The ship is standing: nothing is lost"))
        case ShipCapsized():
            yield spoken("ship-capsized", gettext("The ship has capsized!"))
        case ProvisionLost(loser, left):
            yield _provision_lost(loser, left)
        case PlayerStranded(loser):
            yield spoken("stranded", gettext("%(player)s is stranded"), player=loser)


def _provision_lost(player: str, left: int) -> Sentence:
    if not left:
        template = gettext("%(player)s: the last provisions are lost")
        return spoken("barrel-gone", template, player=player)
    template = ngettext(
        "%(player)s: provisions lost, %(num)d left",
        "%(player)s: provisions lost, %(num)d left",
        left,
    )
    return spoken("barrel-gone", template, player=player, num=left)


def _all_up(event: Event, kinds: set[type[Outcome]]) -> bool:
    """Whether the turn ended by itself, with no harm done (rule 3)."""
    harm = {AnimalNotVisible, ShipCapsized, ShipUpright, GameWon, Alarm}
    by_hand = isinstance(event.action, Stop | Leave)
    return TurnEnded in kinds and not kinds & harm and not by_hand
