"""A restoration that ends in the middle leaves the old or the new, whatever ends it."""

from __future__ import annotations

import errno
import os
from contextlib import closing
from pathlib import Path

import pytest

from companion.data_folder import JOURNAL, SETTINGS
from companion.household import HOUSEHOLD, Household
from companion.record import backup, copies, restoring, taking
from companion.record.recovery import opened
from companion.rules.tentacles_words import Reveal, Stop
from tests.keeping.killed import DONE, ends_at, lay, state_of, states_on_the_way
from tests.keeping.two_tables import (
    NEW_STATE,
    OLD,
    OLD_STATE,
    agree,
    files_of,
    made,
    old_and_new,
    refused,
    repacked,
    state,
)
from tests.support.tables import API, running, still_clocks


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
            (aside,) = copies.kept_apart(folder)
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
    taking.take_copy(folder / JOURNAL)
    (folder / restoring.PLAN).write_bytes(PLANS[plan])
    restoring.finish_before_a_start(folder)
    opened(folder, still_clocks()).journal.close()
    assert state(folder) == OLD_STATE
    assert "restore the backup again" in caplog.text
    assert (folder / "restoring.damaged.json").read_bytes() == PLANS[plan]
    assert not (folder / restoring.PLAN).exists()


@pytest.mark.parametrize("told", ["--data", "--config"])
def test_a_restoration_is_finished_before_the_settings_are_read(memory, capsys, told):
    """A start after a power cut in the middle must not take the settings of before, or none."""
    folder, on_the_way = restoration(memory, "crab", "squid")  # neither is one: no table starts
    lay(next(left for left in on_the_way if restoring.PLAN in left), folder)
    named = folder / SETTINGS if told == "--config" else folder
    assert "no key 'squid'" in refused(capsys, "run", told, named, "--port", "0")
    assert state(folder) == NEW_STATE


def test_settings_of_another_place_leave_the_usual_folder_as_it_is(memory, capsys, monkeypatch):
    """Another service may hold that one, and what is restored there does not concern this one."""
    folder, on_the_way = restoration(memory)
    lay(next(left for left in on_the_way if restoring.PLAN in left), folder)
    before = state_of(folder)
    monkeypatch.setenv("TIDETABLE_DATA", f"{folder}")
    elsewhere = memory / "elsewhere.toml"
    elsewhere.write_text(f'data = "{memory / "other"}"\nsquid = 1\n')
    assert "no key 'squid'" in refused(capsys, "run", "--config", elsewhere, "--port", "0")
    assert state_of(folder) == before


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
    taking.take_copy(folder / JOURNAL)
    backup.back_up(folder, tmp_path / "b.zip", still_clocks())
    restoring.restored(folder, file, still_clocks())
    taking.mirror(folder, tmp_path, 7)
    assert missed == []
    for changed in (folder, folder / "backups", tmp_path):
        assert str(changed) in synced
