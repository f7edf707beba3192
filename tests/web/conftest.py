"""The fixtures of the tests of the pages."""

from evening import evening, evenings
from virtual_evening import virtual_evenings

__all__ = ["evening", "evenings", "virtual_evenings"]
