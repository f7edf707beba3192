"""`companion config set` and `unset`: what is typed comes into the file, or nothing does."""

from __future__ import annotations

import io
import re
import shlex
import tomllib

import pytest

from companion.cli import main
from companion.config import Config
from companion.settings.documents import default_of
from companion.settings.reading import load
from companion.settings.sections import every_key
from tests.docs.blocks import blocks, pages


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.delenv("TIDETABLE_DATA", raising=False)
    return tmp_path / "table.toml"


@pytest.fixture
def typed(path, capsys):
    """Types such a command; its exit status and what it said."""

    def typed(verb: str, *words: str) -> tuple[int, str]:
        status = main(["config", verb, "--data", f"{path.parent}", *words])
        said = capsys.readouterr()
        return status, said.out + said.err

    return typed


def table(path):
    return tomllib.loads(path.read_text())


def test_what_is_typed_is_in_the_file_and_told_when_it_counts(path, typed):
    status, said = typed("set", "port=80", 'readers=["pcsc:"]', "wifi.ssid=Tide", "host=0.0.0.0")
    assert status == 0
    assert table(path) == {
        "port": 80,
        "readers": ["pcsc:"],
        "host": "0.0.0.0",
        "wifi": {"ssid": "Tide"},
    }
    assert said.splitlines()[:2] == [f"{path} is written.", "Takes effect at once: readers."]
    assert said.splitlines()[2].startswith("Takes effect at the next start: ")
    assert "port" in said.splitlines()[2]


@pytest.mark.parametrize(
    ("change", "place", "value"),
    [
        ("players=Ann, Bo", ("players",), ["Ann", "Bo"]),
        ("readers=[sim:,pcsc:]", ("readers",), ["sim:", "pcsc:"]),  # a shell took the quotes
        ("starter='Ann'", ("starter",), "Ann"),
        ("starter=42", ("starter",), "42"),
        ("starter=O'Hara", ("starter",), "O'Hara"),
        ("wifi.ssid=a=b", ("wifi", "ssid"), "a=b"),
        ("backup.folder=/mnt/stick", ("backup", "folder"), "/mnt/stick"),
        ("log.level=warning", ("log", "level"), "warning"),
        ("choices.odds=true", ("choices", "odds"), True),
        ("ship.upright=[0, 0, 1000]", ("ship", "upright"), [0, 0, 1000]),
        ("set.octopus=4", ("set", "octopus"), 4),
        ("set.steal=forced", ("set", "steal"), "forced"),
        ("stations.pcsc-1=draw", ("stations", "pcsc-1"), "draw"),
        ('stations."bridge-1/0"=draw', ("stations", "bridge-1/0"), "draw"),
        ("stations.bridge-1/0.1=draw", ("stations", "bridge-1/0.1"), "draw"),
        ('stations={pcsc-1 = "draw"}', ("stations", "pcsc-1"), "draw"),
    ],
)
def test_a_value_is_spelt_as_in_the_file_or_plainly(path, typed, change, place, value):
    assert typed("set", change)[0] == 0
    found = table(path)
    for step in place:
        found = found[step]
    assert found == value


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("port=many", "port is a whole number such as 8080, and not a text"),
        ("port=99999", "port is a number from 0 to 65535"),
        ("prot=1", "there is no key 'prot'; port is one"),
        ("wifi.sid=a", "In [wifi] there is no key 'sid'; ssid is one"),
        ("wifi=a", "wifi is a section: name a key of it, of wifi.ssid, wifi.password"),
        ("port.a=1", "port is no table"),
        ("port", "A change is KEY=VALUE"),
        ("readers=abacus:", "No reader is called 'abacus:'"),
        ('readers=["sim:"', "readers is a list of texts"),
        ("game=chess", "There is no game 'chess'"),
        ("data=/elsewhere", "leave data out of it"),
        ("starter=a\udcff", "is not UTF-8"),
        ("port=80\nhost='1'", "port is a whole number"),
    ],
)
def test_what_cannot_be_is_a_sentence_and_changes_nothing(path, typed, change, sentence):
    path.write_text("# ours\nport = 80\n")
    status, said = typed("set", "host=0.0.0.0", change)
    assert status == 2
    assert sentence in said
    assert path.read_text() == "# ours\nport = 80\n"


def test_all_of_a_change_is_judged_together(path, typed):
    assert typed("set", "players=Ann,Bo", "starter=Cy", "game=tentacles")[0] == 2
    assert not path.exists()
    assert typed("set", "port=1", "port=2") == (2, "companion: port is named twice: say it once.\n")


def test_what_the_documentation_types_is_taken(path, typed, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("mellon\n" * 9))
    commands = [each for page in pages() for block in blocks(page) for each in block.commands()]
    found = [
        re.fullmatch(r"(?:sudo )?companion config (set|unset) (.+)", each) for each in commands
    ]
    assert len([each for each in found if each]) >= 3
    for each in filter(None, found):
        status, said = typed(each[1], *shlex.split(each[2]))
        assert status == 0, (each[0], said)
        path.unlink(missing_ok=True)


def test_comments_and_order_stay(path, typed):
    text = '# ours\nport = 80  # no number to type\n\n[ship]\nrest_s = 3 # calm\n# "end"\n'
    path.write_text(text)
    typed("set", "port=8080", "ship.rest_s=2")
    assert path.read_text() == text.replace("80 ", "8080 ").replace("3 #", "2 #")


def test_a_file_with_a_fault_is_not_changed(path, typed):
    path.write_text("prot = 80\n")
    status, said = typed("set", "port=80")
    assert (status, path.read_text()) == (2, "prot = 80\n")
    assert "while their file has a fault" in said


def test_a_secret_comes_by_standard_input_as_it_is(path, typed, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO('"my = mellon"\r\nsecond one\n'))
    status, said = typed("set", "wifi.password=-", "token=-", "wifi.ssid=Tide")
    assert (status, "mellon" in said, "Others" in said) == (2, False, False)  # a token has no space
    monkeypatch.setattr("sys.stdin", io.StringIO('"my = mellon"\r\n'))
    assert typed("set", "wifi.password=-", "wifi.ssid=Tide")[0] == 0
    assert table(path)["wifi"] == {"password": '"my = mellon"', "ssid": "Tide"}
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("secret", ["mellon", "mellon=-"])
def test_a_secret_that_others_could_see_is_said_and_not_shown(path, typed, secret):
    said = typed("set", f"token={secret}")[1]
    assert "Others may have seen token" in said
    assert "mellon" not in said


def test_in_a_terminal_a_secret_is_typed_unseen(path, typed, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("sys.stdin", Terminal())
    monkeypatch.setattr("getpass.getpass", lambda asked: f"for-{asked.strip(': ')}")
    assert typed("set", "token=-")[0] == 0
    assert table(path) == {"token": "for-token"}


def test_without_a_line_nothing_is_written(path, typed, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert typed("set", "token=-")[0] == 2
    assert not path.exists()


def test_only_what_is_missing(path, typed):
    path.write_text("port = 81 # ours\n")
    assert typed("set", "--missing", "port=80", "host=0.0.0.0")[0] == 0
    assert path.read_text() == 'port = 81 # ours\nhost = "0.0.0.0"\n'
    assert typed("set", "--missing", "port=80") == (0, f"{path} says so already.\n")


def test_unset_is_as_usual_again(path, typed):
    before = '# ours\nport = 81\n\n[stations]\n"pcsc-1" = "draw"\n'
    path.write_text(f'{before}pcsc-2 = "play"\n\n[wifi]\nssid = "Tide"\npassword = "12345678"\n')
    status, said = typed("unset", "wifi", "stations.pcsc-2", "mqtt")
    assert (status, path.read_text().rstrip()) == (0, before.rstrip())
    assert "wifi.ssid, wifi.password" in said
    assert "mqtt" not in said
    assert typed("unset", "wifi")[1] == f"{path} says so already.\n"


def test_it_says_how_an_installed_table_is_started_anew(path, typed, monkeypatch):
    monkeypatch.setenv("TIDETABLE_DATA", f"{path.parent}")
    assert "sudo systemctl restart tidetable" in typed("set", "port=80")[1]
    assert "systemctl" not in typed("set", "choices.odds=true")[1]


def test_another_file_may_be_named(tmp_path, capsys):
    path = tmp_path / "mine.toml"
    assert main(["config", "set", "--config", str(path), "port=81", "data=/elsewhere"]) == 0
    assert table(path) == {"port": 81, "data": "/elsewhere"}
    assert main(["config", "set", "--config", str(tmp_path / "no/x.toml"), "port=1"]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_the_folder_is_made_where_there_is_none_yet(tmp_path, monkeypatch):
    monkeypatch.delenv("TIDETABLE_DATA", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert main(["config", "set", "port=81"]) == 0
    assert table(tmp_path / "tidetable/table.toml") == {"port": 81}


def test_every_key_can_be_typed_as_the_documentation_spells_it(path, typed):
    keys = [key for key in every_key(Config) if key.default is not None and key.path != "data"]
    assert typed("set", *(f"{key.path}={default_of(key)}" for key in keys))[0] == 0
    assert Config(**load(Config, path)) == Config()
