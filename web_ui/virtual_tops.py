"""The virtual table of each game, as its page shows it.

It shows what people around a table would see there, and a hand that they have laid open.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.rules.octopus_alarm_words import ANIMALS, AREAS
from companion.snapshot import Snapshot
from web_ui.contracts import VirtualTable
from web_ui.games.face import Face
from web_ui.sentences import Sentence
from web_ui.views import Player, table_top
from web_ui.words import gettext


@dataclass(frozen=True, slots=True)
class Lying:
    """A card, tile or chip on the virtual table.

    Attributes:
        at: its place and number, by which it is moved, such as `hand-1:3`.
        card: what it shows; None while it lies face down.
        label: what people call it.
    """

    at: str
    card: str | None
    label: str


@dataclass(frozen=True, slots=True)
class Big:
    """The one thing to do now.

    Attributes:
        says: what.
        address: to where its button is sent; empty where it is only said.
        place: that it is about.
    """

    says: Sentence
    address: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class _Top:
    """All that the makers of contexts need."""

    virtual: VirtualTable
    snapshot: Snapshot
    face: Face
    players: Sequence[Player]

    def lying(self, places: Mapping[str, Sequence[str | None]], name: str) -> list[Lying]:
        """What lies at this place."""
        cards = places.get(name, ())
        return [
            self._lying(f"{name}:{number}", component) for number, component in enumerate(cards)
        ]

    def _lying(self, at: str, component: str | None) -> Lying:
        if component is None:
            return Lying(at, None, gettext("face down"))
        card = self.word(component.partition("/")[2])
        return Lying(at, card, self.face.component(card))

    def word(self, name: str) -> str:
        """What is on a tag, in the words of this game: the table may call its animals otherwise."""
        name = name.removeprefix("chip-")
        chosen = str(self.snapshot.options.get("animals", "")).split(",")
        if name in ANIMALS and len(chosen) == len(ANIMALS):
            return chosen[ANIMALS.index(name)].strip()
        return name


def top_of(
    virtual: VirtualTable, snapshot: Snapshot, face: Face, players: Sequence[Player]
) -> Mapping[str, Any]:
    """What the template of the virtual table needs beside the board."""
    top = _Top(virtual, snapshot, face, players)
    make = _MAKERS.get(snapshot.game_name) if virtual.places() else None
    readers = virtual.readers()
    shown = table_top(virtual, snapshot, face, players)
    if make:
        idle = _IDLE[snapshot.game_name]
        tokens = [each for each in shown["others"] if not each.component.startswith(idle)]
        shown = {**shown, "others": tokens}
    return {
        **shown,
        "kind": snapshot.game_name if make else "pile",
        "readers": readers,
        "unplugged": [reader for reader, _, plugged in readers if not plugged],
        "reads_twice": virtual.reads_twice,
        "top": make(top) if make else {},
    }


def _octopus_alarm(top: _Top) -> Mapping[str, Any]:
    state, places = top.snapshot.state, top.virtual.places()
    told = top.snapshot.standing.phase != "reef" or "unknown" not in state["reef"]
    ship = top.virtual.ship
    return {
        "big": _of_the_sea(top, told=told),
        "areas": [
            {
                "number": area,
                "ship": state["ship"] == area,
                "billy": state["billy"] == area,
                "tiles": top.lying(places, f"area-{area}"),
            }
            for area in range(AREAS)
        ],
        "stacks": [
            {
                "number": stack,
                "left": len(places.get(f"stack-{stack}", ())),
                "top": next(iter(top.lying(places, f"stack-{stack}")[-1:]), None),
            }
            for stack in range(AREAS)
        ],
        "angle": None if ship is None else ship.angle,
    }


def _of_the_sea(top: _Top, *, told: bool) -> Big | None:
    state = top.snapshot.state
    match top.snapshot.standing.phase:
        case "reef" if not told and not top.snapshot.step:
            return Big(Sentence("pile", gettext("Lay out the board")), "/virtual/lay-out")
        case "sail":
            areas = {(state["ship"] + far) % AREAS for far in (1, 2)} - {state["billy"]}
            return Big(
                Sentence(
                    "turn-over",
                    gettext("Sail and turn: press a tile of area %(areas)s"),
                    {},
                    {"areas": gettext(" or ").join(map(str, sorted(areas)))},
                )
            )
        case "flip" | "choose":
            press = gettext("Press a tile of area %(area)s that lies face down")
            return Big(Sentence("turn-over", press, {}, {"area": state["ship"]}))
        case "take":
            return Big(Sentence("touch", gettext("Press the chip that is taken")))
        case "reef":
            return Big(Sentence("touch", gettext("Press the chip that came up on the reef")))
        case "alarm":
            return Big(Sentence("service", gettext("Push the ship, or let it stand")))
    return None


def _sea_salt_paper(top: _Top) -> Mapping[str, Any]:
    places = top.virtual.places()
    turn = top.snapshot.standing.turn
    hands = [
        {
            "player": player,
            "number": number,
            "place": f"hand-{number}",
            "active": player.name == turn,
            "open": None not in places.get(f"hand-{number}", ()),
            "cards": top.lying(places, f"hand-{number}"),
            "table": top.lying(places, f"table-{number}"),
        }
        for number, player in enumerate(top.players, start=1)
    ]
    hands.sort(key=lambda hand: not hand["active"])
    looking = top.snapshot.standing.phase in ("look", "pick")
    piles = []
    for number in (1, 2):
        cards = top.lying(places, f"pile-{number}")
        piles.append(
            {"number": number, "count": len(cards), "cards": cards if looking else cards[-1:]}
        )
    return {
        "big": _of_the_cards(top, places),
        "deck": len(places.get("deck", ())),
        "piles": piles,
        "drawn": top.lying(places, "drawn"),
        "looked": top.lying(places, "looked"),
        "hands": hands,
    }


def _of_the_cards(top: _Top, places: Mapping[str, Sequence[str | None]]) -> Big | None:
    match top.snapshot.standing.phase:
        case "deal":
            return Big(Sentence("pile", gettext("Deal: open both piles")), "/virtual/deal")
        case "take" if places.get("deck"):
            return Big(Sentence("pile", gettext("Draw two cards")), "/virtual/draw")
        case "fish" | "stung" if places.get("deck"):
            return Big(Sentence("pile", gettext("Draw one card")), "/virtual/draw")
        case "take":
            return Big(Sentence("touch", gettext("Choose the top of a pile, then the hand")))
        case "keep" if None in places.get("drawn", ()):
            look = Sentence("seen", gettext("Look at the two cards"))
            return Big(look, "/virtual/turn-over", "drawn")
        case "keep":
            return Big(Sentence("touch", gettext("Choose the card to keep, then the hand")))
        case "discard":
            return Big(Sentence("touch", gettext("Choose the other card, then a pile")))
        case "play":
            return Big(Sentence("touch", gettext("Play a pair card by card, or lay down “pass”")))
        case "look" | "pick":
            return Big(Sentence("touch", gettext("Choose a card of the pile, then the hand")))
        case "steal":
            steal = gettext("Choose a card of another hand, then the own hand")
            return Big(Sentence("touch", steal))
    return None


_IDLE = {
    "octopus-alarm": ("player/", "control/shuffle"),
    "sea-salt-paper": ("player/",),
}
"""Tokens that mean nothing in the game."""

_MAKERS: Mapping[str, Callable[[_Top], Mapping[str, Any]]] = {
    "octopus-alarm": _octopus_alarm,
    "sea-salt-paper": _sea_salt_paper,
}
