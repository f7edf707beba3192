"""Where thousands of small files are written: not on a card."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

SHARED_MEMORY = Path("/dev/shm")


@pytest.fixture
def memory(tmp_path_factory):
    """A folder in the computer's memory, where there is one: thousands of files are written."""
    if not SHARED_MEMORY.is_dir():
        yield tmp_path_factory.mktemp("memory")
        return
    with tempfile.TemporaryDirectory(dir=SHARED_MEMORY) as folder:
        yield Path(folder)
