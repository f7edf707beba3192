"""The games of a record, in short and in full, while the table may write."""

from __future__ import annotations

import json
import sqlite3
import threading
from dataclasses import replace

import pytest
from past import NOBODY, Past, mixed

from companion.chronicle import (
    Aliases,
    DamagedGame,
    NoSuchGame,
    NotReadable,
    best_moment,
    turns,
)
from companion.data_folder import JOURNAL
from companion.record.archive import Archive
from companion.record.summaries import SUMMARIES
from companion.snapshot import Source


def listed(past: Past, aliases=NOBODY, **asked):
    return past.archive.listed(aliases, **{"count": 50, **asked})


def figures(past: Past, aliases=NOBODY, game=None):
    return past.archive.figures(aliases, game)


def test_a_record_without_games(past):
    assert listed(past) == replace(listed(past), games=(), total=0, more=False)
    assert past.archive.kinds() == {}
    assert past.archive.newest() == 0
    assert past.archive.people() == {}
    assert figures(past).games == 0
    assert list(past.archive.everything(NOBODY)) == []


def test_a_game_in_short(past):
    begun = past.begin("tentacles", ("Ann", "Bo"), steal="forced")
    past.tell("dots", {"do": "stop"}, "rings", {"do": "stop"}, "stars", {"undo": 1}, "stripes")
    past.tell("rings", "stars", "waves")
    (game,) = listed(past).games
    assert (game.id, game.number, game.game) == (begun.id, 1, "tentacles")
    assert game.players == ("Ann", "Bo")
    assert game.options == {"steal": "forced"}
    assert (game.state, game.winners) == ("over", ("Ann",))
    assert game.scores == {"Ann": 5, "Bo": 1}
    assert (game.actions, game.turns, game.corrections) == (8, 3, 0)
    assert game.began == "2026-11-01T18:00:10+00:00"
    assert game.length_s == 90
    assert game.tallies["fish-won"] == {"Ann": 5, "Bo": 1}


def test_newest_first_page_by_page(past):
    for _ in range(5):
        past.win()
    first = listed(past, count=2)
    assert [game.number for game in first.games] == [5, 4]
    assert (first.total, first.more) == (5, True)
    assert [game.number for game in listed(past, count=2, before=4).games] == [3, 2]
    last = listed(past, count=2, before=2)
    assert ([game.number for game in last.games], last.more) == ([1], False)
    assert [game.number for game in past.archive.everything(NOBODY)] == [5, 4, 3, 2, 1]


def test_by_kind(past):
    mixed(past)
    assert past.archive.kinds() == {"tentacles": 4, "octopus-alarm": 1, "sea-salt-paper": 1}
    found = listed(past, game="octopus-alarm")
    assert ([game.game for game in found.games], found.total) == (["octopus-alarm"], 1)
    assert listed(past, game="chess").games == ()
    assert [game.state for game in listed(past).games] == [
        "going-on",
        "over",
        "given-up",
        "over",
        "over",
        "over",
    ]


def test_a_game_in_which_nothing_was_done_gives_way_without_a_trace(past):
    past.begin()
    past.begin("octopus-alarm")
    assert [game.number for game in listed(past).games] == [2]
    assert past.archive.kinds() == {"octopus-alarm": 1}


def test_what_changes_is_told_anew(past):
    past.win()
    assert listed(past).games[0].state == "over"
    past.tell({"undo": 1})
    assert listed(past).games[0].state == "going-on"
    past.tell("waves")
    assert figures(past).seats == {"Ann": (1, 1), "Bo": (1, 0)}
    past.tell({"undo": 1})
    assert figures(past).seats == {}
    past.win()
    assert [game.state for game in listed(past).games] == ["over", "given-up"]


def test_summaries_are_kept_and_may_be_deleted(past, monkeypatch):
    mixed(past)
    before = listed(past)
    past.archive.close()
    folds = []
    monkeypatch.setattr(
        "companion.record.archive.folded_game", lambda *given: folds.append(given) or 1 / 0
    )
    again = Archive(past.folder / JOURNAL, past.folder / SUMMARIES, clock=lambda: 0.0)
    assert again.listed(NOBODY, count=50) == before
    again.close()
    assert folds == []
    monkeypatch.undo()
    (past.folder / SUMMARIES).unlink()
    assert listed(past) == before
    past.archive.close()
    (past.folder / SUMMARIES).write_bytes(b"no database" * 500)
    assert listed(past) == before


def test_another_program_tells_games_anew(past, monkeypatch):
    past.win()
    assert listed(past).games[0].winners == ("Ann",)
    past.archive.close()
    with sqlite3.connect(past.folder / SUMMARIES) as connection:
        connection.execute("UPDATE summary SET body = replace(body, 'Ann', 'Eve')")
    assert listed(past).games[0].winners == ("Eve",)
    past.archive.close()
    monkeypatch.setattr("companion.record.summaries.FORMAT", 2)
    assert listed(past).games[0].winners == ("Ann",)


def test_a_record_that_gave_way_to_its_copy_leaves_nothing_behind(past, pasts):
    past.win(("Ann", "Bo"))
    past.win(("Cy", "Bo"))
    assert figures(past).games == 2
    past.archive.close()
    other = pasts("two")
    other.win(("Dee", "Bo"))
    assert other.archive.listed(NOBODY, count=9).total == 1
    other.archive.close()
    (past.folder / SUMMARIES).rename(other.folder / SUMMARIES)
    assert figures(other).seats == {"Dee": (1, 1), "Bo": (1, 0)}


def test_where_the_disk_takes_nothing_summaries_stay_in_memory(past):
    past.win()
    folder = past.folder / "there-is-none"
    archive = Archive(past.folder / JOURNAL, folder / SUMMARIES)
    assert archive.listed(NOBODY, count=5).games[0].state == "over"
    assert archive.figures(NOBODY).games == 1
    archive.close()
    assert not folder.exists()


def test_a_disk_that_becomes_full_leaves_no_game_uncounted(past):
    """Neither one that changed, nor one that is new: what is opened anew lies elsewhere."""
    past.win(("Ann", "Bo"))
    assert figures(past).games == 1
    for told in (({"undo": 1}, "waves"), ()):
        if told:
            past.tell(*told)
        else:
            past.win(("Cy", "Bo"))
        past.archive._connection.execute("PRAGMA query_only = ON")
        assert figures(past).games == 2 - bool(told)
        assert figures(past).unread == 0


def test_a_page_waits_no_longer_than_it_may(past):
    for _ in range(6):
        past.win()
    now = iter(range(100))
    slow = Archive(past.folder / JOURNAL, None, clock=lambda: next(now))
    states = [[game.state for game in slow.listed(NOBODY, count=9).games] for _ in range(6)]
    assert states[0] == ["over", *["unread"] * 5]
    assert states[4] == [*["over"] * 5, "unread"]
    assert states[5] == ["over"] * 6
    slow.close()


def test_figures_say_what_they_do_not_count_yet(past):
    for _ in range(3):
        past.win()
    now = iter(range(100))
    slow = Archive(past.folder / JOURNAL, None, clock=lambda: next(now))
    counted = [slow.figures(NOBODY) for _ in range(3)]
    assert [(each.games, each.unread) for each in counted] == [(1, 2), (2, 1), (3, 0)]
    slow.close()


def test_the_rest_is_looked_at_in_the_background(past):
    for _ in range(5):
        past.win()
    past.archive.start()
    past.archive._thread.join(30)
    past.spoil("UPDATE game SET players = 'x'")  # whoever folds it now finds that
    assert [game.state for game in listed(past).games] == ["over"] * 5
    past.archive.close()


def test_figures_over_all_games(past):
    mixed(past)
    found = figures(past)
    assert (found.games, found.unread) == (4, 0)
    assert sum(won for _, won in found.seats.values()) == 4
    assert found.seats["Ann"][0] == 4
    assert len(found.lengths_s) == 4
    alarms = found.tallies["alarm"]
    stood = found.tallies.get("ship-upright", {}).get("", 0)
    assert sum(alarms.values()) == stood + found.tallies["ship-capsized"][""]
    only = figures(past, game="octopus-alarm")
    assert only.games == 1
    assert only.tallies["alarm"] == alarms
    assert "fish-lost" not in only.tallies


# In full


def test_a_game_in_full(past):
    begun = past.play("tentacles", 3, seed=8)
    played = past.archive.played(begun.id, NOBODY)
    assert played.summary == listed(past).games[0]
    assert [match.step for match in played.matches] == list(range(played.summary.actions + 1))
    assert played.matches[-1].state == past.timeline.match.state
    assert {source.name for source in played.sources.values()} == {"pcsc-1"}
    assert played.entry_of(1) == 1


def test_a_corrected_game_is_as_it_was_corrected(past):
    begun = past.begin()
    past.tell("dots", "rings", "stars", {"undo": 1}, "stripes")
    past.tell({"correct": [{"entry": "2", "do": "reveal", "card": "waves"}]})
    past.tell({"correct": [{"before": "5", "do": "reveal", "card": "rings"}]})
    played = past.archive.played(begun.id, NOBODY)
    assert [match.action.card for match in played.matches[1:]] == [
        "dots",
        "waves",
        "rings",
        "stripes",
    ]
    assert [played.entry_of(step) for step in (1, 2, 3, 4)] == [1, 2, 7, 5]
    assert played.summary.corrections == 2
    assert len(played.history.told) == 5


def test_there_is_no_such_game(past):
    past.win()
    with pytest.raises(NoSuchGame):
        past.archive.played("4f5f3a0e-0000-4000-8000-000000000000", NOBODY)


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ('UPDATE entry SET command = \'{"do": "stop"}\' WHERE entry = 3 AND game = ?', "row 3"),
        ("DELETE FROM entry WHERE entry = 5 AND game = ?", "rows end at 4"),
        ("DELETE FROM head WHERE game = ?", "end of its chain"),
        ("UPDATE game SET players = '[' WHERE id = ?", "changed"),
        ("UPDATE entry SET command = CAST(x'ff22' AS TEXT) WHERE entry = 2 AND game = ?", "UTF-8"),
    ],
)
def test_a_damaged_game_is_named_and_the_others_are_shown(past, statement, says):
    past.win()
    bad = past.win()
    past.win()
    past.spoil(statement, bad.id)
    games = listed(past).games
    assert [game.state for game in games] == ["over", "damaged", "over"]
    assert says in games[1].trouble
    with pytest.raises(DamagedGame, match=says):
        past.archive.played(bad.id, NOBODY)
    assert figures(past).games == 2
    assert [game.state for game in past.archive.everything(NOBODY)][1] == "damaged"
    past.archive.people()


def test_damage_that_comes_later_is_found_when_the_game_is_opened(past):
    bad = past.win()
    assert listed(past).games[0].state == "over"
    past.spoil('UPDATE entry SET command = \'{"do": "fly"}\' WHERE entry = 3')
    with pytest.raises(DamagedGame):
        past.archive.played(bad.id, NOBODY)
    assert listed(past).games[0].state == "damaged"
    assert figures(past).games == 0


def test_a_game_of_rules_that_are_not_there_is_damaged(past):
    past.win()
    past.spoil("UPDATE game SET rules = 'chess'")
    game = listed(past).games[0]
    assert (game.state, game.game) == ("damaged", "chess")


def test_a_torn_file_is_told_and_is_read_again_when_it_is_mended(past):
    past.win()
    past.journal.close()
    whole = (past.folder / JOURNAL).read_bytes()
    (past.folder / JOURNAL).write_bytes(whole[:5000] + b"\0" * (len(whole) - 5000))
    with pytest.raises(NotReadable):
        listed(past)
    (past.folder / JOURNAL).write_bytes(whole)
    assert listed(past).total == 1


def test_reading_does_not_stand_in_the_way_of_writing(past):
    for _ in range(3):
        past.win()
    begun = past.begin()
    with past.archive._reading() as connection:
        cursor = connection.execute("SELECT * FROM record.entry")
        next(cursor)
        for card in ("dots", "rings"):
            past.tell(card)  # would wait for a second, and fail
        cursor.close()
    assert listed(past).games[0].id == begun.id
    assert listed(past).games[0].actions == 2


def test_many_may_ask_at_once(past):
    mixed(past)
    wrong = []

    def ask():
        try:
            for _ in range(5):
                assert listed(past).total == 6
                figures(past)
                past.archive.played(past.games[0].id, NOBODY)
        except Exception as error:  # noqa: BLE001 - of another thread
            wrong.append(error)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    past.tell({"undo": 1})
    for thread in threads:
        thread.join()
    assert wrong == []


# Time


def test_a_day_is_told_only_where_the_clock_was_set(past):
    past.wall = past.wall.replace(year=1970)
    past.win()
    assert listed(past).games[0].began == ""


def test_breaks_and_the_time_without_power_are_not_counted(past):
    past.begin()
    past.tell("dots")
    past.wait(14 * 60)
    past.tell("rings")
    past.wait(16 * 60)
    past.tell("stars")
    past.restart("another-boot")
    past.tell("stripes", "waves")
    assert listed(past).games[0].length_s == (14 * 60 + 10) + 10


def test_turns_and_the_best_moment(past):
    begun = past.begin()
    past.tell("dots", {"do": "stop"}, "rings", "stars", {"do": "stop"}, "stripes")
    points = turns(past.archive.played(begun.id, NOBODY).matches)
    assert [(point.step, point.player) for point in points] == [
        (0, None),
        (2, "Ann"),
        (5, "Bo"),
        (6, "Ann"),
    ]
    assert [point.scores for point in points][1:3] == [
        {"Ann": 1, "Bo": 0},
        {"Ann": 1, "Bo": 2},
    ]
    moment = best_moment(points)
    assert (moment.step, moment.player, moment.gain) == (5, "Bo", 2)
    assert best_moment(points[:1]) is None


# A player who is named no more


def test_a_hidden_player_has_a_number(past):
    past.win(("Ann", "Bo"))
    bad = past.begin("tentacles", ("Ann", "Bo", "Cy"))
    past.tell("dots", {"do": "stop"}, "rings", {"do": "stop"}, "dots-tentacle")
    past.tell({"do": "steal", "from": "Ann"}, source=Source("page", "Cy"))
    past.tell({"do": "leave", "player": "Ann"}, source=Source("page", "Ann"))
    past.tell({"correct": [{"entry": "7", "do": "leave", "player": "Bo"}]})
    past.tell({"do": "leave", "player": "Ann"})
    past.win(("Dee", "Ann"))
    aliases = Aliases({"Bo": 3, "Ann": 2})
    newest, middle, oldest = listed(past, aliases).games
    assert newest.players == ("Dee", "Ann")
    assert middle.players == ("Player 2", "Player 1", "Cy")
    assert oldest.winners == ("Player 2",)
    assert oldest.scores == {"Player 2": 5, "Player 1": 0}
    played = past.archive.played(bad.id, aliases)
    assert played.summary == middle
    assert played.matches[0].setup.players == ("Player 2", "Player 1", "Cy")
    assert played.sources[7] == Source("page", "Player 2")
    everything = repr([played.summary, played.sources, played.history, played.matches])
    assert "'Ann'" not in everything
    assert "'Bo'" not in everything
    assert figures(past, aliases).seats == {
        "Player 2": (2, 1),
        "Player 1": (2, 0),
        "Cy": (1, 1),
        "Dee": (1, 1),
        "Ann": (1, 0),
    }
    assert figures(past, aliases).tallies["fish-won"] == {
        "Player 2": 6,
        "Player 1": 1,
        "Dee": 5,
    }


def test_who_is_called_as_a_card_keeps_the_cards(past):
    begun = past.begin("tentacles", ("dots", "reveal"))
    past.tell("dots", {"do": "stop"}, "dots", {"do": "stop"}, "rings", "stars", "stripes", "waves")
    played = past.archive.played(begun.id, Aliases({"dots": 9, "reveal": 9}))
    assert played.summary.scores == {"Player 1": 5, "Player 2": 1}


def test_an_alias_is_not_somebody_elses_name(past):
    past.win(("Ann", "Player 1"))
    assert listed(past, Aliases({"Ann": 9})).games[0].players == ("Player 1*", "Player 1")


def test_a_game_that_goes_on_shows_its_players(past):
    past.begin()
    past.tell("dots")
    aliases = Aliases({"Ann": 9})
    assert listed(past, aliases).games[0].players == ("Ann", "Bo")
    past.tell("rings", "stars", "stripes", "waves")
    assert listed(past, aliases).games[0].players == ("Player 1", "Bo")


def test_every_name_in_a_command_is_known_as_one():
    """A further game whose actions name players by another key would give names away."""
    from dataclasses import fields  # noqa: PLC0415

    from companion.rules import GAMES  # noqa: PLC0415

    texts = {
        field.name.removesuffix("_")
        for game in GAMES.values()
        for action in game.actions
        for field in fields(action)
        if "str" in str(field.type)
    }
    of_things = {"animal", "face", "cards", "card", "looked", "pattern"}
    assert texts == {"player", "from"} | of_things


def test_people_with_their_games(past):
    past.win(("Ann", "Bo"))
    past.win(("Ann", "Cy"))
    past.begin("tentacles", ("Eve", "Fay"))
    past.win(("Ann", "Bo"))
    assert past.archive.people() == {"Ann": (3, 4), "Bo": (2, 4), "Cy": (1, 2)}


def test_a_summary_is_the_same_from_the_file(past):
    mixed(past)
    first = listed(past)
    past.archive.close()
    assert json.dumps(listed(past).games[0].tallies) == json.dumps(first.games[0].tallies)
    assert listed(past) == first
