"""The wheel alone, in an environment of its own: the service serves its pages from it."""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
import urllib.request
import zipfile
from pathlib import Path

import pytest

from companion.installing.program import HOUSES
from releasing import wheels
from releasing.source import ROOT, copied


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    return wheels.build(copied(folder / "source"), folder)


@pytest.fixture
def companion(wheel, tmp_path, monkeypatch):
    """The command of an environment that has the wheel, and else only what it depends on."""
    monkeypatch.delenv("PYTHONPATH", raising=False)  # it may name this checkout
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    options = ("--no-deps", "--no-index", "--no-compile", "--disable-pip-version-check", "-q")
    pip = [sys.executable, "-m", "pip", "--python", venv / "bin/python", "install"]
    subprocess.run([*pip, *options, wheel], check=True)
    (site,) = venv.glob("lib/*/site-packages")
    # Of the folder's own .pth files, such as that of this checkout, none is followed.
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    return venv / "bin/companion"


def test_everything_that_is_tracked_is_in_it(wheel):
    with zipfile.ZipFile(wheel) as packed:
        names = set(packed.namelist())
    listing = subprocess.run(
        ["git", "-c", f"safe.directory={ROOT}", "ls-files", *HOUSES],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()
    assert "companion/record/schema.sql" in listing
    assert [name for name in listing if name not in names] == []


def test_nothing_else_is_in_it(wheel):
    with zipfile.ZipFile(wheel) as packed:
        tops = {name.partition("/")[0] for name in packed.namelist()}
    assert {top for top in tops if not top.startswith("tidetable-")} == set(HOUSES)


def test_the_service_serves_its_pages(companion, tmp_path):
    with subprocess.Popen(
        [companion, "run", "--port", "0", "--data", tmp_path / "data"],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as service:
        try:
            address = re.fullmatch(r"ready (http://\S+)\n", service.stdout.readline())[1]

            def get(path: str, language: str = "en") -> str:
                asked = urllib.request.Request(
                    address + path, headers={"Accept-Language": language}
                )
                with urllib.request.urlopen(asked, timeout=20) as answer:
                    return answer.read().decode()

            page = get("/")
            assert get(re.search(r'href="(/static/[^"]+\.css[^"]*)"', page)[1])
            assert 'lang="pl"' in (polish := get("/", "pl"))
            assert re.sub("<[^>]*>", "", polish) != re.sub("<[^>]*>", "", page)
        finally:
            service.terminate()
    assert service.returncode == 0


def test_a_build_that_fails_says_why(tmp_path):
    source = copied(tmp_path / "source")
    (source.folder / "pyproject.toml").write_text("[build-system")
    with pytest.raises(wheels.BuildError, match="did not build"):
        wheels.build(source, tmp_path)


def test_each_requirement_is_named_once():
    names = ("MarkupSafe-3.0-cp311-cp311-x.whl", "markupsafe-3.0-cp313-cp313-x.whl", "a_b-1-x.whl")
    assert wheels.requirements_of(map(Path, names)) == ["a-b==1", "markupsafe==3.0"]
