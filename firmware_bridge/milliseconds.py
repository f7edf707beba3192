"""The milliseconds of a board, whose counter wraps at 2**30."""

COUNTER = 0x3FFFFFFF
"""All the bits of the counter."""

_HALF = 0x20000000


def since(now_ms: int, then_ms: int) -> int:
    """Milliseconds from then to now, right also when the counter wrapped at 2**30 in between.

    Negative when `then_ms` is the later one; the two must lie less than six days apart.
    """
    return ((now_ms - then_ms + _HALF) & COUNTER) - _HALF
