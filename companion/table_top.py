"""What lies where at a table in software: what is hidden by chance, the rest as the record has it.

Whoever plays at such a table never errs: what the table takes back goes back to where it lay,
and at the end of a turn everything lies as the record says. So where a thing lies follows from
the game in progress, and from a number that decides how tiles, chips and cards were shuffled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from companion.drivers.api import Place, TableTop
from companion.match import Match, SeededChance, Setup
from companion.repair.timeline import Timeline
from companion.rules import octopus_alarm_tiles, octopus_alarm_words
from companion.rules.octopus_alarm_dealing import arranged
from companion.rules.octopus_alarm_words import ANIMALS, AREAS, CHIP_TAGS, CHIPS, STACK, Flip
from companion.rules.sea_salt_paper.cards import name_of, names_of
from companion.rules.sea_salt_paper.state import DECK_LOOKED_AT, before_first_deal
from companion.rules.sea_salt_paper.state import State as SaltState
from companion.rules.sea_salt_paper.words import LOOKED_AT_BY_LOBSTER, PILES
from companion.uid import VIRTUAL_MAKER

Lying = Mapping[str, Place]


def table_top(
    setup: Setup, seed: int, enrolled: Mapping[str, str], now: Callable[[], Timeline]
) -> TableTop | None:
    """The table top of a game; None for one that is played with a single pile of cards.

    Args:
        setup: how the game begins.
        seed: decides what is hidden.
        enrolled: component by UID; the twin of an enrolled tag has its UID.
        now: the actions in force.
    """
    if setup.game == "octopus-alarm":
        return _octopus_alarm(setup, seed, enrolled, now)
    if setup.game == "sea-salt-paper" and setup.options.get("tracking", "full") == "full":
        return _sea_salt_paper(setup, seed, enrolled, now)
    return None


class _Tags:
    """Hands out the tags of a game, each once: those that are enrolled first.

    Attributes:
        things: component by UID, of those that were handed out.
    """

    def __init__(self, game: str, enrolled: Mapping[str, str]) -> None:
        self._game = game
        self._free: dict[str, list[str]] = {}
        for uid, component in enrolled.items():
            self._free.setdefault(component, []).append(uid)
        self.things: dict[str, str] = {}

    def of(self, names: Iterable[str]) -> tuple[str, ...]:
        """A tag for each of these, in their order."""
        return tuple(map(self._of, names))

    def _of(self, name: str) -> str:
        component = f"{self._game}/{name}"
        free = self._free.get(component)
        uid = free.pop(0) if free else f"{VIRTUAL_MAKER}{len(self.things) + 1:012X}"
        self.things[uid] = component
        return uid


@dataclass(frozen=True, slots=True)
class _Sea:
    """The board of octopus alarm.

    Attributes:
        tiles: by place, four to an area.
        chips: of the reef, stack after stack, each from the bottom up.
    """

    tiles: tuple[str, ...]
    chips: tuple[str, ...]


def _octopus_alarm(
    setup: Setup, seed: int, enrolled: Mapping[str, str], now: Callable[[], Timeline]
) -> TableTop:
    chance = SeededChance(seed)
    always = octopus_alarm_tiles.LAYOUTS[setup.options.get("layout", "fixed")]
    tags = _Tags(setup.game, enrolled)
    tiles = tags.of(arranged(always, ANIMALS, chance))
    chips = tags.of(chance.shuffled("reef", CHIP_TAGS * CHIPS))
    sea, things = _Sea(tiles, chips), tags.things

    def lying() -> Lying:
        return _sea_now(sea, things, now())

    def carried() -> bool:
        match = now().match
        return match.game.carries(match.outcomes)

    areas = [f"area-{area}" for area in range(AREAS)]
    return TableTop(things, lying, (*areas, "reef"), carried)


def _sea_now(sea: _Sea, things: Mapping[str, str], timeline: Timeline) -> Lying:
    state: octopus_alarm_words.State = timeline.match.state
    up = _tiles_up(sea, things, timeline)
    places = {
        f"area-{area}": Place(sea.tiles[4 * area : 4 * area + 4], up) for area in range(AREAS)
    }
    taken: list[str] = []
    for stack, left in enumerate(state.reef.left):
        chips = sea.chips[STACK * stack : STACK * (stack + 1)]
        places[f"stack-{stack}"] = Place(chips[:left], chips[left - 1 : left])
        taken += chips[left:]
    return {**places, "taken": Place(taken, taken)}


def _tiles_up(sea: _Sea, things: Mapping[str, str], timeline: Timeline) -> frozenset[str]:
    """The tiles that lie face up: those that were flipped by their tags, or else by their face."""
    match = timeline.match
    state: octopus_alarm_words.State = match.state
    flipped: dict[int, str] = {}
    for each, link in zip(match.back(), reversed(timeline.links), strict=True):
        if isinstance(each.action, Flip) and each.before is not None and link.uid:
            flipped.setdefault(4 * each.before.state.ship + each.action.tile, link.uid)
    up: set[str] = set()
    for place, face in enumerate(state.seen):
        if not state.up >> place & 1:
            continue
        area = sea.tiles[4 * (place // 4) :][:4]
        tag = flipped.get(place)
        if tag not in area:
            name = ANIMALS[state.terms.animals.index(face)] if face in state.terms.animals else face
            alike = (uid for uid in area if uid not in up and things[uid].endswith(f"/{name}"))
            tag = next(alike, None)
        if tag is not None:
            up.add(tag)
    return frozenset(up)


def _sea_salt_paper(
    setup: Setup, seed: int, enrolled: Mapping[str, str], now: Callable[[], Timeline]
) -> TableTop:
    tags = _Tags(setup.game, enrolled)
    cards = names_of(Match.start(setup).state.terms.cards)
    by_name = dict(zip(cards, tags.of(cards), strict=True))

    def lying() -> Lying:
        return _cards_now(by_name, seed, now().match.state)

    seats = [f"seat-{number}" for number in range(1, len(setup.players) + 1)]
    return TableTop(tags.things, lying, ("draw", "discard-1", "discard-2", *seats))


def _cards_now(by_name: Mapping[str, str], seed: int, state: SaltState) -> Lying:
    order = SeededChance(seed).shuffled(f"round {state.dealt} {state.shuffles}", sorted(by_name))

    def in_order(cards: int) -> list[str]:
        # In the order of the deck, which tells nothing of what they are.
        names = set(names_of(cards))
        return [by_name[name] for name in order if name in names]

    def named(cards: Sequence[int]) -> list[str]:
        return [by_name[name_of(card)] for card in cards]

    if state.phase == "deal":
        # Before a round all cards are gathered and shuffled.
        state = before_first_deal(state.terms, state.seat)
    deck = in_order(state.deck)
    looked: list[str] = []
    if state.looking == DECK_LOOKED_AT:
        looked = in_order(state.looked) if state.looked else deck[-LOOKED_AT_BY_LOBSTER:]
    places = {
        "deck": Place([uid for uid in deck if uid not in looked]),
        "looked": Place(looked),
        "drawn": Place(named(state.drawn)),
    }
    for pile in PILES:
        lies = named(state.piles[pile - 1])
        places[f"pile-{pile}"] = Place(lies, lies)
    rows = zip(state.hands, state.tables, state.revealed, strict=True)
    for seat, (hand, table, shown) in enumerate(rows, start=1):
        cards = in_order(hand)
        places[f"hand-{seat}"] = Place(cards, cards if shown else ())
        played = in_order(table)
        places[f"table-{seat}"] = Place(played, played)
    return places
