"""The real udev reads our rules, for devices in a /sys of their own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from companion.installing import files
from tests.support import plugged_in

pytestmark = pytest.mark.needs("mount", "udevadm")

HERE = "at-pci-0000:00:14.0-usb-0"


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """The properties of each device."""
    rules = tmp_path_factory.mktemp("rules.d")
    (rules / files.UDEV.name).write_text(files.udev_rules())
    done = subprocess.run(
        ["unshare", "--mount", sys.executable, plugged_in.__file__, str(rules)],
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(done.stdout)


def links(told, name) -> set[str]:
    """Those of ours."""
    ours = Path("/dev/tidetable")
    found = map(Path, told[name].get("DEVLINKS", "").split())
    return {path.name for path in found if path.parent == ours}


def test_a_board_is_named_by_its_number_and_by_its_socket(told):
    assert links(told, "pico's port") == {"pico-E6614C311B", f"pico-{HERE}:1:1.0"}


def test_a_second_port_of_a_board_has_a_name_of_its_own(told):
    assert links(told, "pico's second port") == {"pico-E6614C311B-02", f"pico-{HERE}:1:1.2"}


def test_a_board_without_a_number_is_named_by_its_socket_alone(told):
    assert links(told, "ch340's port") == {f"ch340-{HERE}:2:1.0"}


def test_a_board_at_a_hub_of_another_maker_is_not_taken_for_one_of_theirs(told):
    assert told["pico's port"]["TIDETABLE_KIND"] == "pico"
    assert links(told, "stranger's port") == set()


def test_a_reader_of_pcscd_has_a_name(told):
    assert links(told, "acr122u") == {f"acr122u-{HERE}:4"}


@pytest.mark.parametrize("name", ["pico", "pico's port", "ch340's port"])
def test_modem_manager_is_kept_away_from_boards(told, name):
    assert told[name]["ID_MM_DEVICE_IGNORE"] == "1"


@pytest.mark.parametrize("name", ["stranger", "stranger's port"])
def test_what_is_not_known_is_left_as_it_is(told, name):
    assert not [key for key in told[name] if key.startswith(("ID_MM", "TIDETABLE"))]
    assert links(told, name) == set()
