"""The static files, read once and named by their content.

A folder with the ending of a file, such as `table.css`, is one file for the browser: its parts
joined in the order of their names.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).with_name("static")

_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}


@dataclass(frozen=True, slots=True)
class Asset:
    """One static file.

    Attributes:
        digest: names this content and no other.
        media_type: for the Content-Type header.
        body: the bytes.
        packed: the same, compressed.
    """

    digest: str
    media_type: str
    body: bytes
    packed: bytes


class Assets:
    """All static files. They are few and small, so they stay in memory.

    Attributes:
        version: names this set of files; a page of another version must load again.
    """

    def __init__(self, folder: Path = FOLDER) -> None:
        self._files = dict(_read(folder))
        digests = "".join(f"{name}{file.digest}" for name, file in sorted(self._files.items()))
        self.version = hashlib.sha256(digests.encode()).hexdigest()[:12]

    def url(self, name: str) -> str:
        """The address of this content of the file; may be kept for ever."""
        return f"/static/{self._files[name].digest}/{name}"

    def find(self, name: str) -> Asset | None:
        """The file of that name, if there is one."""
        return self._files.get(name)


def _read(folder: Path) -> Iterator[tuple[str, Asset]]:
    for path in sorted(folder.rglob("*")):
        if path.suffix not in _TYPES or path.parent.suffix in _TYPES:
            continue
        body = path.read_bytes() if path.is_file() else _joined(path)
        yield (
            path.relative_to(folder).as_posix(),
            Asset(
                digest=hashlib.sha256(body).hexdigest()[:12],
                media_type=_TYPES[path.suffix],
                body=body,
                packed=gzip.compress(body, mtime=0),
            ),
        )


def _joined(folder: Path) -> bytes:
    body = b"".join(part.read_bytes() for part in sorted(folder.glob(f"*{folder.suffix}")))
    if folder.suffix == ".svg":
        return b'<svg xmlns="http://www.w3.org/2000/svg">\n%b</svg>\n' % body
    return body
