"""What the tests of this folder share."""

import pytest

from tests.keeping.two_tables import old_and_new
from tests.support.memory import memory

__all__ = ["memory", "tmp_path"]


@pytest.fixture
def tmp_path(memory):
    """What comes to the disk and when is shown here, not how long a disk takes for it."""
    return memory


@pytest.fixture
def two(tmp_path):
    """A data folder, and a backup of another state of another table."""
    return old_and_new(tmp_path)
