"""The service itself on a damaged record: it starts, and says on the terminal what became of it."""

from __future__ import annotations

from companion.data_folder import JOURNAL
from tests.support.service import serving


def test_a_damaged_record_is_named_on_the_terminal_and_its_copy_goes_on(tmp_path):
    with serving(tmp_path) as service:
        assert service.do("reveal", card="dots")["ok"]
        assert service.stop() == 0
    with serving(tmp_path) as service:  # this start takes a copy that has the action
        assert service.stop() == 0
    record = tmp_path / JOURNAL
    assert list((tmp_path / "backups").glob("copy-*/table.sqlite"))
    record.write_bytes(record.read_bytes()[:-1000])
    with serving(tmp_path) as service:
        assert service.get()["step"] == 1
        assert service.do("reveal", card="rings")["ok"]
        assert service.stop() == 0
    assert "The record is damaged (it is cut off" in service.said
    assert "The last good copy" in service.said
    assert list(tmp_path.glob("table.damaged-*.sqlite"))
    with serving(tmp_path) as service:
        assert service.get()["step"] == 2
        service.stop()
    assert "damaged" not in service.said
