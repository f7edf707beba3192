"""Data folders of older versions: the present program goes on with them, and nothing is lost."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

import pytest

from companion.cli import main
from companion.data_folder import JOURNAL
from companion.household import HOUSEHOLD, remembered
from companion.record import copies, files, restoring, taking
from companion.record.summaries import SUMMARIES
from tests.journal import records
from tests.keeping.killed import lay, states_on_the_way
from tests.support.service import serving
from tests.support.tables import still_clocks
from tests.support.waiting import until

DATA_0_1 = Path(__file__).with_name("data-0.1")
VERSION_1 = Path(__file__).parents[1] / "journal" / "version_1"


def copied(source, folder):
    """A copy of it to play on with, as a start finds it."""
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("*.md", "*.json"))
    return folder


def stations_in(folder):
    """What a household of version 0.1 knows of readers; later ones have that in the settings."""
    with closing(files.to_read(folder / HOUSEHOLD, held=True)) as connection:
        found = connection.execute("SELECT value FROM thing WHERE key = 'stations'")
        return found.fetchone()[0]


def test_a_data_folder_of_version_0_1_goes_on(tmp_path, capsys):
    folder = copied(DATA_0_1, tmp_path / "data")
    rows = records.read(folder / JOURNAL)
    devices = remembered(folder / HOUSEHOLD).devices
    assert main(["verify", "--data", str(folder)]) == 0
    assert "3 games, 722 rows, all as it was written" in capsys.readouterr().out
    with serving(folder) as service:
        step = service.get()["step"]
        status, _ = service.post({"undo": 1})
        assert status == 200
        assert service.get()["step"] == step - 1
        games = service.get("/api/v1/games")["games"]
        assert [each["game"] for each in games] == ["octopus-alarm", "sea-salt-paper", "tentacles"]
        assert [each["state"] for each in games] == ["going-on", "over", "over"]
        until(lambda: len(copies.copies(folder)) == 2)
        assert service.stop() == 0
    assert "The record opens as it should: 3 games" in service.said
    assert records.read(folder / JOURNAL)[: len(rows)] == rows
    assert remembered(folder / HOUSEHOLD).devices == devices
    assert (folder / SUMMARIES).stat().st_mode & 0o777 == 0o600  # it was for all to read
    assert main(["verify", "--data", str(folder)]) == 0
    (before,) = copies.kept_apart(folder)
    assert before.name == "before-household-1"
    assert stations_in(before) == stations_in(DATA_0_1) == '{"sim": "play"}'
    newest = copies.copies(folder)[0]
    assert newest.parent.name == "copy-000002"
    assert newest.with_name(HOUSEHOLD).exists()


@pytest.mark.parametrize("source", [DATA_0_1 / "backups", VERSION_1], ids=["copy", "version 1"])
def test_what_older_versions_left_can_be_restored(tmp_path, source):
    file = next(source.glob("*.sqlite"))
    before = file.read_bytes()
    assert main(["restore", str(file), "--data", str(tmp_path / "data")]) == 0
    assert main(["verify", "--data", str(tmp_path / "data")]) == 0
    assert file.read_bytes() == before


def test_an_upgrade_that_is_killed_at_any_step_leaves_the_old_or_the_new(memory):
    folder = memory / "data"

    def upgrade():
        records.Journal(folder / JOURNAL, still_clocks()).close()

    def state():
        with closing(files.to_read(folder / JOURNAL)) as connection:
            assert connection.execute("SELECT count(*) FROM entry").fetchone() == (720,)
            (version,) = connection.execute("PRAGMA user_version").fetchone()
        kept = copies.kept_apart(folder)
        assert [path.name for path in kept] in ([], ["before-version-2"])
        if version == 2 or kept:
            with closing(files.to_read(kept[0] / JOURNAL)) as connection:
                assert connection.execute("PRAGMA user_version").fetchone() == (1,)
        return version

    copied(VERSION_1, folder)
    seen = []
    for number, left in enumerate(states_on_the_way(folder, upgrade)):
        lay(left, folder)
        seen.append(state())
        if number % 4 == 0:
            upgrade()
            assert state() == 2
    assert len(seen) > 10
    assert seen == sorted(seen)
    assert set(seen) == {1, 2}


def test_a_copy_that_is_killed_at_any_step_is_whole_or_not_there(memory):
    """Also while the oldest ones go, of which none of half a size stays."""
    folder, first = memory / "data", memory / "first"
    with closing(records.opened(first)) as journal:
        game = journal.begin(records.SETUP).id
        for number in range(1, 6):
            records.write(journal, game, [number])
            if number < 5:
                taking.take_copy(first / JOURNAL)

    shutil.copytree(first, folder)
    seen = []
    for left in states_on_the_way(folder, lambda: taking.take_copy(folder / JOURNAL)):
        lay(left, folder)
        there = copies.copies(folder)
        for place in (folder / "backups").glob("copy-*"):
            restoring.look_at(place)
            assert copies.manifest_of(place) is not None
        seen.append([int(copies.place_of(record).name[-6:]) for record in there])
    assert [4, 3, 2] in seen
    assert [5, 4, 3, 2] in seen
    assert seen[-1] == [5, 4, 3]
