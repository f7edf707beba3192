"""The judge of an alarm: from what the ship's sensor feels to how the ship ended (rule 7).

A pure state machine. The table arms it when an alarm begins, tells it every `Attitude` of
the ship and, at `due_ns`, the time; it acts once, when `verdict` comes to be something:

    armed ──▶ swinging ──▶ settling ──▶ judged
                   ◀─────────┘

Only how the ship lies after the ball has rested counts, and only in an alarm. To say
*capsized* it is enough that a ship lies at rest that stood before; to say *upright* a ball
must have been felt, since a ship that nothing touched may be one whose ball has not swung
yet. What is not certain is `asking`, with a reason, and then people say it.

A knock on the table is felt, too, but a table rings down: what a knock leaves is weaker the
later it is, and is soon gone. A ship that rocks is pushed as hard at the end as at the
beginning, or rocks on for long. So a movement is the ball's when it is stronger than any knock
could still be so long after the movement began, or when it lasts for `felt_s`; of a tilt
switch, which knows no strength, only the latter is asked. When nothing but weaker ones was felt
people are asked, but the judge listens on: a ball that swings then is judged.

A ship that lies when the alarm begins is to be stood up first, and so is one that has capsized,
and one that is laid down before it was carried to its place: the phase is `stand-up`, which
blocks no game. One that lies when nobody knows what the alarm has done to it so far is asked
about.

A sensor tells at least every half second while an alarm runs, better 50 times a second:
with 25 times twice as many swings are asked about. A tilt switch tells each raw edge at once: its chatter is how the judge feels a hit. Three
seconds without a change are all the debouncing that is needed here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from companion.drivers.api import Attitude
from companion.said import say

Verdict: TypeAlias = Literal["capsized", "upright"]
Phase: TypeAlias = Literal["armed", "swinging", "settling", "judged", "asking", "stand-up"]
Vector: TypeAlias = tuple[float, float, float]

S = 1_000_000_000
"""Nanoseconds in a second."""

GAP_S = 1.0
"""With no reading for longer than this, nobody knows that the ship did not move meanwhile."""

SILENT_S = 10.0
"""A sensor that tells nothing for so long is not waited for any more."""

TREMBLES_S = 1.0
"""An accelerometer at rest trembles by a thousandth of g; one that did not for so long may be
stuck, and is not believed until it does."""

STUCK_S = 10.0
"""A sensor at rest whose readings never differ, not by a thousandth, is not waited for."""

LATE_S = 2.0
"""Of a ship that is first seen at rest later than this nobody knows whether the ball felled it."""

PAUSE_S = 0.08
"""Readings that differ from rest and are closer together than this are one movement."""

BASE_S = 0.3
"""Movements are told by how far they are from what was felt at rest, for so long at least."""

KNOCK_MG = 2500.0
"""A knock on the table is no harder than this at first, thousandths of g …"""

FADES_S = 0.06
"""… and each time after so long only a third of it is left (exactly: 1/e)."""

SHOVE_MG = 180.0
"""Somebody who shoves the table, or leans on it, is felt by less."""

KNOCK = say(
    "Something was felt that may have been a knock on the table. Has the ball swung? "
    "Then say how the ship lies; if not, swing it."
)
"""The only question after which the judge still listens."""

SETTLING_S = 0.5
"""Nothing was felt for so long: the ball may rest, and people may see that it is waited for."""

STRANGE_MG = 300.0
"""Gravity at rest differs from the calibrated one by less: what is left is a sensor's offset."""

TILT_SWITCH = frozenset({(0, 0, 1000), (1000, 0, 0)})
"""What a tilt switch feels: where nothing else was felt, a reading may be good and never vary."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When the judge believes what.

    Attributes:
        rest_s: at rest is a ship that did not move for so long.
        capsized_deg: so far from upright, or further, it has capsized, when it lies there at rest
            for `capsized_s`.
        capsized_s: so long it lies there until it has capsized.
        upright_deg: so far from upright, or less, it stands.
        upright_s: after `capsized` it was stood up when it stands still for so long.
        answer_s: the table is asked when there is no verdict so long after the alarm began.
        still_mg: a reading no further from the mean of those before is no movement,
            thousandths of g.
        felt_s: a movement that lasts so long is the ball's, and no knock on the table,
            however weak it is. Less makes a tilt switch ask less often, and take knocks for
            the ball.
        doubt_s: the table is asked when the ship stood still for so long after a movement
            that may have been a knock.
        placed_s: a ship that had to be carried, or stood up first, is in its place when it
            stands still for so long and hands have left it.
        upright: what the sensor feels when the ship stands, thousandths of g.

    Raises:
        ValueError: one of them cannot be.
    """

    rest_s: float = 3.0
    capsized_deg: float = 45.0
    capsized_s: float = 1.0
    upright_deg: float = 30.0
    upright_s: float = 0.5
    answer_s: float = 60.0
    still_mg: float = 60.0
    felt_s: float = 0.5
    doubt_s: float = 5.0
    placed_s: float = 1.5
    upright: Vector = (0.0, 0.0, 1000.0)

    def __post_init__(self) -> None:
        for key in (
            "rest_s",
            "capsized_s",
            "upright_s",
            "answer_s",
            "felt_s",
            "doubt_s",
            "placed_s",
        ):
            _refuse_outside(key, getattr(self, key), LONGEST_S)
        for key in ("capsized_deg", "upright_deg"):
            _refuse_outside(key, getattr(self, key), 180)
        _refuse_outside("still_mg", self.still_mg, 1000)
        if not any(self.upright) or not all(map(math.isfinite, self.upright)):
            raise ValueError(say("upright is what the sensor feels of gravity: not all zero."))
        if self.upright_deg > self.capsized_deg:
            raise ValueError(
                say(
                    "upright_deg is at most capsized_deg: else a ship would stand and have "
                    "capsized at one angle."
                )
            )


LONGEST_S = 3600
"""Longer than anybody waits for a ship."""


def _refuse_outside(key: str, value: float, most: float) -> None:
    if not 0 < value <= most:
        raise ValueError(
            say("%(key)s is a number above 0, and at most %(most)s.", key=key, most=most)
        )


class Rest(NamedTuple):
    """Readings in a row between which the ship did not move.

    Attributes:
        since_ns: when the first of them was.
        readings: how many they are.
        total: their sum, thousandths of g.
        last: the last of them.
        varied_ns: when the last one was that differed from the one before it.
    """

    since_ns: int
    readings: int
    total: Vector
    last: Vector
    varied_ns: int

    @property
    def mean(self) -> Vector:
        """What they feel on average, thousandths of g."""
        x, y, z = self.total
        return x / self.readings, y / self.readings, z / self.readings


class Judge(NamedTuple):
    """What is known of an alarm.

    Attributes:
        phase: `armed` nothing was felt yet, `swinging`, `settling` nothing is felt any more,
            `judged`, `asking`, `stand-up`.
        verdict: how the ship ended; once there, it stays.
        reason: why people are asked: a plain sentence.
        stands: after `capsized`, that the ship was stood up again.
        armed_ns: when the time for an answer began.
        heard_ns: when the last reading was.
        rest: since the last movement.
        base: what was felt when it rested last.
        moving_ns: when the last movement began and when it was felt last.
        felt: a movement was felt that the ball made.
        doubtful: one was felt that a knock on the table may have made, and none of the ball.
        stood: the ship was seen to stand still in this alarm.
        carried: it is to be carried to its area first, and was not yet: no ball can have felled it.
        placed: it was carried, or stood up, in this alarm: what was felt until then is the hands'.
        unseen: the alarm ran before, and what the ship felt then is not known.
        finer: a reading was heard that no tilt switch tells.
    """

    phase: Phase
    armed_ns: int
    verdict: Verdict | None = None
    reason: str | None = None
    stands: bool = False
    heard_ns: int | None = None
    rest: Rest | None = None
    base: Vector | None = None
    moving_ns: tuple[int, int] | None = None
    felt: bool = False
    doubtful: bool = False
    stood: bool = False
    carried: bool = False
    placed: bool = False
    unseen: bool = False
    finer: bool = False


def arm(
    now_ns: int, thresholds: Thresholds, *, carried: bool = False, unseen: bool = False
) -> Judge:
    """An alarm begins.

    Args:
        now_ns: monotonic time.
        thresholds: of this table.
        carried: people still have to carry the ship to its area, as after a wave: the first
            movement that ends upright is theirs, and not the ball's.
        unseen: it began before, and nobody listened: of a ship that lies already nobody knows
            whether the ball felled it. One that stands may have been righted by people: it is
            upright only when a ball is felt from now on.
    """
    del thresholds
    return Judge("armed", now_ns, carried=carried, unseen=unseen)


def heard(judge: Judge, attitude: Attitude, thresholds: Thresholds) -> Judge:
    """The ship's sensor told how it lies. A reading from before the alarm means nothing."""
    if over(judge) or _is_left_to_people(judge) or attitude.at_ns < judge.armed_ns:
        return judge
    at_ns = max(attitude.at_ns, judge.heard_ns or attitude.at_ns)
    judge = _felt(judge, at_ns, (attitude.x_mg, attitude.y_mg, attitude.z_mg), thresholds)
    if judge.verdict is None:
        return ticked(_judged(judge, at_ns, thresholds), at_ns, thresholds)
    return _stood_up(judge, at_ns, thresholds)


def ticked(judge: Judge, now_ns: int, thresholds: Thresholds) -> Judge:
    """Time has passed. Without effect before `due_ns`."""
    due = due_ns(judge, thresholds)
    if due is None or now_ns < due:
        return judge
    return _asking(judge, _why_no_answer(judge, now_ns, thresholds))


def swung(judge: Judge, now_ns: int) -> Judge:
    """People said that the ball has swung: what lies at rest from now on is judged."""
    if judge.verdict is not None or _is_left_to_people(judge):
        return judge
    judge = judge._replace(carried=False, rest=None, moving_ns=(now_ns, now_ns))
    return _with_ball(judge, now_ns)._replace(phase="settling")


def answered(judge: Judge, verdict: Verdict, now_ns: int) -> Judge:
    """People said how the ship ended. Without effect when that was judged before."""
    del now_ns
    if judge.verdict is not None:
        return judge
    return judge._replace(phase="judged", verdict=verdict, reason=None)


def due_ns(judge: Judge, thresholds: Thresholds) -> int | None:
    """When `ticked` would change something, if nothing is heard until then; else None."""
    if judge.verdict is not None or _is_left_to_people(judge):
        return None
    last_ns = judge.armed_ns if judge.heard_ns is None else judge.heard_ns
    silent_ns = last_ns + _ns(SILENT_S)
    if judge.phase == "asking":  # of a knock: they are asked already, and have all the time
        return silent_ns
    return min(judge.armed_ns + _ns(thresholds.answer_s), silent_ns)


def lost(judge: Judge) -> Judge:
    """The sensor does not answer any more: people are asked, where nothing was judged yet."""
    if judge.verdict is not None or _is_left_to_people(judge):
        return judge
    return _asking(judge, say("The ship's sensor went silent: say how the ship lies."))


def over(judge: Judge) -> bool:
    """Nothing more will come of it: it stands after its verdict, and need not be told more."""
    return judge.verdict == "upright" or judge.stands


def tilt_deg(felt: Vector, upright: Vector) -> float:
    """The angle between what is felt and upright: 0 to 180 degrees, in tenths.

    Thousandths of g tell no finer; the rounding keeps 30 degrees from being 30.0007.
    """
    (x, y, z), (a, b, c) = felt, upright
    across = math.hypot(y * c - z * b, z * a - x * c, x * b - y * a)
    return round(math.degrees(math.atan2(across, x * a + y * b + z * c)), 1)


def _is_left_to_people(judge: Judge) -> bool:
    """They are asked, and the judge does not listen on."""
    return judge.phase == "asking" and judge.reason != KNOCK


def _ns(seconds: float) -> int:
    return round(seconds * S)


def _asking(judge: Judge, reason: str) -> Judge:
    return judge._replace(phase="asking", reason=reason)


def _felt(judge: Judge, at_ns: int, felt: Vector, thresholds: Thresholds) -> Judge:
    """With one more reading: rest goes on, or begins anew with it."""
    rest, last_ns = judge.rest, judge.heard_ns
    if felt not in TILT_SWITCH:
        judge = judge._replace(finer=True)
    anew = Rest(at_ns, 1, felt, felt, at_ns)
    if rest is None or last_ns is None:
        return judge._replace(heard_ns=at_ns, rest=anew)
    judge = _moved(judge, at_ns, math.dist(judge.base or rest.mean, felt), thresholds)
    if math.dist(rest.mean, felt) > thresholds.still_mg or at_ns - last_ns > GAP_S * S:
        rest = anew
    else:
        (x, y, z), (a, b, c) = rest.total, felt
        rest = Rest(
            rest.since_ns,
            rest.readings + 1,
            (x + a, y + b, z + c),
            felt,
            rest.varied_ns if felt == rest.last else at_ns,
        )
    base = rest.mean if at_ns - rest.since_ns >= BASE_S * S else judge.base
    return judge._replace(heard_ns=at_ns, rest=rest, base=base)


def _moved(judge: Judge, at_ns: int, strength: float, thresholds: Thresholds) -> Judge:
    """With one more reading, so far from rest: whether a movement goes on, and whose it is."""
    if strength <= thresholds.still_mg:
        return judge
    began_ns, moved_ns = judge.moving_ns or (at_ns, at_ns)
    if at_ns - moved_ns > PAUSE_S * S:
        began_ns = at_ns
    judge = judge._replace(moving_ns=(began_ns, at_ns), doubtful=not judge.felt)
    lasted_s = (at_ns - began_ns) / S
    knock = max(SHOVE_MG, KNOCK_MG * math.exp(-lasted_s / FADES_S))
    is_ball = lasted_s >= thresholds.felt_s or (judge.finer and strength > knock)
    return _with_ball(judge, at_ns) if is_ball and judge.base is not None else judge


def _with_ball(judge: Judge, at_ns: int) -> Judge:
    """The ball was felt. People who are asked about a knock need not answer any more."""
    if judge.phase == "asking":
        judge = judge._replace(phase="swinging", reason=None, armed_ns=at_ns)
    return judge._replace(felt=True, doubtful=False)


def _judged(judge: Judge, at_ns: int, thresholds: Thresholds) -> Judge:
    """What follows from how the ship lies now, and for how long it has."""
    rest = judge.rest
    if rest is None:
        return judge
    rested_s = (at_ns - rest.since_ns) / S
    mean = rest.mean
    if rested_s >= thresholds.rest_s:
        gravity = math.hypot(*mean)
        if abs(gravity - math.hypot(*thresholds.upright)) > STRANGE_MG:
            return _asking(
                judge,
                say(
                    "The ship's sensor feels %(gravity)s g where gravity is 1.0: look at its battery, "
                    "and say how the ship lies.",
                    gravity=f"{gravity / 1000:.1f}",
                ),
            )
        same_s = (at_ns - rest.varied_ns) / S
        is_switch = thresholds.upright in TILT_SWITCH and not judge.finer
        if same_s > TREMBLES_S and not is_switch:
            if same_s < STUCK_S:
                return judge
            return _asking(judge, say("The ship's sensor is stuck: say how the ship lies."))
    tilt = tilt_deg(mean, thresholds.upright)
    if tilt <= thresholds.upright_deg:
        return _standing(judge, rested_s, at_ns, thresholds)
    return _lying(judge, rested_s, tilt, thresholds)


def _standing(judge: Judge, rested_s: float, at_ns: int, thresholds: Thresholds) -> Judge:
    if rested_s >= thresholds.upright_s:
        judge = judge._replace(stood=True)
    if judge.phase == "stand-up" or (judge.carried and judge.felt):
        if rested_s >= thresholds.placed_s:
            return judge._replace(
                phase="armed",
                felt=False,
                doubtful=False,
                carried=False,
                placed=True,
                armed_ns=at_ns,
            )
    elif judge.felt and rested_s >= thresholds.rest_s:
        return judge._replace(phase="judged", verdict="upright")
    elif judge.doubtful and not judge.carried and rested_s >= thresholds.doubt_s:
        return _asking(judge, KNOCK)
    return _moving(judge, rested_s)


def _lying(judge: Judge, rested_s: float, tilt: float, thresholds: Thresholds) -> Judge:
    if judge.phase == "stand-up":
        return judge
    if not (judge.felt or judge.stood):
        # At once where it lay from the first: people may be about to stand it up.
        lay_before = judge.unseen and judge.moving_ns is None
        if rested_s < thresholds.capsized_s and not lay_before:
            return judge
        late = judge.rest is None or judge.rest.since_ns - judge.armed_ns > LATE_S * S
        if not judge.unseen and (judge.carried or not late):
            return judge._replace(phase="stand-up")
        return _asking(
            judge, say("The ship lies, and nobody felt it fall: say whether it was the ball.")
        )
    if rested_s < max(thresholds.rest_s, thresholds.capsized_s):
        return _moving(judge, rested_s)
    if judge.carried:  # by hands, that have laid it down
        return judge._replace(phase="stand-up")
    if tilt >= thresholds.capsized_deg:
        return judge._replace(phase="judged", verdict="capsized", reason=None)
    return _asking(
        judge,
        say(
            "The ship leans by %(tilt)s degrees: say whether it has capsized (rule 7).",
            tilt=f"{tilt:.0f}",
        ),
    )


def _moving(judge: Judge, rested_s: float) -> Judge:
    if judge.phase in ("stand-up", "asking"):
        return judge
    if not judge.felt:
        return judge._replace(phase="armed")
    return judge._replace(phase="settling" if rested_s > SETTLING_S else "swinging")


def _stood_up(judge: Judge, at_ns: int, thresholds: Thresholds) -> Judge:
    """After `capsized`: whether the ship was stood up again."""
    if judge.rest is None:
        return judge
    tilt = tilt_deg(judge.rest.mean, thresholds.upright)
    if tilt > thresholds.upright_deg:
        return judge._replace(phase="stand-up")
    if at_ns - judge.rest.since_ns < thresholds.upright_s * S:
        return judge
    return judge._replace(phase="judged", stands=True)


def _why_no_answer(judge: Judge, now_ns: int, thresholds: Thresholds) -> str:
    last_ns = judge.armed_ns if judge.heard_ns is None else judge.heard_ns
    if now_ns - last_ns >= min(SILENT_S, thresholds.answer_s) * S:
        return say("The ship's sensor is silent: say how the ship lies.")
    if judge.phase == "stand-up":
        return say("The ship was not stood up: stand it up, swing the ball, and say how it ends.")
    if not judge.felt:
        return say("The ship felt no ball: when the ball has come to rest, say how the ship lies.")
    return say("The ship does not come to rest: say how it lies.")
