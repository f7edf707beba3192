from __future__ import annotations

import os
from pathlib import Path

import pytest

from companion.cli import main
from companion.commands import installation
from companion.installing import program
from companion.installing.choices import Choices
from companion.installing.people import DataFolder
from companion.installing.plan import plan_of
from companion.installing.system import System
from tests.support.computer import Computer


@pytest.fixture
def computer(tmp_path, monkeypatch):
    """A Debian in a folder; what is given away there belongs to whoever runs the test."""
    here = Computer(tmp_path / "computer")
    monkeypatch.setattr(os, "fsync", lambda file: None)  # no plug is pulled here
    monkeypatch.setattr(DataFolder, "_belongs", lambda step, system: here.given)
    return here


class Checkout:
    """A checkout of the project, in small."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name in ("companion/cli.py", "web_ui/page.html", "README.md", "LICENSE"):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(name)
        (root / "pyproject.toml").write_text('[project]\nversion = "0.1.0"\n')
        (root / "constraints.txt").write_text("flask==3\n")

    def change(self, text: str) -> None:
        (self.root / "companion/cli.py").write_text(text)


@pytest.fixture
def checkout(tmp_path):
    return Checkout(tmp_path / "checkout")


@pytest.fixture
def plan(computer, checkout):
    """The plan for some choices, made anew each time, as each run of the command does."""

    def made(*, port=None, **choices):
        release = program.Program.of(program.Source(checkout.root))
        return plan_of(computer.system, Choices(**choices), release, port=port)

    return made


@pytest.fixture
def typed(computer, checkout, monkeypatch):
    """Types a command there, as root."""

    def system(*, dry):
        def say(sentence):
            print(f"would {sentence}" if dry else sentence)

        return System(computer.root, computer.run, say)

    monkeypatch.setattr(installation, "_system", system)
    monkeypatch.setattr(program, "source", lambda: program.Source(checkout.root))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    return lambda *words: main(words)
