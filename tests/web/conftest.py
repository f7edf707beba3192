"""The fixtures of the tests of the pages."""

from evening import evening, evenings

__all__ = ["evening", "evenings"]
