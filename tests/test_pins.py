"""What pip installs is said to the last digit: each requirement has its pin in constraints.txt."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def requirements() -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"].values()
    return [
        *project["build-system"]["requires"],
        *project["project"]["dependencies"],
        *(requirement for extra in extras for requirement in extra),
    ]


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.parametrize("requirement", requirements())
def test_every_requirement_has_an_exact_pin(requirement):
    pins = re.findall(r"^([\w.-]+)==[\w.]+$", (ROOT / "constraints.txt").read_text(), re.MULTILINE)
    name = re.match(r"[\w.-]+", requirement)[0]
    assert normal(name) in {normal(pin) for pin in pins}
