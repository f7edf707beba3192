"""The real pcscd with one virtual reader, where this machine has both."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.benchmarks.report import Missing
from tests.conftest import pcscd_missing
from tests.support.pcscd import VirtualSlot, running_pcscd

OPTION = ("--reader", "pcsc:")
"""What makes the service watch every reader of pcscd."""


@contextmanager
def virtual_reader() -> Iterator[VirtualSlot]:
    """The first of the reader's two slots.

    Raises:
        Missing: pcscd, its virtual reader or pyscard is not here, or another pcscd runs.
    """
    reason = pcscd_missing()
    if reason is not None:
        raise Missing(f"{reason}.")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        try:
            daemon = stack.enter_context(running_pcscd(folder))
        except pytest.fail.Exception as failed:
            # The first line says what is wrong; a log may follow.
            raise Missing(str(failed).splitlines()[0].removesuffix(" Its log:")) from failed
        yield daemon.readers[0]
