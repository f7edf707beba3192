"""Two data folders of two tables, a backup of one of them, and the commands that are given."""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
from contextlib import closing, contextmanager

from companion.cli import main
from companion.data_folder import JOURNAL, SETTINGS
from companion.household import HOUSEHOLD, Household, remembered
from companion.record import backup
from companion.record.manifest import MANIFEST
from companion.rules.tentacles_words import Reveal, Stop
from tests.journal import records
from tests.support.tables import API, running, still_clocks

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


@contextmanager
def for_a_while(place):
    """A folder that is there for a while."""
    place.mkdir()
    yield place
    shutil.rmtree(place)


def repacked(file, change):
    """The same backup with other contents."""
    with zipfile.ZipFile(file) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    change(contents)
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in contents.items():
            archive.writestr(name, data)


def agree(contents, name, data):
    """Put data in the place of a file, so that the manifest has nothing to say against it."""
    told = json.loads(contents[MANIFEST])
    contents[name] = data
    told["files"][name] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    contents[MANIFEST] = json.dumps(told).encode()
