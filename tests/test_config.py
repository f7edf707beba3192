"""Settings from a file: typed, and refused in one sentence."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from companion.config import Config, ConfigError, Told
from companion.settings.reading import load
from companion.settings.sections import keys_of
from companion.settings.writing import NotWritten
from companion.ship import Thresholds
from companion.telling.settings import Mqtt, Webhook

WHOLE = """
game = "tentacles"
players = ["Ann", "Bo"]
starter = "Bo"
set = { octopus = 4, steal = "forced" }
data = "somewhere"
host = "127.0.0.1"
port = 0
readers = ["pcsc:", "bridge:usb=1-1.2"]
token = "a-long-token"
seats = ["bridge-1/0", ""]
[stations]
"pcsc-1" = "draw"
"bridge-1/0" = "seat-1"
[ship]
rest_s = 2
upright = [30, -12.5, 990]
[choices]
odds = true
[network]
name = "kitchen"
[wifi]
ssid = "Table"
password = "open sesame"
[log]
level = "warning"
[backup]
kept = 3
folder = "/media/stick/tidetable"
[mqtt]
host = "broker.example"
[webhook]
url = "https://example.org/hook"
"""


def read(tmp_path: Path, text: str):
    path = tmp_path / "table.toml"
    path.write_text(text)
    return load(Config, path)


def test_a_file_can_say_everything_that_the_command_line_can(tmp_path):
    settings = read(tmp_path, WHOLE)
    assert settings.keys() == {key.name for key in keys_of(Config)}
    config = Config(**settings)
    assert config.players == ("Ann", "Bo")
    assert config.readers == ("pcsc:", "bridge:usb=1-1.2")
    assert config.set == {"octopus": 4, "steal": "forced"}
    assert config.data == Path("somewhere")
    assert config.seats == ("bridge-1/0", "")
    assert config.stations == {"pcsc-1": "draw", "bridge-1/0": "seat-1"}
    assert config.ship == Thresholds(rest_s=2, upright=(30, -12.5, 990))
    assert config.mqtt == Mqtt(host="broker.example")
    assert config.webhook == Webhook(url="https://example.org/hook")


def test_every_threshold_of_the_ship_can_be_set(tmp_path):
    lines = [
        f"{entry.name} = {list(value) if isinstance(value, tuple) else value}"
        for entry in fields(Thresholds)
        for value in (getattr(Thresholds(), entry.name),)
    ]
    assert read(tmp_path, "[ship]\n" + "\n".join(lines))["ship"] == Thresholds()
    assert len(lines) >= 8


def test_an_empty_file_is_the_simulated_table(tmp_path):
    assert Config(**read(tmp_path, "")).readers == ("sim:",)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("colour = 1", "line 1: there is no key 'colour': known are game, players"),
        ("new = true", "there is no key 'new'"),
        ("players = 'Ann,Bo'", "players is a list of texts, and not a text"),
        ("players = [1, 2]", "players is a list of texts, and not a list of other things"),
        ("port = '8080'", "port is a whole number such as 8080, and not "),
        ("port = true", "port is a whole number such as 8080, and not "),
        ("set = 4", "set is a table, and not a whole number"),
        ("data = 4", "data is a path, as a text such as .*, and not a whole number"),
        ("seats = 'bridge-1/0'", "seats is a list of texts, and not a text"),
        ("ship = 4", "ship is a table, and not a whole number"),
        (
            "ship = { colour = 1 }",
            r"line 1, in \[ship\]: there is no key 'colour': known are rest_s",
        ),
        ("ship = { rest_s = '3' }", r"in \[ship\]: rest_s is a number such as 3.0, and not a text"),
        ("ship = { rest_s = true }", "rest_s is a number such as 3.0, and not true or false"),
        ("ship = { rest_s = 0 }", r"in \[ship\]: rest_s is a number above 0"),
        ("ship = { rest_s = nan }", "rest_s is a number such as 3.0, and not nan"),
        ("ship = { answer_s = 4000 }", "at most 3600"),
        ("ship = { capsized_deg = 181 }", "at most 180"),
        ("ship = { capsized_deg = 29 }", "upright_deg is at most capsized_deg"),
        ("ship = { upright = 4 }", "upright is a list of 3 numbers"),
        ("ship = { upright = [0, 0] }", "upright is a list of 3 numbers"),
        ("ship = { upright = [0, 0, inf] }", "upright is a list of 3 numbers"),
        ("ship = { upright = [0, 0, 0] }", "not all zero"),
        ("stations = { r1 = 'roof' }", "line 1: stations: the station of r1 is play, draw, reef"),
        ("stations = { r1 = 'seat-7' }", "the station of r1"),
        ("stations = { r1 = 4 }", "stations is a table of texts"),
        ("stations = 'play'", "stations is a table"),
        ("game = 'tentacles'\nport = ", "line 2: this is not TOML"),
    ],
)
def test_a_bad_file_is_refused(tmp_path, text, said):
    with pytest.raises(ConfigError, match=said):
        read(tmp_path, text)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="cannot be read"):
        load(Config, tmp_path / "no.toml")


@pytest.mark.parametrize(
    "settings",
    [
        {"port": -1},
        {"port": 65536},
        {"token": ""},
        {"token": "zażółć-gęślą"},
        {"readers": ()},
        {"readers": ("sim:", "sim:")},
        {"readers": ("pcsc:", "pcsc:ACS")},
        {"readers": ("gpio:17", "gpio:17?kind=stop")},
        {"readers": ("bridge:A?number=0",)},
    ],
)
def test_a_value_that_cannot_be_used_is_refused(settings):
    with pytest.raises(ConfigError):
        Config(**settings)


@pytest.mark.parametrize("kind", ["bridge", "line", "pn532"])
def test_two_boards_are_not_called_the_same(kind):
    for ends in (("A", "B"), ("A", "B?baud=9600&number=1"), ("A?number=1", "B")):
        with pytest.raises(ConfigError, match=rf"called {kind}-1: .* such as \?number=2\."):
            Config(readers=tuple(f"{kind}:{end}" for end in ends))
    with pytest.raises(ConfigError, match=r"such as \?number=3"):
        Config(readers=(f"{kind}:A", f"{kind}:B?number=2", f"{kind}:C?number=2"))
    names = (f"{kind}:A", f"{kind}:B?number=2", "sim:", "pcsc:")
    assert Config(readers=names).readers == names


def test_boards_of_several_kinds_may_have_one_number():
    assert len(Config(readers=("bridge:A", "line:B", "pn532:C")).readers) == 3


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("bridge:/tmp/x", "bridge:/tmp/x?number=2"),
        ("pn532:/dev/a", "line:/dev/a"),
        ("pn532:/dev/a?targets=1", "pn532:/dev/a?number=2"),
        ("bridge:/dev/a", "line:/dev//a?baud=9600"),
        ("bridge:serial=E6", "line:serial=e6"),
        ("bridge:usb=1-1", "pn532:usb=1-1"),
        ("bridge:socket://x:1", "bridge:socket://x:1?logging=debug&number=2"),
    ],
)
def test_a_port_is_named_once(one, other):
    with pytest.raises(ConfigError) as refused:
        Config(readers=("sim:", one, other))
    assert str(refused.value) == f"{one} and {other} are one port: name it once."


def test_a_link_to_a_port_is_that_port(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "port")
    with pytest.raises(ConfigError, match="are one port"):
        Config(readers=(f"bridge:{tmp_path}/port", f"line:{tmp_path}/link"))


READERS = ("pcsc:ACR", "bridge:A", "line:B?number=3", "pn532:C", "gpio:17", "sim:harbour")
CALLED = ("pcsc-1", "pcsc-12", "bridge-1/0", "line-3/a", "pn532-1", "gpio-17", "harbour")
STRANGERS = (
    *("pcsc-0", "pcsc-", "pcsc-1/0", "brigde-1/0", "bridge-1", "bridge-2/0", "line-1/a"),
    *("line-3/", "pn532-2", "pn532-1/0", "gpio-1", "sim", "r1"),
)


@pytest.mark.parametrize("name", CALLED)
def test_who_belongs_to_a_reader_may_stand_anywhere(name):
    config = Config(readers=READERS, seats=("", name), stations={name: "play"})
    assert not list(config.strangers())


@pytest.mark.parametrize("name", STRANGERS)
def test_who_belongs_to_no_reader_is_told(name):
    for key, places in (("seats", ("", name)), ("stations", {"pcsc-1": "reef", name: "play"})):
        config = Config(readers=READERS, **{key: places})
        (told,) = config.strangers()
        assert told == (
            f"{key} has {name!r}, and no reader is called so: pcsc:ACR is called pcsc-1, pcsc-2 "
            "and so on; bridge:A is called bridge-1/PLACE; line:B?number=3 is called "
            "line-3/PLACE; pn532:C is called pn532-1; gpio:17 is called gpio-17; sim:harbour is "
            "called harbour."
        )


def test_the_virtual_table_is_called_sim():
    assert not list(Config(stations={"sim": "draw"}).strangers())


def test_a_reader_of_an_unknown_kind_may_be_called_anything():
    assert not list(Config(readers=("lamp:",), seats=("x",)).strangers())


def test_one_reader_stands_at_one_seat():
    with pytest.raises(ConfigError, match="seats names pcsc-1 twice"):
        Config(readers=("pcsc:",), seats=("pcsc-1", "", "pcsc-1"))
    assert Config(readers=("pcsc:",), seats=("", "pcsc-1", "")).seats == ("", "pcsc-1", "")


@pytest.mark.parametrize("station", ["seat-1", "draw", "discard-2"])
def test_one_place_has_one_reader(station):
    stations = {"pcsc-1": station, "pcsc-2": "play", "pcsc-3": station}
    with pytest.raises(ConfigError, match=f"pcsc-1 and pcsc-3 both stand at {station}"):
        Config(readers=("pcsc:",), stations=stations)


@pytest.mark.parametrize("station", ["play", "area-0", "reef"])
def test_a_wide_place_may_have_several(station):
    stations = {"pcsc-1": station, "pcsc-2": station}
    assert Config(readers=("pcsc:",), stations=stations).stations == stations


def test_readers_of_the_file_are_no_strangers_where_the_command_line_names_others():
    config = Config(readers=("pcsc:",), stations={"bridge-1/4": "play", "brigde-1/0": "draw"})
    assert len(list(config.strangers())) == 2
    (told,) = config.strangers(("bridge:A",))
    assert "'brigde-1/0'" in told


def test_the_file_of_the_data_folder_is_read_when_no_other_is_named(tmp_path):
    told = Told({"data": tmp_path})
    assert told.settings().now == Config(data=tmp_path)
    (tmp_path / "table.toml").write_text("port = 1\nset = { octopus = 4, eyes = 1 }\nseats = ['']")
    now = Told({"data": tmp_path, "port": 2, "set": {"octopus": 5}}).settings().now
    assert (now.port, now.set, now.seats) == (2, {"octopus": 5, "eyes": 1}, ("",))
    other = tmp_path / "other.toml"
    other.write_text("port = 3\ndata = 'elsewhere'")
    told = Told({"data": tmp_path}, other)
    assert (told.path, told.settings().now.port, told.settings().now.data) == (other, 3, tmp_path)
    assert Told({}, other).settings().now.data == Path("elsewhere")


def test_a_reader_that_is_none_is_a_fault_of_the_file_also_while_the_service_runs(tmp_path):
    path = tmp_path / "table.toml"
    path.write_text("port = 1\n")
    live = Told({"data": tmp_path}).settings()
    path.write_text("port = 1\nreaders = ['abacus:']\n")
    for _ in range(2):
        live.look()
    assert live.trouble.startswith(f"{path}, line 2: readers: No reader is called 'abacus:'.")
    assert live.now.readers == ("sim:",)
    with pytest.raises(NotWritten, match="abacus"):
        live.change({("choices", "odds"): True})
    assert not live.now.choices.odds
    path.write_text("readers = ['line:/dev/ttyUSB0']")
    for _ in range(2):
        live.look()
    assert (live.trouble, live.now.readers) == ("", ("line:/dev/ttyUSB0",))


def test_a_file_that_may_not_be_looked_at_is_told(tmp_path, monkeypatch):
    def denied(path, **_):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "stat", denied)
    monkeypatch.setattr("companion.settings.reading.bytes_of", denied)
    with pytest.raises(ConfigError, match=r"table\.toml cannot be read \(Permission denied\)"):
        Told({"data": tmp_path}).settings()


def test_a_named_file_must_be_there(tmp_path):
    with pytest.raises(ConfigError, match="cannot be read"):
        Told({}, tmp_path / "no.toml").settings()


def test_the_file_of_the_data_folder_names_no_other_folder(tmp_path):
    path = tmp_path / "table.toml"
    path.write_text(f"data = '{tmp_path}/.'")
    assert Told({"data": tmp_path}).settings().now.data == tmp_path
    path.write_text("# mine\ndata = '/elsewhere'")
    with pytest.raises(ConfigError) as refused:
        Told({"data": tmp_path}).settings()
    assert str(refused.value) == (
        f"{path}, line 2: data names /elsewhere, and this file is read because it lies in "
        f"{tmp_path}: leave data out of it, or start with --data /elsewhere."
    )
