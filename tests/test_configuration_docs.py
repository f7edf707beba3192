"""docs/configuration.md and `companion config` say what the code says, and the other way round."""

from __future__ import annotations

import re
import shutil
import tempfile
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.cli import main
from companion.config import Config, Told
from companion.config_check import findings
from companion.settings.documents import example, sections
from companion.settings.reading import look_at
from companion.settings.sections import every_key
from tests.configuration_docs import PAGE, TABLE, parts, tables


@pytest.fixture(autouse=True)
def usual_folder(monkeypatch, tmp_path):
    """Nobody says where the data folder is, and it is nobody's."""
    monkeypatch.delenv("TIDETABLE_DATA", raising=False)
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def test_the_page_has_every_key_and_no_other():
    """After a change of a section: `.venv/bin/python -m tests.configuration_docs`."""
    page = PAGE.read_text(encoding="utf-8")
    found = {
        heading: match[0] for heading, part in parts(page).items() if (match := TABLE.search(part))
    }
    assert found == tables()
    keys = re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
    assert keys == [key.name for key in every_key(Config)]
    assert page.count("| key |") == len(found)


def test_the_file_on_the_page_is_good():
    (text,) = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert not look_at(Config, Path("table.toml"), text).faults


def uncommented(lines):
    return re.sub(r"^#(\w+ =)", r"\1", "\n".join(lines), flags=re.MULTILINE)


def test_the_example_is_read_and_is_as_usual_also_with_every_key_in_force():
    text = example(Config)
    for each in (text, uncommented(text.splitlines())):
        found = look_at(Config, Path("table.toml"), each)
        assert not found.faults
        assert Config(**found.values) == Config()
    said = tomllib.loads(uncommented(text.splitlines()))
    for opener, keys in sections(Config):
        room = said if opener is None else said[opener.name]
        for key in keys:
            assert (key.name in room) == (key.default is not None)
            assert key.default is not None or f"# {key.name} is left out." in text


lines = example(Config).splitlines()


@given(st.sets(st.sampled_from([n for n, line in enumerate(lines) if re.match(r"#\w+ =", line)])))
def test_any_keys_of_the_example_may_be_put_in_force(some):
    text = uncommented(
        line if n in some else line.replace("#", "# ") for n, line in enumerate(lines)
    )
    found = look_at(Config, Path("table.toml"), text)
    assert not found.faults
    assert Config(**found.values) == Config()


def test_the_example_is_printed(capsys):
    assert main(["config", "example"]) == 0
    assert capsys.readouterr().out == example(Config)


# check


def check(capsys, *words):
    status = main(["config", "check", *map(str, words)])
    return status, capsys.readouterr().out.splitlines()


def test_a_good_file_says_what_takes_effect_when(tmp_path, capsys):
    path = tmp_path / "table.toml"
    path.write_text("port = 80\nseats = ['']\n[ship]\nrest_s = 2\n[stations]\npcsc-1 = 'play'\n")
    assert check(capsys, "--data", tmp_path) == (
        0,
        [
            f"{path}, line 5: stations has 'pcsc-1', and no reader is called so: sim: is called sim.",
            f"{path}: 4 keys, no fault.",
            "A change takes effect at once: seats, stations, ship.rest_s.",
            "A change takes effect at the next start: port.",
        ],
    )


def test_passwords_that_everybody_may_read_are_told(tmp_path, capsys):
    path = tmp_path / "table.toml"
    for text, mode, told in (
        ("token = 'abc'", 0o644, True),
        ("token = 'abc'", 0o600, False),
        ("port = 80", 0o644, False),
    ):
        path.write_text(text)
        path.chmod(mode)
        with tempfile.TemporaryDirectory() as folder:  # those of pytest are for their owner alone
            Path(folder).chmod(0o755)
            copy = shutil.copy2(path, folder)
            status, lines = check(capsys, copy)
        said = [line for line in lines if "it holds passwords" in line]
        assert (status, bool(said)) == (0, told)
        assert "abc" not in f"{lines}"


def test_no_file_is_no_fault(tmp_path, capsys):
    status, (line,) = check(capsys, "--data", tmp_path)
    assert status == 0
    assert line.startswith(f"There is no {tmp_path}/table.toml, so all is as usual")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "port = 'x'\n[ship]\nrest = 3\n",
            ["line 1: port is a whole", "line 3, in [ship]: there is no"],
        ),
        ("# a\nreaders = ['abacus:']", ["line 2: readers: No reader is called 'abacus:'. Known"]),
        ("game = 'chess'", ["line 1: game: There is no game 'chess'"]),
        ("game = 'tentacles'\nset = { ink = 1 }", ["line 2: set: "]),
        ("game = 'tentacles'\nplayers = ['Ann']", ["line 2: players: "]),
        ("players = ['Ann', 'Bo', 'Cy', 'Di', 'Ed']", []),  # of which game is not said,
        ("set = { target = 5 }", []),
        ("players = ['Ann']", ["line 1: players: tentacles is for 2 to 6"]),  # and none takes this
        ("players = ['Ann', 'Ann']", ["line 1: players: Two players have one name"]),
        ("players = ['Ann', 'Bo']\nstarter = 'Cy'", ["line 2: starter: The starter 'Cy'"]),
        ("set = { ink = 1 }", ["line 1: set: tentacles has no option 'ink'"]),
        ("data = '/elsewhere'", ["line 1: data names /elsewhere"]),
        ("port = ", ["line 1: this is not TOML"]),
        ("host = ' '", ["line 1: host is an address"]),
        ("token = 'a b'", ["line 1: token is made of plain letters"]),
        ("stations = { a = 'attic' }", ["line 1: stations: the station of a is play"]),
    ],
)
def test_each_fault_is_one_line_with_its_place(tmp_path, capsys, text, said):
    path = tmp_path / "table.toml"
    path.write_text(text)
    status, lines = check(capsys, "--data", tmp_path)
    assert status == bool(said)
    if said:
        assert len(lines) == len(said)
        for line, part in zip(lines, said, strict=True):
            assert line.startswith(f"{path}, {part}"), line


def test_another_file_may_be_named(tmp_path, capsys):
    path = tmp_path / "mine.toml"
    status, (line,) = check(capsys, path)
    assert status == 1
    assert "cannot be read" in line
    path.write_text("data = 'elsewhere'")
    assert check(capsys, path)[0] == 0


def test_the_service_refuses_what_check_refuses(tmp_path):
    (tmp_path / "table.toml").write_text("readers = ['sim:', 'sim:']")
    (fault,) = findings(Told({"data": tmp_path})).faults
    with pytest.raises(ValueError, match="named twice") as refused:
        Told({"data": tmp_path}).settings()
    assert str(refused.value) == fault


# show


def test_every_key_is_shown_with_where_it_comes_from(tmp_path, capsys):
    path = tmp_path / "table.toml"
    path.write_text(
        "token = 'mellon'\nset = { octopus = 1 }\n\n[wifi]\nssid = 'Table'\npassword = 'mellonmellon'\n"
    )
    words = ["config", "show", "--data", str(tmp_path), "--port", "80", "--set", "eyes=1"]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "mellon" not in out
    shown = {
        (section, key): (value.strip(), origin)
        for section, body in re.findall(
            r"(?:^|\n\n)(?:\[(\w+)\]\n)?(.*?)(?=\n\n|\Z)", out, re.DOTALL
        )
        for key, value, origin in re.findall(
            r"^(?:# )?(\w+)(?: =)?(.*?)  # (.*)$", body, re.MULTILINE
        )
    }
    assert list(shown) == [(key.section, key.name) for key in every_key(Config)]
    assert shown["", "port"] == ("80", "the command line")
    assert shown["", "token"] == ('"***"', f"{path}, line 1")
    assert shown["", "set"] == ("{ octopus = 1, eyes = 1 }", "the command line")
    assert shown["wifi", "password"] == ('"***"', f"{path}, line 6")
    assert shown["ship", "rest_s"] == ("3.0", "default")
    assert shown["", "game"] == ("is left out", "default")
    assert tomllib.loads(out)["port"] == 80


def test_what_cannot_be_shown_is_refused(tmp_path, capsys):
    assert main(["config", "show", "--data", str(tmp_path), "--port", "99999"]) == 2
    assert "port is a number from 0 to 65535" in capsys.readouterr().err
