"""What a copy or a backup says of itself: when and why it was taken, what it has, and checksums."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from companion.data_folder import JOURNAL, SETTINGS
from companion.errors import PlainError
from companion.household import HOUSEHOLD

MANIFEST = "manifest.json"
FORMAT = 1
"""Of the manifest, and of what lies beside it."""
PIECE_BYTES = 1 << 20
KEPT_FILES = (JOURNAL, HOUSEHOLD, SETTINGS)
"""What a copy is of; the first one is always there."""
_DAMAGED = "It is no backup of this program, or its list of contents is damaged."


class NoManifest(PlainError):
    """There is none, or it cannot be understood."""


@dataclass(frozen=True, slots=True)
class Contents:
    """One file of a copy.

    Attributes:
        bytes: its length.
        sha256: in hexadecimal digits.
    """

    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What stands in `manifest.json`.

    Attributes:
        taken: when, by the wall clock, UTC: for people.
        day: which of the days it counts for: a date, or a boot while the clock is not set.
        why: `start`, `day`, `game`, `restored`, `backup`, or `before-version-3` and so on.
        program: the version that took it.
        table: the id of the table whose record it is.
        games: how many are in the record.
        newest: the newest game in words; empty without one.
        tags: how many are enrolled.
        files: what lies beside it, by name.
        damaged: what was damaged in the record when the copy was taken; mostly nothing.
    """

    taken: str
    day: str
    why: str
    program: str
    table: str
    games: int
    newest: str
    tags: int
    files: Mapping[str, Contents] = field(default_factory=dict)
    damaged: str = ""

    def to_json(self) -> str:
        """As it is written."""
        body = {"tidetable_copy": FORMAT, **asdict(self)}
        return json.dumps(body, ensure_ascii=False, indent=1) + "\n"


def from_json(text: str | bytes) -> Manifest:
    """As it was written.

    Raises:
        NoManifest: it is another thing, or of a newer version.
    """
    try:
        body: dict[str, Any] = json.loads(text)
        number = body.pop("tidetable_copy")
        if isinstance(number, int) and number > FORMAT:
            raise NoManifest("It was made by a newer version of this program: update this one.")
        files = {name: Contents(**each) for name, each in body.pop("files").items()}
        manifest = Manifest(**body, files=files)
    except (ValueError, TypeError, KeyError, AttributeError):
        raise NoManifest(_DAMAGED) from None
    _check_types(manifest)
    _check_names(manifest)
    return manifest


def _check_types(told: Manifest) -> None:
    texts = (told.taken, told.day, told.why, told.program, told.table, told.newest, told.damaged)
    numbers = (told.games, told.tags, *(each.bytes for each in told.files.values()))
    sums = [each.sha256 for each in told.files.values()]
    if not all(isinstance(text, str) for text in (*texts, *sums)) or not all(
        type(number) is int and number >= 0 for number in numbers
    ):
        raise NoManifest(_DAMAGED)


def _check_names(told: Manifest) -> None:
    """Else a backup that somebody made up could lay a file down anywhere."""
    for name in told.files:
        if name not in KEPT_FILES:
            raise NoManifest(f"It has a file {name!r}, which no backup has.")
    if JOURNAL not in told.files:
        raise NoManifest("It has no record, which every backup has.")


def read(folder: Path) -> Manifest | None:
    """The manifest in this folder; None where there is none.

    Raises:
        NoManifest: it is another thing, or of a newer version.
    """
    try:
        return from_json((folder / MANIFEST).read_bytes())
    except FileNotFoundError:
        return None


def contents(path: Path, pause: Callable[[], None] = lambda: None) -> Contents:
    """Length and checksum of a file.

    Args:
        path: the file.
        pause: called after each mebibyte.
    """
    digest, length = hashlib.sha256(), 0
    with path.open("rb") as file:
        while piece := file.read(PIECE_BYTES):
            digest.update(piece)
            length += len(piece)
            if len(piece) == PIECE_BYTES:
                pause()
    return Contents(length, digest.hexdigest())
