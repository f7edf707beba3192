"""The ship of a table: when its judge is armed, what he is told, what people see of it.

The judge (`companion.ship`) knows sensors and time, and no game. Here is what ties him to
the game in progress: an alarm runs while `Game.meaning` says what an upright ship means.
"""

from __future__ import annotations

import logging

from companion import ship
from companion.drivers.api import Attitude
from companion.match import Match
from companion.said import say
from companion.ship import Judge, Thresholds, Verdict
from companion.ship_at_rest import AtRest, seen
from companion.snapshot import ShipStatus

log = logging.getLogger(__name__)

CARRY = say("Put the ship in its place: the ball may swing when it stands there.")
LAID = say(
    "The ship lies, and was not in its place yet: put it there. If the ball has felled it, say so."
)
PLACED = say("The ship stands in its place: the ball may swing now.")

VERDICTS: tuple[Verdict, ...] = ("capsized", "upright")


class ShipWatch:
    """Belongs to the table's thread.

    The first sensor that is heard is listened to until it is lost, and then again the first
    one after the alarm: a verdict never rests on two of them, which may be in two ships.

    Args:
        thresholds: when the judge believes what.

    Attributes:
        reader: the sensor that is listened to, or was last; empty while none was heard.
    """

    def __init__(self, thresholds: Thresholds) -> None:
        self.reader = ""
        self._listening = False
        self._unheeded: set[str] = set()
        self._thresholds = thresholds
        self._step: int | None = None
        self._alarm = False
        self._began_ns: int | None = None
        self._carried = False
        self._judge: Judge | None = None
        self._at_rest = AtRest()

    @property
    def status(self) -> ShipStatus | None:
        """What people see of it; None while the ship does not matter."""
        judge = self._judge
        if not self._alarm:
            if judge is None or judge.phase != "stand-up":
                return None
        elif judge is None:
            return ShipStatus("unwatched", None, "")
        angle = None
        if judge.rest is not None:
            angle = round(ship.tilt_deg(judge.rest.mean, self._thresholds.upright))
        reason = judge.reason or _waited_for(judge)
        return ShipStatus(judge.phase, angle, reason, self._alarm)

    @property
    def due_ns(self) -> int | None:
        """When `ticked` would change something."""
        if self._judge is None or not self._alarm:
            return None
        return ship.due_ns(self._judge, self._thresholds)

    def judge_by(self, thresholds: Thresholds, match: Match, now_ns: int) -> None:
        """The ship was calibrated: from now on it is judged so, an alarm that runs as well."""
        self._thresholds = thresholds
        self._at_rest = AtRest()
        if self._alarm and self._listening:
            self._began_ns = None  # what was felt before cannot be told from the new poses
            self._judge = self._armed(now_ns)
        self.follow(match, now_ns)

    def follow(self, match: Match, now_ns: int) -> None:
        """The game has changed: an alarm begins, goes on, or has ended."""
        was_alarm, self._alarm = self._alarm, _means(match, "upright") is not None
        resumed, went_on = self._step is None, match.step > (self._step or 0)
        self._step = match.step
        if not self._alarm:
            said = _said(match) if was_alarm and went_on else None
            if self._judge is not None:
                told = said if self._listening else None
                self._judge = ship.answered(self._judge, told, now_ns) if told else None
        elif not (was_alarm and (went_on or self._deserted)):
            # After an undo the ship has been carried already: it has even been hit.
            self._carried = went_on and match.game.carries(match.outcomes)
            # The ball may have swung before a start of the service, or before an undo.
            self._began_ns = None if resumed or was_alarm else now_ns
            self._judge = self._armed(now_ns) if self._listening else None

    def heard(self, attitude: Attitude) -> Verdict | None:
        """The ship's sensor told how it lies.

        Returns:
            The verdict, once, when it has just been found.
        """
        if not (self._listening or self._deserted):
            self.reader = attitude.reader
        if attitude.reader != self.reader:
            self._leave_out(attitude.reader)
            return None
        self._listening = True
        if self._judge is None:
            if not self._alarm:
                return None
            self._judge = self._armed(attitude.at_ns)
        before, self._judge = self._judge, ship.heard(self._judge, attitude, self._thresholds)
        if self._alarm:
            return self._judge.verdict if before.verdict is None else None
        if ship.over(self._judge):
            self._judge = None
        return None

    def fell(self, attitude: Attitude) -> bool:
        """Whether this reading shows that the ship, which stood, fell while no alarm runs.

        A ship that capsized in an alarm and is still to be stood up has not fallen.
        """
        if attitude.reader != self.reader or self._alarm or self._judge is not None:
            self._at_rest = AtRest()
            return False
        before, self._at_rest = self._at_rest, seen(self._at_rest, attitude, self._thresholds)
        return bool(before.stands) and not self._at_rest.stands

    def ticked(self, now_ns: int) -> None:
        """Time has passed: the judge may ask."""
        if self._judge is not None and self._alarm:
            self._judge = ship.ticked(self._judge, now_ns, self._thresholds)

    def ask(self, reason: str) -> None:
        """The verdict could not be carried out: people are asked."""
        if self._judge is not None:
            self._judge = self._judge._replace(phase="asking", verdict=None, reason=reason)

    def lost(self, reader: str) -> None:
        """A reader does not answer any more: after the alarm another may take its place."""
        if reader == self.reader:
            self._listening = False
            if self._judge is not None:
                self._judge = ship.lost(self._judge) if self._alarm else None

    @property
    def _deserted(self) -> bool:
        """The sensor was lost in this alarm: people say how the ship lies, and no other one."""
        return self._judge is not None and not self._listening

    def _leave_out(self, reader: str) -> None:
        if reader not in self._unheeded:
            self._unheeded.add(reader)
            log.warning(
                "the ship's sensor %s is not listened to: the ship is judged by %s",
                reader,
                self.reader,
            )

    def _armed(self, now_ns: int) -> Judge:
        began_ns = self._began_ns
        unseen = began_ns is None or now_ns - began_ns > ship.LATE_S * ship.S
        return ship.arm(now_ns, self._thresholds, carried=self._carried, unseen=unseen)


def _waited_for(judge: Judge) -> str:
    """What the hands have to do, or may do, before the judge counts a ball; else empty."""
    if judge.verdict is not None:
        return ""
    if judge.carried:
        return LAID if judge.phase == "stand-up" else CARRY
    return PLACED if judge.placed and judge.phase == "armed" else ""


def _means(match: Match, verdict: Verdict) -> object:
    return match.game.meaning(match.state, "ship", verdict)


def _said(match: Match) -> Verdict | None:
    """The verdict that the last action was; None when it was another one, such as leaving."""
    before = match.before
    if before is None:
        return None
    return next((word for word in VERDICTS if _means(before, word) == match.action), None)
