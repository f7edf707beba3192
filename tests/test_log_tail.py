"""The last warnings, as they may be shown and sent to others."""

from __future__ import annotations

import logging

import pytest

from companion.log_tail import LONGEST_LINE, MOST_LINES, LogTail, listening, without_secrets

log = logging.getLogger("tests.log_tail")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("unknown tag 04A3C6CAE26180 on pcsc-1", "unknown tag …80 on pcsc-1"),
        ("unknown tag 8b6566b9", "unknown tag …b9"),
        ("tag 04:A3:C6:CA:E2:61:80 is odd", "tag …80 is odd"),
        ("it is on sea-salt-paper/crab-dark-blue-1 now", "it is on sea-salt-paper/… now"),
        ("open http://10.0.0.2:8080/link/abcdef", "open http://10.0.0.2:8080/link/…"),
        ("cannot read /var/lib/kari/journal.sqlite", "cannot read …"),
        ("/media/kari/data/table.toml, line 3: no", "…/table.toml, line 3: no"),
        ("pcsc-1: lost. Plug it in again.", "pcsc-1: lost. Plug it in again."),
        ("bridge-1/0 answers", "bridge-1/0 answers"),
        ("/dev/ttyACM0 at 115200 baud", "/dev/ttyACM0 at 115200 baud"),
    ],
)
def test_uids_cards_links_and_folders_are_left_out(text, shown):
    assert without_secrets(text) == shown


def test_names_are_left_out_as_whole_words():
    names = ("Ann", "Ann Marie", "Bo", "")
    text = "Ann Marie, Ann and Bo at the Board of Annex"
    assert without_secrets(text, names) == (
        "(a player), (a player) and (a player) at the Board of Annex"
    )


def test_warnings_are_kept_and_nothing_else():
    with listening() as tail:
        log.info("quiet")
        log.warning("unknown tag %s", "04A3C6CAE26180")
        log.error("it failed\nTraceback: all of it")
    log.warning("after the end")
    assert [(line.level, line.text) for line in tail.lines()] == [
        ("WARNING", "unknown tag …80"),
        ("ERROR", "it failed"),
    ]


def test_the_tail_is_bounded():
    tail = LogTail(lambda: 5.0)
    for number in range(3 * MOST_LINES):
        tail.handle(logging.LogRecord("x", logging.WARNING, "x", 1, f"no {number}", (), None))
    lines = tail.lines()
    assert (len(lines), lines[-1].text) == (MOST_LINES, f"no {3 * MOST_LINES - 1}")
    assert lines[0].at_s == 5.0
    assert len(without_secrets("long " * 500)) == LONGEST_LINE


def test_a_message_that_cannot_be_formed_ends_no_thread(monkeypatch):
    monkeypatch.setattr(logging, "raiseExceptions", False)
    with listening() as tail:
        log.warning("%d tags", "many")
    assert tail.lines() == ()
