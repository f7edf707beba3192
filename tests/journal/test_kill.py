"""A table that is killed at random moments: see `tests/kill_journal.py`, which can do more."""

from __future__ import annotations

import re
import subprocess
import sys


def test_what_was_acknowledged_is_there_once_after_sixty_kills():
    command = [sys.executable, "-m", "tests.kill_journal", "--times", "60", "--mean", "0.08"]
    found = subprocess.run(command, check=False, capture_output=True, text=True, timeout=100)
    assert found.returncode == 0, found.stdout + found.stderr
    acknowledged = [int(number) for number in re.findall(r"(\d+) acknowledged,", found.stdout)]
    assert len(acknowledged) == 3
    assert sum(acknowledged) > 10
