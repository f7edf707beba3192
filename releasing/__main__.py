"""`./run package`: the wheel and the Debian package, into dist/."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from companion.errors import PlainError
from releasing import deb, wheels
from releasing.commands import output
from releasing.source import ROOT, copied


def main() -> int:
    """Build; the exit status is 0, or 1 with a sentence that says why not."""
    parser = argparse.ArgumentParser(
        prog="./run package", description="Builds the wheel and a .deb into dist/."
    )
    parser.add_argument(
        "--for",
        dest="architectures",
        action="append",
        choices=[*wheels.PLATFORMS, "all"],
        help="the .deb's architecture; again for more, or all; else that of this computer",
    )
    parser.add_argument("--wheel-only", action="store_true", help="build no .deb")
    parser.add_argument("--into", type=Path, default=ROOT / "dist", metavar="DIR")
    chosen = parser.parse_args()
    try:
        architectures = () if chosen.wheel_only else _architectures(chosen.architectures)
        chosen.into.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="tidetable-source-") as scratch:
            source = copied(Path(scratch) / "tidetable")
            wheel = wheels.build(source, chosen.into.resolve())
            print(wheel)
            for architecture in architectures:
                print(deb.build(source, wheel, architecture, chosen.into.resolve()), flush=True)
    except PlainError as error:
        print(f"Tidetable: {error}", file=sys.stderr)
        return 1
    return 0


def _architectures(named: list[str] | None) -> tuple[str, ...]:
    if named is None:
        return (_own_architecture(),)
    return tuple(wheels.PLATFORMS) if "all" in named else tuple(dict.fromkeys(named))


def _own_architecture() -> str:
    said = output("dpkg", "--print-architecture").strip()
    if not said:
        raise wheels.BuildError("This is no Debian: say --for arm64 and the like, or --wheel-only.")
    if said not in wheels.PLATFORMS:
        known = ", ".join(wheels.PLATFORMS)
        raise wheels.BuildError(f"No .deb is built for {said}; say --for with one of {known}.")
    return said


if __name__ == "__main__":
    sys.exit(main())
