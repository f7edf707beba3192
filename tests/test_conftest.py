"""The marker `needs`: a missing part is named, never passed over in silence."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import programs

pytest_plugins = ("pytester",)

CONFTEST = Path(__file__).with_name("conftest.py")

PLANTED = """
PARTS = {
    "moon": Part(lambda: "no rocket is here", "fly to the moon"),
    "air": Part(lambda: None, "open the window"),
}
"""

TESTS = """
import pytest

@pytest.fixture
def rocket():
    raise RuntimeError("a fixture started the missing part")

@pytest.mark.needs("moon")
def test_landing(rocket): ...

@pytest.mark.needs("air", "moon")
def test_breathing_there(): ...

@pytest.mark.needs("air")
def test_breathing(): ...

def test_plain(): ...
"""


@pytest.fixture
def project(pytester, monkeypatch):
    monkeypatch.delenv("CI", raising=False)
    pytester.makeconftest(CONFTEST.read_text(encoding="utf-8") + PLANTED)
    pytester.makeini(
        f"[pytest]\npythonpath = {CONFTEST.parent.parent}\n"
        "markers =\n    needs(part): a real part\n"
    )
    return pytester


def test_a_missing_part_skips_and_is_named_at_the_end(project):
    project.makepyfile(TESTS)
    result = project.runpytest("--strict-markers", "-rs")
    result.assert_outcomes(passed=2, skipped=2)
    result.stdout.fnmatch_lines(
        [
            "SKIPPED*needs moon, but no rocket is here; type: fly to the moon",
            "*= Not run =*",
            "Not run: 2 tests of moon, since no rocket is here. Type: fly to the moon",
            "*2 passed, 2 skipped*",
        ]
    )


def test_what_is_missing_is_counted_over_all_workers(project):
    project.makepyfile(test_one=TESTS, test_two=TESTS)
    result = project.runpytest_subprocess("--numprocesses=2", "--dist=loadfile")
    result.assert_outcomes(passed=4, skipped=4)
    result.stdout.fnmatch_lines(
        ["Not run: 4 tests of moon, since no rocket is here. Type: fly to the moon"]
    )


@pytest.mark.parametrize(
    ("arguments", "several"),
    [
        ([], True),
        (["."], True),
        (["test_one.py"], False),
        ([".", "test_one.py"], False),
        (["test_one.py::test_plain"], False),
        (["-k", "plain"], False),
    ],
)
def test_whole_folders_alone_are_run_by_several_workers(project, conftest, arguments, several):
    project.makepyfile(test_one=TESTS)
    config = project.parseconfig(*arguments)
    assert (conftest.pytest_xdist_auto_num_workers(config) > 1) is several


def test_a_missing_part_fails_where_ci_is_set(project, monkeypatch):
    monkeypatch.setenv("CI", "1")
    project.makepyfile(TESTS)
    result = project.runpytest()
    result.assert_outcomes(passed=2, errors=2)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["needs moon, but no rocket is here; type: fly to the moon (*"])
    result.stdout.no_fnmatch_line("*a fixture started the missing part*")


def test_an_empty_ci_counts_as_not_set(project, monkeypatch):
    monkeypatch.setenv("CI", "")
    project.makepyfile(TESTS)
    project.runpytest().assert_outcomes(passed=2, skipped=2)


def test_a_run_that_misses_nothing_ends_as_usual(project):
    project.makepyfile(TESTS)
    result = project.runpytest("-k", "test_plain or test_breathing and not there")
    result.assert_outcomes(passed=2, deselected=2)
    result.stdout.no_fnmatch_line("*Not run*")


def test_an_unknown_part_is_a_usage_error(project):
    project.makepyfile('import pytest\n@pytest.mark.needs("mon")\ndef test_landing(): ...\n')
    result = project.runpytest()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*test_landing needs 'mon'*it knows moon, air"])


@pytest.mark.parametrize(
    ("ci", "profile", "derandomize"), [("", "dev", False), ("true", "ci", True)]
)
def test_ci_chooses_how_hypothesis_searches(project, monkeypatch, ci, profile, derandomize):
    monkeypatch.setenv("CI", ci)
    project.makepyfile(
        f"""
        from hypothesis import settings

        def test_profile():
            assert settings.get_current_profile_name() == {profile!r}
            assert settings.default.derandomize is {derandomize}
            assert settings.default.deadline is None
            assert settings.default.print_blob
        """
    )
    # A process of its own: the profile is a setting of the whole interpreter.
    project.runpytest_subprocess().assert_outcomes(passed=1)


@pytest.fixture
def conftest(request):
    """By its path, since the name `conftest` is any folder's."""
    return request.config.pluginmanager.get_plugin(str(CONFTEST))


@pytest.fixture
def bare_machine(tmp_path, monkeypatch, conftest):
    """A machine on which nothing is installed; the test adds what it wants found."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(programs, "SYSTEM_FOLDERS", ())
    monkeypatch.setattr(conftest, "VPCD_LIBRARY", tmp_path)
    monkeypatch.setattr(conftest, "import_fails", lambda module: f"no {module}")

    def add(name):
        (tmp_path / name).touch(mode=0o755)

    return add


def test_pcscd_is_a_program_a_library_and_a_module(bare_machine, conftest, monkeypatch):
    assert "program pcscd" in conftest.pcscd_missing()
    bare_machine("pcscd")
    assert "libifdvpcd" in conftest.pcscd_missing()
    bare_machine("libifdvpcd.so.0.8")
    assert conftest.pcscd_missing() == "no smartcard.scard"
    monkeypatch.setattr(conftest, "import_fails", lambda _: None)
    assert conftest.pcscd_missing() is None


@pytest.mark.parametrize("name", ["chromium-headless-shell", "chromium", "chromium-browser"])
def test_chromium_is_a_program_and_a_module(bare_machine, conftest, monkeypatch, name):
    assert "PATH" in conftest.chromium_missing()
    bare_machine(name)
    assert conftest.chromium_missing() == "no playwright.sync_api"
    monkeypatch.setattr(conftest, "import_fails", lambda _: None)
    assert conftest.chromium_missing() is None


def test_a_module_that_does_not_load_is_missing_with_its_reason(conftest):
    assert conftest.import_fails("json") is None
    assert "no_such_module" in conftest.import_fails("no_such_module")
