"""What opens the table is told in a terminal, and never to systemd's journal."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from companion import addresses, kiosk
from companion.cli import main

LINES = ("Scoreboard: http://127.0.0.1:80", "Helpers: http://192.0.2.2/helper with the PIN 123456")


@pytest.fixture
def systemd(monkeypatch):
    monkeypatch.setenv("NOTIFY_SOCKET", "/run/systemd/notify")


def test_a_terminal_is_told_all(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    addresses.tell(tmp_path, LINES)
    assert capsys.readouterr().err.splitlines() == list(LINES)
    assert not list(tmp_path.iterdir())


def test_the_journal_is_told_no_secret(tmp_path, systemd, capsys):
    addresses.tell(tmp_path, LINES)
    said = capsys.readouterr().err
    assert LINES[0] in said
    assert "123456" not in said
    assert "sudo companion addresses" in said


def test_the_display_is_told_where_it_is_and_nothing_more(tmp_path, systemd, monkeypatch):
    """It is another user, who may not look into the data folder."""
    (tmp_path / "run").mkdir()
    (tmp_path / "data").mkdir()
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path / "run"))
    before = os.umask(0o077)
    try:
        addresses.tell(tmp_path / "data", LINES)
    finally:
        os.umask(before)
    (told,) = (tmp_path / "run").iterdir()
    assert told.stat().st_mode & 0o777 == 0o644
    monkeypatch.setattr(kiosk, "ADDRESS", told)
    assert kiosk.told_address() == "http://127.0.0.1:80"
    (tmp_path / "run").chmod(0o500)
    addresses.tell(tmp_path / "data", LINES)  # a disk that does not take it stops nothing


def test_the_lines_are_kept_for_the_folders_own_user(tmp_path, systemd, capsys):
    addresses.tell(tmp_path, LINES)
    (kept,) = tmp_path.iterdir()
    assert kept.stat().st_mode & 0o777 == 0o600
    capsys.readouterr()
    assert main(["addresses", "--data", str(tmp_path)]) == 0
    assert capsys.readouterr().out.splitlines() == list(LINES)


def test_a_full_disk_does_not_end_the_service(tmp_path, systemd, caplog):
    addresses.tell(tmp_path / "missing", LINES)
    assert "could not be kept" in caplog.text


def test_where_no_service_ran_is_a_sentence(tmp_path, capsys):
    assert main(["addresses", "--data", str(tmp_path)]) == 2
    assert "started by hand" in capsys.readouterr().err


def test_a_folder_of_others_is_a_sentence(tmp_path, monkeypatch, capsys):
    def denied(path, **how):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_text", denied)
    assert main(["addresses", "--data", str(tmp_path)]) == 2
    assert "sudo companion addresses" in capsys.readouterr().err


def test_the_command_of_an_installed_table_finds_its_data(tmp_path, systemd, monkeypatch, capsys):
    addresses.tell(tmp_path, LINES)
    monkeypatch.setenv("TIDETABLE_DATA", str(tmp_path))
    assert main(["addresses"]) == 0
    assert "123456" in capsys.readouterr().out
