"""Leaves out of a text what is known not to belong there, in every way that it can be spelt."""

from __future__ import annotations

import html
import json
import re
import string
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from operator import xor
from typing import Any
from urllib.parse import quote, quote_plus

from companion.log_tail import without_secrets
from companion.uid import CASCADE_TAG

SHORT = 5
"""A secret or a name no longer than this is left out where it stands alone: it may be a part of
any word."""

_CODE = re.compile(r"/join/[^\s'\"]+|(?<=with the code )\w+|(?<=with the PIN )\w+")
_HEX = re.compile(r"[0-9A-Fa-f][0-9A-Fa-fxX\s:.,;\-]{4,}[0-9A-Fa-f]")
_NUMBER = re.compile(r"(?<!\d)\d{6,}(?!\d)")
_NUMBERS = re.compile(r"(?<!\d)\d{1,3}(?:[\s:.,;\-]{1,2}\d{1,3}){3,}(?!\d)")


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
        self._words = (_Words(secrets, "(a secret)"), _Words(names, "(a player)"))
        ways = [way for uid in uids for way in _ways(uid)]
        self._digits = {spelt for way in ways for spelt in _digits(way)}
        self._sizes = sorted({len(spelt) for spelt in self._digits}, reverse=True)
        self._numbers = {str(int.from_bytes(way, "big")) for way in ways}
        self._lists = {f",{','.join(map(str, way))}," for way in ways}

    def line(self, text: str) -> str:
        """One line of text without them; a very long one is cut."""
        return without_secrets(self.text(text))

    def text(self, text: str) -> str:
        """The text without what was named."""
        text = _CODE.sub(lambda found: "/join/…" if "/" in found[0] else "…", text)
        for words in self._words:
            text = words.left_out(text)
        if not self._digits:
            return text
        text = _NUMBERS.sub(self._without_lists, text)
        text = _HEX.sub(self._without_digits, text)
        return _NUMBER.sub(self._without_number, text)

    def _without_lists(self, found: re.Match[str]) -> str:
        told = f",{','.join(str(int(each)) for each in re.findall(r'[0-9]+', found[0]))},"
        return "…" if any(each in told for each in self._lists) else found[0]

    def _without_number(self, found: re.Match[str]) -> str:
        return "…" if found[0].lstrip("0") in self._numbers else found[0]

    def _without_digits(self, found: re.Match[str]) -> str:
        """What is between the digits does not matter: `04:A3`, `04 a3` and `0x04, 0xA3`."""
        run = re.sub("0[xX]", "  ", found[0])
        places = [place for place, sign in enumerate(run) if sign in string.hexdigits]
        digits = "".join(run[place] for place in places).lower()
        left = list(found[0])
        for size in self._sizes:
            for begin in range(len(digits) - size + 1):
                if digits[begin : begin + size] in self._digits:
                    first, last = places[begin], places[begin + size - 1]
                    left[first : last + 1] = ["…", *[""] * (last - first)]
        return "".join(left)

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


class _Words:
    """Texts that are left out, however they are spelt."""

    def __init__(self, texts: Iterable[str], instead: str) -> None:
        self._instead = instead
        spelt = {way: len(text) for text in texts if text for way in _spellings(text)}
        self._known = tuple({way.casefold() for way in spelt})
        self._pattern = re.compile(
            "|".join(
                rf"(?<!\w){re.escape(way)}(?!\w)" if spelt[way] <= SHORT else re.escape(way)
                for way in sorted(spelt, key=lambda way: (-len(way), way))
            ),
            re.IGNORECASE,
        )

    def left_out(self, text: str) -> str:
        folded = text.casefold()
        if not any(way in folded for way in self._known):
            return text
        return self._pattern.sub(self._instead, text)


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


def _ways(uid: str) -> Iterator[bytes]:
    """The bytes of a UID as readers give them: in either order, with a check byte, or cut."""
    try:
        raw = bytes.fromhex(uid)
    except ValueError:
        return
    check = bytes([reduce(xor, raw, 0)])
    yield from (raw, raw[::-1], raw + check, check + raw[::-1])
    if len(raw) > 4:
        cut = bytes([CASCADE_TAG]) + raw[:3]
        yield from (cut, cut[::-1])


def _digits(way: bytes) -> Iterator[str]:
    """With two digits a byte, and as programs write it that drop zeros."""
    yield way.hex()
    dropped = "".join(f"{byte:x}" for byte in way)
    if len(dropped) > SHORT:
        yield dropped
