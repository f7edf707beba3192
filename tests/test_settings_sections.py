"""A section of settings is a dataclass, and everything about a key follows from it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.settings.reading import line_of, look_at
from companion.settings.sections import (
    AT_START,
    LIVE,
    SECRET,
    UNWRITTEN,
    every_key,
    keys_of,
    toml_of,
)


@dataclass(frozen=True, slots=True)
class Lamp:
    """The lamp over the table.

    Attributes:
        bright: how bright it is,
            from 0 to 1.
        kind: what it is.
        password: opens it.
        plug: where it is plugged in.
        names: of its bulbs.
        at: where it hangs.
        bulbs: how many it has.
        on: whether it shines.

    Raises:
        ValueError: it cannot be so bright.
    """

    bright: float = 0.5
    kind: Literal["oil", "gas"] = "oil"
    password: str | None = field(default=None, metadata=SECRET)
    plug: Path | None = field(default=None, metadata=AT_START)
    names: tuple[str, ...] = ()
    at: tuple[float, float] = (0.0, 1.0)
    bulbs: int = 1
    on: bool = True

    def __post_init__(self) -> None:
        if not 0 <= self.bright <= 1:
            raise ValueError("bright is a number from 0 to 1.")


@dataclass(frozen=True, slots=True)
class Room:
    """A room.

    Attributes:
        door: how wide it is.
        more: whatever.
        labels: by things.
        lamp: the lamp.
    """

    door: int = 90
    more: Mapping[str, object] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict, metadata=LIVE)
    lamp: Lamp = field(default_factory=Lamp, metadata=LIVE)
    fresh: bool = field(default=False, metadata=UNWRITTEN)

    def __post_init__(self) -> None:
        if self.door < 0:
            raise ValueError("door is no hole in the wall.")


FILE = Path("room.toml")


def look(text: str):
    return look_at(Room, FILE, text)


def test_all_kinds_are_read():
    found = look(
        "door = 4\nmore = { a = [1] }\nlabels.cup = 'tea'\n[lamp]\nbright = 1\nkind = 'gas'\n"
        "password = 'x'\nplug = '~/x'\nnames = [' a ', 'b']\nat = [1, 2.5]\nbulbs = 3\non = false"
    )
    assert not found.faults
    lamp = Lamp(1.0, "gas", "x", Path("~/x").expanduser(), ("a", "b"), (1.0, 2.5), 3, on=False)
    assert Room(**found.values) == Room(4, {"a": [1]}, {"cup": "tea"}, lamp)
    assert isinstance(found.values["lamp"].bright, float)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "[lamp]\nbright = '1'",
            "line 2, in [lamp]: bright is a number such as 0.5, and not a text.",
        ),
        ("[lamp]\n\nbright = 2", "line 3, in [lamp]: bright is a number from 0 to 1."),
        ("[lamp]\nbulbs = 1.5", "bulbs is a whole number such as 1, and not 1.5."),
        ("[lamp]\nbulbs = true", "bulbs is a whole number such as 1, and not true or false."),
        ("[lamp]\non = 1", "on is true or false, and not a whole number."),
        ("[lamp]\nkind = 'led'", 'kind is "oil" or "gas", and not "led".'),
        ("[lamp]\npassword = 12345", "password is a text, and not a whole number."),
        ("[lamp]\nplug = []", "plug is a path, as a text, and not a list of other things."),
        ("[lamp]\nnames = ['a', 1]", "names is a list of texts, and not a list of other things."),
        ("[lamp]\nat = [1]", "at is a list of 2 numbers such as [0.0, 1.0], and not a list"),
        (
            "lamp = { brihgt = 1 }",
            "line 1, in [lamp]: there is no key 'brihgt'; bright is one: known",
        ),
        ("lamp = 1", "line 1: lamp is a table, and not a whole number."),
        ("fresh = true", "line 1: there is no key 'fresh': known are door, more, labels, lamp."),
        ("labels = { cup = 1 }", "labels is a table of texts, and not a table of other things."),
        ("more = 1999-12-31", "more is a table, and not a time."),
        ("more = 1\ndoor = -1", "line 1: more is a table"),
        ("more = { a = 1 }\ndoor = -1", "line 2: door is no hole in the wall."),
        ("# new\n[lampp]", "line 2: there is no key 'lampp'; lamp is one"),
        ("[lamp", "line 1: this is not TOML"),
        ("door = 1\ndoor = 2", "line 2: this is not TOML (it is there already, further up)"),
        ("[lamp]\non = true\n[lamp]", "line 3, column 6: this is not TOML (it is there already"),
    ],
)
def test_a_fault_is_one_sentence_with_its_place(text, said):
    (fault,) = look(text).faults
    assert fault.startswith("room.toml, line ")
    assert said in fault
    assert "12345" not in fault


def test_all_faults_are_told_in_the_order_of_the_file():
    faults = look("[lamp]\nbright = 'x'\non = 3\n[other]\nx = 1").faults
    assert [fault.partition(":")[0] for fault in faults] == [
        "room.toml, line 2, in [lamp]",
        "room.toml, line 3, in [lamp]",
        "room.toml, line 4",
    ]


def test_a_key_knows_what_the_documentation_says_of_it():
    keys = {key.path: key for key in every_key(Room)}
    assert list(keys) == [
        *("door", "more", "labels"),
        *(f"lamp.{name}" for name in Lamp.__dataclass_fields__),
    ]
    assert keys["lamp.bright"].sentence == "how bright it is, from 0 to 1."
    live = {path for path, key in keys.items() if key.live}
    assert live == keys.keys() - {"door", "more", "lamp.plug"}
    assert {path for path, key in keys.items() if key.secret} == {"lamp.password"}


def test_a_field_without_a_sentence_is_found():
    @dataclass(frozen=True)
    class Mute:
        """Says nothing."""

        key: int = 1

    with pytest.raises(LookupError, match="Mute has no sentence for key"):
        keys_of(Mute)


texts = st.text(st.characters(exclude_categories=["Cs"]))
times = st.dates() | st.datetimes() | st.times()
values = st.recursive(
    times | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=8,
)


@given(values)
def test_what_is_spelt_as_toml_is_read_as_it_was(value):
    assert tomllib.loads(f"key = {toml_of(value)}") == {"key": value}


@pytest.mark.parametrize(
    ("text", "section", "key", "line"),
    [
        ("a = 1\nb = 2", "", "b", 2),
        ("[s]\na = 1\n[t]\na = 2", "t", "a", 4),
        ('[s]\na = 1\n[ "t" ] # a\n"a" = 2', "t", "a", 4),
        ("a = 1\ns.a = 2", "s", "a", 2),
        ("a = 1\ns = { a = 2 }", "s", "a", 2),
        ("[s]\nb = 1", "s", "a", 1),
        ("# a = 1\n\n'pcsc-1' = 1", "", "pcsc-1", 3),
        ("", "s", "a", None),
    ],
)
def test_a_key_is_found_in_the_text(text, section, key, line):
    assert line_of(text, section, key) == line


ODD = (
    "9" * 5000,
    "9" * 400,
    "-0",
    "nan",
    "1999-12-31",
    "07:30:00",
    "0x10",
    "[" * 2000,
    "''",
    "[{}]",
)
odd = st.sampled_from([value for value in ODD if len(value) < 100]) | values.map(toml_of)
names = st.sampled_from([key.name for key in every_key(Room)]) | texts.map(toml_of)


@given(
    st.text()
    | st.lists(st.tuples(names, odd) | names.map(lambda name: (name, None))).map(
        lambda lines: "\n".join(
            f"[{name}]" if of is None else f"{name} = {of}" for name, of in lines
        )
    )
)
def test_whatever_is_in_the_file_is_read_or_told(text):
    found = look(text)
    assert all(fault.startswith("room.toml") for fault in found.faults)
    assert all("\n" not in fault for fault in found.faults)
    if not found.faults:
        Room(**found.values)


@pytest.mark.parametrize("value", ODD)
@pytest.mark.parametrize("key", ["door", "lamp.bright", "lamp.at", "lamp.names", "labels"])
def test_an_odd_value_is_told(key, value):
    if (key, value) not in {("door", "-0"), ("door", "0x10"), ("lamp.bright", "-0")}:
        (fault,) = look(f"{key} = {value}").faults
        assert fault.startswith("room.toml, line 1")
        assert len(fault) < 300
