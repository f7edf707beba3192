"""A reader of one's own, alone and at a table."""

import pytest
from doorbell import Doorbell

from companion.drivers.api import DeviceBack, TagOff, TagOn

UID = "04A3C6CAE26180"


@pytest.fixture
def doorbell(tmp_path):
    return Doorbell(tmp_path / "rings")


def test_it_reports_a_tap(doorbell, tidetable_readings, tidetable_clock):
    doorbell.open(tidetable_readings, tidetable_clock)
    try:
        assert isinstance(tidetable_readings.next(), DeviceBack)
        doorbell.path.write_text(UID)
        assert tidetable_readings.next_tag() == TagOn("doorbell", UID, tidetable_clock())
        assert tidetable_readings.next_tag() == TagOff("doorbell", UID, tidetable_clock())
    finally:
        doorbell.close()


def test_a_tap_at_it_turns_a_card(doorbell, tidetable_table):
    table = tidetable_table("tentacles", players=["Kari", "Ola"], real_time=True)
    table.attach(doorbell)
    doorbell.path.write_text(table.world.one("tentacles/dots"))
    snapshot = table.wait_until(lambda snapshot: snapshot.step == 1)
    assert snapshot.state["fish"]["Kari"] == ["dots"]


@pytest.mark.parametrize("kind", ["line", "pn532", "board"])
def test_simulated_hardware_turns_a_card(kind, tidetable_reader, tidetable_table):
    table = tidetable_table("tentacles", stations=(), real_time=True)
    reader = tidetable_reader(kind)
    table.attach(reader.name)
    table.wait_until(lambda snapshot: any(each.ready for each in snapshot.readers), 20)
    first, second = table.world.one("tentacles/dots"), table.world.one("tentacles/rings")
    reader.lay(first)
    # What lies there when a reader starts may not count: then it is laid down again.
    snapshot = table.wait_until(lambda snapshot: snapshot.event.source.kind == "reader", 20)
    reader.lift(first)
    if not snapshot.step:
        reader.lay(second)
        table.wait_until(lambda snapshot: snapshot.step == 1, 20)


def test_a_driver_by_hand(tidetable_hand_reader, tidetable_table, tidetable_clock):
    table = tidetable_table("tentacles")
    table.attach(tidetable_hand_reader)
    dots = table.world.one("tentacles/dots")
    tidetable_hand_reader.lay(dots)
    tidetable_hand_reader.lift(dots)
    assert table.told == ["action"]
    tidetable_hand_reader.unplug()
    tidetable_clock.pass_time(14)
    tidetable_hand_reader.plug()
    (question,) = table.snapshot.questions
    assert "away for 14 s" in question.text
