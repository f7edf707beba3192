"""The history of the real service: killed, started again, on a disk that takes nothing."""

from __future__ import annotations

import urllib.request
from contextlib import closing
from pathlib import Path

import pytest
from past import NOBODY

from companion.data_folder import JOURNAL
from companion.record.archive import Archive
from companion.record.summaries import SUMMARIES
from tests.journal.test_disk import read_only
from tests.support.service import serving


def page(service, path: str) -> str:
    with urllib.request.urlopen(service.url + path, timeout=30) as response:
        return response.read().decode()


def test_history_survives_that_the_service_is_killed(tmp_path: Path):
    with serving(tmp_path) as service:
        for card in ("dots", "rings", "stars", "stripes", "waves"):
            service.do("reveal", card=card)
        before = service.get("/api/v1/games")["games"]
        assert (before[0]["state"], before[0]["winners"]) == ("over", ["Ann"])
        service.kill()
    with serving(tmp_path, "--new") as service:
        service.do("reveal", card="rings")
        after = service.get("/api/v1/games")
        assert [game["state"] for game in after["games"]] == ["going-on", "over"]
        assert after["games"][1] == before[0]
        identity = before[0]["id"]
        assert service.get(f"/api/v1/games/{identity}.json")["actions"] == 5
        assert "fish on stars" in page(service, f"/history/{identity}/replay?step=3")
        assert f"/history/{identity}" in page(service, "/history")
        service.kill()
    (tmp_path / SUMMARIES).unlink()
    with serving(tmp_path) as service:
        assert service.get("/api/v1/games")["games"] == after["games"]


@pytest.mark.needs("mount")
def test_a_disk_that_takes_no_summaries_does_not_matter(past, tmp_path: Path):
    past.win()
    past.win(("Cy", "Dee"))
    folder = tmp_path / "disk"
    folder.mkdir()
    with read_only(folder):
        with closing(Archive(past.folder / JOURNAL, folder / SUMMARIES)) as archive:
            games = archive.listed(NOBODY, count=5).games
            assert [game.winners for game in games] == [("Cy",), ("Ann",)]
            assert archive.figures(NOBODY).games == 2
        assert not (folder / SUMMARIES).exists()
