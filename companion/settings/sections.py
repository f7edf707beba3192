"""A section of the settings: a frozen dataclass in the room that uses it.

A room that has settings writes a dataclass, frozen and with slots, in which every field has a
default and a sentence under "Attributes:". Its `__post_init__` raises a ValueError with one
sentence that begins with the key, made by `companion.said.say`, so that pages tell it in their
language. What a section `[lamp]` looks like:

    from companion.settings.sections import SECRET

    @dataclass(frozen=True, slots=True)
    class Lamp:
        # here its docstring, with a line below "Attributes:" for each key, such as
        #     bright: how bright it is, from 0 to 1.

        bright: float = 0.5
        password: str | None = field(default=None, metadata=SECRET)

        def __post_init__(self) -> None:
            if not 0 <= self.bright <= 1:
                raise ValueError(say("bright is a number from 0 to 1."))

It becomes part of the settings by one line in `companion.config.Config`, and a sentence for it
there:

    lamp: Lamp = field(default_factory=Lamp, metadata=LIVE)

`LIVE` says that a change takes effect without a restart; leave it out for "at the next start". A
field's own metadata wins over its section's (`AT_START`, `LIVE`), and several are put together by
`LIVE | SECRET`. A room that is live takes changes by `settings.subscribe("lamp", callback)`
(`companion.settings.live`). That is all: reading, refusing, `companion config`, and the table of
docs/configuration.md (a test says when it lacks a key) follow from it.

A field is a bool, int, float, str, Path, `tuple[str, ...]`, a tuple of floats, `Literal[…]`,
`Mapping[str, str]` or `Mapping[str, object]`, or one of these or None, which is what a key means
that is left out.
"""

from __future__ import annotations

import difflib
import inspect
import math
import re
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from datetime import date, time
from pathlib import Path
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from companion.errors import PlainError
from companion.said import say, together

LIVE: Mapping[str, bool] = {"live": True}
"""A change takes effect without a restart."""
AT_START: Mapping[str, bool] = {"live": False}
"""A change takes effect at the next start."""
SECRET: Mapping[str, bool] = {"secret": True}
"""Never shown to anybody."""
UNWRITTEN: Mapping[str, bool] = {"unwritten": True}
"""No key of the file."""

LARGE = 2**63
"""From here on a whole number is none in TOML."""


class ConfigError(PlainError, ValueError):
    """The configuration cannot be used."""


@dataclass(frozen=True, slots=True)
class Key:
    """What a file may say, and where.

    Attributes:
        section: the table that it stands in; empty for the top of the file.
        name: as it is spelt.
        kind: its type; of a key that opens a section, the section's class.
        default: what holds where it is left out.
        sentence: what it means.
        live: a change takes effect without a restart.
        secret: it is never shown.
    """

    section: str
    name: str
    kind: Any
    default: object
    sentence: str
    live: bool
    secret: bool

    @property
    def path(self) -> str:
        """Such as `ship.rest_s`."""
        return f"{self.section}.{self.name}" if self.section else self.name

    @property
    def opens(self) -> bool:
        """Whether it opens a section, whose keys are in the section's class."""
        return is_dataclass(self.kind)

    @property
    def inside(self) -> tuple[Key, ...]:
        """The keys of the section that it opens; none of any other."""
        return keys_of(self.kind, self.name, live=self.live) if self.opens else ()

    def value_in(self, settings: Any) -> Any:  # noqa: ANN401 - any class of settings
        """What these settings say."""
        return getattr(getattr(settings, self.section) if self.section else settings, self.name)


class Fault(NamedTuple):
    """Why a file cannot be used.

    Attributes:
        section: the table in which it is; empty for the top.
        key: which it is about; empty for all of the section.
        sentence: what is expected.
    """

    section: str
    key: str
    sentence: str


def keys_of(kind: type[Any], section: str = "", *, live: bool = False) -> tuple[Key, ...]:
    """The keys of a section, in their order; those of sections in it stand in `every_key`.

    Raises:
        LookupError: a field has no sentence under "Attributes:".
    """
    told, kinds = _told(kind), get_type_hints(kind)
    found = []
    for entry in fields(kind):
        if entry.metadata.get("unwritten"):
            continue
        if entry.name not in told:
            raise LookupError(f"{kind.__name__} has no sentence for {entry.name}: say one.")
        found.append(
            Key(
                section,
                entry.name,
                _without_none(kinds[entry.name]),
                _default(entry),
                told[entry.name],
                live=bool(entry.metadata.get("live", live)),
                secret=bool(entry.metadata.get("secret")),
            )
        )
    return tuple(found)


def every_key(kind: type[Any]) -> Iterator[Key]:
    """All that a file may say: the keys of the top, then those of each section."""
    top = keys_of(kind)
    yield from (key for key in top if not key.opens)
    for key in top:
        yield from key.inside


def checked(
    kind: type[Any], table: Mapping[str, object], section: str = ""
) -> tuple[dict[str, Any], list[Fault]]:
    """What a table of the file says, as arguments of the class, and why some of it cannot be.

    Args:
        kind: the section's class.
        table: as TOML gave it.
        section: its name; empty for the top.
    """
    known = {key.name: key for key in keys_of(kind, section)}
    values: dict[str, Any] = {}
    faults: list[Fault] = []
    for name, given in table.items():
        key = known.get(name)
        if key is None:
            faults.append(Fault(section, name, unknown(name, tuple(known))))
        elif key.opens and isinstance(given, Mapping):
            inner, wrong = checked(key.kind, given, name)
            faults += wrong
            if wrong:
                continue
            try:
                values[name] = key.kind(**inner)
            except ValueError as error:
                faults.append(fault_of(key.kind, name, error))
        else:
            try:
                values[name] = _value(key.kind, given)
            except ValueError:
                sentence = say(
                    "%(key)s is %(expected)s, and not %(given)s.",
                    key=name,
                    expected=_expected(key),
                    given=_given(key, given),
                )
                faults.append(Fault(section, name, sentence))
    return values, faults


def fault_of(kind: type[Any], section: str, error: ValueError) -> Fault:
    """What a class refused, at the key that its sentence begins with."""
    sentence = str(error)  # which it was made from stays in it, for a page
    word = re.split(r"[\s,:]", sentence, maxsplit=1)[0]
    names = {key.name for key in keys_of(kind, section)}
    return Fault(section, word if word in names else "", sentence)


# Kinds


def words_of(kind: Any) -> str:  # noqa: ANN401 - any type
    """A type in words, for those who write the file."""
    origin, of = get_origin(kind), get_args(kind)
    if origin is _MAPPING and of[1] is str:
        return say("a table of texts")
    if is_dataclass(kind) or origin is _MAPPING:
        return say("a table")
    if origin is Literal:
        return together([f'"{each}"' for each in of], "or")
    if origin is tuple and of[-1] is Ellipsis:
        return say("a list of texts")
    if origin is tuple:
        return say("a list of %(count)s numbers", count=len(of))
    return {
        bool: say("true or false"),
        int: say("a whole number"),
        float: say("a number"),
        str: say("a text"),
        Path: say("a path, as a text"),
    }[kind]


_MAPPING = get_origin(Mapping[str, str])


def _value(kind: Any, given: object) -> object:  # noqa: ANN401 - any type
    """The value as a field takes it.

    Raises:
        ValueError: it is of another type.
    """
    origin, of = get_origin(kind), get_args(kind)
    match given:
        case bool() if kind is not bool:
            pass
        case bool():
            return given
        case int() if abs(given) >= LARGE:
            pass
        case int() | float() if kind is float and math.isfinite(given):
            return float(given)
        case int() if kind is int:
            return given
        case str() if kind is str or (origin is Literal and given in of):
            return given
        case str() if kind is Path:
            return Path(given).expanduser()
        case list() if origin is tuple and of[-1] is Ellipsis:
            return tuple(str(_value(of[0], entry)).strip() for entry in given)
        case list() if origin is tuple and len(given) == len(of):
            return tuple(_value(*each) for each in zip(of, given, strict=True))
        case Mapping() if origin is _MAPPING:
            if of[1] is object:
                return dict(given)
            return {str(name): _value(of[1], entry) for name, entry in given.items()}
    raise ValueError(given)


def _expected(key: Key) -> str:
    words = words_of(key.kind)
    if key.secret or key.default in (None, (), {}) or key.opens or get_origin(key.kind) is Literal:
        return words
    if key.kind is bool:
        return words
    return say("%(kind)s such as %(usual)s", kind=words, usual=toml_of(key.default))


def _given(key: Key, given: object) -> str:
    kinds: Sequence[tuple[Any, str]] = (
        (bool, say("true or false")),
        (int, say("a whole number")),
        (float, say("a number")),
        (str, say("a text")),
        (list, say("a list of other things")),
        (Mapping, say("a table of other things")),
    )
    if get_origin(key.kind) is Literal and isinstance(given, str):
        return toml_of(given)
    if isinstance(given, float) and (key.kind is int or not math.isfinite(given)):
        return f"{given}"
    if isinstance(given, int) and abs(given) >= LARGE:
        return say("one of so many digits")
    return next((words for kind, words in kinds if isinstance(given, kind)), say("a time"))


def toml_of(value: object) -> str:
    """A value as it is spelt in the file.

    Raises:
        TypeError: no file can say it.
    """
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return f"{value!r}"
        case str() | Path():
            return _quoted(f"{value}")
        case tuple() | list():
            return f"[{', '.join(map(toml_of, value))}]"
        case date() | time():
            return value.isoformat()
        case Mapping():
            inside = ", ".join(f"{_bare(f'{name}')} = {toml_of(of)}" for name, of in value.items())
            return f"{{ {inside} }}" if inside else "{}"
    raise TypeError(f"no file can say {value!r}")


def _quoted(text: str) -> str:
    def escape(found: re.Match[str]) -> str:
        sign = found[0]
        return f"\\{sign}" if sign in '"\\' else f"\\u{ord(sign):04X}"

    return '"' + re.sub(r'["\\\x00-\x1f\x7f]', escape, text) + '"'


def _bare(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _quoted(name)


def unknown(name: str, known: Sequence[str]) -> str:
    """That there is no such key, and which is meant perhaps."""
    near = difflib.get_close_matches(name, known, n=1)
    parts = {"key": f"{name!r}", "known": ", ".join(known)}
    if near:
        return say(
            "there is no key %(key)s; %(near)s is one: known are %(known)s.", near=near[0], **parts
        )
    return say("there is no key %(key)s: known are %(known)s.", **parts)


def _without_none(kind: Any) -> Any:  # noqa: ANN401 - any type
    if get_origin(kind) in (Union, types.UnionType):
        some = [each for each in get_args(kind) if each is not type(None)]
        if len(some) == 1:
            return some[0]
    return kind


def _default(entry: Field[Any]) -> object:
    if entry.default_factory is not MISSING:
        return entry.default_factory()
    if entry.default is MISSING:
        raise LookupError(f"{entry.name} has no default: a setting has one.")
    return entry.default


def _told(kind: type[Any]) -> Mapping[str, str]:
    """The sentences under "Attributes:" of a class, by field."""
    text = inspect.getdoc(kind) or ""
    _, _, told = text.partition("\nAttributes:\n")
    block = re.split(r"\n\n?(?=\S)", told, maxsplit=1)[0]
    found = re.findall(r"^    (\w+): (.*(?:\n {6,}.*)*)", block, re.MULTILINE)
    return {name: " ".join(sentence.split()) for name, sentence in found}
