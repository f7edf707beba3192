"""Memory and processor share of the service while nobody does anything."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack
from pathlib import Path

from tests.benchmarks import readers
from tests.benchmarks.report import ROOT, Aim, Missing, Row
from tests.benchmarks.stream_client import Client
from tests.benchmarks.streams import PROGRAMS
from tests.support.service import TOKEN, serving

MEMORY_AIM = Aim(60)
PROCESSOR_AIM = Aim(1)
REST_S = 12
QUICK_REST_S = 3
SETTLE_S = 1
"""After the start, before it counts as rest."""

FLOOR_NAME = "Python with flask imported"
IMPORT_FLASK = "import flask, sys; print('ready', flush=True); sys.stdin.read()"
MEMORY_KINDS = ("Rss", "Pss")


def measure(*, quick: bool) -> list[Row]:
    if not Path("/proc/self/stat").exists():
        return [Row("memory and processor", None, "", note="This system has no /proc.")]
    rest_s = QUICK_REST_S if quick else REST_S
    note = ""
    options: tuple[str, ...] = ()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        try:
            stack.enter_context(readers.virtual_reader())
            options = readers.OPTION
        except Missing as missing:
            note = f"At rest without a reader: {missing}"
        service = stack.enter_context(serving(folder, *options))
        client = stack.enter_context(Client(service.port, TOKEN))
        client.open_streams(PROGRAMS.path, 1)
        client.quiet(SETTLE_S)
        share = _processor_percent(service.process.pid, client, rest_s)
        memory_mb = _memory_mb(service.process.pid)
        service.stop()
    flask_mb, flask_share = _floor(rest_s)
    where = f"{'a reader' if options else 'no reader'} and 1 stream"
    rows = [
        Row(
            f"{kind.upper()} with {where}",
            memory_mb.get(kind),
            "MB",
            flask_mb.get(kind),
            FLOOR_NAME,
            MEMORY_AIM if kind == "Rss" else None,
            note or ("" if kind in memory_mb else f"This system does not tell the {kind.upper()}."),
        )
        for kind in MEMORY_KINDS
    ]
    name = f"processor over {rest_s} s with {where}"
    return [*rows, Row(name, share, "%", flask_share, FLOOR_NAME, PROCESSOR_AIM, note)]


def _processor_percent(pid: int, client: Client, for_s: float) -> float:
    """Of one core; the stream is read meanwhile, as a screen does."""
    before, before_s = _processor_s(pid), time.monotonic()
    client.quiet(for_s)
    return 100 * (_processor_s(pid) - before) / (time.monotonic() - before_s)


def _processor_s(pid: int) -> float:
    """What the threads that run now have had of the processors."""
    try:
        threads = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/schedstat")]
    except OSError:
        threads = []
    if threads:
        return sum(int(thread.split()[0]) for thread in threads) / 1e9
    # A kernel without it counts ticks of some 10 ms, of user and system time (proc(5)).
    after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")


def _memory_mb(pid: int) -> dict[str, float]:
    """RSS and PSS, those of them that can be read; 1 MB is 1,000,000 bytes."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        text = Path(f"/proc/{pid}/status").read_text().replace("VmRSS", "Rss")
    found = {kind: re.search(rf"^{kind}:\s+(\d+) kB", text, re.MULTILINE) for kind in MEMORY_KINDS}
    return {kind: int(match[1]) * 1024 / 1e6 for kind, match in found.items() if match}


def _floor(rest_s: float) -> tuple[dict[str, float], float]:
    with subprocess.Popen(
        [sys.executable, "-c", IMPORT_FLASK],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        before, before_s = _processor_s(process.pid), time.monotonic()
        threading.Event().wait(rest_s / 4)
        share = 100 * (_processor_s(process.pid) - before) / (time.monotonic() - before_s)
        memory_mb = _memory_mb(process.pid)
        assert process.stdin is not None
        process.stdin.close()
        process.wait(5)
    return memory_mb, round(share, 2)  # some microseconds are no measure to compare with
