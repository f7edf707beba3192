"""The description of that part of the HTTP API that tells how the table does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from companion.diagnosis import LINKS
from companion.doctor.api import SEVERITIES
from web_ui.openapi_shapes import COUNT, SECURITY, TEXT, exactly, list_of, ref

_SECONDS = {"type": "number", "minimum": 0}
_NUMBER = {"type": "number"}


def _or_null(kind: str, description: str = "") -> dict[str, Any]:
    about = {"description": description} if description else {}
    return {"type": [kind, "null"], **about}


_FINDING = {
    "link": {"enum": list(LINKS)},
    "health": {"enum": ["good", "quiet", "warning", "bad"]},
    "code": {**TEXT, "description": "What is found, such as `reader-lost` or `passes`."},
    "text": {**TEXT, "description": "The same as a sentence in English."},
}
_READER = exactly(
    {
        "name": TEXT,
        "bus": {**TEXT, "description": "The name by which its driver was asked for."},
        "state": {"enum": ["ready", "lost", "unknown"]},
        "since_s": {**_SECONDS, "description": "For how long it has been so."},
        "heard_s": {**_SECONDS, "description": "Seconds since its last reading of any kind."},
        "hardware": TEXT,
        "trouble": {**TEXT, "description": "What is wrong and what to do."},
        "readings_a_minute": COUNT,
        "losses": {**COUNT, "description": "How often it was lost."},
        "errors": {**COUNT, "description": "Tags that could not be read, and the like."},
        "last_tag": {
            "oneOf": [
                {"type": "null"},
                exactly(
                    {
                        "age_s": _SECONDS,
                        "known": _or_null("boolean", "Null while it was not looked up."),
                        "component": _or_null(
                            "string", "What it is on, where everybody was told that."
                        ),
                        "uid_end": _or_null("string", "Two digits of a tag that nobody knows."),
                    }
                ),
            ]
        },
    }
)
_SHIP = exactly(
    {
        "reader": TEXT,
        "tilt_deg": {**_NUMBER, "description": "From upright, as it was told last."},
        "heard_s": _SECONDS,
        "settled": {"type": "boolean", "description": "At rest for long enough to be judged."},
        "rests_s": _SECONDS,
        "thresholds": exactly(
            {
                "upright_deg": {**_NUMBER, "description": "Up to this it stands."},
                "capsized_deg": {**_NUMBER, "description": "From this on it has capsized."},
                "rest_s": {**_NUMBER, "description": "So long it has to be at rest."},
                "still_mg": {**_NUMBER, "description": "Less is no movement, thousandths of g."},
            }
        ),
        "trace": list_of(
            {"type": "array", "minItems": 2, "maxItems": 2, "items": _NUMBER},
            "Seconds before now, and degrees from upright; oldest first.",
        ),
    }
)
_SCREEN = exactly(
    {
        "page": _or_null("string", "Null for a program."),
        "seat": _or_null("integer", "Number of the player from 1; null for nobody's device."),
        "open_s": _SECONDS,
        "sent_s": {**_SECONDS, "description": "Seconds since it took something last."},
        "left_s": _or_null("number", "Seconds since it left; null while it is open."),
        "revision": {**COUNT, "description": "Of the table that it was sent."},
        "behind": {**COUNT, "description": "So many revisions it does not show yet."},
    }
)
_MACHINE = exactly(
    {
        "celsius": _or_null("number", "Of the processor."),
        "under_voltage": {"enum": ["now", "earlier", "never", None]},
        "too_hot": {"enum": ["now", "earlier", "never", None]},
        "disk_free": _or_null("integer", "Bytes left where the record is."),
        "disk_size": _or_null("integer"),
        "year_is_right": _or_null("boolean", "The clock tells a year that can be."),
        "synchronised": _or_null("boolean", "The clock follows that of the network."),
        "wifi_dbm": _or_null("integer"),
        "load": _or_null("number", "Average of the last minute."),
        "processors": _or_null("integer"),
        "up_s": _or_null("number"),
    },
    "What the computer tells of itself; null for what it does not.",
)

SCHEMAS: Mapping[str, Any] = {
    "Diagnostics": exactly(
        {
            "verdict": exactly(_FINDING, "What is to be told first: where it is stuck, if it is."),
            "chain": {
                **list_of(
                    exactly(
                        {
                            **_FINDING,
                            "last_s": _or_null("number", "Seconds since something passed it."),
                        }
                    ),
                    "From a tag in a field to the screens.",
                ),
                "minItems": len(LINKS),
                "maxItems": len(LINKS),
            },
            "readers": list_of(_READER),
            "ships": list_of(_SHIP, "The last 20 seconds of each sensor of a ship."),
            "screens": list_of(_SCREEN, "Open event streams, and those that ended lately."),
            "machine": _MACHINE,
            "log": list_of(
                exactly({"age_s": _SECONDS, "level": TEXT, "text": TEXT}),
                "The last warnings, oldest first, without names, UIDs and cards.",
            ),
        },
        "Where the chain from a tag to the screens is stuck, and how all of it does. Without "
        "names, UIDs and hidden cards.",
    ),
    "Taps": exactly(
        {
            "ok": {"const": True},
            "running": {
                "type": "boolean",
                "description": "Cards are compared, and not played; it ends ten seconds after it "
                "was asked for last.",
            },
            "missing": list_of(TEXT, "Readers on which the card has not lain yet."),
            "lying": {
                "type": "object",
                "description": "By reader, the last two digits of what lies there.",
                "additionalProperties": TEXT,
            },
            "version": {"const": 1},
            "status": {"enum": [0, 1], "description": "1 where a reader is bad, or none is there."},
            "readers": list_of(
                exactly(
                    {
                        "reader": TEXT,
                        "hardware": TEXT,
                        "code": {**TEXT, "description": "`sound`, or what is odd about it."},
                        "severity": {"enum": list(SEVERITIES)},
                        "cause": {**TEXT, "description": "One sentence."},
                        "fix": {**TEXT, "description": "One sentence; empty where it is sound."},
                        "misses": {**COUNT, "description": "How often it lost the card."},
                        "latency_ms": {**_NUMBER, "description": "Of its slowest reading."},
                        "uid_end": _or_null("string", "The last two digits of what it gave."),
                    }
                )
            ),
        },
        "What each reader makes of one card that is laid on all of them. Without its UID.",
    ),
}


def paths(
    reply: Callable[[str, dict[str, Any]], dict[str, Any]],
    error: Callable[[str], dict[str, Any]],
) -> dict[str, Any]:
    """The paths of this part.

    Args:
        reply: a JSON answer, by its description and schema.
        error: an error, by its description.
    """
    schema = ref("Diagnostics")
    return {
        "/api/v1/diagnostics": {
            "get": {
                "operationId": "diagnostics",
                "summary": "Where it is stuck, and how readers, ship, screens and computer do",
                "security": SECURITY,
                "responses": {
                    "200": reply("How all of it does.", schema),
                    "401": error("`unauthorized`"),
                },
            }
        },
        "/api/v1/taps": {
            method: {
                "operationId": name,
                "summary": summary,
                "security": SECURITY,
                "responses": {
                    "200": reply("How it stands.", ref("Taps")),
                    "401": error("`unauthorized`"),
                    "403": error("`forbidden`"),
                },
            }
            for method, name, summary in (
                ("get", "taps", "How the comparison of the readers stands, and go on with it"),
                ("post", "compareReaders", "Compare the readers by one card"),
                ("delete", "playAgain", "End the comparison of the readers"),
            )
        },
    }
