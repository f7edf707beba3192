"""The service that runs with this data folder, asked by its own HTTP API."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any, Literal

from companion.data_folder import LOCK
from companion.doctor import here
from companion.doctor.known import known_of
from companion.doctor.system import System
from companion.errors import PlainError
from companion.settings.reading import bytes_of

FETCH_S = 5.0


class NotAsked(PlainError):
    """It did not answer, or not well."""


@dataclass(frozen=True, slots=True)
class Running:
    """A service that runs.

    Attributes:
        address: of its pages.
        token: opens it.
    """

    address: str
    token: str

    def text(self, path: str, method: Literal["GET", "POST", "DELETE"] = "GET") -> str:
        """What it answers.

        Raises:
            NotAsked: it does not answer, or not well.
        """
        request = urllib.request.Request(  # noqa: S310 - http, as it wrote itself
            f"{self.address}{path}",
            headers={"Authorization": f"Bearer {self.token}"},
            method=method,
        )
        try:
            with urllib.request.urlopen(request, timeout=FETCH_S) as answer:  # noqa: S310
                return str(answer.read().decode(errors="replace"))
        except urllib.error.HTTPError as error:
            raise NotAsked(f"The service answers {error.code}.") from None
        except OSError as error:
            raise NotAsked(f"The service does not answer ({type(error).__name__}).") from None

    def value(self, path: str, method: Literal["GET", "POST", "DELETE"] = "GET") -> Any:  # noqa: ANN401
        """The same as JSON.

        Raises:
            NotAsked: it does not answer, or not well.
        """
        try:
            return json.loads(self.text(path, method))
        except ValueError:
            raise NotAsked("The service answers something else.") from None


def running(system: System, token: str | None = None) -> Running | None:
    """The service that holds the data folder; None where none runs.

    Raises:
        NotAsked: it runs, and its token is not known here.
    """
    address = address_of(system)
    if address is None:
        return None
    token = token or known_of(system).token
    if token is None:
        raise NotAsked("The service runs; its token is not known here: type it with sudo.")
    return Running(address, token)


def address_of(system: System) -> str | None:
    """Where the service that holds the data folder is; None where none runs."""
    if here.service_pid(system.root, system.data) is None:
        return None
    try:
        last = bytes_of(system.data / LOCK).decode(errors="replace").split()[-1]
    except (OSError, IndexError):
        return None
    return last if last.startswith("http://") else None
