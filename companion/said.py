"""Sentences that remember how they were made, so that a page can tell them in any language.

Pure. Each of these is an English text like any other: it compares, is sorted, and is written
into JSON and onto the disk as one. A page that knows its reader's language looks at what it was
made of (`web_ui.words.told`). What went through JSON is plain text again, unless it was kept
with `kept` and read with `recalled`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, Self


class Text(str):
    """An English text that knows more than its letters."""

    __slots__ = ()

    def __str__(self) -> str:
        """The same one, so that an exception gives back whole what it was made from."""
        return self

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memory: object) -> Self:
        return self


class Said(Text):
    """A sentence, or a part of one that can stand for itself.

    Attributes:
        template: in English, with `%(part)s` where a part belongs.
        many: the template for any number but one; empty where nothing is counted.
        parts: by name; a part may itself be one of the texts of this module. What is counted
            is `num`.
    """

    __slots__ = ("many", "parts", "template")

    template: str
    many: str
    parts: Mapping[str, object]

    def __new__(cls, template: str, parts: Mapping[str, object], many: str = "") -> Self:
        """The sentence in English."""
        said = super().__new__(cls, (many if many and parts["num"] != 1 else template) % parts)
        said.template, said.many, said.parts = template, many, parts
        return said

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.template, self.parts, self.many


class Listed(Text):
    """Things one after the other, such as `dots, rings`.

    Attributes:
        things: each a text or a number.
        between: what stands between two of them.
    """

    __slots__ = ("between", "things")

    things: tuple[object, ...]
    between: str

    def __new__(cls, things: Iterable[object], between: str = ", ") -> Self:
        """The list."""
        things = tuple(things)
        listed = super().__new__(cls, between.join(map(str, things)))
        listed.things, listed.between = things, between
        return listed

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.things, self.between


class Capital(Text):
    """A text that begins a sentence.

    Attributes:
        text: as it is within a sentence.
    """

    __slots__ = ("text",)

    text: str

    def __new__(cls, text: str) -> Self:
        """The text with its first letter large."""
        capital = super().__new__(cls, text[:1].upper() + text[1:])
        capital.text = text
        return capital

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (self.text,)


class Thing(Text):
    """A card, tile, chip or pattern by its component's name, for which a page has a word."""

    __slots__ = ()


def say(template: str, /, **parts: object) -> Said:
    """The sentence of this template, such as `say("It is %(player)s's turn.", player="Ann")`."""
    return Said(template, parts)


def template(text: str) -> str:
    """The text as it is: a template that somebody else will fill, marked to be translated."""
    return text


def say_number(one: str, many: str, count: int, /, **parts: object) -> Said:
    """The sentence for this number of things, which is the part `num`."""
    return Said(one, {"num": count, **parts}, many)


def either(things: Iterable[object]) -> str:
    """The things as a choice: `0, 2 or 3`."""
    *most, last = things
    return say("%(most)s or %(last)s", most=Listed(most), last=last) if most else str(last)


def together(things: Iterable[object], word: Literal["and", "or"] = "and") -> str:
    """All of the things, with the same word between any two: `Ann and Bo and Kari`."""
    *most, last = things
    if not most:
        return str(last)
    if word == "or":
        return say("%(most)s or %(last)s", most=together(most, word), last=last)
    return say("%(most)s and %(last)s", most=together(most), last=last)


def kept(text: object) -> Any:  # noqa: ANN401 - a value of JSON
    """The text as a value of JSON that `recalled` makes whole again."""
    match text:
        case Said():
            parts = {name: kept(part) for name, part in text.parts.items()}
            return {"said": text.template, "many": text.many, "parts": parts}
        case Listed():
            return {"listed": [kept(thing) for thing in text.things], "between": text.between}
        case Capital():
            return {"capital": kept(text.text)}
        case Thing():
            return {"thing": f"{text}"}
    return text


def recalled(value: Any) -> Any:  # noqa: ANN401 - a value of JSON
    """The text that was kept so; of what is no such value, the value itself.

    Raises:
        KeyError, TypeError, ValueError: it was not made by `kept`.
    """
    match value:
        case {"said": template, "many": many, "parts": parts}:
            return Said(template, {name: recalled(part) for name, part in parts.items()}, many)
        case {"listed": things, "between": between}:
            return Listed([recalled(thing) for thing in things], between)
        case {"capital": text}:
            return Capital(recalled(text))
        case {"thing": name}:
            return Thing(name)
    return value
