"""What was chosen so far. It travels in the addresses of the wizard's pages.

So back and forward keep it, two people may set up at once, and nothing is kept of what was
not started.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self
from urllib.parse import urlencode

from werkzeug.datastructures import MultiDict

from companion.household import SHAPES
from companion.rules import GAMES, game_named
from companion.rules.api import Counts, Number, Option, Refusal, Switch
from companion.said import say
from web_ui.names import LONGEST_NAME, one_line

MOST_PLAYERS = 6


@dataclass(frozen=True, slots=True)
class Chair:
    """A player who will play.

    Attributes:
        name: as people write it; may still be empty.
        shape: one of `SHAPES`.
    """

    name: str
    shape: str


@dataclass(frozen=True, slots=True)
class Draft:
    """A game that is being set up.

    Attributes:
        game: its name in the play protocol.
        chairs: in seating order; the first one begins.
        options: as the form spells them: texts by name, without those that are as usual.
    """

    game: str
    chairs: tuple[Chair, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, given: MultiDict[str, str]) -> Self:
        """The draft that an address or a form carries; what makes no sense is left out."""
        game = given.get("game", "")
        if game not in GAMES:
            game = next(iter(GAMES))
        names = [clean(name) for name in given.getlist("player")][:MOST_PLAYERS]
        shapes = given.getlist("shape")
        chairs = tuple(
            Chair(name, shapes[at] if at < len(shapes) and shapes[at] in SHAPES else "")
            for at, name in enumerate(names)
        )
        known = {option.name for option in game_named(game).options}
        options = {
            name: text.strip() for name in known if (text := given.get(f"o-{name}", "")).strip()
        }
        return cls(game, _with_shapes(chairs), options)

    @classmethod
    def asked(
        cls, game: str, players: Sequence[str], starter: str | None, options: Mapping[str, object]
    ) -> Self:
        """The draft that begins with what the settings ask of a new game; who starts sits first."""
        first = players.index(starter) if starter in players else 0
        chairs = tuple(Chair(clean(name), "") for name in (*players[first:], *players[:first]))
        known = {option.name for option in game_named(game).options}
        texts = {name: _text(value) for name, value in options.items() if name in known}
        return cls(game, _with_shapes(chairs[:MOST_PLAYERS]), texts)

    @property
    def players(self) -> tuple[str, ...]:
        """The names that were given."""
        return tuple(chair.name for chair in self.chairs if chair.name)

    def pairs(self) -> Iterator[tuple[str, str]]:
        """The draft as fields of a form."""
        yield "game", self.game
        for chair in self.chairs:
            yield "player", chair.name
            yield "shape", chair.shape
        for name, text in self.options.items():
            yield f"o-{name}", text

    def address(self, path: str) -> str:
        """A page of the wizard that knows this draft."""
        return f"{path}?{urlencode(list(self.pairs()))}"

    def chosen(self) -> dict[str, Any]:
        """The options as the rules take them.

        Raises:
            Refusal: `bad-option`, with what is possible.
        """
        known = {option.name: option for option in game_named(self.game).options}
        return {name: _value(known[name], text) for name, text in self.options.items()}

    # What a button of the players' page does

    def sat(self, name: str, shape: str = "") -> Self:
        """One more player, in an empty chair where there is one."""
        chairs = list(self.chairs)
        for at, chair in enumerate(chairs):
            if not chair.name:
                chairs[at] = Chair(name, shape or chair.shape)
                break
        else:
            if len(chairs) < game_named(self.game).seats[-1]:
                chairs.append(Chair(name, shape))
        return replace(self, chairs=_with_shapes(tuple(chairs)))

    def moved(self, at: int, by: int) -> Self:
        """A player sits one place further to the front or to the back."""
        chairs = list(self.chairs)
        if 0 <= at < len(chairs) and 0 <= at + by < len(chairs):
            chairs.insert(at + by, chairs.pop(at))
        return replace(self, chairs=tuple(chairs))

    def without(self, at: int) -> Self:
        """A player stays away."""
        return replace(self, chairs=tuple(c for k, c in enumerate(self.chairs) if k != at))

    def filled(self) -> Self:
        """At least as many chairs as the game needs."""
        lacking = game_named(self.game).seats[0] - len(self.chairs)
        more = tuple(Chair("", "") for _ in range(lacking))
        return replace(self, chairs=_with_shapes((*self.chairs, *more)))


def clean(name: str) -> str:
    """A name in one line, cut where a TV could not show it."""
    return one_line(name)[:LONGEST_NAME].strip()


def _with_shapes(chairs: tuple[Chair, ...]) -> tuple[Chair, ...]:
    """Each chair with a shape of its own, the first of two keeping it."""
    taken: set[str] = set()
    kept = []
    for chair in chairs:
        shape = chair.shape if chair.shape not in taken else ""
        taken.add(shape)
        kept.append(shape)
    free = iter([shape for shape in SHAPES if shape not in taken])
    return tuple(
        Chair(chair.name, shape or next(free, SHAPES[0]))
        for chair, shape in zip(chairs, kept, strict=True)
    )


def _text(value: object) -> str:
    """An option of the settings as the form spells it."""
    match value:
        case bool():
            return "true" if value else "false"
        case Mapping():
            return ", ".join(f"{name} {count}" for name, count in value.items())
    return f"{value}"


def _value(option: Option, text: str) -> Any:  # noqa: ANN401 - of any option
    match option:
        case Number():
            return int(text) if text.isdecimal() and len(text) < 10 else text
        case Switch():
            return {"true": True, "false": False}.get(text, text)
        case Counts():
            return dict(_counts(text))
        case _:
            return text


def _counts(text: str) -> Iterator[tuple[str, int]]:
    for part in text.split(","):
        if not part.strip():
            continue
        name, _, count = part.replace("=", " ").strip().rpartition(" ")
        if not count.isdecimal() or len(count) > 6:
            raise Refusal(
                "bad-option",
                say("A deck is told card by card, such as: dots 5, rings 4, octopus 3."),
            )
        yield name.strip(), int(count)
