"""Draws the wiring of docs/hardware.md and its table of pins: `python -m tests.make_wiring`.

The pins of a board come from `firmware_bridge.board`, so that a drawing and the firmware
cannot differ; `tests/test_hardware_docs.py` holds the committed files to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from firmware_bridge.board import PINS

ROOT = Path(__file__).parent.parent
PICTURES = ROOT / "docs" / "pictures"
PAGE = ROOT / "docs" / "hardware.md"
MARKS = ("<!-- pins: made by tests/make_wiring.py -->", "<!-- end of pins -->")

PICO_HEADER = "0 1 G 2 3 4 5 G 6 7 8 9 G 10 11 12 13 G 14 15 16 17 G 18 19 20 21 G 22 R 26 27 G 28"
"""GPIO numbers in the order of the Pico's header, from pin 1 on; G is ground, R is reset."""

PICO_POSITIONS = {
    int(name): position for position, name in enumerate(PICO_HEADER.split(), 1) if name.isdecimal()
}
PI_POSITIONS = {14: 8, 15: 10, 17: 11, 22: 15, 23: 16, 27: 13}
"""Where a Raspberry Pi's BCM numbers are on its header of 40 pins."""

BOARDS = {"pico": "Raspberry Pi Pico", "esp32": "ESP32"}
POWER = {
    "pico": {"3.3 V": "3V3(OUT), pin 36", "GND": "GND", "5 V": "VBUS, pin 40"},
    "esp32": {"3.3 V": "3V3", "GND": "GND", "5 V": "5V or VIN"},
    "pi": {"3.3 V": "3.3 V, pin 1", "GND": "GND, pin 6"},
}
RED, ORANGE, BLACK = "#c0262d", "#d9730d", "#222222"
BLUE, GREEN, PURPLE, TEAL = "#1d5fbf", "#2b8a3e", "#7b3fb5", "#0b7f86"
SELECTS = ("#8a5a00", "#b5338a", "#4d6b00", "#0069a8", "#a04000", "#5b5b5b", "#6a4bd1", "#006e51")

ROW, TITLE, GAP, EDGE, CHANNEL = 20, 26, 14, 24, 14
"""Pixels. A title and a gap are two rows, so that the pins of all parts lie on one grid."""

LEFT, RIGHT = 190, 280


@dataclass(frozen=True)
class Part:
    """A box at the right: what it is, and its pins from top to bottom."""

    title: str
    pins: tuple[str, ...]

    @property
    def height(self) -> int:
        return TITLE + ROW * len(self.pins)


@dataclass(frozen=True)
class Wire:
    """One pin of the board and all that hangs on it, as (number of the part, its pin)."""

    pin: str
    colour: str
    ends: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class Drawing:
    """A board at the left, parts at the right, wires between."""

    name: str
    title: str
    board: str
    parts: tuple[Part, ...]
    wires: tuple[Wire, ...]


def pin_name(board: str, number: int) -> str:
    """What is printed beside the pin, and where it is."""
    if board == "pico":
        return f"GP{number}, pin {PICO_POSITIONS[number]}"
    if board == "pi":
        return f"GPIO{number}, pin {PI_POSITIONS[number]}"
    return f"GPIO{number}"


def everywhere(parts: Sequence[Part], pin: str) -> tuple[tuple[int, str], ...]:
    """The pin of that name of all parts that have one."""
    return tuple((number, pin) for number, part in enumerate(parts) if pin in part.pins)


def powered(board: str, parts: Sequence[Part]) -> tuple[Wire, ...]:
    """The wires of power and ground that the parts ask for."""
    colours = {"3.3 V": RED, "5 V": ORANGE, "GND": BLACK}
    return tuple(
        Wire(where, colours[pin], everywhere(parts, pin))
        for pin, where in POWER[board].items()
        if everywhere(parts, pin)
    )


def on_spi(board: str, pins: Mapping[str, Any], chip: str) -> Drawing:
    """Eight readers on SPI: all wires are shared but the select line."""
    select, extra = ("SS", ()) if chip == "PN532" else ("SDA (SS)", ("RST",))
    parts = tuple(
        Part(f"{chip}, place {number}", ("3.3 V", *extra, "GND", "SCK", "MOSI", "MISO", select))
        for number in range(len(pins["select"]))
    )
    spi = pins["spi"]
    power = tuple(
        Wire(wire.pin, wire.colour, wire.ends + everywhere(parts, "RST"))
        if wire.colour == RED
        else wire
        for wire in powered(board, parts)
    )
    shared = tuple(
        Wire(pin_name(board, spi[name.lower()]), colour, everywhere(parts, name))
        for name, colour in (("SCK", BLUE), ("MOSI", GREEN), ("MISO", PURPLE))
    )
    selects = tuple(
        Wire(pin_name(board, pin), SELECTS[number], ((number, select),))
        for number, pin in enumerate(pins["select"])
    )
    return Drawing(
        f"wiring-{board}-{chip.lower()}",
        f"{BOARDS[board]}: up to {len(parts)} {chip} on SPI",
        BOARDS[board],
        parts,
        power + shared + selects,
    )


def on_uart(board: str, pins: Mapping[str, Any]) -> Drawing:
    """PN532 on the board's serial lines."""
    parts = tuple(
        Part(f"PN532, place {number}", ("3.3 V", "GND", "RXD (SCL)", "TXD (SDA)"))
        for number in range(len(pins["uart"]))
    )
    crossed = tuple(
        Wire(pin_name(board, wires[ours]), colour, ((number, theirs),))
        for number, wires in enumerate(pins["uart"])
        for ours, theirs, colour in (("tx", "RXD (SCL)", GREEN), ("rx", "TXD (SDA)", BLUE))
    )
    return Drawing(
        f"wiring-{board}-uart",
        f"{BOARDS[board]}: one or two PN532 on UART",
        BOARDS[board],
        parts,
        powered(board, parts) + crossed,
    )


def of_places(board: str, pins: Mapping[str, Any]) -> Drawing:
    """What people see, hear and press at the places."""
    lights = Part("Chain of lights, WS2812", ("5 V by a diode", "GND", "DIN"))
    buttons = Part(
        "Buttons, each to ground",
        ("GND", *(f"place {number}" for number in range(len(pins["buttons"])))),
    )
    shared: dict[int, list[int]] = {}
    for place, pin in enumerate(pins["buzzers"]):
        shared.setdefault(pin, []).append(place)
    labels = {pin: f"places {places[0]} to {places[-1]}" for pin, places in shared.items()}
    buzzers = Part("Passive buzzers, each to ground", ("GND", *labels.values()))
    parts = (lights, buttons, buzzers)
    return Drawing(
        f"wiring-{board}-places",
        f"{BOARDS[board]}: lights, buttons and buzzers",
        BOARDS[board],
        parts,
        (
            Wire(POWER[board]["5 V"], ORANGE, ((0, "5 V by a diode"),)),
            Wire(POWER[board]["GND"], BLACK, everywhere(parts, "GND")),
            Wire(pin_name(board, pins["lights"]), TEAL, ((0, "DIN"),)),
            *(
                Wire(pin_name(board, pin), SELECTS[place], ((1, f"place {place}"),))
                for place, pin in enumerate(pins["buttons"])
            ),
            *(
                Wire(pin_name(board, pin), SELECTS[place], ((2, label),))
                for place, (pin, label) in enumerate(labels.items())
            ),
        ),
    )


def of_ship(board: str, pins: Mapping[str, Any]) -> tuple[Drawing, Drawing]:
    """The ship's sensor: an accelerometer, or a tilt switch instead."""
    sensor = Part(
        "LIS3DH, ADXL345 or MPU-6050", ("3.3 V", "CS (not MPU-6050)", "GND", "SDA", "SCL")
    )
    switch = Part("Tilt switch, closed upright", ("GND", "contact"))
    i2c = pins["i2c"]
    parts = (sensor,)
    return (
        Drawing(
            f"wiring-{board}-accelerometer",
            f"{BOARDS[board]}: an accelerometer in the ship",
            BOARDS[board],
            parts,
            (
                Wire(POWER[board]["3.3 V"], RED, ((0, "3.3 V"), (0, "CS (not MPU-6050)"))),
                Wire(POWER[board]["GND"], BLACK, ((0, "GND"),)),
                Wire(pin_name(board, i2c["sda"]), BLUE, ((0, "SDA"),)),
                Wire(pin_name(board, i2c["scl"]), GREEN, ((0, "SCL"),)),
            ),
        ),
        Drawing(
            f"wiring-{board}-tilt",
            f"{BOARDS[board]}: a tilt switch in the ship",
            BOARDS[board],
            (switch,),
            (
                Wire(POWER[board]["GND"], BLACK, ((0, "GND"),)),
                Wire(pin_name(board, pins["tilt"]), BLUE, ((0, "contact"),)),
            ),
        ),
    )


def without_board() -> Iterator[Drawing]:
    """One PN532 at a computer, and the pins of a Pi."""
    reader = Part("PN532, switches on HSU", ("3.3 V", "GND", "RXD (SCL)", "TXD (SDA)"))
    for name, board, pins in (
        ("pi", "Raspberry Pi", {**POWER["pi"], "tx": pin_name("pi", 14), "rx": pin_name("pi", 15)}),
        (
            "usb",
            "USB serial adapter, 3.3 V",
            {"3.3 V": "3.3 V", "GND": "GND", "tx": "TXD", "rx": "RXD"},
        ),
    ):
        yield Drawing(
            f"wiring-{name}-pn532",
            f"{board}: one PN532 on UART",
            board,
            (reader,),
            (
                Wire(pins["3.3 V"], RED, ((0, "3.3 V"),)),
                Wire(pins["GND"], BLACK, ((0, "GND"),)),
                Wire(pins["tx"], GREEN, ((0, "RXD (SCL)"),)),
                Wire(pins["rx"], BLUE, ((0, "TXD (SDA)"),)),
            ),
        )
    parts = (
        Part("Tilt switch, gpio:17", ("contact", "GND")),
        Part("Button, gpio:22?kind=stop", ("contact", "GND")),
        Part("Active buzzer, gpio:27?kind=buzzer", ("+, by a transistor above 8 mA", "GND")),
        Part("LED, gpio:23?kind=led", ("+, by 330 ohms", "GND")),
    )
    yield Drawing(
        "wiring-pi-pins",
        "Raspberry Pi: tilt switch, button, buzzer and lamp on its own pins",
        "Raspberry Pi",
        parts,
        (
            Wire(POWER["pi"]["GND"], BLACK, everywhere(parts, "GND")),
            *(
                Wire(pin_name("pi", pin), SELECTS[number], ((number, parts[number].pins[0]),))
                for number, pin in enumerate((17, 22, 27, 23))
            ),
        ),
    )


def drawings() -> Iterator[Drawing]:
    """All of them."""
    yield from without_board()
    for board, pins in PINS.items():
        yield on_spi(board, pins, "PN532")
        yield on_spi(board, pins, "RC522")
        yield on_uart(board, pins)
        yield of_places(board, pins)
        yield from of_ship(board, pins)


def svg(drawing: Drawing) -> str:
    """The drawing; wires that only cross are not joined, those that are have a dot."""
    height = 2 * EDGE + TITLE + sum(part.height + GAP for part in drawing.parts)
    first_channel = LEFT + 2 * EDGE
    parts_at = first_channel + CHANNEL * len(drawing.wires) + EDGE
    width = parts_at + RIGHT + EDGE
    top = EDGE + TITLE
    body = height - top - EDGE
    lines = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            'font-family="sans-serif" font-size="12">'
        ),
        f"<title>{escape(drawing.title)}</title>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        _text(EDGE, EDGE + 4, drawing.title, size=15, weight="bold"),
        _box(EDGE, top, LEFT, body),
        _text(EDGE + 10, top + 20, drawing.board, weight="bold"),
    ]
    rows: dict[tuple[int, str], int] = {}
    y = top
    for number, part in enumerate(drawing.parts):
        lines += [
            _box(parts_at, y, RIGHT, part.height),
            _text(parts_at + 10, y + 20, part.title, weight="bold"),
        ]
        for row, pin in enumerate(part.pins):
            rows[number, pin] = y + TITLE + ROW * row + ROW // 2 - 2
            lines.append(_text(parts_at + 10, rows[number, pin] + 4, pin))
        y += part.height + GAP
    step = (body - TITLE - GAP) / len(drawing.wires) / ROW
    for number, wire in enumerate(drawing.wires):
        # Half a row beside the grid of the parts, or two wires might seem to be one.
        own_y = top + TITLE + ROW * int(step * (number + 0.5)) + ROW - 2
        lines += _wire(
            wire,
            start=(EDGE + LEFT, own_y),
            channel=first_channel + CHANNEL * number,
            ends=[(parts_at, rows[end]) for end in wire.ends],
            to=", ".join(f"{drawing.parts[part].title}: {pin}" for part, pin in wire.ends),
        )
    return "\n".join([*lines, "</svg>", ""])


def _wire(
    wire: Wire, *, start: tuple[int, int], channel: int, ends: list[tuple[int, int]], to: str
) -> list[str]:
    x, y = start
    heights = sorted([y, *(end_y for _, end_y in ends)])
    path = f"M{x} {y}H{channel}M{channel} {heights[0]}V{heights[-1]}" + "".join(
        f"M{channel} {end_y}H{end_x}" for end_x, end_y in ends
    )
    dots = [at for at in dict.fromkeys(heights) if heights[0] < at < heights[-1]]
    return [
        _text(x - 10, y + 4, wire.pin, anchor="end"),
        (
            f'<path d="{path}" fill="none" stroke="{wire.colour}" stroke-width="2">'
            f"<title>{escape(f'{wire.pin} to {to}')}</title></path>"
        ),
        *(f'<circle cx="{channel}" cy="{at}" r="3.5" fill="{wire.colour}"/>' for at in dots),
    ]


def _text(
    x: int, y: int, text: str, *, size: int = 12, weight: str = "normal", anchor: str = "start"
) -> str:
    return (
        f'<text x="{x}" y="{y}" font-size="{size}" font-weight="{weight}" text-anchor="{anchor}" '
        f'fill="#111111">{escape(text)}</text>'
    )


def _box(x: int, y: int, width: int, height: int) -> str:
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" fill="#f4f1e8" '
        'stroke="#55514a"/>'
    )


def pin_table() -> str:
    """The pins of all boards, as Markdown."""
    rows = [
        (
            "SPI: SCK, MOSI, MISO",
            lambda pins: [pins["spi"][key] for key in ("sck", "mosi", "miso")],
        ),
        ("select line of places 0 to 7", lambda pins: pins["select"]),
        (
            "UART instead of SPI: TX, RX of place 0, then of 1",
            lambda pins: [wires[key] for wires in pins["uart"] for key in ("tx", "rx")],
        ),
        (
            "I2C of the accelerometer: SDA, SCL",
            lambda pins: [pins["i2c"]["sda"], pins["i2c"]["scl"]],
        ),
        ("tilt switch instead of I2C", lambda pins: [pins["tilt"]]),
        ("chain of lights", lambda pins: [pins["lights"]]),
        ("buttons of places 0 to 7", lambda pins: pins["buttons"]),
        ("buzzers of places 0 to 7", lambda pins: pins["buzzers"]),
        ("inputs that need 10 kOhm to 3.3 V", lambda pins: pins["pulled_outside"]),
    ]
    lines = [
        f"| what | {' | '.join(BOARDS[name] for name in PINS)} |",
        "|---" * (1 + len(PINS)) + "|",
    ]
    for what, numbers in rows:
        cells = (", ".join(map(str, numbers(pins))) or "none" for pins in PINS.values())
        lines.append(f"| {what} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    for drawing in drawings():
        (PICTURES / f"{drawing.name}.svg").write_text(svg(drawing), encoding="utf-8")
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(MARKS[0])
    _, _, after = rest.partition(MARKS[1])
    made = f"{before}{MARKS[0]}\n\n{pin_table()}\n\n{MARKS[1]}{after}"
    PAGE.write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main()
