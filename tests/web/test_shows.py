"""A game that plays itself on the virtual table, for people to see how it goes."""

from __future__ import annotations

import re

import pytest
from virtual_evening import PAGE, TWO

from companion.match import Setup
from web_ui.virtual_scripts import SCRIPTS


def captions(evening):
    """Run the show that was begun, and listen."""
    heard = []
    tell = evening.show._tell

    def listen(shown, game):
        heard.append((shown.number, evening.table.snapshot.event))
        return tell(shown, game)

    evening.show._tell = listen
    (run,) = evening.run_show
    evening.run_show.clear()
    with evening.app.test_request_context():
        run()
    return heard


@pytest.mark.parametrize("game", SCRIPTS)
def test_a_game_shows_itself_within_a_minute_and_is_never_refused(virtual_evenings, game):
    evening = virtual_evenings("tentacles")
    begun_ns = evening.clock()
    evening.post("/virtual/show", game=game)
    assert 'id="v-caption-1"' in evening.html()
    heard = captions(evening)
    assert [number for number, _ in heard] == [
        *range(1, len(SCRIPTS[game].steps) + 1),
        len(SCRIPTS[game].steps),
    ]
    assert {event.kind for _, event in heard} <= {"started", "action", "taken", "undo"}
    assert 40 < (evening.clock() - begun_ns) / 1e9 < 75
    assert evening.table.snapshot.game_name == game
    assert evening.match.step > 8
    assert "I play on" in evening.html()


def test_the_show_of_octopus_alarm_has_an_alarm_in_which_the_ship_falls(virtual_evenings):
    evening = virtual_evenings("octopus-alarm")
    evening.post("/virtual/show", game="octopus-alarm")
    told = [type(each).__name__ for _, event in captions(evening) for each in event.outcomes]
    assert {"AnimalTaken", "Alarm", "ShipCapsized", "ProvisionLost"} <= set(told)


def test_a_game_in_progress_is_asked_about_first(virtual_evenings):
    evening = virtual_evenings("tentacles")
    evening.post("/virtual/turn-top")
    before = evening.table.snapshot.game
    evening.post("/virtual/show", game="octopus-alarm")
    assert evening.table.snapshot.game == before
    asked = evening.client.get("/virtual/show/octopus-alarm")
    assert (asked.status_code, "v-instead" in asked.text) == (200, True)
    evening.post("/virtual/show", game="octopus-alarm", instead="yes")
    assert evening.table.snapshot.game != before
    assert evening.client.get("/virtual/show/chess").status_code == 404
    evening.post("/virtual/show", 404, game="chess")


def test_a_show_can_be_stopped_and_played_on(virtual_evenings):
    evening = virtual_evenings("tentacles")
    evening.post("/virtual/show", game="tentacles")
    html = evening.see("/virtual/stop-show")
    assert "v-caption" not in html
    (run,) = evening.run_show
    run()
    assert evening.match.step == 0
    evening.post("/virtual/turn-top")
    assert evening.match.step == 1


def test_another_game_ends_the_show(virtual_evenings):
    evening = virtual_evenings("tentacles")
    evening.post("/virtual/show", game="tentacles")
    evening.table.new_game(Setup("sea-salt-paper", TWO), source=PAGE, instead=True)
    (run,) = evening.run_show
    run()
    assert evening.match.step == 0
    assert "v-caption" not in evening.html()


def test_every_icon_of_the_captions_is_drawn(virtual_evenings):
    evening = virtual_evenings("tentacles")
    sprite = evening.client.get(
        re.search(r"/static/[0-9a-f]+/icons\.svg", evening.html()).group()
    ).text
    with evening.app.test_request_context():
        icons = {step.caption(TWO).icon for script in SCRIPTS.values() for step in script.steps}
    assert [icon for icon in icons if f'id="{icon}"' not in sprite] == []
