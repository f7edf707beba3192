"""Trouble with those who are told is one line in the log, and seldom the same again."""

from __future__ import annotations

import logging

from companion.telling.complaints import AGAIN_S, Complaints


def test_a_trouble_is_said_once_and_again_after_an_hour(caplog):
    caplog.set_level("INFO")
    now = [0.0]
    complaints = Complaints(logging.getLogger("companion.telling"), lambda: now[0])
    complaints.over("All is well.")
    assert caplog.text == ""  # it always was
    for _ in range(3):
        complaints.say("It is away.")
    complaints.say("It refuses.")
    now[0] = AGAIN_S - 1
    complaints.say("It is away.")
    assert [record.getMessage() for record in caplog.records] == ["It is away.", "It refuses."]
    now[0] = AGAIN_S
    complaints.say("It is away.")
    complaints.over("All is well.")
    complaints.over("All is well.")
    complaints.say("It is away.")
    assert [record.getMessage() for record in caplog.records][2:] == [
        *("It is away.", "All is well.", "It is away."),
    ]
