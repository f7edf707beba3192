"""The fenced blocks of the README and the documentation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Block:
    """A fenced block.

    Attributes:
        page: such as `docs/install.md`.
        line: where it begins, counted from 1.
        kind: `sh`, `text`, or empty where none is said.
        section: how many headings are above it.
    """

    page: str
    line: int
    kind: str
    text: str
    section: int

    def commands(self) -> list[str]:
        """Each with the lines that it goes on in, without comments."""
        lines = self.text.replace("\\\n", " ").splitlines()
        bare = (re.sub(r"(^|\s+)#\s.*$", "", line).strip() for line in lines)
        return [" ".join(line.split()) if "'" not in line else line for line in bare if line]


def pages() -> list[str]:
    """The README and all of docs/, by their paths in the project."""
    found = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [str(path.relative_to(ROOT)) for path in found]


def blocks(page: str) -> Iterator[Block]:
    """Those of a page, in order; also inside lists."""
    text = (ROOT / page).read_text(encoding="utf-8")
    yield from blocks_of(page, text)


def blocks_of(page: str, text: str) -> Iterator[Block]:
    """Those of this text.

    Raises:
        ValueError: code is set in by four spaces instead of fenced, where no test would see it.
    """
    begun, section, before, item = None, 0, "", False
    for number, line in enumerate(text.splitlines(), 1):
        fence = re.match(r"^( *)```(\w*)", line)
        if begun is None and fence:
            begun, pad, kind, inside = number, len(fence[1]), fence[2], []
        elif begun is not None and line.strip() == "```":
            yield Block(page, begun, kind, "".join(f"{each[pad:]}\n" for each in inside), section)
            begun = None
        elif begun is not None:
            inside.append(line)
        elif line.startswith("#"):
            section += 1
        elif re.match(r" {8,}\S" if item else r" {4,}\S", line) and not before:
            raise ValueError(f"{page}:{number}: code without a fence")
        elif re.match(r"\S", line):
            item = bool(re.match(r"\d+\. |- ", line))
        before = line.strip()
