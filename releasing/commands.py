"""What other programs of this computer say, for those who can do without."""

from __future__ import annotations

import subprocess


def output(*command: str) -> str:
    """What a command says; empty where it fails, or is not there."""
    try:
        return subprocess.run(
            command, check=True, stdin=subprocess.DEVNULL, capture_output=True, text=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""
