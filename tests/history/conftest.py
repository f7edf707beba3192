"""The fixtures of the tests of the history."""

from past import past, pasts

__all__ = ["past", "pasts"]
