"""A new game is played with the pieces that carry tags."""

from __future__ import annotations

import pytest
from support.tables import API, running, still_clocks

from companion.beginning import NoWholeGame, setup_of
from companion.record.journal import Journal
from companion.rules.api import Refusal

WHOLE = {
    f"04A3C6CAE261{number:02X}": f"tentacles/{name}"
    for number, name in enumerate(
        ["dots", "dots-eyes", "rings", "stars", "stripes", "waves", "waves"]
    )
}


def test_a_game_begins_with_the_pieces_that_carry_tags():
    setup = setup_of("tentacles", ["Ann", "Bo"], "Bo", {"steal": "forced"}, WHOLE)
    assert (setup.players, setup.starter) == (("Ann", "Bo"), "Bo")
    assert setup.options["steal"] == "forced"
    assert setup.options["deck"]["waves"] == 2


def test_a_chosen_deck_stays_and_a_game_without_pieces_to_choose_takes_none():
    assert setup_of("tentacles", ["Ann", "Bo"], None, {"octopus": 2}, WHOLE).options == {
        "octopus": 2
    }
    assert setup_of("sea-salt-paper", ["Ann", "Bo"], None, {}, WHOLE).options == {}


def test_half_a_deck_is_told_from_a_choice_that_cannot_be():
    half = dict(list(WHOLE.items())[:3])
    with pytest.raises(NoWholeGame, match="stars"):
        setup_of("tentacles", ["Ann", "Bo"], None, {}, half)
    with pytest.raises(Refusal) as refused:
        setup_of("tentacles", ["Ann", "Ann"], None, {}, half)
    assert not isinstance(refused.value, NoWholeGame)


def test_the_table_says_what_is_enrolled_now_and_begins_with_it(tmp_path):
    with running(tmp_path) as table:
        assert table.enrolled == {}
        with_tags = Journal(tmp_path / "table.sqlite", still_clocks())
        with_tags.enrol(WHOLE)  # as another process does
        with_tags.close()
        assert table.enrolled == WHOLE
        setup = setup_of("tentacles", ["Cy", "Dora"], None, {}, table.enrolled)
        answer = table.new_game(setup, source=API)
        assert answer.code is None
        assert table.snapshot.pieces.total["waves"] == 2
    assert table.enrolled == {}  # a closed table answers, too
