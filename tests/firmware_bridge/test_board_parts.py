"""Settings, pins, wires, ports and sensors of a board, each by itself."""

from __future__ import annotations

import socket
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge import messages as m
from firmware_bridge.accelerometer import ACCELEROMETERS
from firmware_bridge.board import PINS
from firmware_bridge.ports import SerialPort, TcpPort
from firmware_bridge.sensors import CHECK_MS, AccelerometerOnI2c, TiltSwitch
from firmware_bridge.settings import MOST_PLACES, Settings, SettingsError, read_settings
from firmware_bridge.wires import Pn532SpiWire, missing_bytes, turned
from hardware_sim.board.parts import I2cSensor
from hardware_sim.pn532_frames import ACK, encode

# --- pins -----------------------------------------------------------------------------

PICO_PINS = {*range(23), 26, 27, 28}
ESP32_OUTPUTS = {0, 2, 4, 5, *range(12, 20), 21, 22, 23, 25, 26, 27, 32, 33}
ESP32_INPUTS_ONLY = {34, 35, 36, 39}


def pins_by_use(table):
    """Pins that belong to different things at once, with SPI."""
    spi = [table["spi"][name] for name in ("sck", "mosi", "miso")]
    i2c = [table["i2c"][name] for name in ("sda", "scl")]
    return [
        *spi,
        *table["select"],
        *i2c,
        table["lights"],
        *table["buttons"],
        *set(table["buzzers"]),
    ]


@pytest.mark.parametrize("name", PINS)
def test_no_pin_is_used_twice(name):
    used = pins_by_use(PINS[name])
    assert len(used) == len(set(used))


@pytest.mark.parametrize("name", PINS)
def test_every_place_has_its_pins(name):
    table = PINS[name]
    for what in ("select", "buttons", "buzzers"):
        assert len(table[what]) == MOST_PLACES


def test_the_pins_exist():
    assert set(pins_by_use(PINS["pico"])) <= PICO_PINS
    esp32 = PINS["esp32"]
    inputs = set(esp32["buttons"])
    assert set(pins_by_use(esp32)) - inputs <= ESP32_OUTPUTS
    assert inputs <= ESP32_OUTPUTS | ESP32_INPUTS_ONLY
    assert inputs & ESP32_INPUTS_ONLY == set(esp32["pulled_outside"])


def test_the_pins_of_a_pico_have_the_functions_that_they_need():
    """Data sheet RP2040, table 2: SPI repeats every four pins, UART and I2C every four."""
    pico = PINS["pico"]
    assert [pico["spi"][name] % 4 for name in ("miso", "sck", "mosi")] == [0, 2, 3]
    assert {pico["spi"][name] // 8 % 2 for name in ("miso", "sck", "mosi")} == {0}
    assert (pico["i2c"]["sda"] % 4, pico["i2c"]["scl"] % 4) == (0, 1)
    assert [(wires["id"], wires["tx"], wires["rx"]) for wires in pico["uart"]] == [
        (0, 0, 1),
        (1, 4, 5),
    ]
    slices = {pin // 2 % 8 for pin in pico["buzzers"]}
    assert len(slices) == len(set(pico["buzzers"]))  # else one tone would change another


# --- settings -------------------------------------------------------------------------


def test_settings(tmp_path):
    file = tmp_path / "settings.json"
    file.write_text('{"places": 2, "reader": "rc522", "ship": "adxl345", "buttons": ["undo"]}')
    settings = read_settings(str(file))
    assert (settings.places, settings.reader, settings.ship) == (2, "rc522", "adxl345")
    assert settings.buttons == [m.UNDO, m.STOP]
    assert settings.wifi is None


def test_without_a_file_there_is_one_reader(tmp_path):
    settings = read_settings(str(tmp_path / "none"))
    assert (settings.places, settings.reader, settings.ship) == (1, "pn532-spi", "none")


def test_wifi():
    settings = Settings('{"wifi": {"name": "Harbour"}}')
    assert settings.wifi == ("Harbour", "", 5555)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "not JSON"),
        ("[]", "object"),
        ('{"place": 1}', "place, which there is not"),
        ('{"places": 9}', "0 to 8"),
        ('{"places": true}', "0 to 8"),
        ('{"places": 3, "reader": "pn532-uart"}', "0 to 2"),
        ('{"reader": "pn533"}', "pn532-spi, pn532-uart, rc522"),
        ('{"ship": "boat"}', "tilt-switch"),
        ('{"buttons": ["go"]}', "stop, undo, shuffle"),
        ('{"buttons": ["stop", "stop"]}', "one word for each place"),
        ('{"wifi": "Harbour"}', "object"),
        ('{"wifi": {}}', "name of the network"),
        ('{"wifi": {"name": "Harbour", "port": 0}}', "port"),
    ],
)
def test_settings_that_cannot_be(text, says):
    with pytest.raises(SettingsError, match=says):
        Settings(text)


# --- wires ----------------------------------------------------------------------------


@given(body=st.binary(min_size=1, max_size=60), after=st.binary(max_size=20))
def test_a_frame_is_read_to_its_end_and_no_further(body, after):
    whole = encode(b"\xd5" + body)
    assert read_to_the_end(whole + after) == whole
    assert read_to_the_end(ACK + after) == ACK


@given(noise=st.binary(max_size=400))
def test_reading_noise_ends(noise):
    assert len(read_to_the_end(noise + bytes(400))) <= 310


def read_to_the_end(line):
    taken = b""
    while missing := missing_bytes(taken):
        taken = line[: len(taken) + missing]
        assert len(taken) <= len(line)
    return taken


class Recorder:
    """A bus and its select line, that writes down what passes."""

    def __init__(self, *answers):
        self.transactions = []
        self._answers = list(answers)

    def select(self, level):
        if not level:
            self.transactions.append(b"")

    def write(self, data):
        self.transactions[-1] += turned(bytes(data))

    def readinto(self, buffer):
        buffer[:] = turned(self._answers.pop(0).ljust(len(buffer), b"\x00")[: len(buffer)])


def test_what_is_written_to_a_pn532_on_spi():
    bus = Recorder()
    frame = encode(b"\xd4\x02")
    assert Pn532SpiWire(bus, bus.select).exchange(bytes([0x55, 0x55]) + bytes(3) + frame) == b""
    assert bus.transactions == [b"\x01" + frame]


def test_an_ack_and_a_command_are_two_transactions():
    bus = Recorder()
    frame = encode(b"\xd4\x02")
    Pn532SpiWire(bus, bus.select).exchange(ACK + frame)
    assert bus.transactions == [b"\x01" + ACK, b"\x01" + frame]


def test_a_pn532_on_spi_is_asked_before_it_is_read():
    bus = Recorder(b"\x00", b"\x01", ACK)
    wire = Pn532SpiWire(bus, bus.select)
    assert wire.exchange(b"") == b""
    assert bus.transactions == [b"\x02"]
    assert wire.exchange(b"") == ACK
    assert bus.transactions == [b"\x02", b"\x02", b"\x03"]


# --- sensors --------------------------------------------------------------------------


class I2c:
    def __init__(self, sensor):
        self._sensor = sensor

    def readfrom_mem_into(self, address, register, buffer):
        answer = b""
        if self._sensor.address == address:
            answer = self._sensor.read(register, len(buffer))
        if not answer:
            raise OSError(5)
        buffer[:] = answer

    def writeto_mem(self, address, register, data):
        if self._sensor.address != address or not self._sensor.write(register, data):
            raise OSError(5)


@pytest.fixture(params=ACCELEROMETERS, ids=lambda kind: kind.name)
def ship(request):
    chip = I2cSensor(request.param.name)
    return SimpleNamespace(chip=chip, sensor=AccelerometerOnI2c(I2c(chip), request.param))


@pytest.mark.parametrize("axes", [(0, 0, 1000), (-1000, 0, 0), (12, -700, 714), (-1, 1999, -2000)])
def test_what_the_ship_feels_is_what_is_read(ship, axes):
    ship.chip.axes = axes
    found = ship.sensor.look(0)
    assert all(abs(one - other) <= 3 for one, other in zip(found, axes, strict=True))


def test_a_sensor_that_is_away_for_a_while(ship):
    assert ship.sensor.look(0) is not None
    ship.chip.silent = True
    assert ship.sensor.look(20) is None
    ship.chip.silent = False
    assert [ship.sensor.look(now_ms) is not None for now_ms in (40, 40 + CHECK_MS)] == [False, True]


def test_a_sensor_that_lost_its_settings_gets_them_again(ship):
    ship.sensor.look(0)
    ship.chip.brown_out()
    assert ship.sensor.look(20) == (0, 0, 0)  # asleep, it measures nothing
    assert abs(ship.sensor.look(20 + CHECK_MS)[2] - 1000) <= 3


def test_another_sensor_at_the_address_is_not_believed(ship):
    ship.chip._registers[ship.sensor._kind.identity[0]] = 0x11
    assert ship.sensor.look(0) is None


def test_a_tilt_switch():
    assert TiltSwitch(lambda: 0).look(0) == (0, 0, 1000)
    assert TiltSwitch(lambda: 1).look(0) == (1000, 0, 0)


# --- ports ----------------------------------------------------------------------------


def test_a_serial_port_takes_what_has_come_and_waits_for_nothing():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        binary = SimpleNamespace(
            buffer=SimpleNamespace(read=ours.recv, write=ours.send), fileno=ours.fileno
        )
        port = SerialPort(binary, binary)
        assert port.read() == b""
        theirs.send(bytes(range(200)))
        assert port.read() == bytes(range(200))
        assert port.writable()
        assert port.write(bytes(100)) == 64
        assert theirs.recv(200) == bytes(64)
        assert not port.fresh()


@pytest.fixture
def tcp():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number = free.getsockname()[1]
    port = TcpPort(number)
    yield port, number
    port.close()


def wait_for(condition, port):
    for _ in range(500):
        if condition():
            return
        port.rest(10)
    raise AssertionError("It never came.")


def test_a_tcp_port_and_two_hosts_one_after_the_other(tcp):
    port, number = tcp
    assert not port.writable()
    assert port.read() == b""
    with socket.create_connection(("127.0.0.1", number), timeout=5) as first:
        wait_for(port.fresh, port)
        assert not port.fresh()
        first.sendall(b"hello")
        port.rest(1000)
        assert port.read() == b"hello"
        assert port.writable()
        assert port.write(b"board") == 5
        assert first.recv(10) == b"board"
        with socket.create_connection(("127.0.0.1", number), timeout=5) as second:
            wait_for(port.fresh, port)
            assert first.recv(10) == b""  # whoever comes last is the host
            port.write(b"again")
            assert second.recv(10) == b"again"
        wait_for(lambda: port.read() == b"" and not port.writable(), port)
