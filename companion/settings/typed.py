"""Changes as they are typed: `port=80`, `readers=["pcsc:"]`, `wifi.ssid=Tide`, `stations.pcsc-1=draw`.

A value is spelt as in the file, or is a plain text. Nothing is judged here but where it goes:
whoever writes the change checks all of the file.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from companion.settings.sections import ConfigError, Key, keys_of, unknown

ASKED = "-"
"""In place of a value: it comes by another way, where nobody sees it."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value goes.

    Attributes:
        steps: such as `("wifi", "ssid")`, or `("stations", "pcsc-1")`.
        key: the key that it belongs to; for a whole section the one that opens it.
    """

    steps: tuple[str, ...]
    key: Key = field(compare=False)

    @property
    def path(self) -> str:
        """As it is typed."""
        return ".".join(self.steps)

    @property
    def is_entry(self) -> bool:
        """Whether it is an entry of a table, such as one of the stations."""
        return self.path != self.key.path


def place_of(kind: type[Any], typed: str) -> Place:
    """Where a key stands.

    Args:
        kind: the class of all settings.
        typed: such as `port`, `wifi.ssid`, `stations.pcsc-1` or `wifi`.

    Raises:
        ConfigError: there is none.
    """
    name, dot, rest = typed.partition(".")
    top = {key.name: key for key in keys_of(kind)}
    key = top.get(name)
    if key is None:
        raise ConfigError(f"In the settings {unknown(name, tuple(top))}")
    if not dot:
        return Place((name,), key)
    if key.opens:
        inner = {each.name: each for each in key.inside}
        if rest not in inner:
            raise ConfigError(f"In [{name}] {unknown(rest, tuple(inner))}")
        return Place((name, rest), inner[rest])
    if not _is_table(key) or not rest:
        raise ConfigError(f"{name} is no table: there is nothing in it that is called {rest!r}.")
    if len(rest) > 1 and rest[0] == rest[-1] and rest[0] in "\"'":
        rest = rest[1:-1]
    return Place((name, rest), key)


def changes_of(
    kind: type[Any], typed: Iterable[str], ask: Callable[[Place], str]
) -> dict[Place, object]:
    """What is to be written, by place.

    Args:
        kind: the class of all settings.
        typed: `KEY=VALUE` each; `KEY=-` for one that is asked for.
        ask: gives the text of such a value.

    Raises:
        ConfigError: one of them is no change.
    """
    found: dict[Place, object] = {}
    for each in typed:
        name, equals, text = each.partition("=")
        if not equals:
            raise ConfigError(f"A change is KEY=VALUE, such as port=8080, and not {each!r}.")
        place = place_of(kind, name.strip())
        if place.key.opens:
            keys = ", ".join(key.path for key in place.key.inside)
            raise ConfigError(f"{place.path} is a section: name a key of it, of {keys}.")
        if place in found:
            raise ConfigError(f"{place.path} is named twice: say it once.")
        asked = text == ASKED
        found[place] = _value(place, ask(place) if asked else text, plain=asked)
    return found


def removals_of(kind: type[Any], typed: Iterable[str]) -> Sequence[Place]:
    """What is to be taken away; a name may be that of a whole section.

    Raises:
        ConfigError: there is no such key.
    """
    return tuple(dict.fromkeys(place_of(kind, name.strip()) for name in typed))


def _value(place: Place, text: str, *, plain: bool) -> object:
    """The value that is meant.

    Args:
        place: where it goes.
        text: as it was typed.
        plain: a text is taken as it is, also where it stands in quotes.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ConfigError(f"The value of {place.path} is not UTF-8: type it in UTF-8.") from None
    kind = place.key.kind
    origin, of = get_origin(kind), get_args(kind)
    is_text = kind in (str, Path) or origin is Literal or (place.is_entry and of[1] is str)
    if is_text and plain:
        return text
    try:
        value = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        value = {}
    if value.keys() == {"value"} and (not is_text or isinstance(value["value"], str)):
        return value["value"]
    if origin is tuple and of[-1] is Ellipsis and not set(text) & set("\"'"):
        # A shell takes the quotes away; and a list of names is written so elsewhere, too.
        return [
            word.strip() for word in text.strip().removeprefix("[").removesuffix("]").split(",")
        ]
    return text  # which is no fault yet: whoever checks the file says what is expected


def _is_table(key: Key) -> bool:
    return get_origin(key.kind) is get_origin(Mapping[str, str])
