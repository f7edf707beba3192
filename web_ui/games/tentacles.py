"""How the game of five tentacles is shown and told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.rules.api import Action, Leave, Outcome, TurnEnded
from companion.rules.tentacles_words import (
    Card,
    Decline,
    FishLost,
    FishStolen,
    FishWon,
    Lose,
    Reshuffle,
    Reshuffled,
    Reveal,
    Steal,
    Stop,
)
from companion.snapshot import Event, Snapshot
from web_ui.games.face import Button, Face
from web_ui.sentences import Sentence, Tone, named
from web_ui.words import gettext, ngettext

PATTERNS = ("dots", "rings", "stars", "stripes", "waves")
OCTOPUS = "octopus"

_Told = tuple[tuple[Sentence, ...], Tone, str | None]


@dataclass(frozen=True, slots=True)
class Slot:
    """One tentacle of one player.

    Attributes:
        pattern: which of the five.
        full: whether a fish is on it.
        mark: `won` or `lost` when the last event changed it, `wanted` when its fish can
            be taken now, else empty.
        says: all of it in words.
    """

    pattern: str
    full: bool
    mark: str
    says: str


def pattern_name(pattern: str) -> str:
    """The pattern in the reader's language."""
    match pattern:
        case "dots":
            return gettext("dots")
        case "rings":
            return gettext("rings")
        case "stars":
            return gettext("stars")
        case "stripes":
            return gettext("stripes")
        case "waves":
            return gettext("waves")
        case _:
            return pattern


def parts_of(card: str) -> tuple[str, str]:
    """Pattern and sign of a card: `("dots", "eyes")`; the octopus has no pattern."""
    if card == OCTOPUS:
        return "", OCTOPUS
    pattern, _, sign = card.partition("-")
    return pattern, sign


def card_name(card: str) -> str:
    """The card in the reader's language."""
    pattern, sign = parts_of(card)
    if sign == OCTOPUS:
        return gettext("octopus")
    if sign == "eyes":
        return gettext("%(pattern)s with eyes") % {"pattern": pattern_name(pattern)}
    if sign == "tentacle":
        return gettext("%(pattern)s with a tentacle") % {"pattern": pattern_name(pattern)}
    return pattern_name(pattern)


def _to_do(snapshot: Snapshot) -> Sentence:
    phase = snapshot.standing.phase
    pile_is_empty = not snapshot.state.get("pile", 0)
    match phase:
        case "over":
            return Sentence("crown", gettext("Wins the game!"))
        case "steal":
            return Sentence("steal", gettext("Take a fish: from whom?"))
        case "lose":
            return Sentence("octopus", gettext("Give up a fish: which one?"))
        case "choose" if pile_is_empty:
            return Sentence("shuffle", gettext("Shuffle all cards, or stop"))
        case "choose":
            return Sentence("card-or-stop", gettext("Turn a card, or stop"))
        case _ if pile_is_empty:
            return Sentence("shuffle", gettext("Shuffle all cards"))
        case _:
            return Sentence("card", gettext("Turn a card"))


def _words(snapshot: Snapshot, event: Event) -> _Told:
    player = event.player or ""
    changes = [item for item in event.outcomes if isinstance(item, FishWon | FishLost | FishStolen)]
    for outcome in event.outcomes:
        if isinstance(outcome, Card):
            if any(isinstance(change, FishStolen) for change in changes):
                return tuple(_change_words(changes)), "good", outcome.card
            sentence, tone = _card_words(snapshot, player, outcome.card, event.outcomes)
            return (sentence,), tone, outcome.card
        if isinstance(outcome, Reshuffled):
            return (Sentence("shuffle", gettext("All cards are shuffled")),), "plain", None
    if changes:
        return tuple(_change_words(changes)), _tone(changes), None
    match event.action:
        case Stop():
            told = named("stop", gettext("%(player)s: stop"), player)
        case Decline():
            told = named("decline", gettext("%(player)s takes nothing"), player)
        case _:
            # Nothing to add to what every game says.
            return (), "plain", None
    return (told,), "plain", None


def _tone(changes: Sequence[Outcome]) -> Tone:
    return "bad" if isinstance(changes[0], FishLost) else "good"


def _change_words(changes: Sequence[Outcome]) -> Iterator[Sentence]:
    for change in changes:
        match change:
            case FishWon(player, pattern):
                template = gettext("%(player)s: fish on %(pattern)s")
                yield named(f"fish-{pattern}", template, player, pattern=pattern_name(pattern))
            case FishLost(player, pattern):
                template = gettext("%(player)s: the fish on %(pattern)s is gone")
                yield named("fish-gone", template, player, pattern=pattern_name(pattern))
            case FishStolen(player, victim, pattern):
                template = gettext(
                    "%(player)s: fish on %(pattern)s, taken from %(victim)s",
                )
                names = {"player": player, "victim": victim}
                yield Sentence("steal", template, names, {"pattern": pattern_name(pattern)})


def _card_words(
    snapshot: Snapshot, player: str, card: str, outcomes: Sequence[Outcome]
) -> tuple[Sentence, Tone]:
    pattern, sign = parts_of(card)
    lost = sum(isinstance(outcome, FishLost) for outcome in outcomes)
    ended = any(isinstance(outcome, TurnEnded) for outcome in outcomes)
    tone: Tone = "bad" if lost else "plain"
    match sign:
        case "octopus":
            template = _octopus_template(lost, ended=ended)
        case "eyes" if lost:
            template = gettext("%(player)s: the eyes take the fish on %(pattern)s")
        case "eyes":
            template = gettext("%(player)s: eyes on %(pattern)s, no fish there")
        case "tentacle" if snapshot.standing.phase == "steal":
            template = gettext("%(player)s may take a fish on %(pattern)s")
        case "tentacle" if ended:
            template = gettext("%(player)s: nobody has a fish on %(pattern)s")
        case "tentacle":
            template = gettext("%(player)s: tentacle on %(pattern)s, nothing to take")
        case _ if any(isinstance(outcome, FishWon) for outcome in outcomes):
            sign, tone = f"fish-{pattern}", "good"
            template = gettext("%(player)s: fish on %(pattern)s")
        case _:
            sign = pattern
            template = gettext("%(player)s: there is a fish on %(pattern)s already")
    return named(sign, template, player, pattern=pattern_name(pattern), num=lost), tone


def _octopus_template(lost: int, *, ended: bool) -> str:
    if lost:
        return ngettext(
            "%(player)s: the octopus takes the fish",
            "%(player)s: the octopus takes %(num)d fish",
            lost,
        )
    if ended:
        return gettext("%(player)s: the octopus finds no fish")
    return gettext("%(player)s: the octopus wants a fish")


def _button(action: Action) -> Button | None:
    match action:
        case Stop():
            return Button(action, Sentence("stop", gettext("Stop")), "end")
        case Reshuffle():
            return Button(action, Sentence("shuffle", gettext("Cards are shuffled")), "go-on")
        case Steal(victim):
            # The banner asks "from whom?", so the name is the whole answer.
            return Button(action, named("steal", "%(player)s", victim), "choice", victim)
        case Decline():
            return Button(action, Sentence("decline", gettext("Take nothing")), "against")
        case Lose(pattern):
            label = Sentence(
                f"fish-{pattern}", "%(pattern)s", {}, {"pattern": pattern_name(pattern)}
            )
            return Button(action, label, "choice")
        case Leave(player):
            label = named("leave", gettext("%(player)s leaves"), player)
            return Button(action, label, "against", player, hold=True)
        case _:
            # A card must be turned on the table: no button can stand for it.
            return None


def _facts(snapshot: Snapshot) -> Mapping[str, Any]:
    fish: Mapping[str, Sequence[str]] = snapshot.state.get("fish", {})
    marks = dict(_marks(snapshot))
    discard: Mapping[str, int] = snapshot.state.get("discard", {})
    says = {pattern: _slot_says(pattern) for pattern in PATTERNS}
    return {
        "slots": {
            player: [
                _slot(player, pattern, fish.get(player, ()), marks, says[pattern])
                for pattern in PATTERNS
            ]
            for player in snapshot.players
        },
        "pile": snapshot.state.get("pile", 0),
        "seen": sum(discard.values()),
        "parts_of": parts_of,
        "card_name": card_name,
    }


def _slot(
    player: str,
    pattern: str,
    fish: Sequence[str],
    marks: Mapping[tuple[str, str], str],
    says: tuple[str, str],
) -> Slot:
    full = pattern in fish
    mark = marks.get((player, pattern), "")
    if not mark and full:
        mark = marks.get(("", pattern), "")
    return Slot(pattern, full, mark, says[full])


def _slot_says(pattern: str) -> tuple[str, str]:
    name = {"pattern": pattern_name(pattern)}
    return gettext("%(pattern)s: empty") % name, gettext("%(pattern)s: a fish") % name


def _marks(snapshot: Snapshot) -> Iterator[tuple[tuple[str, str], str]]:
    if snapshot.event.kind != "action":
        return
    for outcome in snapshot.event.outcomes:
        match outcome:
            case FishWon(player, pattern):
                yield (player, pattern), "won"
            case FishLost(player, pattern):
                yield (player, pattern), "lost"
            case FishStolen(player, victim, pattern):
                yield (player, pattern), "won"
                yield (victim, pattern), "lost"
            case Card(card) if snapshot.standing.phase == "steal":
                yield ("", parts_of(card)[0]), "wanted"


FACE = Face(
    template="game/tentacles.html",
    title=lambda: gettext("Five tentacles"),
    to_do=_to_do,
    words=_words,
    button=_button,
    facts=_facts,
    component=card_name,
    turn=Reveal,
    open_odds=True,
)
