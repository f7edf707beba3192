"""What the table doubts, beside what the game's taps ask: it tells people, and lets them say.

Pure. Each doubt is a question with a plain sentence; it stays until somebody answers. A
doubt never changes the game: who says that something was missed sets the past right.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from companion.said import Listed, say
from companion.snapshot import Choice, Question

S = 1_000_000_000
"""Nanoseconds in a second."""

AWAY_S = 1.0
"""A reader that was away for less has hardly missed a tap that nobody laid again."""

MOST = 20
"""More open doubts than these help nobody: the oldest goes."""

NOTHING = "nothing"
MISSED = "missed"

SAY_WHAT = (
    Choice(NOTHING, say("Nothing happened")),
    Choice(MISSED, say("Something was missed: set it right")),
)


@dataclass(frozen=True, slots=True)
class Away:
    """A reader that does not answer.

    Attributes:
        since_ns: monotonic time.
        turn: who was in turn then.
    """

    reader: str
    since_ns: int
    turn: str | None


@dataclass(frozen=True, slots=True)
class Doubts:
    """What is doubted now.

    Attributes:
        open: oldest first.
        away: the readers that do not answer now.
        were_away: those that the open question on readers is about, and for how long.
    """

    open: tuple[Question, ...] = ()
    away: tuple[Away, ...] = ()
    were_away: tuple[tuple[str, float], ...] = ()

    def raised(self, question: Question) -> Doubts:
        """With one more; one of the same key gives way to it."""
        others = tuple(doubt for doubt in self.open if doubt.key != question.key)
        return replace(self, open=(*others, question)[-MOST:])

    def answered(self, key: str) -> Doubts:
        """Without that one."""
        were_away = () if key == "away" else self.were_away
        left = tuple(doubt for doubt in self.open if doubt.key != key)
        return replace(self, open=left, were_away=were_away)

    def find(self, key: str) -> Question | None:
        """The open doubt of that key."""
        return next((doubt for doubt in self.open if doubt.key == key), None)

    def lost(self, reader: str, at_ns: int, turn: str | None) -> Doubts:
        """A reader does not answer."""
        if any(one.reader == reader for one in self.away):
            return self
        return replace(self, away=(*self.away, Away(reader, at_ns, turn)))

    def back(self, reader: str, at_ns: int, turn: str | None) -> tuple[Doubts, Question | None]:
        """It answers again: what it may have missed is asked for while a game goes on.

        Several readers that come back, as after the loss of a board, are one question.
        """
        was = next((one for one in self.away if one.reader == reader), None)
        if was is None:
            return self, None
        doubts = replace(self, away=tuple(one for one in self.away if one is not was))
        lasted_s = (at_ns - was.since_ns) / S
        if turn is None or was.turn is None or lasted_s < AWAY_S:
            return doubts, None
        others = tuple(one for one in doubts.were_away if one[0] != reader)
        were_away = (*others, (reader, lasted_s))
        question = _away(were_away, was.turn)
        return replace(doubts.raised(question), were_away=were_away), question


def _away(were_away: tuple[tuple[str, float], ...], turn: str) -> Question:
    *most, last = (reader for reader, _ in were_away)
    time = for_people(max(lasted_s for _, lasted_s in were_away))
    if most:
        text = say(
            "%(readers)s and %(last)s were away for %(time)s in the turn of %(player)s: did anything "
            "happen there that was not read?",
            readers=Listed(most),
            last=last,
            time=time,
            player=turn,
        )
    else:
        text = say(
            "%(reader)s was away for %(time)s in the turn of %(player)s: did anything happen there "
            "that was not read?",
            reader=last,
            time=time,
            player=turn,
        )
    return Question("away", text, SAY_WHAT)


def service_was_away(away_s: float | None) -> Question:
    """The service itself was not there; None for so long that nobody knows (another boot)."""
    return Question(
        "service-away",
        say("The table was away for a while in this game: did anything happen that it did not see?")
        if away_s is None
        else say(
            "The table was away for at most %(time)s in this game: did anything happen that it did not see?",
            time=for_people(away_s),
        ),
        SAY_WHAT,
    )


SHIP_FELL = Question(
    "ship-fell",
    say(
        "The ship lies, and no alarm runs: it means nothing, so stand it up (rule 7). Or was "
        "a tile missed that began an alarm?"
    ),
    (
        Choice(NOTHING, say("It was knocked over: it stands again")),
        Choice(MISSED, say("A tile was missed: set it right")),
    ),
)


def clock_jumped(reader: str, by_s: float) -> Question:
    """A board's clock went on by another time than the table's."""
    time = for_people(abs(by_s))
    return Question(
        f"clock/{reader}",
        say(
            "The clock of %(reader)s jumped on by %(time)s: what was laid down there in that time "
            "may stand in another order, or be missing. Does the page agree with the table?",
            reader=reader,
            time=time,
        )
        if by_s > 0
        else say(
            "The clock of %(reader)s jumped back by %(time)s: what was laid down there in that time "
            "may stand in another order, or be missing. Does the page agree with the table?",
            reader=reader,
            time=time,
        ),
        (
            Choice(NOTHING, say("It agrees")),
            Choice(MISSED, say("It does not: set it right")),
        ),
    )


def for_people(seconds: float) -> str:
    """`14 s`, `3 min`, `2 h`."""
    if seconds < 100:
        return say("%(number)s s", number=round(seconds))
    if seconds < 6000:
        return say("%(number)s min", number=round(seconds / 60))
    return say("%(number)s h", number=round(seconds / 3600))
