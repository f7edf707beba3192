"""Full tracking: where a card was tapped, and what is legal, say what was done with it.

No sentence here names a card. Who reads it may not know that card, and whoever holds it knows
it anyway (rule 26). Nor does any sentence depend on where a hidden card lies by the record.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from companion.meaning.api import Do, Known, Meaning, Refuse, Tap, Wait
from companion.meaning.sea_salt_paper.asked import Answered, Asked, refusal_of
from companion.meaning.sea_salt_paper.playing import (
    draw_one,
    look,
    pick,
    play,
    steal,
    third_of_a_trio,
)
from companion.meaning.sea_salt_paper.reading import Reading, place_of, skipped
from companion.meaning.sea_salt_paper.taking import deal, discard, keep, take
from companion.meaning.sea_salt_paper.waiting import (
    FORGET,
    NOTHING,
    STAY,
    Meant,
    Waiting,
    followed,
    waiting,
    waits_for,
)
from companion.rules.api import Action
from companion.rules.sea_salt_paper.cards import BIT
from companion.rules.sea_salt_paper.refusals import possible_now
from companion.rules.sea_salt_paper.words import LastChance, Mermaids, Pass, Stop
from companion.said import Thing, say

_CONTROLS: Mapping[str, Action] = {
    "pass": Pass(),
    "stop": Stop(),
    "last-chance": LastChance(),
    "mermaids": Mermaids(),
}


def tapped(memory: Waiting, tap: Tap, known: Known) -> Meant:
    """A card was laid on a reader."""
    memory = followed(memory, known)
    match = known.match
    terms = match.state.terms
    if BIT[tap.name] & terms.cards == 0:
        return memory, Refuse(
            "unknown-card",
            say(
                "%(card)s is of Extra Salt, which is not played (rule 30): put it aside.",
                card=Thing(tap.name),
            ),
        )
    if match.state.phase == "over":
        refusal = refusal_of(match, (Pass(),))
        return memory, Refuse("game-over", refusal.message if refusal else say("The game is over."))
    place, number = place_of(tap.station)
    if place == "seat" and number > len(terms.players):
        return memory, Refuse(
            "unknown-player",
            say(
                "Nobody sits at seat %(seat)s: %(players)s play.",
                seat=number,
                players=len(terms.players),
            ),
        )
    reading = Reading(memory, tap, match)
    meant = (
        third_of_a_trio(reading)
        or _HANDLERS[reading.state.phase](reading)
        or reading.known_there()
        or reading.cannot_be_here()
    )
    nothing_since = reading.anywhere and not memory.cards and known.uids[-1:] == (tap.uid,)
    if nothing_since and isinstance(meant[1], Do | Wait):
        return _told_again(reading, *meant)
    return meant


def _told_again(reading: Reading, memory: Waiting, meaning: Meaning) -> Meant:
    """One reader, and the card that told the last action: it may only be the same tap again."""
    if isinstance(meaning, Do):
        meaning = replace(meaning, uid=reading.uid)
    return reading.ask(
        "again",
        say(
            "This card told the last action. Does it tell another one, or was it only tapped again?"
        ),
        Answered("now", say("It tells another one"), memory, meaning),
        Answered(
            "again",
            say("Only tapped again"),
            reading.memory,
            Wait(say("Then nothing has changed.")),
        ),
    )


def control(memory: Waiting, name: str, station: str, known: Known) -> Meant | None:
    """A control token: how a turn ends."""
    memory = followed(memory, known)
    action = _CONTROLS.get(name)
    if action is None:
        return None
    match = known.match
    state = match.state
    place, number = place_of(station)
    if place == "seat" and number != state.seat + 1 and state.phase != "over":
        return memory, Refuse(
            "not-legal",
            say("It is not that player's turn: %(possible)s.", possible=possible_now(state)),
        )
    actions = (*skipped(match), action)
    refusal = refusal_of(match, actions)
    if refusal is not None:
        return memory, Refuse(refusal.code, refusal.message)
    if action == match.action == Pass() and not _asked(memory, "passed"):
        memory = replace(memory, state=state, asked=None)
        return _passed_too(memory, Do(actions), state.terms.players[state.seat])
    key = f"unfinished/{name}"
    if not memory.cards or _asked(memory, key):
        return NOTHING, Do(actions)
    asked = Asked.of(
        key,
        say(
            "%(waiting)s Was it not meant? Tap %(token)s again if so.",
            waiting=waiting(memory, known),
            token=Thing(name),
        ),
        (
            Answered(
                FORGET, say("It was not meant: %(token)s", token=Thing(name)), NOTHING, Do(actions)
            ),
            Answered(STAY, say("It waits on"), replace(memory, asked=None), waits_for(memory)),
        ),
        state.terms.players[state.seat],
    )
    return replace(memory, asked=asked), asked.ask


def _asked(memory: Waiting, key: str) -> bool:
    """Whether the token was laid for the second time, which answers the question."""
    return memory.asked is not None and memory.asked.question.key == key


def _passed_too(memory: Waiting, do: Do, player: str) -> Meant:
    """Two turns in which nothing can be done: the token may only have been read twice."""
    asked = Asked.of(
        "passed",
        say("Has %(player)s passed, too? Tap pass again if so.", player=player),
        (
            Answered("yes", say("%(player)s passes", player=player), NOTHING, do),
            Answered(
                "no",
                say("Not yet"),
                memory,
                Wait(say("It is the turn of %(player)s.", player=player)),
            ),
        ),
        player,
    )
    return replace(memory, asked=asked), asked.ask


_HANDLERS: Mapping[str, Callable[[Reading], Meant | None]] = {
    "deal": deal,
    "take": take,
    "keep": keep,
    "discard": discard,
    "play": play,
    "look": look,
    "pick": pick,
    "fish": draw_one,
    "stung": draw_one,
    "steal": steal,
}
