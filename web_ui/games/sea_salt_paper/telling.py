"""What is to be done in Sea Salt & Paper, and what was done, in short sentences.

Everybody reads them, so no hidden card and nothing of a hand is in them (rule 26).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from companion.rules.api import Nothing, Outcome, TurnEnded
from companion.rules.sea_salt_paper.words import (
    AnotherTurn,
    Call,
    Called,
    Dealt,
    Discarded,
    Drew,
    DuoPlayed,
    Fizzled,
    Hand,
    Keep,
    Look,
    Picked,
    RoundEnded,
    Skip,
    Stole,
    Stung,
    Took,
)
from companion.snapshot import Event, Snapshot
from web_ui.games.sea_salt_paper.cards import card_name, kind_of
from web_ui.sentences import Sentence, Tone, named
from web_ui.words import gettext, ngettext


def to_do(snapshot: Snapshot) -> Sentence:  # noqa: PLR0912 - a case for each phase
    """What the player in turn should do now."""
    state = snapshot.state
    last = state.get("called") is not None
    match snapshot.standing.phase:
        case "over":
            return Sentence("crown", gettext("Wins the game!"))
        case "deal":
            return Sentence("shuffle", gettext("Shuffle, and turn up two cards: one for each pile"))
        case "take":
            return _to_take(snapshot)
        case "keep":
            return Sentence("salt-hand", gettext("Keep one of the two cards"))
        case "discard":
            return Sentence("salt-take", gettext("Lay the other card on a pile"))
        case "look":
            return Sentence("salt-crab", gettext("Crabs: look through which pile?"))
        case "pick":
            return Sentence("salt-hand", gettext("Look, and keep one card"))
        case "fish":
            return Sentence("salt-fish", gettext("Fish: take the top card of the deck"))
        case "steal":
            return Sentence("salt-shark", gettext("Draw a card: from whose hand?"))
        case "stung" if state.get("deck"):
            return Sentence("salt-jellyfish", gettext("Stung: only take the top card of the deck"))
        case "stung":
            return Sentence("salt-jellyfish", gettext("Stung, and the deck is empty: pass"))
        case "call":
            return Sentence("salt-flag", gettext("Play on. Who ends the round says how"))
        case "hand":
            missing = ", ".join(each.player for each in snapshot.legal if isinstance(each, Hand))
            template = gettext("Tap all cards of %(players)s")
            return Sentence("salt-hand", template, {"players": missing})
        case _ if last:
            return Sentence("salt-last-chance", gettext("Last turn: play pairs, then pass"))
        case _:
            return Sentence("salt-pair", gettext("Play pairs, or finish"))


def _to_take(snapshot: Snapshot) -> Sentence:
    piles = any(pile["count"] for pile in snapshot.state.get("piles", ()))
    if snapshot.state.get("deck"):
        if piles:
            return Sentence("salt-take", gettext("Draw two, or take from a pile"))
        return Sentence("salt-take", gettext("Draw from the deck"))
    if piles:
        return Sentence("salt-take", gettext("Take from a pile: the deck is empty"))
    return Sentence("turn-over", gettext("No card is left to take: go on"))


def words(snapshot: Snapshot, event: Event) -> tuple[tuple[Sentence, ...], Tone, str | None]:
    """What an action brought about."""
    sentences: list[Sentence] = []
    tone: Tone = "plain"
    card: str | None = None
    for outcome in event.outcomes:
        told = _told(outcome, event, snapshot)
        sentences += told
        match outcome:
            case Discarded(name) | Took(_, name):
                card = name
            case DuoPlayed() | Stole() | Picked():
                tone = "good"
            case RoundEnded(bet_won=False) | RoundEnded(reason="deck-empty"):
                tone = "bad"
            case Called() | RoundEnded():
                tone = "over"
    stung = [outcome.player for outcome in event.outcomes if isinstance(outcome, Stung)]
    if stung:
        template = gettext("Stung, only the top card next turn: %(players)s")
        sentences.append(Sentence("salt-jellyfish", template, {"players": ", ".join(stung)}))
    if not sentences:
        sentences.append(_quietly(event))
    return tuple(sentences), tone, card


def _quietly(event: Event) -> Sentence:
    """An action without an outcome that could tell of it."""
    player = event.player or ""
    match event.action:
        case Look(pile):
            return named(
                "salt-crab", gettext("%(player)s looks through pile %(pile)s"), player, pile=pile
            )
        case Skip():
            return named("turn-over", gettext("%(player)s: no card is left to take"), player)
        case Hand(teller):
            return named("salt-hand", gettext("%(player)s: all cards are told"), teller)
        case Call(caller):
            return named("salt-flag", gettext("%(player)s ends the round"), caller or player)
        case Keep() | None if not any(isinstance(each, TurnEnded) for each in event.outcomes):
            return named("salt-hand", gettext("%(player)s keeps one of two cards"), player)
    return named("turn-over", gettext("%(player)s passes"), player)


def _told(  # noqa: PLR0912 - a case for each outcome
    outcome: Outcome, event: Event, snapshot: Snapshot
) -> Iterator[Sentence]:
    player = event.player or ""
    match outcome:
        case Dealt((first, second)):
            cards: dict[str, str | int] = {"first": card_name(first), "second": card_name(second)}
            template = gettext("The piles: %(first)s; %(second)s")
            yield Sentence("salt-take", template, {}, cards)
        case Drew(who, count):
            template = ngettext(
                "%(player)s: one card from the deck",
                "%(player)s: %(num)d cards from the deck",
                count,
            )
            yield named("salt-take", template, who, num=count)
        case Discarded(card, pile):
            template = gettext("%(player)s: %(card)s → pile %(pile)s")
            yield named(_icon(card), template, player, card=card_name(card), pile=pile)
        case Took(who, card, pile):
            template = gettext("%(player)s: pile %(pile)s → %(card)s")
            yield named(_icon(card), template, who, card=card_name(card), pile=pile)
        case DuoPlayed(who, duo):
            yield _duo(who, duo)
            if len(duo) > 2:
                yield Sentence("salt-starfish", gettext("with a starfish: three points, no more"))
        case AnotherTurn():
            yield Sentence("again", gettext("one more turn"))
        case Fizzled():
            yield Sentence("decline", gettext("nothing to take: the pair counts all the same"))
        case Picked(who, None):
            yield named("salt-lobster", gettext("%(player)s keeps a card of the deck"), who)
        case Picked(who, pile):
            template = gettext("%(player)s: a card out of pile %(pile)s")
            yield named("salt-crab", template, who, pile=pile or 0)
        case Stole(who, victim):
            template = gettext("%(player)s: a card from the hand of %(victim)s")
            yield Sentence("salt-shark", template, {"player": who, "victim": victim})
        case Called(who, "stop"):
            yield named("stop", gettext("STOP! %(player)s ends the round"), who)
        case Called(who):
            template = gettext("LAST CHANCE! %(player)s: one more turn for the others")
            yield named("salt-last-chance", template, who)
        case RoundEnded():
            yield from round_words(outcome, caller_of(snapshot))


def round_words(ended: RoundEnded, caller: str | None) -> Iterator[Sentence]:
    """How the round ended, and whether a bet was won."""
    match ended.reason:
        case "deck-empty":
            yield Sentence("pile", gettext("The deck is empty: nobody scores"))
        case "mermaids":
            yield Sentence("salt-mermaid", gettext("Four mermaids!"))
        case "stop":
            yield Sentence("salt-flag", gettext("All score their cards"))
        case _ if caller is None and ended.bet_won is True:
            yield Sentence("salt-last-chance", gettext("The bet is won: nobody has more"))
        case _ if caller is None:
            yield Sentence("salt-last-chance", gettext("The bet is lost: somebody has more"))
        case _ if ended.bet_won is True:
            template = gettext("%(player)s: bet won, nobody has more")
            yield named("salt-last-chance", template, caller or "")
        case _ if ended.bet_won is not Nothing.NOTHING:
            template = gettext("%(player)s: bet lost, somebody has more")
            yield named("salt-last-chance", template, caller or "")


def caller_of(snapshot: Snapshot) -> str | None:
    """Who called LAST CHANCE in the round that has just ended; None where it is not known."""
    called: str | None = snapshot.state.get("called")
    if called is None and snapshot.standing.turn is not None and "deck" not in snapshot.state:
        # The one after the caller begins the next round (rule 22).
        seat = snapshot.players.index(snapshot.standing.turn)
        return snapshot.players[seat - 1]
    return called


def _duo(player: str, cards: Sequence[str]) -> Sentence:
    kinds = sorted({kind_of(name) for name in cards} - {"starfish"})
    match kinds:
        case ["crab"]:
            template = gettext("%(player)s plays two crabs")
        case ["boat"]:
            template = gettext("%(player)s plays two boats")
        case ["fish"]:
            template = gettext("%(player)s plays two fish")
        case ["shark", "swimmer"]:
            template = gettext("%(player)s plays swimmer and shark")
        case ["crab", "lobster"]:
            template = gettext("%(player)s plays lobster and crab")
        case _:
            template = gettext("%(player)s plays jellyfish and swimmer")
    return named(f"salt-{kinds[0]}", template, player)


def _icon(card: str) -> str:
    return f"salt-{kind_of(card)}"
