"""The log in the data folder: what is in it, what never is, and that no disk stops the table."""

from __future__ import annotations

import logging
import os
import stat
import threading

import pytest

from companion import log_file, service
from companion.clocks import machine_clocks
from companion.config import Config
from companion.drivers import registry
from companion.drivers.api import DeviceBack, DeviceLost, Driver, TagOff, TagOn
from companion.log_file import Log, LogFile, writing
from companion.masking import Mask
from companion.network.presence import Presence
from companion.network.settings import Network, Wifi
from companion.record.backup_section import Backup
from companion.record.copier import Copier
from companion.record.journal import Journal
from companion.settings.live import LiveSettings
from companion.settings.secret import secrets_of
from tests.support.disks import fill, small_disk
from tests.support.evenings import NAMES, played, spellings_of_name, spellings_of_uid
from tests.support.service import TOKEN
from tests.support.tables import still_clocks
from tests.support.whole import whole

log = logging.getLogger("companion.tests")
GAMES = ("tentacles", "octopus-alarm", "sea-salt-paper")
PASSWORD = "open sesame & more"


class Clock:
    now_s = 100.0

    def __call__(self):
        return self.now_s


@pytest.fixture
def kept(tmp_path):
    made = LogFile(tmp_path / "log", Log(kilobytes=4, old=2), Clock())
    log.setLevel(logging.DEBUG)
    logging.getLogger().addHandler(made)
    yield made
    logging.getLogger().removeHandler(made)


def text_of(kept):
    kept.write()
    return kept.path.read_text() if kept.path.exists() else ""


def everything(folder):
    return "".join(path.read_text() for path in sorted(folder.iterdir()))


def test_a_line_has_both_clocks_and_nothing_secret(kept):
    kept.hide(lambda: ("Ann",), lambda: ("hunter22",))
    log.warning("unknown tag 04A3C6CAE26180 of Ann at /link/abc by hunter22\nand 8B6566B9")
    assert text_of(kept).partition("+")[2] == (
        "0.0s WARNING unknown tag …80 of (a player) at /link/… by (a secret)\n    and …B9\n"
    )
    assert stat.S_IMODE(kept.path.stat().st_mode) == 0o600


def test_the_text_of_an_error_is_left_out_and_its_kind_is_told(kept):
    try:
        {}["the mermaid in her hand"]
    except KeyError:
        log.exception("it went wrong")
    said = text_of(kept)
    assert "it went wrong (KeyError)" in said
    assert "mermaid" not in said


def test_what_is_said_again_and_again_is_one_line(kept):
    for _ in range(50):
        log.warning("the reader trembles")
    assert text_of(kept).count("trembles") == 1
    kept._clock.now_s += log_file.AGAIN_S + 1
    log.warning("the reader trembles")
    assert "the reader trembles (and 49 times more since)" in text_of(kept)


def test_of_others_warnings_alone_are_kept(kept):
    logging.getLogger("urllib3").setLevel(logging.DEBUG)
    logging.getLogger("urllib3").info("chatter")
    logging.getLogger("urllib3").warning("trouble")
    assert "chatter" not in text_of(kept)
    assert "trouble" in text_of(kept)


def test_the_file_never_grows_beyond_its_size(kept):
    for number in range(400):
        log.info("a line with number %d and some more words in it", number)
        kept.write()
    files = sorted(kept.path.parent.iterdir())
    assert [file.name for file in files] == [f"tidetable.log{end}" for end in ("", ".1", ".2")]
    assert all(file.stat().st_size <= 4096 for file in files)
    assert "number 399" in text_of(kept)


def test_without_old_ones_it_begins_anew(tmp_path):
    made = LogFile(tmp_path / "log", Log(kilobytes=4, old=0), Clock())
    for number in range(200):
        made.handle(logging.LogRecord("companion", 30, "x", 1, f"no {number} {'x' * 60}", (), None))
        made.write()
    assert [file.name for file in made.path.parent.iterdir()] == ["tidetable.log"]


@pytest.mark.parametrize("fault", [28, 30, 5])
def test_a_disk_that_takes_nothing_is_left_alone_and_the_loss_is_told(kept, monkeypatch, fault):
    tries = []

    def refuse(*_, **__):
        tries.append(1)
        raise OSError(fault, os.strerror(fault))

    monkeypatch.setattr(kept, "_append", refuse)
    for number in range(3):
        log.warning("line %d", number)
        kept.write()
    assert len(tries) == 1
    monkeypatch.undo()
    kept._clock.now_s += log_file.AGAIN_S + 1
    log.warning("after")
    said = text_of(kept)
    assert "after" in said
    assert "1 lines were not written" in said


def test_what_waits_is_bounded(kept):
    for number in range(3 * log_file.MOST_WAITING):
        log.warning("no %d", number)
    said = text_of(kept).splitlines()
    assert len(said) == log_file.MOST_WAITING + 1
    assert said[-1] == f"{2 * log_file.MOST_WAITING} lines were not written."


def test_a_folder_that_cannot_be_written_is_no_fault_of_the_table(tmp_path):
    (tmp_path / "log").write_text("a file where the folder should be")
    with writing(tmp_path, Log()) as kept:
        log.warning("it goes on")
        kept.write()
    assert (tmp_path / "log").read_text() == "a file where the folder should be"


@pytest.mark.needs("mount")
def test_a_full_disk_does_not_stop_a_line(tmp_path):
    with small_disk(tmp_path, "64k"):
        fill(tmp_path)
        with writing(tmp_path, Log()) as kept:
            for number in range(200):
                log.warning("line %d %s", number, "x" * 100)
            kept.write()
    assert "log" not in [thread.name for thread in threading.enumerate()]


def test_it_can_be_switched_off(tmp_path):
    with writing(tmp_path, Log(file=False)):
        log.warning("nobody writes this")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("wrong", [{"kilobytes": 3}, {"kilobytes": 10_001}, {"old": -1}])
def test_sizes_that_no_table_needs_are_refused(wrong):
    with pytest.raises(ValueError, match=f"^{next(iter(wrong))} is a number"):
        Log(**wrong)


# --- a whole evening -------------------------------------------------------------------


def assert_silent(text, evening, *secrets):
    text = text.casefold()
    for name in evening.names:
        for way in spellings_of_name(name):
            assert way.casefold() not in text, name
    for uid in evening.tags:
        for way in spellings_of_uid(uid):
            assert way not in text, uid
    for secret in secrets:
        assert secret.casefold() not in text


@pytest.mark.parametrize("game", GAMES)
def test_a_played_evening_leaves_no_name_tag_or_card_in_the_log(tmp_path, monkeypatch, game):
    with writing(tmp_path, Log()) as kept:
        logging.getLogger("companion").setLevel(logging.DEBUG)
        kept.hide(lambda: NAMES, tuple)
        evening = played(tmp_path, game, monkeypatch)
    said = everything(kept.path.parent)
    assert_silent(said, evening)
    assert f"{game}/" not in said.replace(f"{game}/…", "")


class ByHand(Driver):
    """A reader that the test taps on."""

    def open(self, report, clock):
        self.report, self.clock = report, clock
        report(DeviceBack("hand-1", "Reader by hand", clock()))

    def close(self):
        pass

    def tap(self, uid):
        self.report(TagOn("hand-1", uid, self.clock()))
        self.report(TagOff("hand-1", uid, self.clock()))


def test_the_service_says_in_its_log_what_happened_and_not_to_whom(tmp_path, monkeypatch, capfd):
    logging.getLogger("companion").setLevel(logging.INFO)
    evening = played(tmp_path, "sea-salt-paper", monkeypatch, faults=False)
    journal = Journal(tmp_path / "table.sqlite", still_clocks())
    journal.enrol(evening.tags)
    journal.close()
    driver = ByHand()
    monkeypatch.setattr(registry, "make", lambda name: driver)
    settings = {"readers": ("pcsc:",), "wifi": Wifi("Table", PASSWORD)}
    with whole(tmp_path, monkeypatch, **settings) as its:
        for uid in (*list(evening.tags)[:10], "04DEADBEEF1234", "8B6566B9"):
            driver.tap(uid)
        its.parts.table.settle()
        driver.report(DeviceLost("hand-1", "Plug 04:DE:AD:BE:EF:12:34 in again.", driver.clock()))
        its.parts.table.settle()
        link, client = its.parts.link, its.client()
        for path in (f"/link/{TOKEN}", f"/join/{link.join_code}", "/link/wrong", "/nowhere"):
            client.get(path)
        secrets = (TOKEN, link.join_code, link.pin, PASSWORD, "deadbeef", "de:ad")
        log.warning("it names %s and %s and %s", TOKEN, PASSWORD, evening.names[0])
    said = everything(tmp_path / "log")
    assert "Tidetable" in said
    assert "begins with pcsc:" in said
    assert "hand-1: answers. Reader by hand" in said
    assert said.endswith("INFO The service ends.\n")
    assert "unknown tag …34" in said
    assert "it names (a secret) and (a secret) and (a player)" in said
    assert_silent(said, evening, *secrets)


def test_every_secret_of_the_settings_is_known():
    config = Config(token="a-token", wifi=Wifi("Table", PASSWORD))
    assert {"a-token", PASSWORD} <= set(secrets_of(config))


@pytest.mark.parametrize("uid", ["04A3C6CAE26180", "8B6566B9", "ED0BA996"])
def test_a_uid_is_left_out_in_every_spelling(uid):
    mask = Mask(uids=[uid])
    for way in spellings_of_uid(uid):
        for spelt in (way, way.upper(), f"0x{way}", f"[{way}]"):
            left = mask.text(f"before {spelt} after").casefold()
            assert way not in left, spelt
            assert left.startswith("before")
            assert left.endswith("after")


@pytest.mark.parametrize("name", ["Ann", "Zosia O'Brien", "Øyvind & Søn", "a<b", 'Q"', "Jo"])
def test_a_name_is_left_out_in_every_spelling(name):
    mask = Mask(names=[name])
    for way in (*spellings_of_name(name), name.upper()):
        assert mask.text(f"for {way} only") == "for (a player) only"


def test_a_short_name_is_no_part_of_another_word():
    assert Mask(names=["Jo", "Ann"]).text("join the Annex") == "join the Annex"


def test_what_is_kept_follows_the_settings_while_it_runs(tmp_path, monkeypatch):
    """Log, copies and name take their section when the file of the settings changes."""
    told = {}
    used = {"log": LogFile, "backup": Copier, "network": Presence}
    for section, kind in used.items():
        monkeypatch.setattr(
            kind, "use", lambda self, value, section=section: told.update({section: value})
        )
    config = Config(data=tmp_path, port=0)
    settings = LiveSettings(config, tmp_path / "table.toml")
    with service.serving(settings, machine_clocks()):
        settings.change({("log", "level"): "warning", ("backup", "kept"): 2})
        settings.change({("network", "name"): "kitchen"})
    assert told == {
        "log": Log(level="warning"),
        "backup": Backup(kept=2),
        "network": Network(name="kitchen"),
    }


def test_a_log_is_switched_off_and_on_and_keeps_what_it_is_told_to(kept):
    kept.use(Log(file=False))
    log.error("unheard")
    kept.use(Log(level="warning"))
    log.info("too little")
    log.warning("heard")
    assert [line.split(" ", 2)[2] for line in text_of(kept).splitlines()] == ["WARNING heard"]
