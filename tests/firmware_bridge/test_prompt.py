"""A board whose first button is held down at the start stays at the prompt: also a ship's."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType

import pytest

from firmware_bridge.board import PINS


@pytest.fixture
def main(mocker, tmp_path, monkeypatch):
    """The program of a board whose pins `main.low` are at ground; it notes whether it serves."""
    low: set[int] = set()

    class Pin:
        IN, OUT, PULL_UP = 0, 1, 2

        def __init__(self, number, *_, **__):
            self.number = number

        def value(self):
            return int(self.number not in low)

    machine = ModuleType("machine")
    machine.Pin = Pin
    for name in ("SPI", "PWM", "I2C", "reset"):
        setattr(machine, name, mocker.Mock())
    mocker.patch.dict(
        "sys.modules",
        {"machine": machine, "micropython": ModuleType("micropython"), "neopixel": mocker.Mock()},
    )
    monkeypatch.chdir(tmp_path)
    sys.modules.pop("firmware_bridge.main", None)
    main = importlib.import_module("firmware_bridge.main")
    main.low, main.file = low, tmp_path / "settings.json"
    mocker.patch.object(main, "run")
    yield main
    sys.modules.pop("firmware_bridge.main", None)


@pytest.mark.parametrize("table", PINS)
@pytest.mark.parametrize("places", [0, 1, 8])
def test_the_first_button_keeps_the_prompt(main, table, places):
    main.file.write_text(f'{{"places": {places}, "pins": "{table}"}}', encoding="utf-8")
    main.main()
    assert main.run.call_count == 1
    main.low.add(PINS[table]["buttons"][0])
    main.main()
    assert main.run.call_count == 1


def test_another_button_does_not(main):
    main.file.write_text('{"places": 2}', encoding="utf-8")
    main.low.add(PINS["pico"]["buttons"][1])
    main.main()
    assert main.run.call_count == 1
