"""Writes the routes of docs/http-api.md from the API's own description.

.venv/bin/python -m tests.docs.make_http_api
"""

from pathlib import Path
from typing import Any

from web_ui.openapi import described

PAGE = Path(__file__).parents[2] / "docs" / "http-api.md"
MARKS = ("<!-- routes: made by tests/docs/make_http_api.py -->", "<!-- end of routes -->")


def routes() -> str:
    """A chapter for each route: what it does, who may, what it takes, what it answers."""
    parts = []
    description = described("tidetable")
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            parts.append(f"### `{method.upper()} {path}`\n\n{operation['summary']}.")
            if about := operation.get("description"):
                parts.append(about)
            parts.append(
                "Needs the token or the cookie." if "security" in operation else "For all."
            )
            rows = [
                f"| `{each['name']}` | {each['in']} | {one_line(each['description'])} |"
                for each in operation.get("parameters", [])
            ]
            if body := operation.get("requestBody"):
                schema = seen(body["content"]["application/json"]["schema"], description)
                rows += [
                    f"| `{key}` | body | {one_line(seen(each, description)['description'])} |"
                    for key, each in schema["properties"].items()
                ]
            if rows:
                parts.append("\n".join(["| takes | in | |", "|---|---|---|", *rows]))
            answers = [
                f"| {status} | {one_line(answer['description'])} |"
                for status, answer in sorted(operation["responses"].items())
            ]
            parts.append("\n".join(["| answers | |", "|---|---|", *answers]))
    return "\n\n".join(parts)


def seen(schema: dict[str, Any], description: dict[str, Any]) -> dict[str, Any]:
    """The schema itself, also where only its name stands."""
    name = schema.get("$ref", "").rpartition("/")[2]
    return dict(description["components"]["schemas"][name]) if name else schema


def one_line(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def renewed(page: str) -> str:
    before, _, rest = page.partition(MARKS[0])
    after = rest.partition(MARKS[1])[2]
    return f"{before}{MARKS[0]}\n\n{routes()}\n\n{MARKS[1]}{after}"


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
