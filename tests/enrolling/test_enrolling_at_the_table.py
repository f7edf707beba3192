"""Enrolment at a real table with a real record: readers, restarts, and the game beside it."""

from __future__ import annotations

from random import Random

import pytest
from support.tables import API, Hands, running, still_clocks

from companion.drivers.api import ButtonPressed, SeveralTags, TagOn, TagUnreadable
from companion.enrolling.acts import (
    Begin,
    Bring,
    Check,
    Choose,
    End,
    MoveHere,
    Recount,
    SetMode,
    Skip,
    Undo,
)
from companion.enrolling.desk import OPEN
from companion.enrolling.places import places_of
from companion.match import Setup
from companion.record.journal import Journal

DECK = places_of("tentacles")
SALT = [place.component for place in places_of("sea-salt-paper").values() if place.part == "cards"]


def uid(number: int) -> str:
    return f"04A3C6{number:08X}"


def journal_of(folder):
    return Journal(folder / "table.sqlite", still_clocks())


def test_a_tap_is_on_the_disk_before_it_is_shown(tmp_path):
    """Another program that looks at the same moment finds it."""
    with running(tmp_path) as table:
        table.enrol(Begin("sea-salt-paper"), source=API)
        hands, other = Hands(table), journal_of(tmp_path)
        for number in range(5):
            shown = hands.lay(uid(number)).enrolment
            assert shown.told.component == SALT[number]
            assert other.component(uid(number)) == SALT[number]
        other.close()


def test_a_restart_comes_back_to_it(tmp_path):
    with running(tmp_path) as table:
        table.enrol(Begin("sea-salt-paper"), source=API)
        hands = Hands(table)
        for number in range(3):
            hands.tap(uid(number))
        table.enrol(Choose(SALT[30]), source=API)
        before = table.snapshot.enrolment
    with running(tmp_path) as table:
        again = table.snapshot.enrolment
        assert (again.told.kind, again.next, again.mode) == ("resumed", SALT[30], "guided")
        assert again.cells == before.cells
        assert again.number > before.number  # a button of a page from before it is out of date
        table.enrol(Undo(), source=API)
        assert table.enrolled == {uid(0): SALT[0], uid(1): SALT[1]}
        Hands(table, now_ns=10**12).tap(uid(9))
        assert table.enrolled[uid(9)] == SALT[2]
        table.enrol(End(), source=API)
    with running(tmp_path) as table:
        assert table.snapshot.enrolment is None


def test_what_was_kept_of_a_session_may_be_nonsense(tmp_path):
    with running(tmp_path) as table:
        table.enrol(Begin("sea-salt-paper"), source=API)
        Hands(table).tap(uid(1))
    for nonsense in ("", "{", "[]", '{"game": "chess"}', '{"game": "tentacles"}'):
        journal = journal_of(tmp_path)
        journal.remember(OPEN, nonsense)
        journal.close()
        with running(tmp_path) as table:
            assert table.snapshot.enrolment is None
            assert table.enrolled == {uid(1): SALT[0]}


def test_a_reader_that_nobody_knows_will_do(tmp_path):
    with running(tmp_path, stations={"r1": "play"}) as table:
        table.enrol(Begin("sea-salt-paper"), source=API)
        Hands(table, reader="who-is-this/7").tap(uid(1))
        assert table.enrolled == {uid(1): SALT[0]}


def test_one_hand_that_trembles_and_one_that_comes_again(tmp_path):
    with running(tmp_path) as table:
        table.enrol(Begin("sea-salt-paper"), source=API)
        hands = Hands(table)
        hands.tap(uid(1))
        number = table.snapshot.enrolment.number
        hands.tap(uid(1), after_s=0.4)
        assert table.snapshot.enrolment.number == number
        hands.tap(uid(1), after_s=3)
        assert table.snapshot.enrolment.told.kind == "already"
        table.enrol(Undo(), source=API)
        hands.tap(uid(1), after_s=0.4)  # after a button it is meant
        assert table.enrolled == {uid(1): SALT[0]}


def test_two_readers_side_by_side_enrol_a_card_once(tmp_path):
    with running(tmp_path) as table:
        table.enrol(Begin("sea-salt-paper"), source=API)
        hands = Hands(table)
        hands.lay(uid(1))
        hands.lay(uid(1), reader="r2", after_s=0.1)
        assert table.snapshot.enrolment.told.kind == "enrolled"
        assert table.enrolled == {uid(1): SALT[0]}


def test_two_cards_that_are_read_in_turn_count_neither(tmp_path):
    with running(tmp_path) as table:
        table.enrol(Begin("sea-salt-paper"), source=API)
        hands = Hands(table)
        hands.tap(uid(1))
        for turn in range(6):
            hands.lay(uid(2 + turn % 2), after_s=0.05)
            hands.lift(uid(2 + turn % 2), after_s=0.05)
        assert "one card at a time" in table.snapshot.enrolment.told.sentence
        assert table.enrolled == {uid(1): SALT[0]}
        assert table.snapshot.enrolment.next == SALT[1]


def test_what_a_reader_cannot_read_is_told_and_changes_nothing(tmp_path):
    with running(tmp_path) as table:
        table.enrol(Begin("sea-salt-paper"), source=API)
        for reading in (
            SeveralTags("r1", 1),
            TagUnreadable("r1", "it gives no UID", 2),
            TagOn("r1", uid(5), 3, lay_there=True),
        ):
            table.report(reading)
            assert table.settle().enrolment.told.kind == "trouble"
        assert table.enrolled == {}


def test_the_button_at_the_table_takes_back(tmp_path):
    with running(tmp_path) as table:
        table.enrol(Begin("sea-salt-paper"), source=API)
        Hands(table).tap(uid(1))
        table.report(ButtonPressed("gpio-22", "undo", 10**10))
        assert table.settle().enrolment.told.kind == "undone"
        assert table.enrolled == {}
        table.report(ButtonPressed("gpio-22", "undo", 10**11))
        assert "nothing to take back" in table.settle().enrolment.told.sentence
        table.report(ButtonPressed("gpio-23", "stop", 10**11))
        table.settle()
        assert table.snapshot.event.kind == "started"  # the game heard none of it


def test_what_another_program_enrols_meanwhile_is_known(tmp_path):
    with running(tmp_path) as table:
        table.enrol(Begin("sea-salt-paper"), source=API)
        other = journal_of(tmp_path)
        other.enrol({uid(7): SALT[0]})
        other.close()
        hands = Hands(table)
        hands.tap(uid(7))
        assert table.snapshot.enrolment.told.kind == "already"


def test_the_tag_that_the_table_did_not_know_is_the_one_in_hand(tmp_path):
    with running(tmp_path) as table:
        Hands(table).tap(uid(7))
        assert table.snapshot.event.code == "unknown-tag"
        table.enrol(Begin("tentacles", "free", adding=True), source=API)
        assert table.snapshot.enrolment.held == "unnamed"
        table.enrol(Choose("tentacles/dots"), source=API)
        assert table.enrolled == {uid(7): "tentacles/dots"}


def test_adding_goes_on_with_a_session_that_is_open(tmp_path):
    with running(tmp_path) as table:
        Hands(table).tap(uid(7))
        table.enrol(Begin("tentacles"), source=API)
        table.enrol(Begin("tentacles", "free", adding=True), source=API)
        assert table.snapshot.enrolment.held == "unnamed"
        assert table.snapshot.enrolment.mode == "guided"


def test_nothing_can_be_done_while_none_is_open(tmp_path):
    with running(tmp_path) as table:
        for act in (Undo(), Choose("tentacles/dots"), Check(), Skip()):
            answer = table.enrol(act, source=API)
            assert answer.code == "not-legal"
        table.enrol(Bring({uid(1): "tentacles/dots"}), source=API)
        assert table.enrolled == {uid(1): "tentacles/dots"}
        assert table.enrol(End(), source=API).code is None


def test_the_same_game_again_follows_the_tags(tmp_path):
    whole = [component for component in DECK if component.startswith("tentacles/")]
    with running(tmp_path, Setup("tentacles", ("Ann", "Bo"), None, {"steal": "forced"})) as table:
        table.enrol(Bring({uid(n): component for n, component in enumerate(whole)}), source=API)
        table.new_game(source=API, instead=True)
        assert table.snapshot.options["deck"]["dots"] == 1
    with running(tmp_path) as table:
        table.enrol(Begin("tentacles"), source=API)
        Hands(table).tap(uid(900))
        table.enrol(End(), source=API)
        table.new_game(source=API, instead=True)
        assert table.snapshot.options["deck"]["dots"] == 2
        assert table.snapshot.options["steal"] == "forced"


def test_the_same_game_again_keeps_a_deck_that_no_tags_were_enrolled_for(tmp_path):
    setup = Setup("tentacles", ("Ann", "Bo"), None, {"octopus": 5})
    with running(tmp_path, setup) as table:
        table.enrol(Bring({uid(1): SALT[0]}), source=API)
        table.new_game(source=API, instead=True)
        assert table.snapshot.options == {"octopus": 5}


def test_the_same_game_again_stays_as_it_was_with_half_a_deck(tmp_path):
    with running(tmp_path) as table:
        table.enrol(Begin("tentacles"), source=API)
        Hands(table).tap(uid(1))
        table.enrol(End(), source=API)
        assert table.new_game(source=API, instead=True).code is None
        assert "deck" not in table.snapshot.options


@pytest.mark.parametrize("seed", range(4))
def test_whatever_people_do_and_however_often_it_restarts_the_tags_are_right(tmp_path, seed):
    """A model of the table of tags, kept beside it by what was told."""
    chance = Random(seed)
    model: dict[str, str] = {}
    undone: list[dict[str, str]] = []
    now_ns = 0
    for _ in range(6):
        with running(tmp_path) as table:
            table.enrol(Begin("sea-salt-paper"), source=API)
            hands = Hands(table, now_ns)
            hands.now_ns += 10**13
            for _ in range(chance.randrange(2, 12)):
                before = dict(model)
                match chance.randrange(8):
                    case 0:
                        table.enrol(Choose(chance.choice(SALT[:9])), source=API)
                        table.enrol(SetMode("guided"), source=API)
                    case 1:
                        table.enrol(Undo(), source=API)
                        if undone:
                            model = undone.pop()
                        before = model
                    case 2:
                        table.enrol(MoveHere(), source=API)
                    case 3:
                        table.enrol(Skip(), source=API)
                    case 4:
                        table.enrol(Recount(chance.choice(SALT[:9])), source=API)
                    case _:
                        hands.tap(uid(chance.randrange(14)), after_s=3)
                told = table.snapshot.enrolment.told
                stands = dict(table.enrolled)
                if stands != before:
                    undone.append(before)
                    changed = {
                        tag for tag in {*stands, *before} if stands.get(tag) != before.get(tag)
                    }
                    assert told.component in {stands.get(tag) for tag in changed}
                    assert len(changed) == 1 or told.kind == "replaced"
                model = stands
            now_ns = hands.now_ns
        with running(tmp_path) as table:
            assert table.enrolled == model
            assert table.snapshot.enrolment is not None
