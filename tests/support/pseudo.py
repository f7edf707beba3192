"""A language in which every text is set in brackets, so that what nobody translated stands out.

Only what the catalogues can have is set in brackets: a text that is put together where it is
shown, or that no template and no `say` knows, is left as it is. So are the parts of a text: names
of players are theirs, and whatever else is in them must be a text of its own.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cache
from html.parser import HTMLParser

import flask_babel
import pytest

from tests import translations

_PARTS = re.compile(r"(%\(\w+\)[sd]|\|)")
"""What is filled in, and what parts two words of one text that are shown at different places."""
_TOLD = re.compile("⟦[^⟦⟧]*⟧")
_WORD = re.compile(r"[^\W\d_]{2,}")
_CODE = re.compile(r"\d{3} · [a-z-]+")
"""Under an error stands its code, for who asks somebody else."""
SHOWN = ("alt", "aria-label", "placeholder", "title")
"""The attributes that people see or hear."""
NEVER = {"Tidetable", "CSV", "JSON", "mm", "cm"}
"""What is the same in all languages."""


@cache
def _known() -> frozenset[str]:
    keys = translations.texts()
    return frozenset(text for key in keys for text in (key if isinstance(key, tuple) else (key,)))


def bracketed(text: str) -> str:
    """The text with all but its parts in brackets."""
    pieces = _PARTS.split(text)
    return "".join(
        piece if place % 2 or not piece.strip() else f"⟦{piece}⟧"
        for place, piece in enumerate(pieces)
    )


class Pseudo:
    """As gettext has a catalogue."""

    @staticmethod
    def ugettext(text: str) -> str:
        return bracketed(text) if text in _known() else text

    @staticmethod
    def ungettext(one: str, many: str, count: int) -> str:
        return Pseudo.ugettext(one if count == 1 else many)


@pytest.fixture
def pseudo(monkeypatch):
    """Whoever wants another language than English gets the one in brackets."""
    english = flask_babel.support.NullTranslations()

    def chosen(_domain):
        locale = flask_babel.get_locale()
        return english if locale is None or str(locale) == "en" else Pseudo

    monkeypatch.setattr(flask_babel.Domain, "get_translations", chosen)


@pytest.fixture
def bracketing(monkeypatch):
    """The engine's sentences are told in brackets, with no page and no request."""
    monkeypatch.setattr("web_ui.words.get_translations", lambda: Pseudo)


def untold(text: str, names: Collection[str] = ()) -> list[str]:
    """The words of a text that are in no catalogue and are none of these names."""
    rest = _CODE.sub(" ", _TOLD.sub(" ", text))
    for name in sorted(names, key=len, reverse=True):
        rest = rest.replace(name, " ")
    return [word for word in _WORD.findall(rest) if word not in NEVER]


class _Texts(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self._within: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        if tag in ("script", "style"):
            self._within.append(tag)
        self.found += [value for name, value in attrs if name in SHOWN and value]

    def handle_endtag(self, tag):
        if self._within and self._within[-1] == tag:
            self._within.pop()

    def handle_data(self, data):
        if not self._within and data.strip():
            self.found.append(" ".join(data.split()))


def texts_of(html: str) -> list[str]:
    """The texts of a page, also those for the ear."""
    return _Texts(html).found


def english_left(html: str, names: Collection[str] = ()) -> Iterator[str]:
    """The texts of a page, also those for the ear, that nobody can translate."""
    for text in texts_of(html):
        if untold(text, names):
            yield text
