"""What is to be heard when something happened, and the same in a word to be read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from companion.rules.api import GameWon
from companion.rules.octopus_alarm_words import Alarm
from companion.rules.tentacles_words import Card
from companion.snapshot import Snapshot
from web_ui.sentences import Sentence
from web_ui.words import gettext

Sound = Literal["", "accepted", "refused", "your-turn", "alarm", "win", "bubbles"]


@dataclass(frozen=True, slots=True)
class Cue:
    """A sound.

    Attributes:
        sound: which one; empty for none.
        caption: what it says, for those who do not hear it.
        number: names the event, so that each is heard once.
    """

    sound: Sound
    caption: Sentence
    number: str


def cue(snapshot: Snapshot, seat: str | None = None, *, acting: bool = False) -> Cue:
    """What the last event sounds like.

    Args:
        snapshot: of the table.
        seat: the player whose phone it is; None on a screen for all.
        acting: that player is to act now.
    """
    event = snapshot.event
    sound = _sound(snapshot)
    if acting and event.player != seat and sound in ("", "accepted", "bubbles"):
        sound = "your-turn"
    return Cue(sound, Sentence("note", _caption(sound)), f"{snapshot.epoch}.{event.number}")


def _sound(snapshot: Snapshot) -> Sound:
    event = snapshot.event
    match event.kind:
        case "refused" | "notice":
            return "refused"
        case "started" | "resumed":
            return ""
    for outcome in event.outcomes:
        match outcome:
            case GameWon():
                return "win"
            case Alarm():
                return "alarm"
            case Card():
                # The octopus under water: what children wait for.
                return "bubbles"
    return "accepted"


def _caption(sound: Sound) -> str:
    match sound:
        case "":
            return ""
        case "accepted":
            return gettext("Counted")
        case "refused":
            return gettext("Not counted")
        case "your-turn":
            return gettext("Your turn!")
        case "alarm":
            return gettext("Alarm!")
        case "win":
            return gettext("Hooray!")
        case "bubbles":
            return gettext("bul, bul")
