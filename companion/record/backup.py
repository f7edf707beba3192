"""A backup: one file with all that a data folder keeps, and checksums; a ZIP file, in fact."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from companion.clocks import Clocks
from companion.data_folder import JOURNAL
from companion.errors import PlainError
from companion.record import copies, files, manifest
from companion.record.manifest import MANIFEST, PIECE_BYTES, Manifest, NoManifest
from companion.record.reading import damage_of, reading_without_a_trace

PACKED = "packed"
"""The file of a backup while it is made."""
LARGEST_MANIFEST_BYTES = 1 << 16


class NoBackup(PlainError):
    """No backup was made; nothing is left of it."""


def default_name(folder: Path, wall: datetime) -> Path:
    """A name in this folder that no file has yet.

    Raises:
        NoBackup: the folder is closed to us.
    """
    file = folder / f"tidetable-{wall:%Y-%m-%dT%H-%M-%S}.zip"
    try:
        return files.free(file)
    except OSError as error:
        raise _not_written(file, error) from error


def back_up(home: Path, file: Path, clocks: Clocks) -> Manifest:
    """Write all that a data folder keeps to one file; a service may run meanwhile.

    Args:
        home: the data folder.
        file: it is there when it is whole and on the disk, and not before.
        clocks: for the manifest.

    Raises:
        NoBackup: it is there already, or cannot be written.
        Unreadable: there is no record, or one of a newer version.
        sqlite3.Error: the record cannot be read.
    """
    try:
        if file.exists():
            raise NoBackup(f"The file {file} is there already: choose another name.")
        with (
            reading_without_a_trace(home / JOURNAL),  # refuses what is none of this program
            # Of its own, since somebody else may be about to make a file of that name, too.
            tempfile.TemporaryDirectory(dir=file.parent, prefix=f"{file.name}.") as place,
        ):
            gathered = Path(place)
            told = copies.gather(home, gathered, "backup", lambda: None, clocks)
            if damage := damage_of(gathered / JOURNAL):
                told = replace(told, damaged=damage)
                copies.tell(gathered, told)
            partial = gathered / PACKED
            _pack(gathered, told, partial)
            files.sync(partial)
            if file.exists():
                raise NoBackup(f"The file {file} is there already: choose another name.")
            partial.rename(file)
        files.sync(file.absolute().parent)
    except OSError as error:
        raise _not_written(file, error) from error
    return told


def _not_written(file: Path, error: OSError) -> NoBackup:
    return NoBackup(
        f"The file {file.absolute()} cannot be written ({error.strerror or error}): make room, or "
        "choose another place, such as /tmp/table.zip."
    )


def _pack(gathered: Path, told: Manifest, packed: Path) -> None:
    packed.touch(mode=0o600)
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in (MANIFEST, *told.files):
            # The time would be that of a clock which may be wrong, even before ZIP's first year.
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o600 << 16
            with (gathered / name).open("rb") as source, archive.open(info, "w") as target:
                shutil.copyfileobj(source, target, PIECE_BYTES)


def told_of(file: Path) -> Manifest:
    """The manifest of a backup, whose other files are not looked at.

    Raises:
        NoManifest: it is none of ours, or of a newer version.
        zipfile.BadZipFile, OSError: it cannot be read.
    """
    with zipfile.ZipFile(file) as archive:
        return _told(archive)


def _told(archive: zipfile.ZipFile) -> Manifest:
    try:
        info = archive.getinfo(MANIFEST)
    except KeyError:
        raise NoManifest("It is no backup of this program.") from None
    if info.file_size > LARGEST_MANIFEST_BYTES:
        raise NoManifest("It is no backup of this program.")
    return manifest.from_json(archive.read(MANIFEST))


def unpack(file: Path, into: Path) -> Manifest:
    """Lay down what is in a backup; lengths are as its manifest says.

    Raises:
        NoManifest: it is none of ours, or of a newer version.
        zipfile.BadZipFile, OSError: it cannot be read.
    """
    with zipfile.ZipFile(file) as archive:
        told = _told(archive)
        for name, contents in told.files.items():
            if name not in archive.namelist():
                raise NoManifest(f"Its file {name} is missing.")
            path = into / name
            path.touch(mode=0o600)
            with archive.open(name) as source, path.open("wb") as target:
                left = contents.bytes
                while left and (piece := source.read(min(left, PIECE_BYTES))):
                    target.write(piece)
                    left -= len(piece)
        return told
