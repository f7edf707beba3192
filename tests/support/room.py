"""A room with a lamp: settings of nobody, to see how settings are written and followed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from companion.settings.sections import AT_START, LIVE, SECRET, UNWRITTEN


@dataclass(frozen=True, slots=True)
class Lamp:
    """A lamp.

    Attributes:
        bright: how bright it is.
        plug: where it is plugged in.
        at: where it hangs.
        password: opens it.
    """

    bright: float = 0.5
    plug: str = field(default="", metadata=AT_START)
    at: tuple[float, float] = (0.0, 1.0)
    password: str | None = field(default=None, metadata=SECRET)

    def __post_init__(self) -> None:
        if self.bright < 0:
            raise ValueError("bright is never below 0.")
        if self.bright > 1e6 and self.plug != "strong":
            raise ValueError("bright is above a million with a strong plug alone.")


@dataclass(frozen=True, slots=True)
class Room:
    """A room.

    Attributes:
        door: how wide it is.
        names: of its people.
        labels: by things.
        lamp: the lamp.
    """

    door: int = 90
    names: tuple[str, ...] = field(default=(), metadata=LIVE)
    labels: Mapping[str, str] = field(default_factory=dict, metadata=LIVE)
    lamp: Lamp = field(default_factory=Lamp, metadata=LIVE)
    fresh: bool = field(default=False, metadata=UNWRITTEN)
