"""Whole games as text, to be read line by line and to be held against the rules.

A file in `golden/` begins with lines of `#`, among them how the game ends and one line
`# ending: NAME`. Then come commands of the play protocol, each behind `>`, and what came
of it: outcomes behind `*`, then where the game stands. Of the state only what has changed
is told. What is refused is told with its code and its sentence, and the files that end in
`-refusals` meet every refusal of their game.

After a change of the rules that is meant, write the answers anew, and read the difference:

    .venv/bin/python tests/rules/golden_playthroughs.py
    git diff tests/rules/golden

A new playthrough is a file with the lines of `#` and `>` alone; the same command fills
in the rest.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.play import Player

FOLDER = Path(__file__).parent / "golden"
RENEW = ".venv/bin/python tests/rules/golden_playthroughs.py"


@dataclass(frozen=True)
class Playthrough:
    """One file, and what the program answers to its commands."""

    path: Path

    @property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @property
    def ending(self) -> str:
        (ending,) = re.findall(r"^# ending: (.+)$", self.text, re.MULTILINE)
        return ending

    @property
    def game(self) -> str:
        return next(reply["game"] for reply in self.replies() if reply["ok"])

    @property
    def remarks(self) -> list[str]:
        return [line for line in self.text.splitlines() if line.startswith("#")]

    @property
    def commands(self) -> list[str]:
        return [line[2:] for line in self.text.splitlines() if line.startswith("> ")]

    def replies(self) -> list[dict[str, Any]]:
        player = Player(sys.stderr)
        return [player.answer(command.encode()) for command in self.commands]

    def rendered(self) -> str:
        """The whole file as it should be."""
        lines = list(self.remarks)
        state: dict[str, Any] = {}
        for command, reply in zip(self.commands, self.replies(), strict=True):
            lines += ["", f"> {command}", *told(reply, state)]
            state = reply.get("state", state)
        return "\n".join(lines) + "\n"


def told(reply: dict[str, Any], before: dict[str, Any]) -> Iterator[str]:
    """The lines for one reply, after a state."""
    if not reply["ok"]:
        error = reply["error"]
        yield f"  refused {error['code']}: {error['message']}"
        return
    for outcome in reply["outcomes"]:
        what, *rest = outcome.values()
        yield "  " + " ".join(["*", what, *map(word, rest)])
    turn = reply["turn"] or "nobody"
    yield f"  step {reply['step']}: {turn}, {reply['phase']}; scores {word(reply['scores'])}"
    for key, value in reply["state"].items():
        if before.get(key) != value:
            yield f"  {key}: {word(value)}"
    if reply["legal"]:
        yield "  may " + " | ".join(" ".join(map(word, entry.values())) for entry in reply["legal"])
    if reply["over"]:
        yield f"  over, won by {word(reply['winners'])}"


def word(value: object) -> str:
    """Names as they are, and `Ann 2, Bo 0` for what is by name."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {word(part)}" for key, part in value.items()) or "-"
    if isinstance(value, list | tuple):
        return "+".join(map(word, value)) or "-"
    return value if isinstance(value, str) else json.dumps(value)


def playthroughs() -> list[Playthrough]:
    return [Playthrough(path) for path in sorted(FOLDER.rglob("*.txt"))]


def renew() -> None:
    """Write the answers of today into every file."""
    for playthrough in playthroughs():
        text = playthrough.rendered()
        if text != playthrough.text:
            playthrough.path.write_text(text, encoding="utf-8")
            print(f"renewed {playthrough.path.name}")


if __name__ == "__main__":
    renew()
