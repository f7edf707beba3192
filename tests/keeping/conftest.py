"""What the tests of this folder share."""

from tests.support.memory import memory

__all__ = ["memory"]
