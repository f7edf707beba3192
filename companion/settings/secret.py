"""What of the settings may be shown to nobody."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from companion.settings.sections import every_key


def secrets_of(settings: Any) -> Iterator[str]:  # noqa: ANN401 - any class of settings
    """The values of all keys that are secret, of the sections as well."""
    for key in every_key(type(settings)):
        if key.secret and (value := key.value_in(settings)):
            yield str(value)
