"""What the board runs. Copy the folder `firmware_bridge` to it, and this file as `main.py`.

Hold the button of the first place down at power on, and the board stays at the prompt of
MicroPython: while the firmware runs, the serial line belongs to the link. A ship has no
button: join that pin to ground.
"""

import sys

import machine
import micropython

from firmware_bridge.app import App
from firmware_bridge.board import Board, Wifi, make_port, new_boot_id, now_ms
from firmware_bridge.settings import Settings, read_settings

SETTINGS_FILE = "settings.json"
REST_MS = 1


def run(settings: Settings, board: Board) -> None:
    """Serve for ever."""
    # The byte 03 belongs to the link, and is nobody's Ctrl-C.
    micropython.kbd_intr(-1)  # type: ignore[attr-defined]
    wifi = Wifi(settings.wifi[0], settings.wifi[1]) if settings.wifi else None
    port = make_port(settings)
    app = App(board, new_boot_id(), now_ms())
    while True:
        if wifi is not None:
            wifi.look_after(now_ms())
        app.serve(port, now_ms())
        port.rest(REST_MS)


def main() -> None:
    """Serve, and start anew after an error that nobody thought of."""
    settings = read_settings(SETTINGS_FILE)
    board = Board(settings)
    if board.touched(0):
        return
    try:
        run(settings, board)
    except Exception as error:  # noqa: BLE001 - a game is under way, and somebody may look on
        sys.print_exception(error, sys.stderr)  # type: ignore[attr-defined]
        machine.reset()


if __name__ == "__main__":
    main()
