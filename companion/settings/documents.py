"""What is told of the settings: each key with its type, default and meaning, made from the code."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from companion.settings.sections import Key, every_key, keys_of, toml_of, words_of

AT_ONCE, NEXT_START = "at once", "at the next start"
HIDDEN = "***"
WIDTH = 96


class Row(NamedTuple):
    """A key in a table of the documentation; each part as Markdown."""

    key: str
    type: str
    default: str
    change: str
    meaning: str

    @property
    def line(self) -> str:
        """The row as it stands in the table."""
        return f"| {' | '.join(part.replace('|', '&#124;') for part in self)} |"


def sections(kind: type[Any]) -> Iterator[tuple[Key | None, tuple[Key, ...]]]:
    """Each section with its keys; None and the keys of the top come first."""
    top = keys_of(kind)
    yield None, tuple(key for key in top if not key.opens)
    for key in top:
        if key.opens:
            yield key, key.inside


def row(key: Key) -> Row:
    """What the documentation says of a key."""
    default = "" if key.default is None else f"`{default_of(key)}`"
    return Row(f"`{key.name}`", words_of(key.kind), default, change_of(key), key.sentence)


def change_of(key: Key) -> str:
    """When a change takes effect."""
    return AT_ONCE if key.live else NEXT_START


def by_change(live: Mapping[str, bool]) -> Iterator[tuple[str, Sequence[str]]]:
    """Keys by when a change of them takes effect.

    Args:
        live: whether it does so without a restart, by the path of the key.
    """
    for when, wanted in ((AT_ONCE, True), (NEXT_START, False)):
        if paths := [path for path, is_live in live.items() if is_live is wanted]:
            yield when, paths


def default_of(key: Key) -> str:
    """The default as the file spells it; a folder of whoever reads this begins with `~`."""
    value = key.default
    if isinstance(value, Path) and value.is_relative_to(Path.home()):
        value = f"~/{value.relative_to(Path.home())}"
    return toml_of(value)


def example(kind: type[Any]) -> str:
    """A file with every key in comments, as it is when it is left out."""
    return "\n".join(_example(kind)) + "\n"


def _example(kind: type[Any]) -> Iterator[str]:
    yield from _comment(
        "The settings of the table. Every key stands here as it is when it is left out: to change "
        "it, take the sign before it away. In brackets stands when a change takes effect. "
        "`companion config check` says whether the file is good."
    )
    for opener, keys in sections(kind):
        if opener is not None:
            yield ""
            yield from _comment(_capital(opener.sentence))
            yield f"[{opener.name}]"
        for key in keys:
            yield ""
            yield from _comment(
                f"{_capital(key.sentence)} ({words_of(key.kind)}; {change_of(key)})"
            )
            if key.default is None:
                yield f"# {key.name} is left out."
            else:
                yield f"#{key.name} = {default_of(key)}"


def _comment(text: str) -> Iterator[str]:
    yield from textwrap.wrap(
        text,
        WIDTH,
        initial_indent="# ",
        subsequent_indent="# ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def shown(settings: Any, origins: Mapping[str, str]) -> Iterator[str]:  # noqa: ANN401
    """All keys with what is in force, as lines of a file; secrets are not told.

    Args:
        settings: of any class.
        origins: where what is in force comes from, by the path of the key; of all others it is
            the default.
    """
    section = ""
    for key in every_key(type(settings)):
        if key.section != section:
            section = key.section
            yield f"\n[{section}]"
        value = key.value_in(settings)
        if key.secret and value:
            text = f'{key.name} = "{HIDDEN}"'
        elif value is None:
            text = f"# {key.name} is left out"
        else:
            text = f"{key.name} = {toml_of(value)}"
        yield f"{text:<44}  # {origins.get(key.path, 'default')}"
