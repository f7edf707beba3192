"""The languages that a device can choose, each in its own tongue."""

from __future__ import annotations

from flask import current_app

_NAMES = {"en": "English", "nb": "Norsk", "pl": "Polski"}


def languages() -> list[tuple[str, str]]:
    """Each language that the pages speak: its code and its own name."""
    known: list[str] = current_app.config["LANGUAGES"]
    return [(code, _NAMES.get(code, code)) for code in known]
