"""`python -m tests.benchmarks [--quick] [NAME ...]`: measure, then print one table."""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import sys
import time
from collections.abc import Sequence

from tests.benchmarks.report import Row, table

BENCHMARKS = (
    *(
        "rules",
        "play",
        "score",
        "streams",
        "start",
        "journal",
        "rest",
        "history",
        "tap",
        "enrolment",
        "pages",
        "pn532",
        "board",
        "ship",
    ),
)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks",
        description="Measures the product beside floors of the same run and prints one table.",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(BENCHMARKS)}")
    parser.add_argument("--quick", action="store_true", help="few repetitions: under half a minute")
    chosen = parser.parse_args(arguments)
    unknown = set(chosen.names) - set(BENCHMARKS)
    if unknown:
        parser.error(f"there is no benchmark {min(unknown)}; there are {', '.join(BENCHMARKS)}")
    names = [name for name in BENCHMARKS if name in chosen.names or not chosen.names]
    results: list[tuple[str, Sequence[Row]]] = []
    began_s = time.monotonic()
    for name in names:
        print(f"{name} … ", end="", file=sys.stderr, flush=True)
        before_s = time.monotonic()
        benchmark = importlib.import_module(f"tests.benchmarks.{name}")
        results.append((name, benchmark.measure(quick=chosen.quick)))
        print(f"{time.monotonic() - before_s:.0f} s", file=sys.stderr, flush=True)
    print(table(results))
    quickly = ", --quick" if chosen.quick else ""
    print(f"\n{time.monotonic() - began_s:.0f} s{quickly}. {_machine()}. Compare ratios.")
    return 0


def _machine() -> str:
    """What differs between two runs; a load above the number of processors spoils the p99."""
    words = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    words += f", {os.cpu_count()} processors"
    if hasattr(os, "getloadavg"):
        words += f" with a load of {os.getloadavg()[0]:.1f}"
    return words


if __name__ == "__main__":
    sys.exit(main())
