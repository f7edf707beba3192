"""Texts in the reader's language, unfilled: the parts are put in where they are written out.

The names are those that tools look for when they collect the texts to translate.
"""

from __future__ import annotations

from flask_babel import get_translations


def gettext(text: str) -> str:
    """The text in the reader's language, with its `%(part)s` still open."""
    return str(get_translations().ugettext(text))


def ngettext(one: str, many: str, count: int) -> str:
    """The form for this count in the reader's language, with `%(num)d` still open."""
    return str(get_translations().ungettext(one, many, count))
