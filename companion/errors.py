"""The root of the errors that a person is to read, and how a fault of ours is logged."""

from __future__ import annotations

import traceback


class PlainError(Exception):
    """Something cannot be done; the text is a plain sentence that says why and what to do."""


def course_of(error: BaseException) -> str:
    """The kind of an unexpected error, and the lines that it came through, for the log.

    Its own text is left out: it may name a card that not everybody may see.
    """
    lines = traceback.format_tb(error.__traceback__)
    return f"{type(error).__name__}\n{''.join(lines)}".rstrip()
