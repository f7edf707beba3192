"""`./run install --access-point`: the table is a Wi-Fi of its own."""

from __future__ import annotations

import configparser
import tomllib

import pytest

from companion.installing.access_point import (
    CONNECTION,
    REGULATIONS,
    connection,
    made_password,
    password_in,
    steps,
)
from companion.installing.choices import Choices
from companion.installing.step import Plan
from companion.installing.system import InstallError
from companion.network.settings import Wifi

SETTINGS = "/var/lib/tidetable/table.toml"
AWKWARD = [
    ("Ann's table; in #5", "a b\\c;d=e#f"),
    ("Stół [1]", "= 'x' \"y\""),
    ("a\\b", "12345678"),
]


@pytest.fixture
def install(computer):
    computer.at("/var/lib/tidetable").mkdir()

    def install(password: str | None = None, *, on: bool = True, **more) -> int:
        plan = Plan(steps(Choices(access_point=on, **more), password))
        return plan.install(computer.system)

    return install


def told(computer) -> dict[str, str]:
    return tomllib.loads(computer.at(SETTINGS).read_text()).get("wifi", {})


def test_a_password_is_made_and_told_to_both(computer, install):
    install()
    text = computer.at(CONNECTION).read_text()
    password = password_in(text)
    assert text == connection("Tidetable", password)
    assert told(computer) == {"ssid": "Tidetable", "password": password}
    assert Wifi(**told(computer)).joining() == f"WIFI:T:WPA;S:Tidetable;P:{password};;"


def test_it_is_the_administrators_secret(computer, install):
    install("tentacles")
    assert computer.at(CONNECTION).stat().st_mode & 0o777 == 0o600
    assert computer.at(SETTINGS).stat().st_mode & 0o777 == 0o600
    assert "tentacles" not in "".join(computer.said)
    others = {path: text for path, text in computer.tree().items() if "tentacles" in text}
    assert set(others) == {str(CONNECTION)[1:], SETTINGS[1:]}


def test_two_passwords_are_not_the_same():
    assert made_password() != made_password()
    Wifi("Tidetable", made_password())


def test_a_second_run_keeps_the_password(computer, install):
    install()
    before = computer.tree()
    assert (install(), computer.tree()) == (0, before)


def test_another_name_keeps_the_password_and_another_password_the_name(computer, install):
    install("tentacles")
    install(wifi_name="Deck 7")
    assert told(computer) == {"ssid": "Deck 7", "password": "tentacles"}
    install("octopuses", wifi_name="Deck 7")
    assert told(computer) == {"ssid": "Deck 7", "password": "octopuses"}
    assert password_in(computer.at(CONNECTION).read_text()) == "octopuses"


def test_other_settings_stay_with_their_comments(computer, install):
    computer.write(SETTINGS, "# ours\nport = 80\n\n[ship]\nrest_s = 3 # calm\n")
    before = computer.at(SETTINGS).read_text()
    install("tentacles")
    assert computer.at(SETTINGS).read_text().startswith(before)
    install(on=False)
    assert computer.at(SETTINGS).read_text() == before


def test_it_is_undone(computer, install):
    before = computer.tree()
    install("tentacles", wifi_country="NO")
    install(on=False)
    after = computer.tree()
    assert computer.at(SETTINGS).read_text() == ""
    new = {path for path in after if path not in before}
    assert new <= {"opt/tidetable", LEDGER, SETTINGS[1:]}


LEDGER = "opt/tidetable/installed.json"


def test_the_radio_keeps_the_rules_of_the_country(computer, install):
    install("tentacles", wifi_country="NO")
    assert computer.at(REGULATIONS).read_text().endswith("options cfg80211 ieee80211_regdom=NO\n")
    assert "iw reg set NO" in computer.asked


def test_without_a_country_it_is_said_what_a_pi_does(computer, install):
    install("tentacles")
    assert not computer.at(REGULATIONS).exists()
    assert any("--wifi-country NO" in line for line in computer.said)


def test_who_installs_over_wifi_is_not_thrown_out(computer, install):
    computer.switch_on_systemd()
    install("tentacles")
    assert "nmcli connection reload" in computer.asked
    assert not any("connection up" in line for line in computer.asked)


@pytest.mark.parametrize("password", ["short", "a" * 65, "żółw-morski"])
def test_a_password_that_no_wifi_can_have_is_refused(install, password):
    with pytest.raises(InstallError, match="8 to 63"):
        install(password)


@pytest.mark.parametrize(
    "wrong", [{"wifi_name": ""}, {"wifi_name": "a" * 33}, {"wifi_country": "no"}]
)
def test_names_that_cannot_be_are_refused(wrong):
    with pytest.raises(InstallError):
        Choices(**wrong)


@pytest.mark.parametrize("text", ['wifi = { ssid = "a" }', 'wifi.ssid = "a"\n', '[ "wifi" ]'])
def test_settings_may_say_it_in_their_own_way(computer, install, text):
    computer.write(SETTINGS, text)
    install("tentacles", wifi_name='Ann\'s "table"; $HOME')
    assert told(computer) == {"ssid": 'Ann\'s "table"; $HOME', "password": "tentacles"}
    install(on=False)
    assert tomllib.loads(computer.at(SETTINGS).read_text()) == {}


def test_settings_that_are_broken_are_told_and_left_alone(computer, install):
    computer.write(SETTINGS, "[wifi")
    with pytest.raises(InstallError, match="not TOML"):
        install("tentacles")
    assert computer.at(SETTINGS).read_text() == "[wifi"
    assert not computer.at(CONNECTION).exists()


def test_broken_settings_keep_nobody_from_taking_the_wifi_away(computer, install):
    install("tentacles")
    computer.write(SETTINGS, "[wifi")
    install(on=False)
    assert not computer.at(CONNECTION).exists()
    assert "not TOML" in computer.said[-1]


def test_the_password_is_in_no_list_of_programs(computer, install):
    install("tentacles")
    assert any("wifi.password=-" in line for line in computer.asked)
    assert not any("tentacles" in line for line in computer.asked)


@pytest.mark.parametrize(("name", "password"), AWKWARD)
def test_awkward_names_come_back(name, password):
    assert password_in(connection(name, password)) == password


# What nmcli 1.42 itself writes for them; .ci/bare-debian asks the real one.
SPELLED_BY_NETWORKMANAGER = [
    ("Tidetable", "ssid=Tidetable", "a b\\c;d=e#f", r"psk=a b\\c;d=e#f"),
    ("Deck 7", "ssid=Deck 7", " 12345678", r"psk=\s12345678"),
    ("Stół [1]", "ssid=83;116;195;179;197;130;32;91;49;93;", "= 'x' \"y\"", "psk== 'x' \"y\""),
]


@pytest.mark.parametrize(("name", "ssid", "password", "psk"), SPELLED_BY_NETWORKMANAGER)
def test_it_is_spelled_as_networkmanager_spells_it(name, ssid, password, psk):
    assert {ssid, psk} <= set(connection(name, password).splitlines())


def test_a_name_that_would_read_as_something_else_is_told_byte_by_byte():
    assert "ssid=52;50;" in connection("42", "tentacles").splitlines()
    assert "ssid=97;92;98;" in connection("a\\b", "tentacles").splitlines()


def test_no_key_of_the_file_is_said_twice():
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string(connection("Tidetable", "tentacles"))
    assert parser["wifi"]["mode"] == "ap"
    assert parser["ipv4"]["method"] == "shared"
    assert parser["connection"]["autoconnect-priority"] == "100"
