"""What of the settings may be shown to nobody."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from companion.settings.sections import every_key


def secrets_of(settings: Any) -> Iterator[str]:  # noqa: ANN401 - any class of settings
    """The values of all keys that are secret, of the sections as well."""
    for key in every_key(type(settings)):
        if key.secret and (value := key.value_in(settings)):
            yield str(value)


def is_open_to_all(path: Path, root: Path = Path("/")) -> bool:
    """Whether everybody on this computer may read a file, and come to it.

    Args:
        path: of the file; a link is followed.
        root: of the file system.

    Raises:
        OSError: it is not there, or this user may not look.
    """
    real, above = path.resolve(), root.resolve()
    folders = [folder for folder in real.parents if folder.is_relative_to(above)]
    return bool(real.stat().st_mode & stat.S_IROTH) and all(
        folder.stat().st_mode & stat.S_IXOTH for folder in folders
    )
