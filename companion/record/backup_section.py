"""The section `[backup]` of the settings: how many copies are kept, and where else."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from companion.said import say

MOST_DAYS = 365


@dataclass(frozen=True, slots=True)
class Backup:
    """Which copies of the record are kept (docs/keeping.md).

    Attributes:
        kept: of so many days the newest copy is kept, from 1 to 365, beside the newest three
            copies of whatever day.
        folder: another place that gets each copy as well, such as a folder on a USB stick; it
            must be there, since it is never made: so a stick that is away is noticed.

    Raises:
        ValueError: one sentence.
    """

    kept: int = 7
    folder: Path | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.kept <= MOST_DAYS:
            raise ValueError(say("kept is a number of days from 1 to %(most)s.", most=MOST_DAYS))
        if self.folder is not None and not self.folder.is_absolute():
            raise ValueError(say("folder is a whole path, such as /media/stick/tidetable."))
