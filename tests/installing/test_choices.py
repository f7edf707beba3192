"""What may be chosen, what is usual, and what an earlier installation chose."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.installing.choices import Choices, choose, chosen_before, write_down
from companion.installing.settings import Served, listening, usual_port
from companion.installing.system import InstallError

HEAD = "  sl  local_address rem_address   st tx_queue rx_queue\n"
ON_80 = "   0: 00000000:0050 00000000:0000 0A 00000000:00000000\n"
ON_8080 = "   1: 00000000000000000000000000000000:1F90 00000000:0000 0A 0:0\n"
TO_80 = "   2: 0100007F:0050 0100007F:C350 01 00000000:00000000\n"


def test_without_wishes_it_is_port_80_and_the_usual_folder(computer):
    assert choose(computer.system, {}) == Choices(Path("/var/lib/tidetable"))
    assert usual_port(computer.system) == 80


@pytest.mark.parametrize(("table", "port"), [(ON_80, 8080), (TO_80, 80), (ON_80 + ON_8080, 8080)])
def test_where_port_80_is_taken_it_is_8080(computer, table, port):
    computer.write("/proc/net/tcp", HEAD + table)
    assert usual_port(computer.system) == port


def test_both_kinds_of_addresses_count(computer):
    computer.write("/proc/net/tcp", HEAD + ON_80)
    computer.write("/proc/net/tcp6", HEAD + ON_8080)
    assert listening(computer.system) == {80, 8080}


def test_a_later_installation_goes_on_with_what_was_chosen(computer):
    chosen = Choices(Path("/srv/games"), kiosk=True)
    write_down(computer.system, chosen)
    assert choose(computer.system, {"data": None, "kiosk": None}) == chosen
    assert choose(computer.system, {"kiosk": False}) == Choices(Path("/srv/games"))


@pytest.mark.parametrize("text", ["", "{", "[]", '{"choices": 3}'])
def test_a_ledger_that_says_nothing_is_none(computer, text):
    computer.write("/opt/tidetable/installed.json", text)
    assert chosen_before(computer.system) is None


@pytest.mark.parametrize("port", [0, -1, 65536])
def test_a_port_that_cannot_be_is_refused(port):
    with pytest.raises(InstallError, match="from 1 to 65535"):
        Served(Path("/srv/games"), port)


@pytest.mark.parametrize(
    ("folder", "because"),
    [
        ("games", "from the root on"),
        ("/srv/../etc", "from the root on"),
        ("/srv/our games", "sign in its name"),
        ("/srv/100%", "sign in its name"),
        ("/srv/a\nb", "sign in its name"),
        ("/home", "home folders"),
        ("/home/" + "ann/games", "home folders"),
        ("/tmp/games", "does not last"),
        ("/run/games", "does not last"),
        ("/", "belongs to the system"),
        ("/var/lib", "belongs to the system"),
        ("/mnt", "belongs to the system"),
        ("/opt/tidetable", "belongs to the system"),
        ("/etc/tidetable", "belongs to the system"),
    ],
)
def test_a_data_folder_that_cannot_be_is_refused(folder, because):
    with pytest.raises(InstallError, match=because):
        Choices(data=Path(folder))


@pytest.mark.parametrize("folder", ["/srv/tidetable", "/mnt/stick", "/data", "/media/usb-1/t_2"])
def test_a_data_folder_may_lie_on_another_disk(folder):
    assert Choices(data=Path(folder)).data == Path(folder)
