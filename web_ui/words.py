"""Texts in the reader's language.

`gettext` and `ngettext` give them unfilled: the parts are put in where they are written out. The
names are those that tools look for when they collect the texts to translate. `told` gives the
engine's sentences whole: every template of a page passes what it writes through it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from flask_babel import get_translations

from companion.said import Capital, Listed, Said, Text, Thing

T = TypeVar("T")

_names: dict[str, Callable[[str], str]] = {}
"""By component, what gives its name in the reader's language."""


def gettext(text: str) -> str:
    """The text in the reader's language, with its `%(part)s` still open."""
    return str(get_translations().ugettext(text))


def ngettext(one: str, many: str, count: int) -> str:
    """The form for this count in the reader's language, with `%(num)d` still open."""
    return str(get_translations().ungettext(one, many, count))


def call_things(names: Iterable[str], called: Callable[[str], str]) -> None:
    """Let these components be called so within the engine's sentences.

    Args:
        names: of components, patterns and whatever else is a `Thing`.
        called: gives the name in the reader's language.
    """
    _names.update(dict.fromkeys(names, called))


def told(text: T) -> T | str:
    """A text of the engine in the reader's language; whatever else it is, as it is."""
    if not isinstance(text, Text):
        return text
    match text:
        case Said():
            return _template(text) % {name: told(part) for name, part in text.parts.items()}
        case Listed():
            return text.between.join(str(told(thing)) for thing in text.things)
        case Capital():
            within = str(told(text.text))
            return within[:1].upper() + within[1:]
        case Thing():
            name = str.__str__(text)
            return _names.get(name, gettext)(name) if name else name
    return text


def _template(said: Said) -> str:
    if not said.many:
        return gettext(said.template)
    count = said.parts["num"]
    return ngettext(said.template, said.many, count if isinstance(count, int) else 1)
