"""`companion backup` and `companion restore`: whole or not there, and the old or the new."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import shutil
import sqlite3
import zipfile
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from companion.cli import main
from companion.data_folder import JOURNAL, SETTINGS, Hold
from companion.household import HOUSEHOLD, Household, remembered
from companion.record import backup, copies, manifest, restoring
from companion.record.manifest import MANIFEST
from companion.record.recovery import opened
from companion.rules.tentacles_words import Reveal, Stop
from tests.journal import records
from tests.keeping.killed import DONE, ends_at, lay, state_of, states_on_the_way
from tests.support.service import serving
from tests.support.tables import API, running, still_clocks

DATA_0_1 = Path(__file__).with_name("data-0.1")
OLD, NEW = 3, 5
"""How many entries the two states have."""


def made(folder, entries, shape):
    """A data folder: its record has so many entries, and Ann that shape."""
    with running(folder) as table:
        for number in range(entries):
            assert table.act(Stop() if number % 2 else Reveal("dots"), source=API).code is None
    with closing(Household(folder / HOUSEHOLD)) as household:
        household.shape("Ann", shape)
    (folder / SETTINGS).write_text(f'# {shape}\nhost = "127.0.0.1"\n')
    return folder


def state(folder):
    """Entries of the record, Ann's shape, and the shape in the settings."""
    entries = sum(row.table == "entry" for row in records.read(folder / JOURNAL))
    shape = remembered(folder / HOUSEHOLD).shapes["Ann"]
    return entries, shape, (folder / SETTINGS).read_text().split()[1]


OLD_STATE, NEW_STATE = (OLD, "heart", "heart"), (NEW, "circle", "circle")


def old_and_new(folder):
    """A data folder, and a backup of another state of another table."""
    made(folder / "old", OLD, "heart")
    made(folder / "new", NEW, "circle")
    backup.back_up(folder / "new", folder / "new.zip", still_clocks())
    return folder / "old", folder / "new.zip"


@pytest.fixture
def two(tmp_path):
    return old_and_new(tmp_path)


def run(*words):
    return main([*map(str, words)])


def refused(capsys, *words):
    """The one sentence with which a command is refused."""
    assert run(*words) == 2
    said = capsys.readouterr()
    assert said.out == ""
    (sentence,) = said.err.splitlines()
    return sentence


def files_of(folder):
    """All that is in a data folder, but for who holds it."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "lock"
    }


# A backup


def test_a_backup_is_one_file_for_its_owner_that_says_what_is_in_it(two, tmp_path, capsys):
    folder, _ = two
    file = tmp_path / "mine.zip"
    assert run("backup", file, "--data", folder) == 0
    said = capsys.readouterr().out
    assert "1 game, the newest tentacles with Ann, Bo; 0 tags; the household; table.toml" in said
    assert "keep it where nobody else reads it" in said
    assert file.stat().st_mode & 0o777 == 0o600
    with zipfile.ZipFile(file) as archive:
        assert archive.testzip() is None
        told = json.loads(archive.read(MANIFEST))
    assert set(told["files"]) == {JOURNAL, HOUSEHOLD, SETTINGS}
    assert {path.name for path in tmp_path.iterdir()} == {"old", "new", "new.zip", "mine.zip"}


def test_without_a_name_it_lies_here_and_replaces_nothing(two, tmp_path, monkeypatch, capsys):
    folder, _ = two
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setattr("companion.clocks.machine_clocks", still_clocks)
    assert run("backup", "--data", folder) == run("backup", "--data", folder) == 0
    names = sorted(path.name for path in here.iterdir())
    assert names == ["tidetable-2026-01-01T00-00-00-2.zip", "tidetable-2026-01-01T00-00-00.zip"]
    capsys.readouterr()
    assert "is there already" in refused(capsys, "backup", names[0], "--data", folder)


def test_a_backup_is_made_while_people_play(tmp_path, capsys):
    with serving(tmp_path / "data") as service:
        service.do("reveal", card="dots")
        assert run("backup", tmp_path / "b.zip", "--data", tmp_path / "data") == 0
        service.do("stop")
        assert "held by the service" in refused(
            capsys_after(capsys), "restore", tmp_path / "b.zip", "--data", tmp_path / "data"
        )
        assert service.get()["step"] == 2
    assert run("restore", tmp_path / "b.zip", "--data", tmp_path / "other") == 0
    with running(tmp_path / "other") as table:
        assert table.snapshot.step == 1


def capsys_after(capsys):
    capsys.readouterr()
    return capsys


def test_a_backup_that_finds_no_room_leaves_nothing(two, tmp_path, monkeypatch, capsys):
    folder, _ = two
    before = {path.name for path in tmp_path.iterdir()}

    def full(*arguments, **more):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("shutil.copyfileobj", full)
    sentence = refused(capsys, "backup", tmp_path / "b.zip", "--data", folder)
    assert "No space left on device" in sentence
    assert {path.name for path in tmp_path.iterdir()} == before


def test_a_backup_that_is_killed_at_any_step_is_whole_or_not_there(memory):
    folder, file = made(memory / "data", 2, "heart"), memory / "b.zip"

    def back_up():
        backup.back_up(folder, file, still_clocks())

    there = []
    for left in states_on_the_way(memory, back_up):
        there.append(file.name in left)
        if there[-1]:
            lay(left, memory / "left")
            with restoring_into(memory / "checked") as place:
                restoring.lay_out(memory / "left" / file.name, place, still_clocks())
            shutil.rmtree(memory / "left")
    assert len(there) > 10
    assert there == sorted(there)
    assert there[-1]


def test_two_backups_of_one_name_at_once_are_one_whole_file_and_a_refusal(
    two, tmp_path, monkeypatch
):
    """The second one is made, from its beginning to its end, while the first one is packed."""
    folder, _ = two
    file = tmp_path / "mine.zip"
    pack = backup._pack

    def packed_meanwhile(*arguments):
        monkeypatch.setattr(backup, "_pack", pack)
        backup.back_up(folder, file, still_clocks())
        pack(*arguments)

    monkeypatch.setattr(backup, "_pack", packed_meanwhile)
    before = {path.name for path in tmp_path.iterdir()}
    with pytest.raises(backup.NoBackup, match="is there already"):
        backup.back_up(folder, file, still_clocks())
    with restoring_into(tmp_path / "checked") as place:
        restoring.lay_out(file, place, still_clocks())
    assert {path.name for path in tmp_path.iterdir()} == before | {"mine.zip"}


def test_of_two_backups_at_once_the_unfinished_one_does_not_take_the_name(
    two, tmp_path, monkeypatch
):
    """The second one begins while the first one is about to bear its name."""
    folder, _ = two
    file, seen = tmp_path / "mine.zip", []
    pack = backup._pack

    def begin_another(*arguments):
        pack(*arguments)
        monkeypatch.setattr(backup, "_pack", stuck)
        with pytest.raises(KeyboardInterrupt):
            backup.back_up(folder, file, still_clocks())

    def stuck(gathered, told, packed):
        packed.write_bytes(b"half of it")
        seen.append(file.exists())
        raise KeyboardInterrupt

    monkeypatch.setattr(backup, "_pack", begin_another)
    backup.back_up(folder, file, still_clocks())
    assert seen == [False]
    with restoring_into(tmp_path / "checked") as place:
        restoring.lay_out(file, place, still_clocks())


@contextmanager
def restoring_into(place):
    place.mkdir()
    yield place
    shutil.rmtree(place)


# Going back


def test_a_backup_comes_back_and_what_was_there_is_set_aside(two, capsys):
    folder, file = two
    before = files_of(folder)
    assert run("restore", file, "--data", folder) == 0
    said = capsys.readouterr().out
    assert state(folder) == NEW_STATE
    (aside,) = copies.kept_for_ever(folder)
    assert f"companion restore {aside.name} --data {folder}" in said
    assert files_of(aside) == before
    assert {path.stat().st_mode & 0o777 for path in folder.rglob("*.sqlite")} == {0o600}
    assert run("restore", aside.name, "--data", folder) == 0
    assert state(folder) == OLD_STATE


@pytest.mark.parametrize("what", ["latest", "copy-000001", "by its path"])
def test_a_copy_comes_back_and_the_next_start_agrees(tmp_path, what):
    folder = made(tmp_path / "data", 2, "heart")
    copies.take_copy(folder / JOURNAL)
    with closing(records.opened(folder)) as journal:
        records.write(journal, journal.newest().id, [3, 4])
    if what != "latest":  # the newest copy has more than the one that comes back
        copies.take_copy(folder / JOURNAL)
    path = folder / "backups" / "copy-000001" if what == "by its path" else what
    assert run("restore", path, "--data", folder) == 0
    found = opened(folder, still_clocks())
    found.journal.close()
    assert found.sentences == ()
    assert state(folder)[0] == 2


def test_another_data_folder_comes_back_too(two, tmp_path):
    """As from the card of a Pi that broke: with a log that was not brought in."""
    folder, _ = two
    other = tmp_path / "card"
    journal = records.opened(other)
    records.write(journal, journal.begin(records.SETUP).id, range(1, 8))
    shutil.copytree(other, tmp_path / "of-the-card")
    journal.close()
    assert run("restore", tmp_path / "of-the-card", "--data", folder) == 0
    assert len(records.read(folder / JOURNAL)) == 14
    assert remembered(folder / HOUSEHOLD).shapes == {"Ann": "heart"}  # the card had none


def test_nothing_new_lies_beside_what_was_read(two, tmp_path):
    """Who restores from a carried away record, or backs up one that rests, changes nothing there."""
    folder, _ = two
    before = sorted(folder.iterdir())
    assert run("backup", tmp_path / "b.zip", "--data", folder) == 0
    assert run("restore", folder / JOURNAL, "--data", tmp_path / "other") == 0
    assert run("restore", folder, "--data", tmp_path / "other") == 0
    assert sorted(folder.iterdir()) == before


def test_views_of_before_are_known_to_be_old(two):
    folder, file = two
    with closing(records.opened(folder)) as journal:
        for _ in range(9):
            runs = journal.count_run()
    assert run("restore", file, "--data", folder) == 0
    with closing(records.opened(folder)) as journal:
        assert journal.count_run() > runs


def test_a_dry_run_and_a_list_change_nothing(two, capsys):
    folder, file = two
    copies.take_copy(folder / JOURNAL)
    before = files_of(folder)
    assert run("restore", file, "--data", folder, "--dry-run") == 0
    assert "is whole: 1 game" in capsys.readouterr().out
    assert run("restore", "--data", folder) == 0
    first, last = capsys.readouterr().out.splitlines()
    assert re.match(r"copy-000001 +\d{4}-\d\d-\d\d \d\d:\d\d UTC  at a start +1 game", first)
    assert last.startswith("companion restore copy-000001")
    assert files_of(folder) == before
    assert run("restore", "--data", folder.with_name("none")) == 0
    assert "There is no copy" in capsys.readouterr().out
    assert not folder.with_name("none").exists()


def test_a_folder_with_copies_such_as_a_stick_is_listed(two, tmp_path, capsys):
    folder, _ = two
    copies.take_copy(folder / JOURNAL)
    (tmp_path / "stick").mkdir()
    place = copies.mirror(folder, tmp_path / "stick", 7)
    assert run("restore", tmp_path / "stick", "--data", folder) == 0
    first, _ = capsys.readouterr().out.splitlines()
    assert first.startswith(str(place / "backups" / "copy-000001"))


def test_a_folder_that_is_held_is_refused_before_anything_is_read(two, capsys):
    folder, file = two
    with Hold(folder):
        before = files_of(folder)
        assert "is held by the service" in refused(capsys, "restore", file, "--data", folder)
        assert files_of(folder) == before


@pytest.mark.parametrize(
    "what", ["nothing.zip", "latest", "a text", "an empty folder", "a zip", "a pipe"]
)
def test_what_is_no_backup_is_refused(two, tmp_path, capsys, what):
    folder, _ = two
    before = files_of(folder)
    path = tmp_path / what
    if what == "a text":
        path.write_text("no backup")
    elif what == "a zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("table.sqlite", b"no record")
    elif what == "a pipe":
        os.mkfifo(path)
    elif what == "latest":
        path = what
    sentence = refused(capsys, "restore", path, "--data", folder)
    assert sentence.startswith("companion: ")
    assert files_of(folder) == before


def repacked(file, change):
    """The same backup with other contents."""
    with zipfile.ZipFile(file) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    change(contents)
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in contents.items():
            archive.writestr(name, data)


def told_otherwise(**more):
    def change(contents):
        told = json.loads(contents[MANIFEST])
        contents[MANIFEST] = json.dumps({**told, **more}).encode()

    return change


def of_version(name, version):
    """This database says that it is of that version, and the manifest agrees."""

    def change(contents):
        data = bytearray(contents[name])
        data[60:64] = version.to_bytes(4, "big")
        agree(contents, name, bytes(data))

    return change


def agree(contents, name, data):
    """Put data in the place of a file, so that the manifest has nothing to say against it."""
    told = json.loads(contents[MANIFEST])
    contents[name] = data
    told["files"][name] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    contents[MANIFEST] = json.dumps(told).encode()


def other_row(contents):
    data = contents[JOURNAL].replace(b'"card": "dots"', b'"card": "ring"')
    assert data != contents[JOURNAL]
    agree(contents, JOURNAL, data)


WRONG = {
    "a newer form": (told_otherwise(tidetable_copy=2), "newer version"),
    "a newer record": (of_version(JOURNAL, 99), "newer version"),
    "a newer household": (of_version(HOUSEHOLD, 99), "newer version"),
    "a file that is missing": (lambda contents: contents.pop(HOUSEHOLD), "is missing"),
    "another file": (
        lambda contents: agree(contents, "../../etc/passwd", b"x"),
        "which no backup has",
    ),
    "no record": (told_otherwise(files={}), "has no record"),
    "a changed file": (
        lambda contents: contents.update({SETTINGS: b"# other\nhost = '127.0.0.1'\n"}),
        "not as it was written",
    ),
    "a row that was changed": (other_row, "was changed"),
    "a household that is none": (
        lambda contents: agree(contents, HOUSEHOLD, b"none" * 500),
        "household",
    ),
    "no manifest": (lambda contents: contents.pop(MANIFEST), "no backup"),
    "a manifest that is none": (
        lambda contents: contents.update({MANIFEST: b"[]"}),
        "no backup",
    ),
    "a count that is none": (told_otherwise(games="many"), "no backup"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_backup_that_is_not_as_it_was_written_is_refused_and_nothing_is_touched(
    two, capsys, wrong
):
    folder, file = two
    before = files_of(folder)
    change, why = WRONG[wrong]
    repacked(file, change)
    for more in ((), ("--dry-run",)):
        sentence = refused(capsys, "restore", file, "--data", folder, *more)
        assert re.search(why, sentence)
        assert files_of(folder) == before


def test_a_backup_that_was_cut_or_changed_anywhere_is_refused_or_the_same(memory):
    """Its last bytes are the list of a ZIP file, so every cut shows; a byte may mean nothing."""
    _, file = old_and_new(memory)
    data, place = file.read_bytes(), memory / "place"
    told = manifest.from_json(zipfile.ZipFile(file).read(MANIFEST))

    def tried(damaged):
        file.write_bytes(damaged)
        with restoring_into(place):
            try:
                return restoring.lay_out(file, place, still_clocks())
            except restoring.NotRestorable:
                return None

    assert tried(data) == told
    for length in range(0, len(data), 97):
        assert tried(data[:length]) is None
    for at in range(0, len(data), 53):
        changed = bytearray(data)
        changed[at] ^= 0x41
        assert tried(bytes(changed)) in (None, told)


def restoration(memory, *keys):
    """A data folder, and what a restoration of another table's backup leaves of it when killed.

    With `keys`, one stands in the settings of before, and one in those of the backup.
    """
    (memory / "first").mkdir()
    first, file = old_and_new(memory / "first")
    if keys:
        before, backed_up = keys
        (first / SETTINGS).write_text(f"# heart\n{before} = 1\n")
        settings = f"# circle\n{backed_up} = 1\n".encode()
        repacked(file, lambda contents: agree(contents, SETTINGS, settings))
    folder = memory / "data"
    lay(state_of(first), folder)
    return folder, states_on_the_way(
        folder, lambda: restoring.restored(folder, file, still_clocks())
    )


def test_a_restoration_that_is_killed_at_any_step_leaves_the_old_or_the_new(memory):
    folder, on_the_way = restoration(memory)
    seen = []
    for left in on_the_way:
        lay(left, folder)
        opened(folder, still_clocks()).journal.close()
        seen.append(state(folder))
        if seen[-1] == NEW_STATE:
            (aside,) = copies.kept_for_ever(folder)
            assert state(aside) == OLD_STATE
        assert not (folder / restoring.PLAN).exists()
    first_new = seen.index(NEW_STATE)
    assert first_new > 10  # it was checked first
    assert set(seen[:first_new]) == {OLD_STATE}
    assert set(seen[first_new:]) == {NEW_STATE}
    assert len(seen) - first_new > 10


def test_what_is_on_the_way_is_what_a_kill_leaves(memory):
    """At some steps a process really ends."""
    (memory / "first").mkdir()
    first, file = old_and_new(memory / "first")
    folder, there = memory / "data", state_of(first)

    def restore():
        restoring.restored(folder, file, still_clocks())

    def lengths(state):
        """SQLite's journals have a random number in them."""
        return {name: data and len(data) for name, data in state.items()}

    lay(there, folder)
    on_the_way = [lengths(each) for each in states_on_the_way(folder, restore)]
    places = []
    for step in range(1, 300, 30):
        lay(there, folder)
        ended = ends_at(step, restore)
        places.append(on_the_way.index(lengths(state_of(folder))))
    assert places == sorted(places)
    assert places[0] == 0
    assert len(set(places)) > 4
    assert ended == DONE
    assert places[-1] == len(on_the_way) - 1


def test_a_restoration_that_finds_no_room_for_its_plan_has_changed_nothing(
    two, monkeypatch, capsys
):
    """Nor is there a newest copy: a start would take it for what the record has lost."""
    folder, file = two
    before = files_of(folder)
    finish = restoring.files.finish

    def full(path):
        if path.name == restoring.PLAN:
            raise OSError(errno.ENOSPC, "No space left on device")
        finish(path)

    monkeypatch.setattr(restoring.files, "finish", full)
    with pytest.raises(OSError, match="No space left"):
        restoring.restored(folder, file, still_clocks())
    assert files_of(folder) == before


def test_a_restoration_of_what_the_table_had_since_is_the_old_or_the_new_when_killed(memory):
    """Its backup has more than the record has: no start takes parts of it."""
    folder, file = made(memory / "data", OLD, "heart"), memory / "b.zip"
    before = state_of(folder)
    with running(folder) as table:
        assert table.act(Stop(), source=API).code is None
        assert table.act(Reveal("rings"), source=API).code is None
    with closing(Household(folder / HOUSEHOLD)) as household:
        household.shape("Ann", "circle")
    (folder / SETTINGS).write_text("# circle\n")
    backup.back_up(folder, file, still_clocks())
    lay(before, folder)
    seen = []
    for left in states_on_the_way(folder, lambda: restoring.restored(folder, file, still_clocks())):
        lay(left, folder)
        opened(folder, still_clocks()).journal.close()
        seen.append(state(folder))
    assert set(seen) == {OLD_STATE, NEW_STATE}


def test_a_restoration_is_finished_without_a_file_that_went_meanwhile(memory):
    """Such as the record's log, when `companion backup` was the last to read it."""
    folder, on_the_way = restoration(memory)
    lay(next(left for left in on_the_way if restoring.PLAN in left), folder)
    (folder / HOUSEHOLD).unlink()
    opened(folder, still_clocks()).journal.close()
    assert state(folder) == NEW_STATE


PLANS = {
    "garbage": b"\xb7\xff\x00",
    "empty": b"",
    "another thing": b"[]",
    "half of one": b'{"copy": "copy-000001"}',
    "without its copy": b'{"copy": "copy-000077", "aside": "a", "moved": ["table.sqlite"]}',
}


@pytest.mark.parametrize("plan", PLANS)
def test_a_plan_that_cannot_be_carried_out_is_set_aside_and_what_is_there_goes_on(
    two, caplog, plan
):
    folder, _ = two
    copies.take_copy(folder / JOURNAL)
    (folder / restoring.PLAN).write_bytes(PLANS[plan])
    restoring.finish_before_a_start(folder)
    opened(folder, still_clocks()).journal.close()
    assert state(folder) == OLD_STATE
    assert "restore the backup again" in caplog.text
    assert (folder / "restoring.damaged.json").read_bytes() == PLANS[plan]
    assert not (folder / restoring.PLAN).exists()


def test_a_restoration_is_finished_before_the_settings_are_read(memory, capsys):
    """A start after a power cut in the middle must not take the settings of before, or none."""
    folder, on_the_way = restoration(memory, "crab", "squid")  # neither is one: no table starts
    lay(next(left for left in on_the_way if restoring.PLAN in left), folder)
    assert "no key 'squid'" in refused(capsys, "run", "--data", folder, "--port", "0")
    assert state(folder) == NEW_STATE


def test_each_file_is_on_the_disk_before_it_bears_its_name(two, tmp_path, monkeypatch):
    """What a power cut leaves: a name without contents would be neither the old nor the new."""
    folder, file = two
    synced, missed = set(), []
    fsync, rename = os.fsync, Path.rename

    def watched_fsync(handle):
        number = handle if isinstance(handle, int) else handle.fileno()
        synced.add(str(Path(f"/proc/self/fd/{number}").readlink()))
        fsync(handle)

    def watched_rename(path, target):
        inside = [each for each in path.rglob("*") if each.is_file()] if path.is_dir() else [path]
        moved_away = "before-restore" in str(target) or Path(target).name == copies.PARTIAL
        if not moved_away:
            missed.extend(each for each in inside if str(each) not in synced)
        return rename(path, target)

    monkeypatch.setattr(os, "fsync", watched_fsync)
    monkeypatch.setattr(Path, "rename", watched_rename)
    copies.take_copy(folder / JOURNAL)
    backup.back_up(folder, tmp_path / "b.zip", still_clocks())
    restoring.restored(folder, file, still_clocks())
    copies.mirror(folder, tmp_path, 7)
    assert missed == []
    for changed in (folder, folder / "backups", tmp_path):
        assert str(changed) in synced


# Up and down again


def test_what_was_kept_before_an_upgrade_is_the_way_back(tmp_path):
    shutil.copy(Path(__file__).parents[1] / "journal" / "version_1" / JOURNAL, tmp_path)
    opened(tmp_path, still_clocks()).journal.close()
    assert run("restore", "before-version-2", "--data", tmp_path) == 0
    with closing(sqlite3.connect(tmp_path / JOURNAL)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
        assert connection.execute("SELECT count(*) FROM entry").fetchone() == (720,)


def newer(folder, name):
    with closing(sqlite3.connect(folder / name)) as connection:
        connection.execute("PRAGMA user_version = 99")
    return files_of(folder)


@pytest.mark.parametrize("words", ["verify", "export last", "backup b.zip", "tags list"])
def test_a_record_of_a_newer_version_is_refused_in_one_sentence_and_not_touched(
    two, tmp_path, monkeypatch, capsys, words
):
    folder, _ = two
    before = newer(folder, JOURNAL)
    monkeypatch.chdir(tmp_path)
    sentence = refused(capsys, *words.split(), "--data", folder)
    assert "newer version" in sentence
    assert "update this program" in sentence
    assert "companion restore" in sentence
    assert files_of(folder) == before


def test_verify_tells_of_a_household_of_a_newer_version(two, capsys):
    folder, _ = two
    before = newer(folder, HOUSEHOLD)
    assert run("verify", "--data", folder) == 1
    assert "newer version" in capsys.readouterr().out
    assert files_of(folder) == before


@pytest.mark.parametrize("name", [JOURNAL, HOUSEHOLD])
def test_a_start_on_what_is_newer_is_refused_and_touches_nothing(two, capsys, name):
    folder, _ = two
    before = newer(folder, name)
    sentence = refused(capsys, "run", "--data", folder, "--port", "0")
    assert "newer version" in sentence
    assert "update this program" in sentence
    assert files_of(folder) == before
