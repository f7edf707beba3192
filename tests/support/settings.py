"""Settings of a table, for this test alone."""

from __future__ import annotations

from companion.choices import Choices
from companion.config import Config
from companion.settings.live import LiveSettings


def chosen(**choices: bool) -> LiveSettings[Config]:
    """The usual ones, with these choices of the household."""
    return LiveSettings(Config(choices=Choices(**choices)))
