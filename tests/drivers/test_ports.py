"""How a port is named and found, without any port."""

import logging
import subprocess
from dataclasses import dataclass

import pytest

from companion.drivers import ports, registry
from companion.drivers.api import DriverName
from companion.drivers.ports import Address, PortTrouble, find, note, parse


@dataclass
class Listed:
    device: str
    serial_number: str | None = None
    location: str | None = None


PICO = Listed("/dev/ttyACM0", "E6614C311B", "1-1.2:1.0")
PICO_DATA = Listed("/dev/ttyACM1", "E6614C311B", "1-1.2:1.2")
CHEAP = Listed("/dev/ttyUSB0", None, "1-1.3")
ON_BOARD = Listed("/dev/ttyAMA0")
ALL = [ON_BOARD, PICO_DATA, CHEAP, PICO]


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("/dev/ttyACM0", Address("url", "/dev/ttyACM0", 115_200)),
        ("/dev/ttyUSB0?baud=9600", Address("url", "/dev/ttyUSB0", 9_600)),
        ("socket://10.0.0.2:5555", Address("url", "socket://10.0.0.2:5555", 115_200)),
        ("spy:///dev/x?baud=300&all", Address("url", "spy:///dev/x?all", 300)),
        ("spy:///dev/x?all&baud=300", Address("url", "spy:///dev/x?all", 300)),
        ("serial=E6614C311B", Address("serial", "E6614C311B", 115_200)),
        ("usb=1-1.2?baud=300", Address("usb", "1-1.2", 300)),
        ("COM4", Address("url", "COM4", 115_200)),
    ],
)
def test_names_are_read(text, address):
    assert parse("bridge:", text) == address


@pytest.mark.parametrize("text", ["", "serial=", "usb=", "serial", "?baud=9600"])
def test_a_name_without_a_port_is_refused(text):
    with pytest.raises(DriverName, match="line:serial=NUMBER or line:usb=PATH"):
        parse("line:", text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("/dev/x?nubmer=2", "option 'nubmer=2' that is not known"),
        ("serial=1234?colour", "option 'colour' that is not known"),
        ("/dev/x?baud=300&baud=9600", "option 'baud=9600' that is not known, or has it twice"),
        ("/dev/x?logging=debug", "not known"),
        ("socket://10.0.0.2:5555?logging=debug&nubmer=2", "option 'nubmer=2'"),
        ("/dev/x?baud=0", "baud is a number from 1 on, and not '0'"),
        ("/dev/x?baud=fast", "and not 'fast'"),
        ("/dev/x?baud=", "and not ''"),
    ],
)
def test_an_option_that_nobody_understands_is_refused(text, words):
    with pytest.raises(DriverName, match=words):
        parse("bridge:", text)


@pytest.mark.parametrize("number", ["0", "-1", "two", "", "1234567890"])
@pytest.mark.parametrize("kind", ["bridge:", "line:"])
def test_a_board_has_a_number_from_one_on(kind, number):
    with pytest.raises(DriverName, match="number is a number from 1 to 99"):
        registry.make(f"{kind}/dev/x?number={number}")


@pytest.mark.parametrize(
    ("text", "device"),
    [
        ("serial=E6614C311B", "/dev/ttyACM0"),
        ("serial=e6614c311b", "/dev/ttyACM0"),
        ("usb=1-1.2", "/dev/ttyACM0"),
        ("usb=1-1.2:1.2", "/dev/ttyACM1"),
        ("usb=1-1.3", "/dev/ttyUSB0"),
        ("/dev/ttyACM7", "/dev/ttyACM7"),
    ],
)
def test_boards_are_found_whatever_device_they_are(text, device):
    assert find(parse("bridge:", text), ALL) == device
    assert find(parse("bridge:", text), ALL[::-1]) == device


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("serial=1234", "serial number 1234 is plugged in"),
        ("usb=1-1", "USB socket 1-1: plug it in there"),
        ("serial=E6614C311B", r"name the one you mean by its socket, usb=1-1\.2 or usb=1-4"),
    ],
)
def test_what_is_not_there_or_twice_is_told(text, words):
    twin = Listed("/dev/ttyACM5", "E6614C311B", "1-4:1.0")
    with pytest.raises(PortTrouble, match=words):
        find(parse("bridge:", text), [*ALL, twin])


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("/dev/ttyACM0", "write bridge:serial=E6614C311B or bridge:usb=1-1.2 instead"),
        ("/dev/ttyUSB0", "write bridge:usb=1-1.3 instead"),
        ("/dev/ttyUSB9", "may be another board after the next start."),
    ],
)
def test_a_passing_name_is_taken_with_a_note(text, names):
    assert names in note("bridge:", parse("bridge:", text), ALL)


@pytest.mark.parametrize(
    "text", ["/dev/ttyAMA0", "/dev/serial/by-id/x", "serial=1", "socket://x:1"]
)
def test_a_lasting_name_needs_no_note(text):
    assert note("bridge:", parse("bridge:", text), ALL) is None


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("/dev/no-such-port", "Nothing is plugged in at /dev/no-such-port"),
        ("socket://127.0.0.1:1", "cannot be reached: switch it on"),
        ("quux://somewhere", "is no port that can be opened"),
        ("/dev/null", "/dev/null is no serial port"),
        ("/", "/ is no serial port: name one"),
    ],
)
def test_a_port_that_cannot_be_opened_says_why(url, words):
    with pytest.raises(PortTrouble, match=words):
        ports.SerialLibrary().open(url, 9_600)


def test_what_lists_the_ports_can_be_typed_as_it_is_said():
    """Also where no other Python than the program's own has pyserial."""
    with pytest.raises(PortTrouble) as trouble:
        ports.SerialLibrary().open("/dev/null", 9_600)
    command = str(trouble.value).split("`")[1]
    done = subprocess.run(
        command, shell=True, check=False, capture_output=True, text=True, timeout=60, env={}
    )
    assert (done.returncode, "found" in done.stdout + done.stderr) == (0, True)


@pytest.mark.parametrize("scheme", ["socket", "rfc2217"])
@pytest.mark.parametrize(
    "where", ["x:99999", "x:0", "x:-1", "x:abc", "x:", "x", ":5555", "", "[:5"]
)
def test_an_address_that_no_board_can_have_is_refused(scheme, where):
    with pytest.raises(DriverName, match="no port number from 1 to 65535"):
        parse("bridge:", f"{scheme}://{where}")


@pytest.mark.parametrize("where", ["x:1", "10.0.0.7:65535", "[::1]:5555", "x:1?logging=debug"])
def test_an_address_that_a_board_can_have_is_taken(where):
    assert parse("bridge:", f"socket://{where}").where == f"socket://{where}"


def test_a_port_without_the_right_to_it_says_how_to_get_it():
    error = PermissionError(13, "no")
    assert "sudo usermod -aG dialout $USER" in ports._open_failed("/dev/ttyACM0", error)


def test_the_ports_of_this_computer_can_be_listed():
    for port in ports.SerialLibrary().listed():
        logging.getLogger(__name__).info("%s %s", port.device, port.location)
