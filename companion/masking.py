"""Leaves out of a text what is known not to belong there, in every way that it can be spelt."""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from operator import xor
from typing import Any
from urllib.parse import quote, quote_plus

from companion.log_tail import without_secrets

SHORT = 5
"""A secret or a name no longer than this is left out where it stands alone: it may be a part of
any word."""

_CODE = re.compile(r"/join/[^\s'\"]+")
_BETWEEN = r"[\s:.,;\-]{0,2}(?:0x)?"


class Mask:
    """Leaves these out of texts, and what looks like a UID, a card, a link or somebody's folder.

    Args:
        names: of players.
        uids: of tags, canonical.
        secrets: tokens, codes and passwords.
    """

    def __init__(
        self,
        names: Iterable[str] = (),
        uids: Iterable[str] = (),
        secrets: Iterable[str] = (),
    ) -> None:
        self._patterns = tuple(
            (re.compile(pattern, re.IGNORECASE), instead)
            for pattern, instead in (
                (_any_of(secrets), "(a secret)"),
                ("|".join(sorted({p for uid in uids for p in _of_uid(uid)}, key=_longest)), "…"),
                (_any_of(names), "(a player)"),
            )
            if pattern
        )

    def line(self, text: str) -> str:
        """One line of text without them; a very long one is cut."""
        return without_secrets(self.text(text))

    def text(self, text: str) -> str:
        """The text without what was named."""
        text = _CODE.sub("/join/…", text)
        for pattern, instead in self._patterns:
            text = pattern.sub(instead, text)
        return text

    def lines(self, text: str) -> str:
        """A text of many lines."""
        return "".join(f"{self.line(each)}\n" for each in text.splitlines())

    def value(self, value: Any) -> Any:  # noqa: ANN401 - JSON
        """The same for what becomes JSON."""
        match value:
            case str():
                return self.line(value)
            case Mapping():
                return {self.line(str(key)): self.value(of) for key, of in value.items()}
            case list() | tuple():
                return [self.value(each) for each in value]
        return value


def _longest(text: str) -> tuple[int, str]:
    return -len(text), text


def _any_of(texts: Iterable[str]) -> str:
    spelt = {way: len(text) for text in texts if text for way in _spellings(text)}
    return "|".join(
        rf"(?<!\w){re.escape(way)}(?!\w)" if spelt[way] <= SHORT else re.escape(way)
        for way in sorted(spelt, key=_longest)
    )


def _spellings(text: str) -> Iterator[str]:
    """As it is, and as pages, addresses and files of JSON and Python write it."""
    for form in ("NFC", "NFD"):
        plain = unicodedata.normalize(form, text)
        yield plain
        yield quote(plain, safe="")
        yield quote(plain)
        yield quote_plus(plain)
        yield html.escape(plain)
        yield json.dumps(plain)[1:-1]
        yield json.dumps(plain, ensure_ascii=False)[1:-1]
        yield repr(plain)[1:-1]
        yield ascii(plain)[1:-1]


def _of_uid(uid: str) -> Iterator[str]:
    """Patterns of a UID as readers and programs spell it."""
    try:
        raw = bytes.fromhex(uid)
    except ValueError:
        return
    check = bytes([reduce(xor, raw, 0)])
    for way in (raw, raw[::-1], raw + check, check + raw[::-1]):
        yield _BETWEEN.join(f"{byte:02x}" for byte in way)
        dropped = "".join(f"{byte:x}" for byte in way)
        if len(dropped) > SHORT:
            yield rf"(?<![0-9a-f]){dropped}(?![0-9a-f])"
        yield rf"(?<!\d)0*{int.from_bytes(way, 'big')}(?!\d)"
        yield r"(?<!\d)" + r"[\s:.,;\-]{1,2}".join(f"0*{byte}" for byte in way) + r"(?!\d)"
