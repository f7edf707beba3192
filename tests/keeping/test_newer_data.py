"""A record or a household of a newer version: refused in one sentence, and not touched."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from companion.data_folder import JOURNAL
from companion.household import HOUSEHOLD
from tests.keeping.two_tables import files_of, refused, run


def newer(folder, name):
    with closing(sqlite3.connect(folder / name)) as connection:
        connection.execute("PRAGMA user_version = 99")
    return files_of(folder)


@pytest.mark.parametrize("words", ["verify", "export last", "backup b.zip", "tags list"])
def test_a_record_of_a_newer_version_is_refused_in_one_sentence_and_not_touched(
    two, tmp_path, monkeypatch, capsys, words
):
    folder, _ = two
    before = newer(folder, JOURNAL)
    monkeypatch.chdir(tmp_path)
    sentence = refused(capsys, *words.split(), "--data", folder)
    assert "newer version" in sentence
    assert "update this program" in sentence
    assert "companion restore" in sentence
    assert files_of(folder) == before


def test_verify_tells_of_a_household_of_a_newer_version(two, capsys):
    folder, _ = two
    before = newer(folder, HOUSEHOLD)
    assert run("verify", "--data", folder) == 1
    assert "newer version" in capsys.readouterr().out
    assert files_of(folder) == before


@pytest.mark.parametrize("name", [JOURNAL, HOUSEHOLD])
def test_a_start_on_what_is_newer_is_refused_and_touches_nothing(two, capsys, name):
    folder, _ = two
    before = newer(folder, name)
    sentence = refused(capsys, "run", "--data", folder, "--port", "0")
    assert "newer version" in sentence
    assert "update this program" in sentence
    assert files_of(folder) == before
