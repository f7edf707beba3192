"""The one authority: apply, commit, swap, publish, answer; each in its place."""

from __future__ import annotations

import sqlite3
import threading

import pytest

from companion.drivers.api import TagOn
from companion.match import Match, Setup
from companion.record.journal import Journal
from companion.rules.tentacles_words import Card, FishWon, Reveal, Stop
from companion.table import Table, TableError
from tests.support.tables import API, TWO, running


def test_an_action_is_answered_with_what_came_of_it(tmp_path):
    with running(tmp_path) as table:
        answer = table.act(Reveal("dots"), source=API)
        assert answer.code is None
        assert answer.outcomes == (Card("dots"), FishWon("Ann", "dots"))
        assert answer.snapshot is table.snapshot
        assert answer.snapshot.step == 1
        assert answer.snapshot.standing.scores == {"Ann": 1, "Bo": 0}
        assert answer.snapshot.event.kind == "action"
        assert answer.snapshot.event.player == "Ann"


def test_a_refusal_is_answered_published_and_changes_nothing(tmp_path):
    with running(tmp_path) as table:
        before = table.snapshot
        answer = table.act(Stop(), source=API)
        assert (answer.code, answer.outcomes) == ("not-legal", ())
        assert answer.snapshot.step == before.step
        assert answer.snapshot.state == before.state
        assert answer.snapshot.revision > before.revision
        assert answer.snapshot.event.kind == "refused"
        assert answer.snapshot.event.message == answer.message != ""


def test_the_entry_is_on_the_disk_before_anybody_sees_it(tmp_path, mocker):
    with running(tmp_path) as table:
        seen = []
        append = Journal.append

        def watched(journal, game, entries, notes):
            append(journal, game, entries, notes)
            other = sqlite3.connect(tmp_path / "table.sqlite")
            (count,) = other.execute("SELECT count(*) FROM entry").fetchone()
            other.close()
            seen.append((count, table.snapshot.step))

        mocker.patch.object(Journal, "append", watched)
        table.act(Reveal("dots"), source=API)
        assert seen == [(1, 0)]
        assert table.snapshot.step == 1


@pytest.mark.parametrize("wish", ["action", "undo"])
def test_what_the_disk_does_not_take_has_not_happened(tmp_path, mocker, wish):
    with running(tmp_path) as table:
        table.act(Reveal("dots"), source=API)
        before = table.snapshot
        full = mocker.patch.object(
            Journal, "append", side_effect=sqlite3.OperationalError("database or disk is full")
        )
        do = {
            "action": lambda: table.act(Stop(), source=API),
            "undo": lambda: table.undo(1, source=API),
        }[wish]
        answer = do()
        assert answer.code == "storage"
        assert "full" in answer.message
        assert (answer.snapshot.step, answer.snapshot.state) == (before.step, before.state)
        mocker.stop(full)
        assert do().code is None
        assert table.snapshot.step != before.step


def test_a_view_from_before_a_change_of_the_game_is_stale(tmp_path):
    with running(tmp_path) as table:
        old = table.snapshot.revision
        table.act(Reveal("dots"), source=API)
        answer = table.act(Stop(), source=API, revision=old)
        assert answer.code == "stale"
        assert answer.snapshot.step == 1
        assert table.act(Stop(), source=API, revision=answer.snapshot.revision).code is None


def test_a_view_from_before_a_refusal_is_not_stale(tmp_path):
    with running(tmp_path) as table:
        old = table.act(Reveal("dots"), source=API).snapshot.revision
        table.act(Reveal("nothing"), source=API)
        assert table.snapshot.revision > old
        assert table.act(Stop(), source=API, revision=old).code is None


def test_a_revision_that_never_was_is_stale(tmp_path):
    with running(tmp_path) as table:
        table.act(Reveal("dots"), source=API)
        assert table.act(Stop(), source=API, revision=table.snapshot.revision + 1).code == "stale"


def test_a_view_from_before_a_restart_is_stale(tmp_path):
    with running(tmp_path) as table:
        for _ in range(3):
            table.act(Reveal("dots"), source=API)
        old = table.snapshot
    with running(tmp_path) as table:
        assert table.snapshot.epoch != old.epoch
        assert table.snapshot.revision > old.revision
        assert table.act(Stop(), source=API, revision=old.revision).code == "stale"


def test_a_repeat_is_harmless_and_answered_like_the_first(tmp_path):
    with running(tmp_path) as table:
        first = table.act(Reveal("dots"), source=API, request_id="one")
        again = table.act(Reveal("dots"), source=API, request_id="one")
        assert (first.repeated, again.repeated) == (False, True)
        assert again.outcomes == first.outcomes
        assert table.snapshot.step == 1


def test_a_repeat_is_harmless_after_a_restart_and_in_a_new_game(tmp_path):
    with running(tmp_path) as table:
        table.act(Reveal("dots"), source=API, request_id="one")
    with running(tmp_path) as table:
        assert table.act(Reveal("dots"), source=API, request_id="one").repeated
        assert table.snapshot.step == 1
    with running(tmp_path, fresh=True) as table:
        assert table.act(Reveal("dots"), source=API, request_id="one").repeated
        assert table.snapshot.step == 0


def test_a_refused_request_may_be_tried_again_under_its_id(tmp_path):
    with running(tmp_path) as table:
        assert table.act(Stop(), source=API, request_id="one").code == "not-legal"
        table.act(Reveal("dots"), source=API)
        answer = table.act(Stop(), source=API, request_id="one")
        assert (answer.code, answer.repeated) == (None, False)


def test_one_id_for_two_actions_is_refused(tmp_path):
    with running(tmp_path) as table:
        table.act(Reveal("dots"), source=API, request_id="one")
        assert table.act(Reveal("rings"), source=API, request_id="one").code == "bad-command"
        assert table.undo(1, source=API, request_id="one").code == "bad-command"
        assert table.snapshot.step == 1


def test_a_game_goes_on_after_a_restart(tmp_path):
    with running(tmp_path) as table:
        for action in (Reveal("dots"), Reveal("rings"), Stop(), Reveal("dots-tentacle")):
            assert table.act(action, source=API).code is None
        table.undo(2, source=API)
        table.act(Reveal("waves"), source=API)
        before = table.snapshot
    with running(tmp_path, Setup("tentacles", ("X", "Y", "Z"))) as table:
        after = table.snapshot
        assert table.resumed
        for name in ("table", "game", "players", "step", "standing", "state", "legal"):
            assert getattr(after, name) == getattr(before, name)
        assert after.event.kind == "resumed"
        assert table.undo(3, source=API).snapshot.step == 0


def test_entries_have_numbers_that_are_never_used_again(tmp_path):
    with running(tmp_path) as table:
        table.act(Reveal("dots"), source=API)
        table.undo(1, source=API)
        table.act(Reveal("rings"), source=API)
    with running(tmp_path) as table:
        table.act(Stop(), source=API)
        game = table.snapshot.game
    rows = sqlite3.connect(tmp_path / "table.sqlite").execute(
        "SELECT game, entry, step, command FROM entry ORDER BY entry"
    )
    assert list(rows) == [
        (game, 1, 1, '{"do": "reveal", "card": "dots"}'),
        (game, 2, 0, '{"undo": 1}'),
        (game, 3, 1, '{"do": "reveal", "card": "rings"}'),
        (game, 4, 2, '{"do": "stop"}'),
    ]


def win(table: Table) -> None:
    for card in ("dots", "rings", "stars", "stripes", "waves"):
        assert table.act(Reveal(card), source=API).code is None


def test_another_game_begins_when_this_one_is_over(tmp_path):
    with running(tmp_path) as table:
        assert table.new_game(source=API).code == "not-legal"
        win(table)
        first = table.snapshot
        assert first.standing.winners == ("Ann",)
        answer = table.new_game(source=API)
        assert answer.code is None
        assert answer.snapshot.game != first.game
        assert (answer.snapshot.table, answer.snapshot.step) == (first.table, 0)
        assert table.act(Stop(), source=API, revision=first.revision).code == "stale"
        assert table.act(Reveal("dots"), source=API).code is None
    with running(tmp_path) as table:
        assert table.snapshot.step == 1


def test_a_finished_game_can_be_taken_back(tmp_path):
    with running(tmp_path) as table:
        win(table)
        assert table.act(Reveal("dots"), source=API).code == "game-over"
        assert table.undo(1, source=API).snapshot.standing.turn == "Ann"


def test_a_record_that_cannot_be_read_refuses_and_the_table_goes_on(tmp_path, mocker):
    damaged = sqlite3.DatabaseError("database disk image is malformed")
    with running(tmp_path) as table:
        mocker.patch.object(Journal, "find_request", side_effect=damaged)
        answer = table.act(Reveal("dots"), source=API, request_id="one")
        assert (answer.code, "malformed" in answer.message) == ("storage", True)
        assert table.act(Reveal("dots"), source=API).code is None


def test_a_tag_that_cannot_be_looked_up_is_refused(tmp_path):
    def look_up(uid):
        raise sqlite3.DatabaseError("database disk image is malformed")

    with running(tmp_path, look_up=look_up) as table:
        table.report(TagOn("r1", "04A3C6CAE26180", 1))
        event = table.settle().event
        assert (event.kind, event.code, event.source.name) == ("refused", "storage", "r1")


def test_who_waits_is_woken_by_a_change_and_by_the_end(tmp_path):
    with running(tmp_path) as table:
        seen = []
        first = table.snapshot.revision

        def watch():
            seen.append(table.wait(first, 30).step)
            seen.append(table.wait(table.snapshot.revision, 30).step)
            seen.append(table.closed)

        watcher = threading.Thread(target=watch)
        watcher.start()
        table.act(Reveal("dots"), source=API)
        while not seen:
            watcher.join(0.01)
        table.close()
        watcher.join(5)
        assert seen == [1, 1, True]


def test_after_the_end_every_request_is_answered_closed(tmp_path):
    with running(tmp_path) as table:
        table.close()
        assert table.act(Reveal("dots"), source=API).code == "closed"
        assert table.undo(1, source=API).code == "closed"
        assert table.settle().step == 0


def test_a_fault_of_ours_ends_neither_the_table_nor_the_game(tmp_path, mocker):
    with running(tmp_path) as table:
        table.act(Reveal("dots"), source=API)
        broken = mocker.patch.object(Match, "do", side_effect=ZeroDivisionError("planted"))
        with pytest.raises(TableError):
            table.act(Stop(), source=API)
        mocker.stop(broken)
        assert table.snapshot.step == 1
        assert table.act(Stop(), source=API).code is None


def test_requests_from_many_threads_are_all_answered_once(tmp_path):
    with running(tmp_path, Setup("tentacles", TWO.players, None, {"pattern": 20})) as table:
        answers = []

        def ask():
            answers.extend(table.act(Reveal("dots"), source=API) for _ in range(5))

        askers = [threading.Thread(target=ask) for _ in range(8)]
        for asker in askers:
            asker.start()
        for asker in askers:
            asker.join(10)
        accepted = [answer for answer in answers if answer.code is None]
        assert len(answers) == 40
        assert len(accepted) == 20 == table.snapshot.step


def test_what_waits_when_the_table_closes_is_not_done(tmp_path, mocker):
    with running(tmp_path) as table:
        going_on = threading.Event()
        append = Journal.append

        def slow(journal, game, entries, notes):
            going_on.wait(5)
            append(journal, game, entries, notes)

        mocker.patch.object(Journal, "append", slow)
        answers = []
        askers = [
            threading.Thread(
                target=lambda: answers.append(table.act(Reveal("dots"), source=API).code)
            )
            for _ in range(4)
        ]
        for asker in askers:
            asker.start()
        closer = threading.Thread(target=table.close)
        closer.start()
        while not table._ending:
            closer.join(0.01)
        going_on.set()
        closer.join(5)
        for asker in askers:
            asker.join(5)
        assert len(answers) == 4
        assert answers.count("closed") >= 3
        assert table.snapshot.step == answers.count(None)
