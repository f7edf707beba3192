"""How an option of a game is told in plain words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from companion.said import Thing
from web_ui.sentences import Sentence
from web_ui.words import told


@dataclass(frozen=True, slots=True)
class Value:
    """One of a few values that an option may have.

    Attributes:
        value: as the game takes it.
        told: what it means at the table.
    """

    value: str | bool
    told: Sentence

    @property
    def key(self) -> str:
        """How a form spells it."""
        return str(self.value).lower() if isinstance(self.value, bool) else self.value


@dataclass(frozen=True, slots=True)
class HouseRule:
    """An option of a game.

    Attributes:
        name: as the play protocol spells it.
        title: what it is about.
        values: the usual one first; () where it is a number or a text.
        number: the least and the greatest, where it is a number.
        free_text: it is a text that people write.
        usual: what holds when the table chose nothing; None where nothing does.
        seldom: it is asked last, out of the way of those who just want to play.
    """

    name: str
    title: Sentence
    values: tuple[Value, ...] = ()
    number: tuple[int, int] | None = None
    free_text: bool = False
    usual: object = None
    seldom: bool = False

    def is_usual(self, chosen: object) -> bool:
        """Whether that is what most tables play."""
        return chosen is None or chosen == self.usual

    def told(self, chosen: object) -> Sentence:
        """What holds, in one sentence; `chosen` is None where the table chose nothing."""
        value = self.usual if chosen is None else chosen
        for each in self.values:
            if each.value == value:
                return each.told
        if isinstance(value, Mapping):
            text = ", ".join(
                f"{told(Thing(name))} {count}" for name, count in value.items() if count
            )
        elif isinstance(value, tuple | list):
            text = ", ".join(str(told(Thing(each))) for each in value)
        else:
            text = "" if value is None else str(value)
        return Sentence(self.title.icon, "%(value)s", {"value": text or "—"})


@dataclass(frozen=True, slots=True)
class InForce:
    """An option as this table plays it.

    Attributes:
        title: what it is about.
        told: what holds.
        usual: whether that is what most tables play.
    """

    title: Sentence
    told: Sentence
    usual: bool
