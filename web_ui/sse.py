"""Frames of server-sent events (WHATWG HTML, section 9.2)."""

from __future__ import annotations

import re

# A carriage return ends a line of the stream as well as a line feed does; other
# characters that Python takes for line ends (such as U+2028) do not.
_LINE_END = re.compile("\r\n|\r|\n")


def frame(event: str, data: str, event_id: str = "") -> bytes:
    """One event; text with any line ends stays inside its frame.

    Args:
        event: its name, which scripts listen for.
        data: any text. Line ends of every kind arrive as line feeds.
        event_id: what the browser sends back as `Last-Event-ID`; empty for none.
    """
    lines = [f"event: {event}"]
    if event_id:
        lines.append(f"id: {event_id}")
    lines.extend(f"data: {line}" for line in _LINE_END.split(data))
    return ("\n".join(lines) + "\n\n").encode("utf-8", "replace")
