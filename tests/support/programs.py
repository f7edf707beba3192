"""Where the programs lie that tests start."""

from __future__ import annotations

import os
import shutil

SYSTEM_FOLDERS = ("/usr/sbin", "/usr/local/sbin")
"""Where Debian keeps its services, which an ordinary user's PATH leaves out."""


def find_program(*names: str) -> str | None:
    """The path of the first of these programs that is there."""
    path = os.pathsep.join((os.environ.get("PATH", ""), *SYSTEM_FOLDERS))
    return next((found for name in names if (found := shutil.which(name, path=path))), None)
