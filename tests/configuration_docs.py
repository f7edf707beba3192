"""`python -m tests.configuration_docs`: the tables of docs/configuration.md, made from the code.

Below each heading of a section its table is written anew; what stands around it is left alone.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path

from companion.config import Config
from companion.settings.documents import row, sections

PAGE = Path(__file__).parents[1] / "docs" / "configuration.md"
TOP = "The top of the file"
HEAD = "| key | type | default | a change takes effect | meaning |\n|---|---|---|---|---|\n"
TABLE = re.compile(r"^\| key \|.*\n(?:\|.*\n)*", re.MULTILINE)


def tables() -> Mapping[str, str]:
    """The table of each section, by its heading."""
    return {
        TOP if opener is None else f"`[{opener.name}]`": HEAD
        + "".join(f"{row(key).line}\n" for key in keys)
        for opener, keys in sections(Config)
    }


def parts(page: str) -> Mapping[str, str]:
    """What stands below each heading of the second level, up to the next one."""
    found = re.split(r"^## (.*)\n", page, flags=re.MULTILINE)
    return dict(zip(found[1::2], found[2::2], strict=True))


def main() -> int:
    """Write the tables; the exit status says whether a section has no heading yet."""
    page, missing = PAGE.read_text(encoding="utf-8"), 0
    for heading, table in tables().items():
        part = parts(page).get(heading)
        if part is None:
            print(f"Write a heading: ## {heading}")
            missing = 1
        else:
            fresh = (
                TABLE.sub(lambda _, table=table: table, part)
                if TABLE.search(part)
                else (f"{part.rstrip()}\n\n{table}\n")
            )
            page = page.replace(f"## {heading}\n{part}", f"## {heading}\n{fresh}")
    PAGE.write_text(page, encoding="utf-8")
    return missing


if __name__ == "__main__":
    sys.exit(main())
