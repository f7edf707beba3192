"""Programs that others wrote take the simulated PN532 for a real one.

Each runs in a process of its own, on a real pseudo terminal.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hardware_sim.pn532_chip import Pn532Chip
from hardware_sim.pty import DeviceOnPty
from hardware_sim.tags import MifareClassic, Type2Tag, make_tag

NTAG, OTHER_NTAG, CLASSIC = "04A8D862BC2B80", "04517CE1ED2580", "82ACB95D"
LIMIT_S = 60
TRIES = 4
"""nfcpy gives a chip up that does not answer in a tenth of a second, as on a busy machine."""

NFCPY = """
import json, sys
import nfc, nfc.clf, nfc.tag

reader = nfc.ContactlessFrontend(sys.argv[1])
found = []
for _ in range(int(sys.argv[2])):
    target = reader.sense(nfc.clf.RemoteTarget("106A"), iterations=3)
    if target is None:
        break
    tag = nfc.tag.activate(reader, target)
    has_text = tag is not None and tag.ndef is not None
    found.append({
        "uid": target.sdd_res.hex().upper(),
        "sak": target.sel_res.hex(),
        "product": tag and tag.product,
        "text": [record.text for record in tag.ndef.records] if has_text else None,
        "head": tag.read(0).hex().upper() if has_text else None,
    })
print(json.dumps({"device": str(reader.device), "found": found}))
reader.close()
"""

ADAFRUIT = """
import json, sys
import serial
from adafruit_pn532.uart import PN532_UART

with serial.Serial(sys.argv[1], 115200, timeout=0.1) as line:
    chip = PN532_UART(line)
    if sys.argv[3:]:
        chip.call_function(0x32, params=bytes.fromhex(sys.argv[3]))
    report = {"version": list(chip.firmware_version), "found": []}
    for _ in range(int(sys.argv[2])):
        try:
            # Half a second is not much on a busy machine.
            tries = (chip.read_passive_target(timeout=0.5) for _ in range(6))
            uid = next((uid for uid in tries if uid is not None), None)
        except RuntimeError as error:
            report["error"] = str(error)
            break
        if uid is None:
            break
        one = {"uid": uid.hex().upper()}
        if len(uid) == 4:
            key = bytes([255] * 6)
            one["opened"] = chip.mifare_classic_authenticate_block(uid, 4, 0x60, key)
            one["block"] = chip.mifare_classic_read_block(4).hex()
        else:
            pages = [chip.ntag2xx_read_block(page) for page in range(12)]
            one["pages"] = b"".join(map(bytes, pages)).hex().upper()
            one["written"] = chip.ntag2xx_write_block(20, b"tide")
        report["found"].append(one)
print(json.dumps(report))
"""


@pytest.fixture
def chip():
    return Pn532Chip()


@pytest.fixture
def tags(chip):
    """Lays these tags before the chip's antenna."""

    def lay(*uids, kind=None):
        laid = [make_tag(bytes.fromhex(uid), kind) for uid in uids]
        for tag in laid:
            chip.put(tag)
        return laid

    return lay


@pytest.fixture
def terminal(chip):
    with DeviceOnPty(chip) as device:
        yield device.path


@pytest.fixture
def name_in_dev(chip):
    """A free name of a serial port directly in /dev, where nfcpy looks."""
    numbers = range(1000 + os.getpid() % 1000, 3000)  # another run looks elsewhere
    names = (Path(f"/dev/ttyS{number}") for number in numbers)
    free = next(name for name in names if not os.path.lexists(name))
    with DeviceOnPty(chip, free):
        yield free.name
    assert not os.path.lexists(free)


def run(command, **environment):
    for _ in range(TRIES):
        done = subprocess.run(
            command,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
        if "TimeoutError" not in done.stderr:
            break
    assert done.returncode == 0, done.stderr
    return done.stdout


# --- nfc-list -------------------------------------------------------------------------


def nfc_list(terminal):
    """The UIDs that it shows; it ends with 0 also where it finds no chip."""
    shown = run(["nfc-list"], LIBNFC_DEVICE=f"pn532_uart:{terminal}")
    assert "NFC device: user defined device opened" in shown
    return [
        line.partition(":")[2].replace(" ", "").upper()
        for line in shown.splitlines()
        if "UID (NFCID1)" in line
    ]


@pytest.mark.needs("nfc-list")
@pytest.mark.parametrize(
    "uids", [[], [NTAG], [CLASSIC], [NTAG, CLASSIC], [CLASSIC, NTAG], [NTAG, OTHER_NTAG]]
)
def test_nfc_list_lists_the_tags(terminal, tags, uids):
    tags(*uids)
    assert nfc_list(terminal) == uids


@pytest.mark.needs("nfc-list")
def test_nfc_list_works_again_and_again(terminal, tags, chip):
    (tag,) = tags(NTAG)
    assert nfc_list(terminal) == [NTAG]
    chip.take(tag)
    assert nfc_list(terminal) == []
    chip.put(tag)
    assert nfc_list(terminal) == [NTAG]


# --- nfcpy ----------------------------------------------------------------------------


def nfcpy(name, times=1):
    report = json.loads(
        run([sys.executable, "-c", NFCPY, f"{name.replace('tty', 'tty:')}:pn532", str(times)])
    )
    assert report["device"] == f"PN532v1.6 at /dev/{name}"
    return report["found"]


@pytest.mark.needs("nfcpy")
@pytest.mark.parametrize("kind", ["ntag213", "ntag215", "ntag216"])
def test_nfcpy_lists_a_tag_and_reads_its_text(name_in_dev, tags, kind):
    tags(NTAG, kind=kind)
    (found,) = nfcpy(name_in_dev)
    assert found["uid"] == NTAG
    assert found["product"] == f"NXP {kind.upper()}"
    assert found["text"] == [NTAG]
    assert found["head"].startswith("04A8D8FC62BC2B8075480000E110")


@pytest.mark.needs("nfcpy")
def test_nfcpy_lists_a_classic(name_in_dev, tags):
    tags(CLASSIC)
    (found,) = nfcpy(name_in_dev)
    assert (found["uid"], found["sak"], found["text"]) == (CLASSIC, "08", None)


@pytest.mark.needs("nfcpy")
def test_nfcpy_lists_a_ten_byte_uid(name_in_dev, tags):
    tags("04010203040506070809")
    assert [found["uid"] for found in nfcpy(name_in_dev)] == ["04010203040506070809"]


@pytest.mark.needs("nfcpy")
def test_nfcpy_takes_one_of_two_tags(name_in_dev, tags):
    tags(NTAG, CLASSIC)
    (found,) = nfcpy(name_in_dev)
    assert (found["uid"], found["text"]) == (NTAG, [NTAG])


@pytest.mark.needs("nfcpy")
def test_nfcpy_finds_an_empty_field_empty(name_in_dev):
    assert nfcpy(name_in_dev) == []


# --- adafruit-circuitpython-pn532 -----------------------------------------------------


def adafruit(terminal, times=1, *configuration):
    command = [sys.executable, "-c", ADAFRUIT, terminal, str(times), *configuration]
    report = json.loads(run(command))
    assert report["version"] == [0x32, 1, 6, 7]
    return report.get("error") or report["found"]


@pytest.mark.needs("adafruit-pn532")
def test_adafruit_lists_a_tag_and_reads_and_writes_its_pages(terminal, tags):
    (tag,) = tags(NTAG)
    before = bytes(tag.memory)
    (found,) = adafruit(terminal)
    assert found["uid"] == NTAG
    assert bytes.fromhex(found["pages"]) == before[:48]
    assert b"\x02en" + NTAG.encode() in bytes.fromhex(found["pages"])
    assert found["written"] is True
    assert tag.memory[80:84] == b"tide"


@pytest.mark.needs("adafruit-pn532")
def test_adafruit_opens_a_classic(terminal, tags):
    (tag,) = tags(CLASSIC)
    assert isinstance(tag, MifareClassic)
    tag.memory[64:80] = b"sixteen bytes..."
    (found,) = adafruit(terminal)
    assert found["uid"] == CLASSIC
    assert found["opened"] is True
    assert bytes.fromhex(found["block"]) == b"sixteen bytes..."


@pytest.mark.needs("adafruit-pn532")
def test_adafruit_finds_two_tags_in_turn(terminal, tags):
    ntag, _ = tags(NTAG, CLASSIC)
    assert isinstance(ntag, Type2Tag)
    found = adafruit(terminal, times=2)
    assert [each["uid"] for each in found] == [NTAG, CLASSIC]
    assert bytes.fromhex(found[0]["pages"]) == ntag.memory[:48]


@pytest.mark.needs("adafruit-pn532")
def test_adafruit_hears_nothing_where_nothing_is(terminal):
    assert adafruit(terminal) == []


@pytest.mark.needs("adafruit-pn532")
def test_adafruit_takes_0_targets_for_several(terminal):
    # What its own sentence for an answer of 0 targets is.
    assert adafruit(terminal, 1, "05FF0101") == "More than one card detected!"
