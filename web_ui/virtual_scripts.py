"""What is shown of each game: captions, and the things that are moved meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from web_ui.contracts import Push, VirtualTable
from web_ui.sentences import Sentence
from web_ui.words import gettext

Gesture: TypeAlias = Callable[[VirtualTable], None]
Names: TypeAlias = Sequence[str]

SETTLES_S = 7.0
"""So long a judge looks at a ship that was hit."""


@dataclass(frozen=True, slots=True)
class Step:
    """One caption and what is done while it stands.

    Attributes:
        caption: in the language of whoever reads it, with the players' names in it.
        gestures: in order.
        looks_s: how long people look at what came of it.
    """

    caption: Callable[[Names], Sentence]
    gestures: tuple[Gesture, ...] = ()
    looks_s: float = 1.6


@dataclass(frozen=True, slots=True)
class Script:
    """A show.

    Attributes:
        steps: in order.
        seed: how things lie in it.
        options: of the game.
    """

    steps: tuple[Step, ...]
    seed: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)


def _said(icon: str, text: Callable[[], str]) -> Callable[[Names], Sentence]:
    # The text is looked up when it is read: each device has its own language.
    return lambda names: Sentence(icon, text(), {"ann": names[0], "bo": names[1]})


def _tap(component: str, station: str = "") -> Gesture:
    return lambda virtual: virtual.tap(component, station)


def _token(name: str) -> Gesture:
    return _tap(f"control/{name}")


def lay_out(virtual: VirtualTable) -> None:
    """Tap all tiles, area by area, and the reef, stack by stack from the bottom up."""
    for area in range(4):
        for number in range(4):
            virtual.lay(f"area-{area}", number, f"area-{area}")
    for stack in range(4):
        for number in range(6):
            virtual.lay(f"stack-{stack}", number, "reef")


def deal(virtual: VirtualTable) -> None:
    """Open both piles."""
    virtual.lay("deck", -1, "discard-1")
    virtual.lay("deck", -2, "discard-2")


def draw(virtual: VirtualTable, count: int) -> None:
    """Lay the top cards of the deck on the reader beside it."""
    for number in range(1, count + 1):
        virtual.lay("deck", -number, "draw")


def _draw_two(virtual: VirtualTable) -> None:
    draw(virtual, 2)


def _push(how: Push) -> Gesture:
    return lambda virtual: virtual.push(how)


def _tile(area: int, face: str) -> Gesture:
    place = f"area-{area}"
    return lambda virtual: virtual.lay(*virtual.find(f"octopus-alarm/{face}", place), place)


def _card(name: str, station: str) -> Gesture:
    return _tap(f"sea-salt-paper/{name}", station)


_TENTACLES = Script(
    (
        Step(
            _said(
                "pile", lambda: gettext("Each player is an octopus with five arms. Five fish win.")
            ),
        ),
        Step(
            _said(
                "card", lambda: gettext("%(ann)s turns the top card: a fish comes onto that arm.")
            ),
            (_tap("tentacles/dots"),),
        ),
        Step(
            _said(
                "turn-over", lambda: gettext("One more? %(ann)s dares it, and it is a fish again.")
            ),
            (_tap("tentacles/waves"),),
        ),
        Step(
            _said("stop", lambda: gettext("%(ann)s keeps both fish and lays down “stop”.")),
            (_token("stop"),),
        ),
        Step(
            _said("card", lambda: gettext("%(bo)s turns a card, too.")),
            (_tap("tentacles/rings"),),
        ),
        Step(
            _said(
                "steal",
                lambda: gettext(
                    "A tentacle! It takes that fish from %(ann)s, and the turn is over."
                ),
            ),
            (_tap("tentacles/dots-tentacle"), _tap("player/1")),
        ),
        Step(
            _said("card", lambda: gettext("%(ann)s begins again with one fish, and finds a star.")),
            (_tap("tentacles/stars"),),
        ),
        Step(
            _said(
                "eyes", lambda: gettext("Eyes take the fish of their pattern, and end the turn.")
            ),
            (_tap("tentacles/waves-eyes"),),
        ),
        Step(
            _said("card", lambda: gettext("%(bo)s has two fish and wants more …")),
            (_tap("tentacles/stripes"),),
        ),
        Step(
            _said("octopus", lambda: gettext("… and meets the octopus: all fish swim away!")),
            (_tap("tentacles/octopus"),),
        ),
        Step(
            _said("undo", lambda: gettext("Misread? “Take back” undoes the last step, any time.")),
            (_token("undo"),),
        ),
        Step(
            _said("crown", lambda: gettext("So it goes on, until one has five fish. Now you!")),
        ),
    )
)

_OCTOPUS_ALARM = Script(
    (
        Step(
            _said(
                "pile",
                lambda: gettext(
                    "Sixteen tiles lie face down, and the reef is built. All are tapped once."
                ),
            ),
            (lay_out,),
        ),
        Step(
            _said(
                "turn-over",
                lambda: gettext(
                    "%(ann)s sails one area and turns a tile. Its animal lies on the reef!"
                ),
            ),
            (_tile(1, "snail"),),
        ),
        Step(
            _said(
                "touch",
                lambda: gettext("The chip belongs to %(ann)s now. Another tile, another one."),
            ),
            (_tile(1, "starfish"),),
        ),
        Step(
            _said(
                "waves",
                lambda: gettext("A wave carries the ship on, and there a tile must be turned."),
            ),
            (_tile(1, "wave"), _tile(2, "squid")),
        ),
        Step(
            _said(
                "stop",
                lambda: gettext(
                    "That is enough: %(ann)s lays down “stop”, and all tiles turn back."
                ),
            ),
            (_token("stop"),),
        ),
        Step(
            _said(
                "octopus",
                lambda: gettext(
                    "%(bo)s sails two areas and turns Lille-Billy: he comes nearer. Alarm!"
                ),
            ),
            (_tile(0, "billy"),),
        ),
        Step(
            _said(
                "service",
                lambda: gettext("Ship and octopus meet, so the ball swings … the ship falls."),
            ),
            (_push("falls"),),
            SETTLES_S,
        ),
        Step(
            _said(
                "again", lambda: gettext("%(bo)s has one provision less. Stand the ship up again.")
            ),
            (_push("stands"),),
            2.5,
        ),
        Step(
            _said(
                "seen",
                lambda: gettext("Tiles never move: %(ann)s remembers the snail. Nine animals win."),
            ),
            (_tile(1, "snail"),),
        ),
        Step(_said("crown", lambda: gettext("So it goes on. Now you!"))),
    ),
    seed=2,
)

_SEA_SALT_PAPER = Script(
    (
        Step(_said("pile", lambda: gettext("Two cards open the piles.")), (deal,)),
        Step(
            _said("card", lambda: gettext("%(ann)s draws two cards …")),
            (_draw_two,),
        ),
        Step(
            _said("touch", lambda: gettext("… keeps the crab, and lays the other one on a pile.")),
            (_card("crab-green", "seat-1"), _card("octopus-purple", "discard-1")),
        ),
        Step(
            _said("stop", lambda: gettext("“Pass” ends the turn.")),
            (_token("pass"),),
        ),
        Step(
            _said("card", lambda: gettext("%(bo)s draws, keeps the boat, and lays down a crab.")),
            (
                _draw_two,
                _card("boat-yellow-2", "seat-2"),
                _card("crab-yellow-1", "discard-2"),
                _token("pass"),
            ),
        ),
        Step(
            _said(
                "touch",
                lambda: gettext("A crab on top of the pile! %(ann)s takes it instead of drawing."),
            ),
            (_card("crab-yellow-1", "seat-1"),),
        ),
        Step(
            _said(
                "touch", lambda: gettext("Two crabs are a pair: they are played, for one point …")
            ),
            (_card("crab-green", "play"), _card("crab-yellow-1", "play")),
        ),
        Step(
            _said(
                "seen", lambda: gettext("… and crabs may look through a pile and take one card.")
            ),
            (_card("octopus-green", "seat-1"),),
        ),
        Step(_said("stop", lambda: gettext("“Pass” ends the turn.")), (_token("pass"),)),
        Step(
            _said(
                "card", lambda: gettext("%(bo)s draws another boat: two boats give another turn.")
            ),
            (
                _draw_two,
                _card("boat-black-1", "seat-2"),
                _card("crab-dark-blue-2", "discard-2"),
                _card("boat-yellow-2", "play"),
                _card("boat-black-1", "play"),
            ),
        ),
        Step(
            _said(
                "crown",
                lambda: gettext(
                    "With seven points the round may be ended. Now you, in the place of %(bo)s!"
                ),
            )
        ),
    ),
    seed=949,
)

SCRIPTS: Mapping[str, Script] = {
    "tentacles": _TENTACLES,
    "octopus-alarm": _OCTOPUS_ALARM,
    "sea-salt-paper": _SEA_SALT_PAPER,
}
