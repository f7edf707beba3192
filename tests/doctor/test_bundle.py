"""The file for those who are asked for help: all that explains, and not one secret in any byte."""

from __future__ import annotations

import io
import json
import logging
import os
import sqlite3
import stat
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from companion.cli import main
from companion.clocks import machine_clocks
from companion.config import Config
from companion.doctor import bundle, running
from companion.doctor.api import Report, bad
from companion.doctor.here import settings_of
from companion.doctor.known import known_of
from companion.doctor.system import Ran, Settings, System, User
from companion.household import HOUSEHOLD, Household
from companion.log_file import Log, writing
from companion.record import replay
from companion.record.journal import Journal
from companion.record.reading import newest_game, reading_without_a_trace
from companion.record.verify import folded
from companion.settings.reading import load
from tests.doctor.systems import WELL, FakeProbes
from tests.support.evenings import NAMES, played, spellings_of_name, spellings_of_uid
from tests.support.twins import looks
from tests.support.whole import whole
from web_ui.access import TableLink

GAMES = ("tentacles", "octopus-alarm", "sea-salt-paper")
TOKEN = "the-token-of-the-link"
OLD_TOKEN = "a token of last year"
WIFI = "open sesame & more"
BROKER = "broker's secret"
HOOK = "https://hooks.example/services/very-private"
STRANGER = "Wanda the Aunt"
FORGOTTEN = "Bartholomew"

MACHINE = "smiths-nas"
PRIVATE = (MACHINE, "smiths-table", "gertrud", "broker.smiths", "smiths.example")
PRIVATE += ("2003:e8", "fe80::", "93.184", "ac:de:48")

SETTINGS = f"""
# {STRANGER} wrote this
players = ["{NAMES[0]}", "{NAMES[1]}"]
readers = ["pcsc:"]
token = "{TOKEN}"
[wifi]
ssid = "At the Smiths"
password = "{WIFI}"
[network]
name = "smiths-table"
[mqtt]
host = "broker.smiths"
username = "smith"
password = "{BROKER}"
[webhook]
url = "{HOOK}"
"""


def system_of(folder: Path, run=lambda words: Ran(None)) -> System:
    file = folder / "table.toml"
    config = Config(**{"data": folder, **load(Config, file)}) if file.exists() else None
    settings = Settings(folder, config, file if file.exists() else None)
    probes = FakeProbes(versions={"tidetable": "0.1.0"})
    asking = {"SUDO_USER": "gertrud"}
    return Computer(settings, User(0, "root"), WELL, environ=asking, run=run, probes=probes)


class Computer(System):
    """This one, by another name."""

    def text(self, name):
        is_name = str(name) == "/proc/sys/kernel/hostname"
        return f"{MACHINE}\n" if is_name else super().text(name)


REPORT = Report(
    "gertrud",
    (bad("port-held", f"The port is held for {NAMES[0]}.", "Stop it.", f"kill {NAMES[1]}"),),
)


def texts_of(data: bytes) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        return {
            name.removeprefix("tidetable/"): archive.read(name).decode()
            for name in archive.namelist()
        }


def said_by_the_system(evening, link):
    """What people find in a journal: the start, with links and codes, taps and names."""
    uid = next(iter(evening.tags))
    pairs = " ".join(uid[place : place + 2] for place in range(0, len(uid), 2)).lower()
    service = "\n".join(
        [
            f"[ 12.1] companion[7]: Touch buttons on this device: http://127.0.0.1/link/{OLD_TOKEN}",
            f"[ 12.2] companion[7]: Phones join at http://10.0.0.2/join with the code {link.join_code}",
            f"[ 12.3] companion[7]: Helpers: http://10.0.0.2/helper with the PIN {link.pin}",
            "[ 12.4] companion[7]: Helpers: http://10.0.0.2/helper with the PIN 987123",
            f"[ 12.5] companion[7]: The game of tentacles with {', '.join(evening.names)} goes on",
            f"[ 12.6] companion[7]: unknown tag {uid} on pcsc-1 of {STRANGER}",
            f"[ 12.7] companion[7]: FF CA 00 00 {pairs} 90 00",
            f"[ 12.9] a program: {' | '.join(sorted(spellings_of_uid(uid)))}",
            f"[ 13.0] a program: curl -H 'Bearer {TOKEN}' and {OLD_TOKEN}, {WIFI}, {BROKER}",
            "[ 13.1] companion[7]: Webhook: 2001-smiths.example answers 500; it is tried again.",
            "[ 13.2] companion[7]: Webhook: 3 events were not delivered.",
            f"[ 13.3] a program: {FORGOTTEN} asked to be forgotten",
            (
                "[ 13.4] companion[7]: Webhook: hooks.example cannot be reached (its certificate is not "
                "believed, certificate is not valid for 'old-hook.smiths.example')."
            ),
            (
                "[ 13.5] companion[7]: asked by 2003:e8:1f2a:77::5, fe80::d2ab:61ff:fe12:3456 and "
                "93.184.216.34, not by 192.168.1.7 or ::1 at 12:34:56 on smiths-nas of gertrud"
            ),
            "[ 12.8] companion[7]: it is on sea-salt-paper/mermaid-white-4 now",
        ]
    )
    kernel = "[ 1.2] wlan0: authenticated with ac:de:48:00:11:22\n[ 1.0] usb 1-1: SerialNumber: R2D2C3PO\n[ 1.1] usb 1-1: new device\n[ 1.2] chatter"

    def run(words):
        if words[0] == "journalctl":
            return Ran(0, kernel if "-k" in words else service)
        return Ran(0, "ActiveState=active\n") if words[0] == "systemctl" else Ran(None)

    return run


def prepared(tmp_path, monkeypatch, game):
    """A table after an evening, with everything that may not leave the house."""
    with writing(tmp_path, Log()) as kept:
        logging.getLogger("companion").setLevel(logging.DEBUG)
        evening = played(tmp_path, game, monkeypatch)
        logging.getLogger("companion").warning("%s laid %s", NAMES[0], next(iter(evening.tags)))
    assert kept.path.exists()
    (tmp_path / "table.toml").write_text(SETTINGS, encoding="utf-8")
    journal = Journal(tmp_path / "table.sqlite", machine_clocks())
    journal.enrol(evening.tags)
    journal.remember("token", OLD_TOKEN)
    journal.close()
    with reading_without_a_trace(tmp_path / "table.sqlite") as connection:
        table = newest_game(connection).columns[1]
    household = Household(tmp_path / HOUSEHOLD)
    household.remember((STRANGER,))
    household.shape("Ponczek", "heart")
    household.forget(FORGOTTEN, 1)
    household.sit("0123456789abcdef", "Hildegard", None, "2026-05-01")
    household.close()
    (tmp_path / f"photo of {STRANGER}.txt").write_text("x")
    return evening, TableLink(TOKEN, table), TableLink(OLD_TOKEN, table)


def never_seen(folder):
    """Names of cards that nobody at the table has seen."""
    with reading_without_a_trace(folder / "table.sqlite") as connection:
        game = newest_game(connection)
        match = folded(connection, game).match
    seen = json.dumps(looks(match), default=str)
    if game.rules != "sea-salt-paper":
        return set()
    return {name for name in match.game.components if name not in seen}


@pytest.mark.parametrize("game", GAMES)
def test_no_byte_tells_who_played_with_which_tags_and_cards(tmp_path, monkeypatch, game):
    evening, link, old_link = prepared(tmp_path, monkeypatch, game)
    system = system_of(tmp_path, said_by_the_system(evening, link))
    monkeypatch.setattr("tests.support.whole.TOKEN", TOKEN)
    with whole(tmp_path, monkeypatch, readers=("sim:",)) as its:
        monkeypatch.setattr(running, "address_of", lambda system: its.url)
        data = bundle.made(system, REPORT)
    texts = texts_of(data)
    assert "Tidetable, report of the diagnostics" in texts["diagnostics.txt"]
    for blob in (data.decode("latin-1"), *texts.values(), *texts):
        text = blob.casefold()
        for name in (*evening.names, STRANGER, FORGOTTEN, "Ponczek", "Hildegard"):
            for way in spellings_of_name(name):
                assert way.casefold() not in text, name
        for uid in evening.tags:
            for way in spellings_of_uid(uid):
                assert way not in text, (uid, way)
        for secret in (
            TOKEN,
            OLD_TOKEN,
            WIFI,
            BROKER,
            "hooks.example",
            *PRIVATE,
            "At the Smiths",
            "r2d2",
        ):
            assert secret.casefold() not in text
        for either in (link, old_link):
            assert either.pin not in text
            assert f"code {either.join_code}".casefold() not in text
        assert "987123" not in text
        assert "smiths.example" not in text  # of a webhook that the settings do not name any more
        for card in never_seen(tmp_path):
            assert card not in text
    assert "mermaid-white-4" not in texts["service.txt"]


@pytest.mark.parametrize("game", GAMES)
def test_it_tells_what_explains_a_fault(tmp_path, monkeypatch, game):
    evening, link, _ = prepared(tmp_path, monkeypatch, game)
    system = system_of(tmp_path, said_by_the_system(evening, link))
    texts = texts_of(bundle.made(system, REPORT))
    assert "port-held" in texts["doctor.txt"]
    assert json.loads(texts["doctor.json"])["findings"][0]["code"] == "port-held"
    assert "Tidetable 0.1.0" in texts["versions.txt"]
    assert "readers in force: pcsc:" in texts["settings.txt"]
    assert "mqtt.password = (left out)" in texts["settings.txt"]
    assert "The service does not run." in texts["diagnostics.txt"]
    assert "ActiveState=active" in texts["service.txt"]
    assert "The game of tentacles with … goes on" in texts["service.txt"]
    assert "on pcsc-1 of (a player)" in texts["service.txt"]
    assert "Webhook: … answers 500; it is tried again." in texts["service.txt"]
    assert "not by 192.168.1.7 or ::1 at 12:34:56 on" in texts["service.txt"]
    assert "Webhook: 3 events were not delivered." in texts["service.txt"]
    assert "new device" in texts["kernel.txt"]
    assert "chatter" not in texts["kernel.txt"]
    assert f"1: {game}, " in texts["games.txt"]
    assert "table.sqlite: " in texts["files.txt"]
    assert "unknown tag" in texts["log/tidetable.log"] or "laid" in texts["log/tidetable.log"]
    file = replay.read(texts["game.jsonl"].encode())
    assert file.header["players"][:2] == ["player-1", "player-2"]
    assert len(list(replay.replayed(file))) > 10


def test_without_the_record_what_may_have_names_is_left_out(tmp_path, monkeypatch):
    evening, link, _ = prepared(tmp_path, monkeypatch, "tentacles")
    (tmp_path / "table.sqlite").write_bytes(b"not a database at all" * 100)
    system = system_of(tmp_path, said_by_the_system(evening, link))
    assert not known_of(system).whole
    texts = texts_of(bundle.made(system, REPORT))
    assert "pcsc" in texts["settings.txt"]
    for name in evening.names[2:]:
        assert name not in "".join(texts.values())
    assert "could not be read" in texts["service.txt"]
    assert "could not be read" in texts["log/tidetable.log"]
    assert "could not be read" in texts["games.txt"]


def test_a_household_that_is_none_of_ours_leaves_out_what_may_have_names(tmp_path):
    Household(tmp_path / HOUSEHOLD).close()
    with closing(sqlite3.connect(tmp_path / HOUSEHOLD)) as file, file:
        file.execute("INSERT INTO thing (key, value) VALUES ('devices', '[1]')")
    assert not known_of(system_of(tmp_path)).whole


def test_whatever_lies_in_the_folder_of_the_log_spoils_nothing(tmp_path, monkeypatch):
    """With sudo root reads there what the user of the service wrote."""
    data = tmp_path / "data"
    log = data / "log"
    log.mkdir(parents=True)
    (tmp_path / "private").write_text("of root alone\n")
    (log / "tidetable.log").write_text("the beginning\n" * 100 + "the end\n")
    (log / "tidetable.log.1").symlink_to(tmp_path / "private")
    os.mkfifo(log / "tidetable.log.2")
    (log / f"tidetable.log of {STRANGER}").write_text("x")
    for name in (b"photo \xff.jpg", b"a \x1b[2J"):
        (data / os.fsdecode(name)).write_text("x")
    monkeypatch.setattr(bundle, "MOST_OF_A_LOG", 60)
    texts = texts_of(bundle.made(system_of(data), REPORT))
    assert [name for name in texts if name.startswith("log/")] == [
        *("log/tidetable.log", "log/tidetable.log.1", "log/tidetable.log.2")
    ]
    assert texts["log/tidetable.log"] == (
        "(Of 1408 bytes the last are told.)\n" + "the beginning\n" * 3 + "the end\n"
    )
    assert "could not be read" in texts["log/tidetable.log.1"]
    assert "could not be read" in texts["log/tidetable.log.2"]
    assert "photo \\udcff.jpg: 1 bytes" in texts["files.txt"]
    assert "a \\x1b[2J: 1 bytes" in texts["files.txt"]


@pytest.mark.parametrize("players", ["no JSON", "1", "[null]", '{"a": ['])
def test_a_record_that_says_nonsense_leaves_out_what_may_have_names(tmp_path, monkeypatch, players):
    evening, link, _ = prepared(tmp_path, monkeypatch, "tentacles")
    with closing(sqlite3.connect(tmp_path / "table.sqlite")) as file, file:
        file.execute("UPDATE game SET players = ?", (players,))
    texts = texts_of(bundle.made(system_of(tmp_path, said_by_the_system(evening, link)), REPORT))
    told = "".join(texts.values())
    assert not [name for name in evening.names if name in told]


@pytest.mark.parametrize("name", ["lock", "household.sqlite", "table.sqlite", "table.toml"])
def test_a_pipe_in_the_place_of_a_file_keeps_nobody_waiting(tmp_path, name):
    os.mkfifo(tmp_path / name)
    settings = settings_of(tmp_path, data=tmp_path)
    data = bundle.made(System(settings, User(0, "root"), WELL, probes=FakeProbes()), REPORT)
    assert f"{name}: 0 bytes" in texts_of(data)["files.txt"]


def test_a_table_that_was_never_played_has_a_file_too(tmp_path):
    system = system_of(tmp_path / "nothing")
    assert known_of(system).whole
    texts = texts_of(bundle.made(system, REPORT))
    assert "port-held" in texts["doctor.txt"]
    assert set(texts) >= {"READ-ME.txt", "versions.txt", "game.jsonl", "files.txt"}


def test_the_settings_are_told_key_by_key_and_what_is_no_key_is_not(tmp_path):
    (tmp_path / "table.toml").write_text('port = 81\npasswort = "x9x9x9"\n[ship]\nrest_s = 2.5\n')
    settings = Settings(tmp_path, None, tmp_path / "table.toml", ("there is no key",))
    system = System(settings, User(0, "root"), WELL, probes=FakeProbes())
    said = texts_of(bundle.made(system, REPORT))["settings.txt"]
    assert "It cannot be used: there is no key" in said
    assert "port = 81" in said
    assert "ship.rest_s = 2.5" in said
    assert "passwort: no key of ours" in said
    assert "x9x9x9" not in said


def test_who_asks_for_cards_and_a_file_is_not_given_one_of_them_in_silence(tmp_path, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["doctor", "--tap", "--bundle", str(tmp_path / "help.zip")])
    assert "not allowed with" in capsys.readouterr().err


def test_it_is_written_for_its_owner_alone_and_whole_or_not_at_all(tmp_path, capsys):
    file = tmp_path / "help.zip"
    assert main(["doctor", "--data", str(tmp_path / "data"), "--bundle", str(file)]) == 0
    assert "Read it before you send it" in capsys.readouterr().out
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "doctor.txt" in texts_of(file.read_bytes())
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["help.zip"]
    nowhere = tmp_path / "nowhere" / "help.zip"
    assert main(["doctor", "--data", str(tmp_path / "data"), "--bundle", str(nowhere)]) == 2
    assert "cannot be written" in capsys.readouterr().err
