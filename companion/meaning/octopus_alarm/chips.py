"""What it means that a chip is tapped: the reef is built, a top comes up, or one is taken."""

from __future__ import annotations

from companion.match import Match
from companion.meaning.api import (
    Ask,
    Do,
    Known,
    Meaning,
    Refuse,
    Wait,
)
from companion.meaning.octopus_alarm.asked import ask
from companion.meaning.octopus_alarm.memory import (
    REEF,
    TOPS,
    Memory,
    chips_sentence,
    due,
    lay_chip,
)
from companion.meaning.octopus_alarm.places import chips
from companion.rules.octopus_alarm_words import (
    UNKNOWN,
    Reef,
    State,
    Take,
    places,
)
from companion.said import Thing, either, say
from companion.snapshot import Choice, Question

TOPS_OR_STACK = Question(
    "reef",
    say(
        "Four chips are tapped: are they the tops of the four stacks, in their order, or is "
        "stack 0 being built from the bottom up?"
    ),
    (
        Choice("tops", say("They are the four tops")),
        Choice("built", say("Stack 0 is being built")),
        Choice("anew", say("Neither: they are tapped anew")),
    ),
)


def chip_meant(
    memory: Memory, uid: str, animal: str, known: Known, chosen: tuple[str, ...]
) -> tuple[Memory, Meaning]:
    """What the chip means after these answers.

    Args:
        memory: without what waits.
        uid: of its tag.
        animal: in the words of this game.
        known: the game.
        chosen: what was answered.
    """
    state: State = known.match.state
    match state.phase:
        case "reef" if not state.reef.told:
            return _chip_laid(memory, uid, animal, known.match)
        case "reef":
            return memory, _came_up(memory, uid, animal, known, chosen)
        case "take":
            return memory, _taken(memory, uid, animal, known, chosen)
        case "alarm" | "over":
            return memory, Do((Reef(0, animal),))  # which the rules refuse, and say why
    return memory, Refuse(
        "not-legal",
        say(
            "That is a chip of the reef, and all its tops are known: tap the tile that was flipped, "
            "or stop (rule 2)."
        )
        if state.phase == "choose"
        else say(
            "That is a chip of the reef, and all its tops are known: tap the tile that was flipped "
            "(rule 2)."
        ),
    )


def _chip_laid(memory: Memory, uid: str, animal: str, match: Match) -> tuple[Memory, Meaning]:
    """The reef is being built, or its four tops are told."""
    if memory.built is False:
        memory = memory._replace(chips=(), built=None)
    memory, refused = lay_chip(memory, uid, animal)
    if refused is not None:
        return memory, refused
    if len(memory.chips) == REEF:
        return memory, Do(due(memory, match))
    if may_be_tops(memory, match):
        return memory, Ask(TOPS_OR_STACK)
    return memory, Wait(chips_sentence(memory))


def may_be_tops(memory: Memory, match: Match) -> bool:
    """Whether four chips are tapped that may be the tops or the first of stack 0."""
    told = match.state.reef.told
    return len(memory.chips) == TOPS and memory.built is None and not told


def reef_chosen(memory: Memory, match: Match, choice: str) -> tuple[Memory, Meaning]:
    """One of the choices of `TOPS_OR_STACK`."""
    if choice == "anew":
        return memory._replace(chips=()), Wait(say("Tap the chips of the reef again."))
    memory = memory._replace(built=choice == "built")
    if memory.built:
        return memory, Wait(chips_sentence(memory))
    return memory, Do(due(memory, match), uid=memory.chips[-1].uid)


def _came_up(
    memory: Memory, uid: str, animal: str, known: Known, chosen: tuple[str, ...]
) -> Meaning:
    """A chip that came up below one that was taken (rule 4)."""
    state: State = known.match.state
    stack = places(state.reef.tops, UNKNOWN)[0]
    seen = chips(memory, known)
    if uid in seen.tops:
        return Refuse(
            "not-legal",
            say(
                "That chip lies on stack %(lies_on)s: tap the one that came up on stack %(stack)s "
                "(rule 4).",
                lies_on=seen.tops[uid],
                stack=stack,
            ),
        )
    if uid in seen.gone:
        return Refuse(
            "not-legal",
            say(
                "That chip was taken: tap the one that came up on stack %(stack)s (rule 4).",
                stack=stack,
            ),
        )
    tops = due(memory, known.match)
    if tops and uid not in {chip.uid for chip in memory.chips if chip.animal == tops[0].animal}:
        return Refuse(
            "card-not-available",
            say(
                "When the reef was built another chip came to lie there: look again which one came "
                "up on stack %(stack)s, or choose its animal on the page (rule 4).",
                stack=stack,
            ),
        )
    if seen.last.get(stack) == (animal, None) and "came-up" not in chosen:
        return ask(
            "chip",
            say(
                "Is this %(animal)s the chip that came up on stack %(stack)s, or the one that was "
                "taken?",
                animal=Thing(animal),
                stack=stack,
            ),
            (Choice("came-up", say("It came up")),),
            state,
            say("It was taken"),
        )
    return Do((Reef(stack, animal),))  # type: ignore[arg-type]


def _taken(memory: Memory, uid: str, animal: str, known: Known, chosen: tuple[str, ...]) -> Meaning:
    """The player chooses the stack by the chip that is taken (rule 4)."""
    state: State = known.match.state
    stacks = places(state.reef.tops, state.animal)
    seen = chips(memory, known)
    if uid in seen.tops and seen.tops[uid] in stacks:
        return Do((Take(seen.tops[uid]),))  # type: ignore[arg-type]
    hidden = memory.built and len(memory.chips) == REEF and uid in {c.uid for c in memory.chips}
    buried = hidden and set(seen.tops.values()) >= set(stacks)
    if animal != state.animal or uid in seen.tops or uid in seen.gone or buried:
        return Refuse(
            "not-legal",
            say(
                "That is not the chip to take: take the %(animal)s from stack %(stacks)s (rule 4).",
                animal=Thing(state.animal),
                stacks=either(stacks),
            ),
        )
    chosen_stack = next((stack for stack in stacks if f"stack-{stack}" in chosen), None)
    if chosen_stack is not None:
        return Do((Take(chosen_stack),))  # type: ignore[arg-type]
    return ask(
        "stack",
        say("From which stack was the %(animal)s taken?", animal=Thing(animal)),
        [Choice(f"stack-{stack}", say("Stack %(stack)s", stack=stack)) for stack in stacks],
        state,
        say("None was taken yet"),
    )
