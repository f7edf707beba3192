"""Speaking to `companion score` as a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable

from play_talk import ENVIRONMENT, ROOT, Finished, line_of

SCORE = (sys.executable, "-m", "companion.cli", "score")


def run_score(*arguments: str | bytes, lines: Iterable[object] = ()) -> Finished:
    """The real program, given all lines at once."""
    said = subprocess.run(
        [*SCORE, *(arguments or ("sea-salt-paper",))],
        input=b"".join(line_of(line) + b"\n" for line in lines),
        capture_output=True,
        cwd=ROOT,
        env=ENVIRONMENT,
        timeout=60,
        check=False,
    )
    return Finished(said.returncode, said.stdout, said.stderr.decode())
