"""The hands of robot people: gestures at the readers of a room, with what goes wrong there."""

from __future__ import annotations

import logging
from enum import Enum
from random import Random

from companion.drivers.api import Attitude, ButtonPressed, ClockJumped, TagOn
from companion.rules import GAMES
from companion.rules.api import Action
from companion.snapshot import Answer, Event, Source
from hardware_sim.evening.api import Gesture, Lay, People, Press, Rock, Say, Touch
from hardware_sim.evening.faults import Step, Tap, steps_of
from hardware_sim.evening.room import Room

log = logging.getLogger(__name__)

PAGE = Source("page")
SHIP = "ship"

TAP_AGAIN = frozenset(
    {
        *("unknown-tag", "several-tags", "unreadable-tag", "lay-there", "before-game"),
        *("two-places", "storage"),
    }
)
"""What people are told that only makes them lay the tag again."""

ACCEPTED = ("action", "taken", "undo", "corrected")
PLUG_IN_S = 8.0
REST_S = 6.0
FEELS_EVERY_S = 0.1


class Sign(Enum):
    """What people make of what they heard after a gesture."""

    TAKEN = "taken"
    SILENCE = "silence"
    ELSEWHERE = "elsewhere"
    AGAIN = "again"
    LOOK = "look"


class Hands:
    """They make gestures in a room, and faults strike them.

    Args:
        room: where they are.
        people: whose they are.
        chance: of the faults.

    Attributes:
        struck: the kinds of faults that struck the last gesture.
        acted: a tap was an action, and not only taken to wait for more.
        misplaced: something on the board may have been put where it does not belong.
    """

    def __init__(self, room: Room, people: People, chance: Random) -> None:
        self.room = room
        self._people = people
        self._chance = chance
        self.struck: list[str] = []
        self.misplaced = False
        self.acted = False

    def make(self, gesture: Gesture, struck: frozenset[str]) -> Sign:
        """Make a gesture once, struck by these faults; what people make of what they hear."""
        room = self.room
        self.struck = []
        room.listen()
        match gesture:
            case Lay(station, _):
                self._lay(gesture, struck)
                heard = room.listen()
                self.acted |= any(event.kind == "action" for event in heard)
                return _heard(heard, room.reader_at[station])
            case Touch(action):
                if "full-disk" in struck:
                    self.struck.append("full-disk")
                    room.disk.full = True
                return _answered(self.touch(action))
            case Press(button):
                reader = next(iter(room.reader_at.values()))
                self.struck += sorted(struck & {"miss", "forget"})
                room.pass_time(2)
                if not self.struck and reader not in room.lost:
                    room.report(ButtonPressed(reader, button, room.now_ns))
                return _heard(room.listen(), reader)
            case Say(choice):
                asked = room.snapshot.questions
                if not asked:
                    return Sign.TAKEN
                return _answered(room.table.answer(asked[0].key, choice, source=PAGE))
            case Rock(poses):
                for pose in poses:
                    room.pass_time(pose.after_s)
                    felt = (pose.x_mg, pose.y_mg, pose.z_mg)
                    room.report(Attitude(SHIP, *felt, room.now_ns))
                room.pass_time(REST_S)
                room.look()
                judged = any(event.kind == "action" for event in room.listen())
                return Sign.TAKEN if judged else Sign.LOOK

    def touch(self, action: Action) -> Answer:
        """Choose an action on a page."""
        self.room.pass_time(2)
        return self.room.table.act(action, source=PAGE)

    def mend(self) -> None:
        """Look what is the matter with the readers and the disk; not everything is mended soon."""
        if self.room.disk.full and self._chance.random() < 0.5:
            self.room.disk.full = False
        self.see_the_readers(0.5)

    def see_the_readers(self, likely: float) -> None:
        """Plug a reader in that is away, if somebody sees it."""
        if self.room.lost and self._chance.random() < likely:
            self.room.pass_time(PLUG_IN_S)
            self.room.give_back(*tuple(self.room.lost))

    def _lay(self, lay: Lay, struck: frozenset[str]) -> None:
        station, beside = lay.station, None
        if "wrong-reader" in struck:
            other = self._people.wrong_station(lay, self._chance)
            struck -= set() if other else {"wrong-reader"}
            station = other or station
        if "two-cards" in struck:
            beside = self._people.beside(lay, self._chance)
            struck -= set() if beside else {"two-cards"}
        if "misplace" in struck:
            self.misplaced = True
            struck -= {"misplace"}
        if not self._may_be_knocked_over():
            struck -= {"knocked-ship"}
        tap = Tap(self.room.reader_at[station], lay.uid)
        steps = steps_of(tap, beside, struck, self._chance)
        self.struck = sorted(struck)
        self._break(tap, struck)
        if struck.isdisjoint({"killed", "restarted-pcscd"}):
            self.room.play(steps)
        else:
            self._interrupt(tap, steps, killed="killed" in struck)

    def _break(self, tap: Tap, struck: frozenset[str]) -> None:
        """What is out of order from now on."""
        room = self.room
        if "stepped-clock" in struck:
            room.set_wall_clock(self._chance.uniform(-20_000, 20_000))
        if "full-disk" in struck:
            room.disk.full = True
        if "board-clock" in struck:
            room.report(ClockJumped(tap.reader, self._chance.uniform(-600, 600), room.now_ns))
        if "knocked-ship" in struck:
            self._knock_the_ship()
        if "dead-board" in struck:
            room.lose(*room.reader_at.values())
        elif "unplugged" in struck:
            room.lose(tap.reader)

    def _may_be_knocked_over(self) -> bool:
        snapshot = self.room.snapshot
        return GAMES[snapshot.game_name].ship and snapshot.ship is None

    def _knock_the_ship(self) -> None:
        """It stands, lies for a while, and is stood up; its sensor tells all of it."""
        for pose, lasts_s in (((0, 0, 1000), 3.0), ((1000, 0, 0), 4.0), ((0, 0, 1000), 4.0)):
            for _ in range(round(lasts_s / FEELS_EVERY_S)):
                self.room.pass_time(FEELS_EVERY_S)
                x, y, z = (axis + self._chance.randint(-4, 4) for axis in pose)
                self.room.table.report(Attitude(SHIP, x, y, z, self.room.now_ns))
        self.room.look()

    def _interrupt(self, tap: Tap, steps: list[Step], *, killed: bool) -> None:
        """The readers, or the service, are gone for a moment before a tap or while it lies."""
        room = self.room
        lying = self._chance.random() < 0.5
        room.play(steps[:1] if lying else [])
        if killed:
            room.kill()
        else:
            room.lose(*room.reader_at.values())
            room.pass_time(self._chance.choice((0.5, 3.0)))
            room.give_back(*room.reader_at.values())
        if steps and tap.reader not in room.lost:
            room.report(TagOn(tap.reader, tap.uid, room.now_ns, lay_there=True))
        room.play(steps[1:])


def _heard(events: list[Event], reader: str) -> Sign:
    """What people make of the signs after a tap at that reader."""
    events = [event for event in events if event.source.kind == "reader"]
    for event in events:
        log.debug("    heard at %s: %s %s", event.source.name, event.kind, event.message)
    accepted = [event for event in events if event.kind in ACCEPTED]
    others = [event for event in events if event.kind not in ACCEPTED]
    if not events:
        return Sign.SILENCE
    if len(accepted) == 1 and not others:
        return Sign.TAKEN if accepted[0].source.name == reader else Sign.ELSEWHERE
    if not accepted and all(event.code in TAP_AGAIN for event in others):
        return Sign.AGAIN
    return Sign.LOOK


def _answered(answer: Answer) -> Sign:
    if answer.code is None:
        return Sign.TAKEN
    return Sign.AGAIN if answer.code in TAP_AGAIN else Sign.LOOK
