"""Who may import whom, and other promises about the source, each proved able to fail.

An import counts wherever it stands, inside a function too, and also where its name is a
string for importlib.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HOUSES = ("companion", "firmware_bridge", "hardware_sim", "releasing", "web_ui")
STDLIB = "the standard library"
HARDWARE = ("smartcard", "serial", "gpiozero")


@dataclass(frozen=True)
class Rule:
    """What the modules of one house may import.

    Attributes:
        house: the rule holds for this package and everything in it.
        because: the reason, which a failure tells.
        only: nothing but these; None leaves it open.
        of_ours: of this project's houses nothing but these; None leaves it open.
        never: not these, even where the others would allow them.
        late: what else a module may import, by module, as long as importing the module
            itself does not: inside a function, or for the type checker alone.
        more: what else a part of the house may import, by part, wherever it stands.
    """

    house: str
    because: str
    only: tuple[str, ...] | None = None
    of_ours: tuple[str, ...] | None = None
    never: tuple[str, ...] = ()
    late: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    more: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


RULES = (
    Rule(
        "companion.rules",
        "the rules are pure: they know no clock, no chance, no device and no file",
        only=(STDLIB, "companion.rules", "companion.said"),
        never=("time", "random", "sqlite3", "threading", "logging"),
    ),
    Rule(
        "companion.drivers",
        "a driver knows its hardware and decides nothing",
        only=(STDLIB, "companion.drivers", "companion.said", "companion.uid", "firmware_bridge"),
        late={"companion.drivers": HARDWARE, "companion.drivers.registry": ("hardware_sim",)},
    ),
    Rule(
        "companion.installing",
        "it installs from a checkout before anything of pip's is there",
        only=(
            *(STDLIB, "companion.installing", "companion.errors", "companion.data_folder"),
            "companion.network.settings",  # so is this, and what settings are read by
            *("companion.settings.sections", "companion.settings.reading"),
        ),
    ),
    Rule(
        "companion",
        "the simulation is a peer that is chosen by name, never a branch in the product",
        never=("hardware_sim",),
        late={
            "companion.drivers.registry": ("hardware_sim",),
            "companion.commands.simulation": ("hardware_sim",),
        },
    ),
    Rule(
        "firmware_bridge",
        "it runs on a microcontroller, where nothing of the rest exists",
        of_ours=("firmware_bridge",),
    ),
    Rule(
        "hardware_sim",
        "the simulated world knows what a driver is, and nothing of the games",
        of_ours=(
            *("hardware_sim", "firmware_bridge"),
            *("companion.drivers.api", "companion.said", "companion.uid"),
        ),
        more={"hardware_sim.evening": ("companion",)},  # it tests the whole of it
    ),
    Rule(
        "web_ui",
        "a page asks the table and renders",
        never=("companion.drivers", "companion.record", "sqlite3", "hardware_sim"),
    ),
)

PLANTED = (
    # rule, module, what it imports, whether that is allowed
    ("companion.rules", "companion.rules.tig", "import math, companion.rules.api", True),
    ("companion.rules", "companion.rules.tig", "from .api import Game", True),
    ("companion.rules", "companion.rules.tig", "from companion.said import say", True),
    ("companion.rules", "companion.rules.tig", "from ..codec import encode", False),
    ("companion.rules", "companion.rules.tig", "from companion import uid", False),
    ("companion.rules", "companion.rules.tig", "import random", False),
    ("companion.rules", "companion.rules.tig", "def roll():\n    from time import time", False),
    ("companion.rules", "companion.rules.tig", "import flask", False),
    ("companion.rules", "companion.rules", "from . import api", True),
    ("companion.drivers", "companion.drivers.lamp", "from companion.uid import Uid", True),
    ("companion.drivers", "companion.drivers.lamp", "import firmware_bridge.link", True),
    ("companion.drivers", "companion.drivers.lamp", "import companion.table", False),
    ("companion.drivers", "companion.drivers.lamp", "import serial", False),
    ("companion.drivers", "companion.drivers.lamp", "class A:\n    import serial", False),
    ("companion.drivers", "companion.drivers.lamp", "def open():\n    import serial.tools", True),
    ("companion.drivers", "companion.drivers.lamp", "def open():\n    import flask", False),
    ("companion.drivers", "companion.drivers.lamp", "def open():\n    import hardware_sim", False),
    ("companion.drivers", "companion.drivers.registry", "def f():\n    import hardware_sim", True),
    (
        "companion.drivers",
        "companion.drivers.lamp",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import serial",
        True,
    ),
    ("companion.installing", "companion.installing.step", "import companion.errors", True),
    ("companion.installing", "companion.installing.step", "import tomlkit", False),
    (
        "companion",
        "companion.commands.simulation",
        "def sim():\n    from hardware_sim import world",
        True,
    ),
    ("companion", "companion.commands.simulation", "from hardware_sim import world", False),
    ("companion", "companion.service", "def f():\n    from hardware_sim import world", False),
    ("companion", "companion.service", "import importlib as i\ni.import_module('x')", True),
    (
        "companion",
        "companion.service",
        "from importlib import import_module\nimport_module('hardware_sim.world')",
        False,
    ),
    ("companion", "companion.service", "__import__('hardware_sim')", False),
    ("companion", "companion.service", "import hardware_simulation_of_others", True),
    ("firmware_bridge", "firmware_bridge.main", "import machine, firmware_bridge.link", True),
    ("firmware_bridge", "firmware_bridge.main", "from companion import uid", False),
    ("hardware_sim", "hardware_sim.world", "from companion.drivers import api", True),
    ("hardware_sim", "hardware_sim.world", "from companion.uid import Uid\nimport serial", True),
    ("hardware_sim", "hardware_sim.world", "from companion.drivers import registry", False),
    ("hardware_sim", "hardware_sim.world", "import companion.table", False),
    ("hardware_sim", "hardware_sim.evening.runner", "import companion.table", True),
    ("hardware_sim", "hardware_sim.evening", "from companion.match import Match", True),
    ("hardware_sim", "hardware_sim.evening.runner", "import web_ui", False),
    ("hardware_sim", "hardware_sim.evenings", "import companion.table", False),
    ("web_ui", "web_ui.pages", "from companion.table import Table\nimport flask", True),
    ("web_ui", "web_ui.pages", "from companion.record import journal", False),
    ("web_ui", "web_ui.pages", "def page():\n    import sqlite3", False),
    ("web_ui", "web_ui.pages", "from companion.drivers.api import TagOn", False),
)


@dataclass(frozen=True)
class Import:
    name: str
    line: int
    late: bool


def within(name: str, *houses: str) -> bool:
    return any(name == house or name.startswith(f"{house}.") for house in houses)


def allowed(name: str, permitted: tuple[str, ...]) -> bool:
    standard = name.partition(".")[0] in sys.stdlib_module_names
    return within(name, *permitted) or (STDLIB in permitted and standard)


def imported_names(node: ast.AST, package: str) -> Iterator[str]:
    """The full names that one statement or call imports."""
    match node:
        case ast.Import(names=names):
            yield from (alias.name for alias in names)
        case ast.ImportFrom(module=module, names=names, level=level):
            parts = package.split(".")[: len(package.split(".")) - level + 1] if level else []
            base = ".".join([*parts, *([module] if module else [])])
            yield from (f"{base}.{alias.name}" for alias in names)
        case ast.Call(
            func=ast.Name(id="__import__" | "import_module") | ast.Attribute(attr="import_module"),
            args=[ast.Constant(value=str(name)), *_],
        ):
            yield name


def imports(node: ast.AST, package: str, *, late: bool = False) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        for name in imported_names(child, package):
            yield Import(name, child.lineno, late)
        typing_only = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
        deferred = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        yield from imports(child, package, late=late or deferred or typing_only)


def refused(rule: Rule, module: str, found: Import) -> bool:
    if found.late and any(
        within(module, where) and allowed(found.name, names) for where, names in rule.late.items()
    ):
        return False
    if any(
        within(module, part) and allowed(found.name, names) for part, names in rule.more.items()
    ):
        return False
    return (
        within(found.name, *rule.never)
        or (rule.only is not None and not allowed(found.name, rule.only))
        or (
            rule.of_ours is not None
            and within(found.name, *HOUSES)
            and not within(found.name, *rule.of_ours)
        )
    )


def violations(rule: Rule, module: str, source: str, *, is_package: bool = False) -> list[str]:
    package = module if is_package else module.rpartition(".")[0]
    return [
        f"{module}, line {found.line}: imports {found.name}, but {rule.because}"
        for found in imports(ast.parse(source), package)
        if refused(rule, module, found)
    ]


def modules_of(house: str) -> Iterator[tuple[str, Path]]:
    """The modules of a house, by their dotted names."""
    for path in sorted((ROOT / house.partition(".")[0]).rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        if within(name, house):
            yield name, path


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.house)
def test_a_house_imports_what_it_may(rule):
    found = [
        line
        for name, path in modules_of(rule.house)
        for line in violations(
            rule, name, path.read_text(encoding="utf-8"), is_package=path.stem == "__init__"
        )
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(("house", "module", "source", "is_allowed"), PLANTED)
def test_a_planted_import_is_judged(house, module, source, is_allowed):
    rule = next(rule for rule in RULES if rule.house == house)
    found = violations(rule, module, source, is_package=module == house)
    assert found == [] if is_allowed else len(found) == 1


def test_every_rule_was_seen_to_allow_and_to_refuse():
    judged = {(house, is_allowed) for house, _, _, is_allowed in PLANTED}
    assert judged == {(rule.house, verdict) for rule in RULES for verdict in (True, False)}


def test_the_walk_finds_the_modules():
    """Without which every rule would hold, since nothing was looked at."""
    names = {name for name, _ in modules_of("companion")}
    assert {"companion", "companion.uid", "companion.rules.api", "companion.drivers.api"} <= names
    assert "companion.uid" not in {name for name, _ in modules_of("companion.rules")}


def test_every_house_with_modules_is_type_checked():
    """mypy takes no name that does not exist, so a house joins the list when it is built."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    built = [house for house in HOUSES if list(modules_of(house))]
    assert project["tool"]["mypy"]["packages"] == built


# --- promises about every file --------------------------------------------------------

LONGEST_MODULE = 500

REGISTRIES = (
    ("pypi", "org"),
    ("files", "pythonhosted", "org"),
    ("registry", "npmjs", "org"),
    ("deb", "debian", "org"),
    ("pi" + "wheels",),  # in two pieces like the others, so that this file does not name it
)
FORBIDDEN = {
    "a package registry by its host": "|".join(re.escape(".".join(host)) for host in REGISTRIES),
    "a folder that only one machine has": r"(?<![\w.~-])/(?:home|work|root|Users)/[\w.-]",
}
SLEEP = r"\btime\s*\.\s*sleep\s*\(|\bfrom\s+time\s+import\b.*\bsleep\b"


def tracked_files() -> list[Path]:
    listing = subprocess.run(
        ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-z"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return [path for name in listing.split("\0") if name and (path := ROOT / name).is_file()]


def mentions(pattern: str, text: str) -> list[str]:
    return [
        f"line {number}: {line.strip()[:120]}"
        for number, line in enumerate(text.splitlines(), 1)
        if re.search(pattern, line)
    ]


def too_long(text: str) -> bool:
    return len(text.splitlines()) > LONGEST_MODULE


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_tracked_file_names(what):
    found = [
        f"{path.relative_to(ROOT)}, {line}"
        for path in tracked_files()
        for line in mentions(FORBIDDEN[what], path.read_text(encoding="utf-8", errors="replace"))
    ]
    assert not found, f"these name {what}:\n" + "\n".join(found)


def test_no_test_sleeps():
    found = [
        f"{path.relative_to(ROOT)}, {line}"
        for path in sorted((ROOT / "tests").rglob("*.py"))
        for line in mentions(SLEEP, path.read_text(encoding="utf-8"))
    ]
    assert not found, "wait for what is to happen, not for time to pass:\n" + "\n".join(found)


def test_no_module_is_too_long():
    found = [
        name
        for house in HOUSES
        for name, path in modules_of(house)
        if too_long(path.read_text(encoding="utf-8"))
    ]
    assert not found, f"over {LONGEST_MODULE} lines: {', '.join(found)}"


@pytest.mark.parametrize(
    ("pattern", "caught", "passed"),
    [
        (
            FORBIDDEN["a package registry by its host"],
            ["https://" + ".".join(host) + "/simple" for host in REGISTRIES],
            ["https://example.org", "pypi", "https://www.debian.org"],
        ),
        (
            FORBIDDEN["a folder that only one machine has"],
            [f"cd /{top}/ann" for top in ("home", "work", "root", "Users")],
            ["/usr/share", "the home/work folder", "cd ~/work/x", "frame/work/er", "/workshop/a"],
        ),
        (
            SLEEP,
            ["time" + ".sleep(1)", "from time " + "import monotonic, sleep"],
            ["clock.sleep(1)", "time.monotonic()", "from asyncio import sleep"],
        ),
    ],
)
def test_a_planted_mention_is_found(pattern, caught, passed):
    assert [len(mentions(pattern, f"first\n{line}\n")) for line in caught] == [1] * len(caught)
    assert [mentions(pattern, line) for line in passed] == [[]] * len(passed)


def test_a_planted_long_module_is_found():
    assert too_long("\n" * (LONGEST_MODULE + 1))
    assert not too_long("\n" * LONGEST_MODULE)


def test_the_listing_finds_this_file():
    assert Path(__file__) in tracked_files()


def test_every_folder_at_the_top_has_its_place_in_the_architecture():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    tops = {path.relative_to(ROOT).parts[0] for path in tracked_files() if path.parent != ROOT}
    assert {"companion", "tests"} < tops
    assert sorted(top for top in tops if f"`{top}/`" not in text) == []


def test_no_two_files_of_tests_have_one_name():
    """Folders without `__init__.py` share their names: of two, only one would be run."""
    names = [path.name for path in (ROOT / "tests").rglob("test_*.py")]
    names = [name for name in names if names.count(name) > 1]
    assert set(names) <= {"test_table.py"}, "the example of a project outside has its own"
