"""One game played by robot people on a real table, with faults, and a judge who sees both.

People know what happened, hear the sign of the reader, see the screen, and may open the page
that lists the actions. They do not see into the table. Two kinds of them:

- *attentive*: they listen for the sign of each tap. When none comes, or from another place,
  they look and tap again.
- *careless*: they do not care for a sign that does not come, nor where it comes from.

Both answer the table's questions and look when it refuses something; whoever looks compares
the page with what happened, and sets it right.

The judge compares the table's record with the truth after every move. Where they differ
though nobody failed to listen, and nobody was told, that is a silent error. What careless people
left behind is followed until somebody is told; when that has not happened at the end, where
all look from the screen to the table once more, it is a silent error, too.
"""

from __future__ import annotations

import logging
from collections import Counter
from pathlib import Path
from random import Random
from typing import Literal

from companion.match import Match
from companion.meaning import understanding_of
from companion.meaning.api import Known
from companion.snapshot import Question
from hardware_sim.evening.api import Gesture, Move, People, told
from hardware_sim.evening.faults import Plan
from hardware_sim.evening.hands import PAGE, Hands, Sign
from hardware_sim.evening.mending import actions_of, mending
from hardware_sim.evening.room import Room
from hardware_sim.evening.tally import Tally, Wrong

log = logging.getLogger(__name__)

Temper = Literal["attentive", "careless"]

AGREES = ("nothing", "agrees")
MISSED = "missed"
CLOSING = "closing"

TRIES = 6
SLIPS = frozenset({"miss", "duplicate", "garbage", "unreadable"})
"""What may strike again while people tap again."""


class _Ends(Exception):
    """This game is not played on."""


class Evening:
    """One game, in a room where a game has just begun.

    Args:
        people: who play.
        room: where.
        plan: which faults strike, and how often.
        chance: of the faults.
        name: the seed of the run and the number of the game in it.
        temper: how people listen.
        tally: what is counted goes there.
    """

    def __init__(
        self,
        people: People,
        room: Room,
        plan: Plan,
        chance: Random,
        *,
        name: tuple[int, int],
        temper: Temper,
        tally: Tally,
    ) -> None:
        self._name = name
        self._plan = plan
        self._tally = tally
        self._attentive = temper == "attentive"
        self._chance = chance
        self._people = people
        self.room = room
        self._truth = Match.start(people.setup)
        self._stages = [self._truth]
        self._turn = 0
        self._hands = Hands(self.room, self._people, self._chance)
        self._quiet: list[str] = []
        self._ignored = False
        self._unsolved: list[str] = []
        self._wrong_since: int | None = None
        self._told_how = ""
        self._astray = 0
        self._refused = False
        self._touched = False

    def play(self) -> None:
        """Play it, to the end or to the first error that nobody was told of."""
        self._tally.games += 1
        try:
            self._play()
        except _Ends:
            pass
        except Exception as error:
            error.add_note(f"seed {self._name[0]}, game {self._name[1]}")
            raise

    def _play(self) -> None:
        self._set_up()
        while not self._truth.game.standing(self._truth.state).over:
            self._happens(self._people.move(self._truth))
        self._close()

    def _set_up(self) -> None:
        """Tell what lies where; when the table refuses something of it, all is tapped anew."""
        moves = self._people.set_up(self._truth)
        done = 0
        for _ in range(TRIES):
            for place, move in enumerate(moves):
                if place >= done or not move.actions:
                    self._refused = False
                    self._happens(move)
                    done = max(done, place + 1)
                    if self._refused:
                        log.debug("  all is tapped anew")
                        break
            else:
                return

    # What happens, and how it is told

    def _happens(self, move: Move) -> None:
        before = self._truth
        self._stages = [before]
        for action in move.actions:
            self._stages.append(self._stages[-1].do(action))
        after = self._truth = self._stages[-1]
        turn = before.game.standing(before.state).turn
        log.debug("%s %s: %s", before.step, turn, told(move.actions) or "a gesture")
        self._quiet, self._ignored = [], False
        self._hands.acted = self._touched = False
        self._tell(move)
        self._tidy(before, after)
        self._judge(move)
        self._count(before, after)

    def _tell(self, move: Move) -> None:
        start = 0
        for _ in range(TRIES):
            trouble = self._told(move, start)
            if trouble is None:
                return
            self._set_right(self._stages[0])
            start = trouble if self.room.snapshot.waiting else 0
        self._by_touch()

    def _told(self, move: Move, start: int) -> int | None:
        """Tell a move, from that gesture on; None when it is told.

        Returns:
            When the page shows that something before it went wrong: where people go on after
            that was set right. What only waited still does; what was done is done anew, and so
            is all of it when what was done already was taken back.
        """
        for place, gesture in enumerate(move.gestures[start:], start):
            reached = self._stage_shown()
            for _ in range(TRIES):
                taken = self._make(gesture) and self._questions_answered()
                if self._touched:
                    return None  # the whole move has been told on a page
                if taken or (len(self._stages) > 1 and self._page_shows(self._truth)):
                    break
                shown = self._stage_shown()
                if shown is None:
                    return 0 if self._hands.acted else place
                if reached is not None and shown < reached:
                    return max(place - 1, 0)
            else:
                self._by_touch()
                return None
        return None

    def _make(self, gesture: Gesture) -> bool:
        """Make a gesture until it seems to be taken; False when people have to look."""
        strikes = self._plan.strikes(self._chance)
        for attempt in range(TRIES):
            self._tally.taps += 1
            self._tally.repair_taps += bool(attempt)
            sign = self._hands.make(gesture, strikes)
            struck = self._hands.struck
            log.debug("  %s, struck by %s: %s", gesture, struck or "nothing", sign.value)
            self._tally.struck.update(struck)
            ignored = sign in (Sign.SILENCE, Sign.ELSEWHERE) and not self._attentive
            if sign is Sign.TAKEN or ignored:
                self._quiet += struck
                if ignored:
                    self._ignored = True
                    self._hands.see_the_readers(0.25)
                return True
            self._tally.at_once.update(struck)
            self._notice("refused" if sign in (Sign.LOOK, Sign.AGAIN) else "")
            self._hands.mend()
            if sign in (Sign.LOOK, Sign.ELSEWHERE):
                return False
            if len(self._stages) > 1 and self._page_shows(self._truth):
                return True  # it was taken, and only the sign was lost
            if self.room.lost:
                self._by_touch()
                return True
            strikes = self._plan.strikes(self._chance) & SLIPS
        return False

    def _tidy(self, before: Match, after: Match) -> None:
        """Something may lie where it does not belong: attentive people compare with the screen."""
        if not self._hands.misplaced:
            return
        self._hands.misplaced = False
        if self._people.misplace(before, after, self._chance):
            self._tally.struck["misplace"] += 1
            self._astray += 1
            if self._attentive:
                self._put_back(self._tally.at_once)

    def _put_back(self, noticed: Counter[str]) -> None:
        moved = self._people.tidied(self._truth)
        if moved:
            self._tally.repair_taps += moved
            noticed["misplace"] += self._astray
            self._astray = 0

    # Questions

    def _questions_answered(self) -> bool:
        """Answer what is asked now; False when people have to look at the page."""
        seen: set[str] = set()
        while True:
            asked = [one for one in self.room.snapshot.questions if one.key not in seen]
            if not asked:
                return True
            question = asked[0]
            seen.add(question.key)
            if not self._answer(question):
                return False

    def _answer(self, question: Question) -> bool:
        keys = [choice.key for choice in question.choices]
        doubt = MISSED in keys
        closing = question.key == CLOSING
        # When something is closed people compare the facts that the question names, and no more;
        # when a reader was away, they go through the page.
        fits = self._is_true(question) if closing else self._page_fits()
        if (doubt or question.key in self._people.telling) and not fits:
            self._notice("closing" if closing else "question")
            if not doubt:
                return False
        choice = self._people.answer(question, self._truth)
        if choice is None and doubt:
            choice = next(key for key in AGREES if key in keys) if fits else MISSED
        if choice is None:
            return True
        self._tally.taps += 1
        self._tally.questions[question.key.partition("/")[0]] += 1
        log.debug("  asked %s: answered %s", question.text, choice)
        answer = self.room.table.answer(question.key, choice, source=PAGE)
        if answer.code == "storage":
            self._notice("refused")
            self.room.disk.full = False
            answer = self.room.table.answer(question.key, choice, source=PAGE)
        return answer.code is None and choice != MISSED

    # Looking, and setting right

    def _page_fits(self) -> bool:
        """Whether the page shows what has happened, as far as it has been told."""
        return self._stage_shown() is not None

    def _stage_shown(self) -> int | None:
        """How many actions of what happens now the page shows; None where it differs."""
        stages = range(len(self._stages) - 1, -1, -1)
        return next((done for done in stages if self._page_shows(self._stages[done])), None)

    def _is_true(self, closing: Question) -> bool:
        """Whether the facts that the question at a closing names are those of the table."""
        understanding = understanding_of(self._people.game)
        facts = (understanding.closing(Known(stage, [None] * stage.step)) for stage in self._stages)
        return any(fact and fact in closing.text for fact in facts)

    def _page_shows(self, stage: Match) -> bool:
        return not self._people.differs(stage, self.room.record)

    def _notice(self, how: str) -> None:
        """Somebody is told that something is wrong, and if not at once: in which way."""
        self._told_how = how or self._told_how

    def _set_right(self, target: Match) -> None:
        """Bring the page to what has happened, by as few touches as possible."""
        if self._page_shows(target):
            return
        told, real = actions_of(self.room.record), actions_of(target)
        self._tally.repairs += 1
        self.room.disk.full = False
        extra = len(told) - len(real)
        if extra > 0 and told[: len(real)] == real:
            self._tally.repair_taps += extra
            self.room.table.undo(extra, source=PAGE)
            log.debug("  set right: %s taken back", extra)
        elif found := mending(self.room.timeline, target):
            self._tally.repair_taps += found.taps
            self.room.table.correct(found.edits, source=PAGE)
            log.debug("  set right: %s", found.edits)
        if not self._page_shows(target):
            self._do_anew(target)
        self._solved()

    def _do_anew(self, target: Match) -> None:
        """Take all back that is wrong, and tell it again by touch."""
        told, real = actions_of(self.room.record), actions_of(target)
        log.debug("  told anew: %s instead of %s", real, told)
        same = next(
            (place for place, (a, b) in enumerate(zip(told, real, strict=False)) if a != b),
            min(len(told), len(real)),
        )
        self._tally.repair_taps += 1 + len(real) - same
        if len(told) > same:
            self.room.table.undo(len(told) - same, source=PAGE)
        for action in real[same:]:
            self._hands.touch(action)
        if not self._page_shows(target):
            self._give_up("it could not be set right", target)

    def _by_touch(self) -> None:
        """Tell what is left of the move on a page."""
        self._tally.by_touch += 1
        self._touched = True
        self.room.disk.full = False
        if not self._page_fits():
            self._set_right(self._stages[0])
        stage = next(place for place, one in enumerate(self._stages) if self._page_shows(one))
        for later in self._stages[stage + 1 :]:
            assert later.action is not None  # noqa: S101 - it came of one
            self._tally.repair_taps += 1
            self._hands.touch(later.action)
        if not self._page_shows(self._truth):
            self._give_up("it could not be told by touch", self._truth)

    def _give_up(self, why: str, target: Match) -> None:
        event = self.room.snapshot.event
        how = self._people.differs(target, self.room.record)
        self._wrong(self._tally.given_up, f"{why}: {how}; last told: {event.kind} {event.message}")
        raise _Ends

    # The judge

    def _judge(self, move: Move) -> None:
        difference = self._people.differs(self._truth, self.room.record)
        if not difference:
            self._solved()
            return
        waits = bool(self.room.snapshot.waiting)  # the table says that it lacks something
        if self._ignored or waits or self._wrong_since is not None:
            if self._wrong_since is None:
                self._wrong_since = self._turn
                self._told_how = "waiting" if waits else ""
            return
        self._wrong(self._tally.silent, f"{difference}; after {told(move.actions) or 'a gesture'}")
        raise _Ends

    def _solved(self) -> None:
        if self._wrong_since is None:
            return
        self._tally.told_by[self._told_how or "itself"] += 1
        if not self._told_how:
            log.debug("  by itself")
        self._tally.turns_until[self._turn - self._wrong_since] += 1
        self._tally.later.update(self._unsolved)
        self._unsolved = []
        self._wrong_since = None

    def _count(self, before: Match, after: Match) -> None:
        if self._wrong_since is not None and self._ignored:
            self._unsolved += self._quiet
        else:
            self._tally.harmless.update(self._quiet)
        self._tally.actions += after.step - before.step
        turns = [match.game.standing(match.state).turn for match in (before, after)]
        if turns[0] != turns[1]:
            self._turn += 1
            self._tally.turns += 1

    def _close(self) -> None:
        """The game is over: the table's questions, and a look from the screen to the table."""
        self._told_how = ""
        self._stages = [self._truth]
        if not self._questions_answered():
            self._set_right(self._truth)
        self._put_back(self._tally.later)
        difference = self._people.differs(self._truth, self.room.record)
        # Who listened to every sign is to be told, and need not look.
        if (
            difference
            and not self._attentive
            and self._people.sees(self._truth, self.room.snapshot)
        ):
            self._notice("looking")
            self._set_right(self._truth)
            difference = self._people.differs(self._truth, self.room.record)
        if difference:
            self._wrong(self._tally.silent, f"{difference}; when the game was closed")

    def _wrong(self, wrongs: list[Wrong], what: str) -> None:
        wrongs.append(Wrong(*self._name, self._truth.step, what))


def play_one(
    people: type[People],
    folder: Path,
    plan: Plan,
    *,
    seed: int,
    number: int,
    temper: Temper,
    tally: Tally,
) -> None:
    """Play one game from its beginning, in a room of its own, and look into the file after it.

    Args:
        people: who play.
        folder: of the record; it is there afterwards, in the state in which the service left it.
        plan: which faults strike, and how often.
        seed: of the run.
        number: of the game in it.
        temper: how people listen.
        tally: what is counted goes there.
    """
    # Chance of the people and of the faults apart: the same game with every plan.
    chance = Random(f"{seed}/{number}/people")  # noqa: S311 - cards, not secrets
    slips = Random(f"{seed}/{number}/faults")  # noqa: S311 - cards, not secrets
    setup = people.invitation(chance)
    players = people(setup, chance)
    room = Room(folder, setup, players.world.tags, people.stations(setup))
    evening = Evening(players, room, plan, slips, name=(seed, number), temper=temper, tally=tally)
    try:
        evening.play()
    finally:
        room.close()
    record = room.record
    if room.on_disk().state != record.state:
        what = "the file holds another game than the table did"
        tally.silent.append(Wrong(seed, number, record.step, what))
