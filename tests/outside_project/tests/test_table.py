"""What the fixtures of the table, the tags, the ship and the faults can do."""

import pytest

from companion.rules.octopus_alarm_words import Flip, Reef, Sail, Swing


def test_a_miss_and_a_double_read(tidetable_table):
    table = tidetable_table("tentacles")
    table.tap("tentacles/dots", faults=["miss"])
    assert table.told == []
    table.tap("tentacles/dots", faults=["duplicate"])
    assert table.told == ["action"]
    assert table.tap("tentacles/rings", faults=["unreadable"]).code == "unreadable-tag"
    assert table.tap_unknown().code == "unknown-tag"
    with pytest.raises(LookupError, match="no fault earthquake"):
        table.tap("tentacles/dots", faults=["earthquake"])
    with pytest.raises(LookupError, match="no fault killed of one tap"):
        table.tap("tentacles/dots", faults=["killed"])
    with pytest.raises(LookupError, match="no octopus"):
        table.tap("octopus")


def test_tags_are_told_by_their_copies(tidetable_tags, tidetable_table):
    tags = tidetable_tags("tentacles", ["Ann", "Bo"], {"octopus": 2})
    assert len(tags.all("tentacles/octopus")) == 2
    table = tidetable_table("tentacles", tags=tags, options={"octopus": 2})
    table.tap("tentacles/octopus")
    assert table.tap(tags.one("tentacles/octopus")).code == "card-not-available"
    assert table.tap("tentacles/octopus").kind == "action"


def test_time_passes_when_it_is_told_to(tidetable_clock, tidetable_table):
    table = tidetable_table("tentacles")
    before_ns = tidetable_clock()
    tidetable_clock.pass_time(3)
    assert tidetable_clock() == before_ns + 3_000_000_000 == table.room.now_ns


def test_the_service_is_killed_and_the_disk_is_full(tidetable_table):
    table = tidetable_table("tentacles")
    table.tap("tentacles/dots")
    table.room.kill()
    assert table.match.step == 1
    table.room.disk.full = True
    assert table.tap("tentacles/rings").code == "storage"


@pytest.mark.parametrize("ending", ["capsized", "upright"])
def test_the_ship_says_how_it_ended(ending, tidetable_table, tidetable_ship):
    table = tidetable_table("octopus-alarm", options={"ship": 0, "billy": 3})
    for stack, animal in enumerate(("crab", "fish", "snail", "squid")):
        assert table.touch(Reef(stack, animal)).code is None
    assert table.touch(Sail(2)).code is None
    assert table.touch(Flip(0, "wave")).code is None
    assert table.snapshot.standing.phase == "alarm"
    event = tidetable_ship(table).swings(ending)
    assert (event.kind, event.action) == ("action", Swing(ending))


def test_the_menu_of_faults(tidetable_faults):
    assert "miss" in tidetable_faults.kinds
    assert tidetable_faults(restarted_pcscd=0.5).rates == {"restarted-pcscd": 0.5}
    with pytest.raises(LookupError, match="no fault earthquake"):
        tidetable_faults(earthquake=1)
