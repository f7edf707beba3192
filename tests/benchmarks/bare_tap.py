"""The floor under a tap: as little as can bring a tag's UID from pcscd to a page.

One loop waits for a card, asks for its UID and writes it to all streams. It reads one line of
JSON with the reader's name and the script of its page, prints its port, and serves until its
standard input ends.
"""

from __future__ import annotations

import json
import sys
import threading
from importlib import import_module
from typing import Any

from tests.benchmarks.bare_stream import BareServer

GET_UID = [0xFF, 0xCA, 0, 0, 0]
PAGE = """<!doctype html><title>floor</title><div id="board" data-version="">nothing yet</div>
<script>
new EventSource("/stream").onmessage = (event) => {
  const board = document.getElementById("board");
  board.textContent = event.data;
  board.dataset.version = event.lastEventId;
};
</script>"""


def watch(scard: Any, reader: str, server: BareServer) -> None:
    """Tell every card that comes; ends when pcscd does."""
    _, context = scard.SCardEstablishContext(scard.SCARD_SCOPE_USER)
    state, number = 0, 0
    while True:
        code, states = scard.SCardGetStatusChange(context, scard.INFINITE, [(reader, state)])
        if code != scard.SCARD_S_SUCCESS:
            return
        state = states[0][1] & ~scard.SCARD_STATE_CHANGED
        if state & scard.SCARD_STATE_PRESENT:
            number += 1
            uid = _uid(scard, context, reader)
            server.write_to_all(f"id: {number}\ndata: {uid}\n\n".encode())


def _uid(scard: Any, context: Any, reader: str) -> str:
    both = scard.SCARD_PROTOCOL_T0 | scard.SCARD_PROTOCOL_T1
    _, card, protocol = scard.SCardConnect(context, reader, scard.SCARD_SHARE_SHARED, both)
    frame = scard.SCARD_PCI_T0 if protocol == scard.SCARD_PROTOCOL_T0 else scard.SCARD_PCI_T1
    _, answer = scard.SCardTransmit(card, frame, GET_UID)
    scard.SCardDisconnect(card, scard.SCARD_LEAVE_CARD)
    return bytes(answer[:-2]).hex().upper()


def main() -> None:
    about = json.loads(sys.stdin.readline())
    server = BareServer(b"retry: 1000\n\n", b"", PAGE.encode())
    server.run()
    scard = import_module("smartcard.scard")  # absent where this floor is not asked for
    threading.Thread(target=watch, args=(scard, about["reader"], server), daemon=True).start()
    print(server.port, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
