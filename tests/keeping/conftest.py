"""What the tests of this folder share."""

import pytest

from tests.support.memory import memory

__all__ = ["memory", "tmp_path"]


@pytest.fixture
def tmp_path(memory):
    """What comes to the disk and when is shown here, not how long a disk takes for it."""
    return memory
