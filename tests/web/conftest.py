"""The fixtures of the tests of the pages."""

from evening import browser, evening, evenings

__all__ = ["browser", "evening", "evenings"]
