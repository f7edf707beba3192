"""Somebody else's project uses the fixtures; and the plugin stays out of everybody's way."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from hardware_sim import pytest_plugin

ROOT = Path(__file__).parents[2]
PROJECT = ROOT / "tests" / "outside_project"
PLUGIN = "hardware_sim.pytest_plugin"
GUIDE = (ROOT / "docs" / "testing-your-own.md").read_text(encoding="utf-8")
LIMIT_S = 100


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    shutil.copytree(PROJECT, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def python(*words, cwd):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(cwd), str(ROOT)])}
    return subprocess.run(
        [sys.executable, *words],
        cwd=cwd,
        env={**environment, "PYTHONSAFEPATH": "1"},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )


def outside(folder, *words):
    """Run the tests of a project; the plugin by name, also where an older one is installed."""
    return python(
        "-m", "pytest", "-q", "-W", "error", "-p", PLUGIN, "-p", "no:tidetable", *words, cwd=folder
    )


def test_the_plugin_is_an_entry_point():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["entry-points"]["pytest11"] == {"tidetable": PLUGIN}


def test_a_project_of_somebody_else_passes_its_tests(project):
    done = outside(project)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"\d\d passed", done.stdout)


def test_it_fails_when_its_reader_is_broken(project):
    reader = project / "doorbell.py"
    source = reader.read_text()
    reader.write_text(source.replace('report(TagOn("doorbell", uid, clock()))', "pass"))
    assert reader.read_text() != source
    done = outside(project, "tests/test_reader.py", "-k", "reports_a_tap")
    assert done.returncode == 1
    assert "1 failed" in done.stdout


def test_the_examples_of_the_guide_run(project):
    examples = re.findall(r"^```python\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
    assert len(examples) >= 4
    for number, example in enumerate(examples):
        (project / "tests" / f"test_example_{number}.py").write_text(example)
    done = outside(project, *(f"tests/test_example_{number}.py" for number in range(len(examples))))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no tests ran" not in done.stdout


def test_the_guide_names_every_fixture():
    fixtures = {name for name in vars(pytest_plugin) if name.startswith("tidetable_")}
    assert len(fixtures) >= 9
    assert fixtures == set(re.findall(r"`(tidetable_\w+)`", GUIDE))


def test_nothing_heavy_is_imported_before_it_is_asked_for(tmp_path):
    heavy = ("companion", "hardware_sim.evening", "web_ui", "sqlite3", "flask", "serial")
    program = (
        f"import sys, pytest; before = set(sys.modules); import {PLUGIN}; "
        f"print([m for m in set(sys.modules) - before if m.startswith({heavy!r})])"
    )
    done = python("-c", program, cwd=tmp_path)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


def test_a_project_that_does_not_use_it_is_left_alone(tmp_path):
    (tmp_path / "test_own.py").write_text("def test_own():\n    pass\n")
    done = outside(tmp_path, "--fixtures-per-test")
    assert done.returncode == 0
    assert "tidetable_" not in done.stdout
