"""`companion doctor --tap` while the service runs: it compares, and plays nothing meanwhile."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import TextIO

from companion.doctor.running import NotAsked, Running
from companion.doctor.tap import LIMIT_S, NoReaders
from companion.doctor.taps import HOLD_S, Verdict

PATH = "/api/v1/taps"
LOOK_S = 0.3


def tap_by_service(
    service: Running,
    lines: Iterable[str],
    out: TextIO,
    *,
    limit_s: float = LIMIT_S,
    look_s: float = LOOK_S,
    clock: Callable[[], float] = time.monotonic,
) -> Sequence[Verdict]:
    """Lead a person with one card from reader to reader of a table that runs.

    Args:
        service: that has the readers.
        lines: what is typed; a line ends it.
        out: where to print.
        limit_s: how long to wait for people.
        look_s: how often the service is asked.
        clock: seconds that only grow.

    Raises:
        NotAsked: the service does not answer.
        NoReaders: it has none with hardware.
    """
    state = service.value(PATH, "POST")
    if not state["missing"]:
        with suppress(NotAsked):  # else the table would play nothing for a while, and for nothing
            service.value(PATH, "DELETE")
        raise NoReaders("The service that runs has no reader that answers and could see a card.")
    typed: queue.SimpleQueue[object] = queue.SimpleQueue()

    def read() -> None:
        for line in lines:
            typed.put(line)

    threading.Thread(target=read, name="typed", daemon=True).start()

    def tell(text: str) -> None:
        out.write(f"{text}\n")
        out.flush()

    try:
        tell(
            "The service runs, and plays nothing while this goes on. Take one card and lay it flat "
            f"on each reader for {HOLD_S:g} seconds, one reader after the other:\n"
            f"  {', '.join(state['missing'])}\n(Enter: that was all)"
        )
        told: dict[str, str] = {}
        missing = state["missing"]
        quiet_since_s = clock()
        while state["missing"] and clock() - quiet_since_s < limit_s:
            with suppress(queue.Empty):
                typed.get(timeout=look_s)
                break
            state = service.value(PATH)
            for reader, end in state["lying"].items():
                if told.get(reader) != end and reader in state["missing"]:
                    tell(f"  {reader}: a card that ends with {end}. Leave it there …")
                    told[reader], quiet_since_s = end, clock()
            if state["missing"] != missing:
                missing, quiet_since_s = state["missing"], clock()
                tell(f"  Enough. Next: {', '.join(missing) or 'nothing more'}")
    finally:
        with suppress(NotAsked):
            state = service.value(PATH, "DELETE")
    return tuple(Verdict(**each) for each in state["readers"])
