"""The chain of a game's rows: each row's hash covers the row before it, too.

So a row that was changed, taken out or moved shows, in the record and in an export. It is
no seal against somebody who means harm: whoever can write the file can compute the hashes.
"""

from __future__ import annotations

import hashlib
import json

Column = str | int | None


def link(before: bytes, *columns: Column) -> bytes:
    """The hash of a row.

    Args:
        before: the hash of the row before it; for a game's first row that of the game; for
            the game itself empty.
        columns: all that the row holds, as it stands in the record.
    """
    text = json.dumps(columns, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(before + text.encode("utf-8", "surrogatepass")).digest()
