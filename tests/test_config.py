"""Settings from a file: typed, and refused in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.config import FILE_KEYS, Config, ConfigError, read_toml

WHOLE = """
game = "tentacles"
players = ["Ann", "Bo"]
starter = "Bo"
set = { octopus = 4, steal = "forced" }
data = "somewhere"
host = "127.0.0.1"
port = 0
readers = ["pcsc:", "sim:"]
token = "a-long-token"
"""


def read(tmp_path: Path, text: str):
    path = tmp_path / "table.toml"
    path.write_text(text)
    return read_toml(path)


def test_a_file_can_say_everything_that_the_command_line_can(tmp_path):
    settings = read(tmp_path, WHOLE)
    assert tuple(settings) == FILE_KEYS
    config = Config(**settings)
    assert config.players == ("Ann", "Bo")
    assert config.readers == ("pcsc:", "sim:")
    assert config.set == {"octopus": 4, "steal": "forced"}
    assert config.data == Path("somewhere")


def test_an_empty_file_is_the_simulated_table(tmp_path):
    assert Config(**read(tmp_path, "")).readers == ("sim:",)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("colour = 1", "unknown key 'colour'"),
        ("new = true", "unknown key 'new'"),
        ("players = 'Ann,Bo'", "players is a list of names"),
        ("players = [1, 2]", "players is a list of names"),
        ("port = '8080'", "port is a number"),
        ("port = true", "port is a number"),
        ("set = 4", "set is a table"),
        ("data = 4", "data is a text"),
        ("port = ", "not TOML"),
    ],
)
def test_a_bad_file_is_refused(tmp_path, text, said):
    with pytest.raises(ConfigError, match=said):
        read(tmp_path, text)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="cannot be read"):
        read_toml(tmp_path / "no.toml")


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
    ],
)
def test_a_value_that_cannot_be_used_is_refused(settings):
    with pytest.raises(ConfigError):
        Config(**settings)
