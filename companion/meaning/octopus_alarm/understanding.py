"""What taps mean in octopus alarm: tiles that are flipped, and chips of the reef.

A tile tells by its area how far the ship has sailed. Where the area is known, from taps
before the game, from an earlier flip or from the reader, and where only one way fits, nobody
is asked. Clause numbers ("rule 7") are those of `docs/rules/octopus-alarm.md`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from companion.match import Match, Setup
from companion.meaning.api import (
    Ask,
    Do,
    Known,
    Meaning,
    Refuse,
    Tap,
    Understanding,
    Wait,
)
from companion.meaning.octopus_alarm.asked import NONE, NOT_FLIPPED, ask
from companion.meaning.octopus_alarm.chips import (
    TOPS_OR_STACK,
    chip_meant,
    may_be_tops,
    reef_chosen,
)
from companion.meaning.octopus_alarm.memory import (
    REEF,
    TILES,
    Memory,
    Pending,
    chips_sentence,
    due,
    named,
    opening,
    tiles_sentence,
)
from companion.meaning.octopus_alarm.tiles import tile_meant
from companion.rules.api import Action, Refusal
from companion.rules.octopus_alarm_words import UNKNOWN, State, Stop, places
from companion.said import Listed, Thing, either, say
from companion.snapshot import Choice, Question


class OctopusAlarm(Understanding[Memory]):
    """A reader in each area and one at the reef, or a single one for all."""

    stations: ClassVar[tuple[str, ...]] = ("area", "reef", "play")

    def begin(self, setup: Setup) -> Memory:
        """Nothing was tapped yet."""
        del setup
        return Memory()

    def tapped(self, memory: Memory, tap: Tap, known: Known) -> tuple[Memory, Meaning]:
        """A tile or a chip (see the functions below)."""
        asked = self.question(memory, known) if memory.pending else None
        if asked is not None and memory.pending and memory.pending.tap.uid != tap.uid:
            return memory, Refuse(
                "not-legal", say("First answer this: %(question)s", question=asked.text)
            )
        return _meant(memory._replace(pending=None), tap, known, ())

    def control(
        self, memory: Memory, name: str, station: str, known: Known
    ) -> tuple[Memory, Meaning] | None:
        """Stopping waits for an answer; before the game it says that the four tops are told."""
        del station
        if name != "stop":
            return None
        asked = self.question(memory, known)
        if memory.pending and asked is not None:
            return memory, Refuse(
                "not-legal", say("First answer this: %(question)s", question=asked.text)
            )
        if asked is not None:
            return reef_chosen(memory, known.match, "tops")
        tops = due(memory, known.match)
        return (memory, Do((*tops, Stop()))) if tops else None

    def followed(self, memory: Memory, known: Known) -> Memory:
        """A reef that was tapped in part is forgotten when a top was told otherwise.

        A tap that waits for an answer still waits while it can be meant.
        """
        if len(memory.chips) < REEF and memory.built is not False and known.match.state.reef.told:
            memory = memory._replace(chips=(), built=None)
        if memory.pending is not None:
            _, meaning = _meant(memory._replace(pending=None), memory.pending.tap, known, ())
            if not _possible(meaning, known.match):
                memory = memory._replace(pending=None)
        return memory

    def follows(self, memory: Memory, known: Known) -> tuple[Action, ...]:
        """The chip that comes up after a take, where the reef was tapped before (rule 4)."""
        return due(memory, known.match)

    def question(self, memory: Memory, known: Known) -> Question | None:
        """How far the ship has sailed, which stack a chip was taken from, and such."""
        pending = memory.pending
        if pending is not None:
            bare = memory._replace(pending=None)
            _, meaning = _meant(bare, pending.tap, known, pending.chosen)
            if isinstance(meaning, Ask):
                return meaning.question
            return _still_meant(pending.tap, known.match.state)
        return TOPS_OR_STACK if may_be_tops(memory, known.match) else None

    def answered(self, memory: Memory, choice: str, known: Known) -> tuple[Memory, Meaning]:
        """The tap means what was chosen."""
        pending = memory.pending
        memory = memory._replace(pending=None)
        if pending is None:
            return reef_chosen(memory, known.match, choice)
        if choice == NONE:
            return memory, Wait(say("That tap is forgotten: nothing has changed."))
        memory, meaning = _meant(memory, pending.tap, known, (*pending.chosen, choice))
        match meaning:
            case Do():
                meaning = replace(meaning, uid=pending.tap.uid)
            case Refuse(_, message):
                meaning = Wait(message)  # the question is answered all the same
        return memory, meaning

    def closing(self, known: Known) -> str:
        """After the tops were tapped: what lies there. A chip that was passed over shows there."""
        match = known.match
        state: State = match.state
        tapped = any(uid is not None for uid in known.uids)
        if state.phase == "sail" and tapped and opening(match):
            tops = Listed(Thing(top) for top in state.reef.tops)
            return say("The tops of the reef, stack after stack: %(tops)s", tops=tops)
        return super().closing(known)

    def waiting(self, memory: Memory, known: Known) -> str:
        """How far board and reef have been tapped before the game; then, which chip is missing."""
        match = known.match
        state: State = match.state
        if state.phase == "reef" and state.reef.told and not due(memory, match):
            stack = either(places(state.reef.tops, UNKNOWN))
            return say(
                "Tap the chip that came up on stack %(stacks)s of the reef (rule 4).", stacks=stack
            )
        if not opening(match):
            return ""
        sentences = []
        if memory.tiles and (len(memory.tiles) < TILES or not memory.fit):
            sentences.append(tiles_sentence(memory))
        counting = memory.built is not False and not may_be_tops(memory, match)
        if 0 < len(memory.chips) < REEF and counting:
            sentences.append(chips_sentence(memory))
        return Listed(sentences, " ")


def _meant(
    memory: Memory, tap: Tap, known: Known, chosen: tuple[str, ...]
) -> tuple[Memory, Meaning]:
    """What the tap means after these answers; the memory holds it while one more is needed."""
    state = known.match.state
    chip, name = named(tap.name, state)
    if chip:
        memory, meaning = chip_meant(memory, tap.uid, name, known, chosen)
    else:
        memory, meaning = tile_meant(memory, tap, name, known, chosen)
    if isinstance(meaning, Ask) and meaning.question.blocking:
        memory = memory._replace(pending=Pending(tap, chosen))
    return memory, meaning


def _possible(meaning: Meaning, match: Match) -> bool:
    if not isinstance(meaning, Do):
        return isinstance(meaning, Ask)
    try:
        for action in meaning.actions:
            match = match.do(action)
    except Refusal:
        return False
    return True


def _still_meant(tap: Tap, state: State) -> Question:
    """The game went on while a tap waited for an answer, and now only one meaning is left."""
    chip, name = named(tap.name, state)
    if chip:
        text = say("The %(animal)s was tapped: was it taken?", animal=Thing(name))
        choices = (Choice("done", say("It was taken")),)
        return ask("meant", text, choices, state, say("It was not taken")).question
    text = say("The %(face)s was tapped: was it flipped?", face=Thing(name))
    choices = (Choice("done", say("It was flipped")),)
    return ask("meant", text, choices, state, NOT_FLIPPED).question
