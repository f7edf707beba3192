"""A household's file that cannot be read is kept beside the new one."""

from __future__ import annotations

from contextlib import closing

from companion.household import HOUSEHOLD
from companion.record.household_file import household_of
from tests.support.tables import still_clocks


def test_what_was_set_aside_before_is_never_written_over(tmp_path):
    kept = tmp_path / "household.damaged-2026-01-01T00-00-00.sqlite"
    kept.write_text("of last week")
    (tmp_path / HOUSEHOLD).write_text("no database, though it is long enough to look like one")
    with closing(household_of(tmp_path, still_clocks())) as household:
        assert household.now.devices == {}
    assert kept.read_text() == "of last week"
    (aside,) = set(tmp_path.glob("household.damaged-*")) - {kept}
    assert aside.read_text().startswith("no database")
