"""Shapes that the descriptions of all parts of the HTTP API are made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

TEXT = {"type": "string"}
COUNT = {"type": "integer", "minimum": 0}
SECURITY: list[dict[str, list[str]]] = [{"token": []}, {"link": []}]
"""Either of them opens what is not for everybody."""


def ref(schema: str) -> dict[str, str]:
    """A schema of the description, by its name."""
    return {"$ref": f"#/components/schemas/{schema}"}


def exactly(properties: Mapping[str, Any], description: str = "") -> dict[str, Any]:
    """An object with exactly these keys."""
    return {
        "type": "object",
        **_about(description),
        "required": list(properties),
        "additionalProperties": False,
        "properties": dict(properties),
    }


def list_of(items: Mapping[str, Any], description: str = "") -> dict[str, Any]:
    """A list of these."""
    return {"type": "array", **_about(description), "items": dict(items)}


def _about(description: str) -> dict[str, str]:
    return {"description": description} if description else {}
