"""Every page that the application has, found by its routes, so that none is forgotten."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

NO_PAGES = frozenset(
    {
        "pages.take_link",  # makes a device a helper
        "pages.stream",  # has no end
        "api.table_stream",
        "static_file",
    }
)
"""Endpoints that answer GET and that no person looks at."""

SETUP = "game=tentacles&player=Kari&shape=heart&player=Ola&shape=circle"
QUERIES: Mapping[str, tuple[str, ...]] = {
    "setup.players": (SETUP, f"{SETUP}&player=&do=next"),
    "setup.rules": (SETUP, "game=octopus-alarm&player=A&player=B", "game=sea-salt-paper"),
    "setup.summary": (SETUP, f"{SETUP}&o-steal=forced&o-octopus=5"),
    "corrections.feed": ("", "fixed", "all"),
}
"""What else pages are asked with."""

ARGUMENTS: dict[str, Callable[[Any], str]] = {
    "code": lambda its: its.link.join_code,
    "game": lambda its: its.table.snapshot.game,
    "label": lambda its: its.table.timeline.links[-1].label,
    "number": lambda its: str(len(its.table.past.entries)),
}
"""What stands in the place of a route's argument, by its name."""


def addresses(app: Any) -> Iterator[tuple[str, str]]:
    """Each endpoint that answers GET with each address at which it is tried.

    Raises:
        KeyError: a route has an argument that `ARGUMENTS` does not know.
    """
    its = app.extensions["tidetable"]
    for rule in sorted(app.url_map.iter_rules(), key=lambda rule: rule.endpoint):
        if "GET" not in (rule.methods or ()) or rule.endpoint in NO_PAGES:
            continue
        given = {name: ARGUMENTS[name](its) for name in rule.arguments}
        with app.test_request_context():
            _, path = rule.build(given) or ("", "")
        for query in QUERIES.get(rule.endpoint, ("",)):
            yield rule.endpoint, f"{path}?{query}" if query else path


def sit(app: Any, post: Callable[..., Any], player: str) -> None:
    """Give a device that seat; `post` sends a form with its cookies."""
    code = app.extensions["tidetable"].link.join_code
    post("/join", {"code": code, "seat": player})


def pages(app: Any, client: Any) -> list[str]:
    """The addresses of what is HTML, as this client gets it."""
    found = []
    for _, path in addresses(app):
        response = client.get(path)
        if response.mimetype == "text/html" and response.status_code == 200:
            found.append(path)
    return found
