"""What the table cannot know: it asks, it waits, and nothing of it is lost."""

from __future__ import annotations

import sqlite3

import pytest

from companion import doubts
from companion.clocks import Clocks
from companion.drivers.api import ClockJumped, DeviceBack, DeviceLost
from companion.match import Setup
from companion.record.journal import Journal, Note
from companion.rules.tentacles_words import Reshuffle, Reveal, Stop
from companion.snapshot import Choice, Question
from tests.support.tables import API, SECOND_NS, Hands, running, still_clocks

SHUFFLE = "C0000003"
DECK = dict.fromkeys(("dots", "rings", "stars", "stripes", "waves", "octopus"), 1)
SETUP = Setup("tentacles", ("Ann", "Bo"), None, {"deck": DECK})
TAGS = {f"0400000000000{n}": f"tentacles/{face}" for n, face in enumerate(DECK)} | {
    SHUFFLE: "control/shuffle",
    "C0000001": "control/stop",
}
DOTS, RINGS = list(TAGS)[:2]


@pytest.fixture
def hands(tmp_path):
    with running(tmp_path, SETUP, tags=TAGS) as table:
        yield Hands(table)


def keys(snapshot):
    return [question.key for question in snapshot.questions]


def record(folder):
    journal = Journal(folder / "table.sqlite", still_clocks())
    try:
        return list(journal.record(journal.newest().id))
    finally:
        journal.close()


# --- a pile that was not through ------------------------------------------------------


def ask_for_the_unseen(hands):
    hands.tap(DOTS)
    return hands.tap(SHUFFLE)


def test_cards_that_were_never_read_are_named_when_people_shuffle(hands):
    snapshot = ask_for_the_unseen(hands)
    assert (snapshot.event.kind, snapshot.event.code) == ("taken", "question")
    (question,) = snapshot.questions
    assert "5 cards of this pile were never read" in question.text
    assert all(face in question.text for face in DECK if face != "dots")
    assert "dots" not in question.text
    assert snapshot.step == 1


def test_people_may_say_that_the_pile_is_through(hands):
    ask_for_the_unseen(hands)
    answer = hands.table.answer("unseen", "never-read", source=API)
    assert (answer.code, answer.snapshot.event.action) == (None, Reshuffle(5))
    assert answer.snapshot.state["pile"] == 6
    assert keys(answer.snapshot) == ["closing"]


def test_or_that_it_is_not(hands):
    ask_for_the_unseen(hands)
    answer = hands.table.answer("unseen", "not-yet", source=API)
    assert (answer.code, answer.snapshot.step, keys(answer.snapshot)) == (None, 1, [])


def test_a_card_that_is_turned_after_all_ends_the_question(hands):
    ask_for_the_unseen(hands)
    assert keys(hands.tap(RINGS)) == []


@pytest.mark.parametrize("where", ["another table", "the same"])
def test_an_open_question_is_still_open_after_a_restart(tmp_path, where):
    with running(tmp_path, SETUP, tags=TAGS) as table:
        ask_for_the_unseen(Hands(table))
        if where == "another table":
            table.answer("unseen", "not-yet", source=API)
    with running(tmp_path, SETUP, tags=TAGS) as table:
        asked = [] if where == "another table" else ["unseen"]
        assert keys(table.snapshot) == [*asked, "service-away"]


def test_an_answer_to_nothing_is_refused(hands):
    assert hands.table.answer("unseen", "never-read", source=API).code == "not-legal"
    ask_for_the_unseen(hands)
    answer = hands.table.answer("unseen", "perhaps", source=API)
    assert (answer.code, keys(answer.snapshot)) == ("bad-command", ["unseen"])


def test_an_answer_that_was_based_on_an_old_view_is_stale(hands):
    old = hands.table.snapshot.revision
    ask_for_the_unseen(hands)
    assert hands.table.answer("unseen", "never-read", source=API, revision=old).code == "stale"


# --- when something is closed ---------------------------------------------------------


def win(table):
    for face in ("dots", "rings", "stars", "stripes", "waves"):
        table.act(Reveal(face), source=API)


def test_at_the_end_people_compare_the_page_with_the_table(hands):
    win(hands.table)
    (question,) = hands.table.snapshot.questions
    assert question.key == "closing"
    assert (
        "Ann: dots, rings, stars, stripes, waves; Bo: no fish; 1 card in the pile" in question.text
    )
    answer = hands.table.answer("closing", "agrees", source=API)
    assert keys(answer.snapshot) == []


def test_what_people_agreed_to_is_not_asked_again_until_something_changes(tmp_path):
    with running(tmp_path, SETUP) as table:
        win(table)
        table.answer("closing", "agrees", source=API)
    with running(tmp_path, SETUP) as table:
        assert keys(table.snapshot) == []
        table.undo(1, source=API)
        table.act(Reveal("waves"), source=API)
        assert keys(table.snapshot) == ["closing"]


# --- readers, service, clocks ---------------------------------------------------------


def lose(hands, reader, for_s):
    hands.table.report(DeviceLost(reader, "The cable is out.", hands.now_ns))
    hands.now_ns += int(for_s * SECOND_NS)
    hands.table.report(DeviceBack(reader, "A reader", hands.now_ns))
    return hands.table.settle()


def test_a_reader_that_was_away_during_a_turn_is_asked_about(hands):
    (question,) = lose(hands, "r2", 14).questions
    assert question.key == "away"
    assert "r2 was away for 14 s in the turn of Ann" in question.text
    answer = hands.table.answer("away", "nothing", source=API)
    assert (answer.code, keys(answer.snapshot)) == (None, [])


def test_readers_that_come_back_together_are_one_question(hands):
    lose(hands, "r1", 3)
    (question,) = lose(hands, "r2", 14).questions
    assert "r1 and r2 were away for 14 s" in question.text
    hands.table.answer("away", "missed", source=API)
    (question,) = lose(hands, "r2", 5).questions
    assert "r2 was away for 5 s" in question.text


def test_a_reader_that_blinked_is_not_asked_about(hands):
    assert keys(lose(hands, "r1", 0.9)) == []


def test_nobody_is_asked_when_no_game_goes_on(hands):
    win(hands.table)
    hands.table.answer("closing", "agrees", source=API)
    assert keys(lose(hands, "r1", 14)) == []


def test_the_time_that_the_service_was_away_is_told(tmp_path):
    def clocks(at_s, boot="boot"):
        return Clocks(lambda: at_s * SECOND_NS, still_clocks().wall, boot)

    for at_s, boot, said in ((0, "boot", None), (14, "boot", "14 s"), (5, "other", "a while")):
        with running(tmp_path, SETUP, clocks=clocks(at_s, boot)) as table:
            texts = [question.text for question in table.snapshot.questions]
            assert [said in text for text in texts] == ([] if said is None else [True])
            if said is not None:
                table.answer("service-away", "nothing", source=API)
            table.act(Reveal(list(DECK)[table.snapshot.step]), source=API)


def test_a_boards_clock_that_jumped_is_asked_about(hands):
    hands.table.report(ClockJumped("bridge-1", -7.0, 0))
    (question,) = hands.table.settle().questions
    assert (question.key, "jumped back by 7 s" in question.text) == ("clock/bridge-1", True)


# --- the record -----------------------------------------------------------------------


def test_each_tap_and_each_refusal_is_in_the_record(tmp_path):
    with running(tmp_path, SETUP, tags=TAGS, stations={"r1": "play"}) as table:
        hands = Hands(table)
        hands.tap(DOTS)
        hands.tap("C0000001")
        hands.tap("C0000001")
        table.act(Stop(), source=API)
        hands.tap("0499999999")
    rows = record(tmp_path)
    notes = [row for row in rows if isinstance(row, Note)]
    assert [(note.after, note.kind) for note in notes] == [
        (0, "tap"),
        (1, "tap"),
        (2, "refused"),
        (2, "refused"),
        (2, "notice"),
    ]
    assert notes[0].body == {
        "component": "tentacles/dots",
        "uid": DOTS,
        "station": "play",
        "reader": "r1",
    }
    assert notes[3].body["commands"] == [{"do": "stop"}]
    assert "must turn a card" in notes[3].body["message"]


def test_a_tap_that_the_disk_does_not_take_is_no_tap(hands, mocker):
    hands.tap(DOTS)
    full = sqlite3.OperationalError("database or disk is full")
    mocker.patch.object(Journal, "append", side_effect=full)
    snapshot = hands.tap(SHUFFLE)
    assert (snapshot.event.code, keys(snapshot)) == ("storage", [])


# --- doubts alone ---------------------------------------------------------------------


def test_doubts_are_bounded_and_the_newest_of_a_key_counts():
    asked = doubts.Doubts()
    for number in range(30):
        asked = asked.raised(Question(str(number), "?", (Choice("yes", "Yes"),)))
    assert [question.key for question in asked.open] == [str(n) for n in range(10, 30)]
    asked = asked.raised(Question("15", "Again?", (Choice("yes", "Yes"),)))
    assert (len(asked.open), asked.open[-1].text) == (20, "Again?")


def test_a_reader_that_was_never_lost_comes_back_to_nothing():
    assert doubts.Doubts().back("r1", 5, "Ann") == (doubts.Doubts(), None)


@pytest.mark.parametrize(
    ("seconds", "text"), [(1.4, "1 s"), (99, "99 s"), (100, "2 min"), (7200, "2 h")]
)
def test_times_are_short(seconds, text):
    assert doubts.for_people(seconds) == text
