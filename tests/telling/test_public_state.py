"""What is told to others: nothing but what everybody may know, in shapes that are promised."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from random import Random

import pytest
from told_games import AT, kinds, snapshots, told, whole_game

from companion.drivers.api import DeviceBack, DeviceLost, TagOn
from companion.match import Match, Setup
from companion.repair.timeline import Replace
from companion.rules.octopus_alarm_words import Flip, Reef, Sail, Swing
from companion.rules.sea_salt_paper.cards import CARDS, PLAIN_COUNT
from companion.rules.sea_salt_paper.words import Call, Hand
from companion.rules.tentacles_words import Reveal, Stop
from companion.snapshot import Choice, Question
from companion.telling.home_assistant import device
from companion.telling.public import EVENT_TYPES, events_between, state_of
from tests.support.tables import API, Hands, running
from tests.support.twins import ALARM, EXTRA_SALT, SALT, twins

TENTACLES = Setup("tentacles", ("Ann", "Bo"))
OCTOPUS = Setup("octopus-alarm", ("Ann", "Bo"))
ODD = ("Zebedee", "Quirin", "Xanthippe", "Ywain")
GAMES = {
    "tentacles": Setup("tentacles", ODD, seed=1),
    "octopus alarm": Setup("octopus-alarm", ODD, seed=2),
    "salt": Setup("sea-salt-paper", ODD, seed=3),
    "extra salt": Setup("sea-salt-paper", ODD, options={"salt": True}, seed=4),
    "score": Setup("sea-salt-paper", ODD, options={"tracking": "score"}, seed=5),
}


def game(name):
    """How a game begins at the table, and a whole course of it."""
    dealt = GAMES[name]
    if name == "score":
        hands = [[card.name for card in CARDS[seat:PLAIN_COUNT:4]] for seat in range(4)]
        shown = (Hand(player, tuple(hand)) for player, hand in zip(ODD, hands, strict=True))
        return replace(dealt, seed=None), (Call(ODD[0], "stop"), *shown)
    return replace(dealt, seed=None), whole_game(dealt, Random(7))


def told_by(table, before):
    now = table.snapshot
    return now, events_between(before, now, time=AT)


def test_the_state_of_a_game(tmp_path):
    with running(tmp_path, TENTACLES) as table:
        table.report(DeviceBack("pcsc-1", "ACME", 0))
        table.report(DeviceLost("pcsc-1", "The cable is out: put it back.", 1))
        table.settle()
        now = table.act(Reveal("dots"), source=API).snapshot
    assert state_of(now) == {
        "table": now.table,
        "game": now.game,
        "game_name": "tentacles",
        "revision": now.revision,
        "step": 1,
        "phase": "choose",
        "turn": "Ann",
        "turn_seat": 1,
        "players": [
            {"seat": 1, "name": "Ann", "score": 1, "gone": False},
            {"seat": 2, "name": "Bo", "score": 0, "gone": False},
        ],
        "target": 5,
        "over": False,
        "winners": [],
        "alarm": False,
        "questions": 0,
        "readers": 1,
        "readers_lost": ["pcsc-1"],
        "reader_problem": True,
    }


def test_a_game_is_told_event_by_event(tmp_path):
    with running(tmp_path, TENTACLES) as table:
        first = table.snapshot
        [begun] = events_between(None, first, time=AT)
        assert begun == {
            "event_type": "game-begun",
            "id": f"{first.game}/{first.revision}/1",
            "table": first.table,
            "game": first.game,
            "game_name": "tentacles",
            "revision": first.revision,
            "step": 0,
            "n": 1,
            "time": AT,
            "players": ["Ann", "Bo"],
            "target": 5,
        }
        table.act(Reveal("dots"), source=API)
        now, events = told_by(table, first)
        assert kinds(events) == ["shown", "happened", "score"]
        assert events[0]["outcome"] == {"what": "card", "card": "dots"}
        assert events[1]["outcome"] == {"what": "fish-won", "player": "Ann", "pattern": "dots"}
        assert events[2] | {"player": "Ann", "seat": 1, "score": 1, "before": 0} == events[2]
        assert [event["n"] for event in events] == [1, 2, 3]
        table.act(Stop(), source=API)
        now, events = told_by(table, now)
        assert kinds(events) == ["happened", "turn"]
        assert events[1] | {"player": "Bo", "seat": 2} == events[1]
        table.act(Reveal("no such card"), source=API)
        now, events = told_by(table, now)
        assert kinds(events) == []
        table.undo(2, source=API)
        now, events = told_by(table, now)
        assert kinds(events) == ["taken-back", "score", "turn"]
        assert events[0]["count"] == 2
        before = table.act(Reveal("dots"), source=API).snapshot
        label = table.timeline.links[-1].label
        table.correct([Replace(label, Reveal("rings"))], source=API)
        now, events = told_by(table, before)
        assert kinds(events) == ["corrected"]
        table.new_game(OCTOPUS, source=API, instead=True)
        now, events = told_by(table, now)
        assert kinds(events) == ["game-begun", "turn"]
        assert events[0]["target"] == 9


def test_the_end_of_a_game_has_a_result(tmp_path):
    setup = Setup("tentacles", ("Ann", "Bo"))
    cards = [Reveal(card) for card in ("dots", "rings", "stars", "stripes", "waves")]
    *_, (state, events) = told(snapshots(tmp_path, setup, cards))
    assert state["over"]
    assert state["winners"] == ["Ann"]
    assert state["turn"] is None
    [over] = [event for event in events if event["event_type"] == "game-over"]
    assert over["winners"] == ["Ann"]
    assert over["scores"] == {"Ann": 5, "Bo": 0}


def to_alarm(table):
    for stack, animal in enumerate(("crab", "fish", "squid", "snail")):
        table.act(Reef(stack, animal), source=API)
    table.act(Sail(2), source=API)
    return table.act(Flip(0, "wave"), source=API).snapshot


def test_an_alarm_begins_and_ends_in_one_of_these_ways(tmp_path):
    with running(tmp_path, OCTOPUS) as table:
        before = table.snapshot
        running_now = to_alarm(table)
        assert "alarm-began" in kinds(events_between(before, running_now, time=AT))
        assert state_of(running_now)["alarm"]
        for word in ("capsized", "upright"):
            table.act(Swing(word), source=API)
            now, events = told_by(table, running_now)
            [ended] = [event for event in events if event["event_type"] == "alarm-ended"]
            assert ended["how"] == word
            assert not state_of(now)["alarm"]
            table.undo(1, source=API)
            again, events = told_by(table, now)
            assert "alarm-began" in kinds(events)
        table.undo(1, source=API)
        _, events = told_by(table, again)
        [ended] = [event for event in events if event["event_type"] == "alarm-ended"]
        assert ended["how"] == "taken-back"


def test_an_alarm_that_never_was_is_corrected(tmp_path):
    with running(tmp_path, OCTOPUS) as table:
        alarm = to_alarm(table)
        label = table.timeline.links[-1].label
        assert table.correct([Replace(label, Flip(0, "turtle"))], source=API).code is None
        _, events = told_by(table, alarm)
    [ended] = [event for event in events if event["event_type"] == "alarm-ended"]
    assert ended["how"] == "corrected"


def test_a_question_is_told_once(tmp_path):
    with running(tmp_path, TENTACLES) as table:
        now = table.snapshot
    question = Question("sailed", "Bo sailed: how far?", (Choice("sail-1", "One"),), "Bo")
    asked = replace(now, questions=(question,), revision=now.revision + 1)
    [event] = events_between(now, asked, time=AT)
    assert event["event_type"] == "question"
    assert event | {"key": "sailed", "text": question.text, "player": "Bo", "seat": 2} == event
    assert state_of(asked)["questions"] == 1
    assert events_between(asked, replace(asked, revision=now.revision + 2), time=AT) == ()
    [event] = events_between(now, asked, time=AT, names=False)
    assert event | {"text": "", "player": "Player 2", "seat": 2} == event


def test_a_tap_that_waits_for_another_is_no_event(tmp_path):
    tags = {"01": "sea-salt-paper/crab-green", "02": "sea-salt-paper/boat-black-1"}
    stations = {"r1": "discard-1", "r2": "discard-2"}
    setup = Setup("sea-salt-paper", ("Ann", "Bo"))
    with running(tmp_path, setup, tags=tags, stations=stations) as table:
        hands, before = Hands(table), table.snapshot
        hands.lay("01", reader="r1")
        now, events = told_by(table, before)
        assert now.waiting
        assert [question.text for question in now.questions] == [now.waiting]
        assert (events, state_of(now)["questions"]) == ((), 0)
        hands.lay("02", reader="r2")
        assert kinds(told_by(table, now)[1]) == ["shown"]


def test_a_reader_is_lost_and_back_and_no_news_when_it_is_first_heard(tmp_path):
    with running(tmp_path, TENTACLES) as table:
        before = table.snapshot
        table.report(DeviceLost("pcsc-1", "Waiting for it.", 0))
        table.settle()
        now, events = told_by(table, before)
        assert events == ()
        for number, (reading, kind) in enumerate(
            (
                (DeviceBack("pcsc-1", "ACME", 1), "reader-back"),
                (DeviceLost("pcsc-1", "The cable is out.", 2), "reader-lost"),
            )
        ):
            table.report(reading)
            table.settle()
            now, events = told_by(table, now)
            assert kinds(events)[0] == kind, number
            assert events[0]["reader"] == "pcsc-1"
            assert "ACME" not in json.dumps(events)


@pytest.mark.parametrize("name", GAMES)
def test_whole_games_without_names(tmp_path, name):
    setup, actions = game(name)
    every = [*snapshots(tmp_path, setup, actions)]
    named, unnamed = [*told(every)], [*told(every, names=False)]
    assert len(named) > 4
    text = json.dumps([*unnamed, device("t", unnamed[-1][0], "1")])
    assert [player for player in ODD if player in text] == []
    assert all(player in json.dumps(named) for player in ODD)
    # Beside the names it is the same.
    for seat, player in enumerate(ODD, 1):
        text = text.replace(f"Player {seat}", player)
    without_questions = [
        [
            [state, [event for event in events if event["event_type"] != "question"]]
            for state, events in some
        ]
        for some in (json.loads(json.dumps(named)), json.loads(text)[:-1])
    ]
    assert without_questions[0] == without_questions[1]


def test_a_player_may_be_called_as_a_card(tmp_path):
    setup = Setup("tentacles", ("dots", "player"))
    *_, (state, events) = told(snapshots(tmp_path, setup, [Reveal("dots")]), names=False)
    assert [event["outcome"] for event in events[:2]] == [
        {"what": "card", "card": "dots"},
        {"what": "fish-won", "player": "Player 1", "pattern": "dots"},
    ]
    assert state["turn"] == "Player 1"


@pytest.mark.parametrize("name", GAMES)
def test_every_event_has_an_id_of_its_own(tmp_path, name):
    setup, actions = game(name)
    events = [event for _, some in told(snapshots(tmp_path, setup, actions)) for event in some]
    ids = [event["id"] for event in events]
    assert len(set(ids)) == len(ids) > 8
    assert {event["event_type"] for event in events} <= set(EVENT_TYPES)
    assert all(
        event["id"] == f"{event['game']}/{event['revision']}/{event['n']}" for event in events
    )


# Secrets


CARD_NAMES = frozenset(card.name for card in CARDS)


@pytest.mark.parametrize("name", ["salt", "extra salt"])
def test_no_card_is_told_that_lies_hidden_before_and_after(tmp_path, name):
    setup, actions = game(name)
    seen_before, told_at_all = set(), set()
    match = Match.start(setup)
    for number, (state, events) in enumerate(told(snapshots(tmp_path, setup, actions))):
        if number:
            match = match.do(actions[number - 1])
        seen = names_in(match.game.view(match.state, None))
        named = names_in([state, events])
        assert named <= seen | seen_before, number
        told_at_all |= named
        seen_before = seen
    assert len(told_at_all) > 20


def names_in(value):
    return CARD_NAMES & set(re.findall(r'"([^"]+)"', json.dumps(value)))


OWN = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@pytest.mark.parametrize("kind", [SALT, EXTRA_SALT, ALARM], ids=["salt", "extra salt", "alarm"])
def test_games_that_look_the_same_are_told_the_same(tmp_path, kind):
    found = 0
    for seed in range(60):
        pair = twins(kind, seed, 40)
        if pair is None:
            continue
        found += 1
        setup, *both = pair
        one, other = (
            OWN.sub(
                "X",
                json.dumps([*told(snapshots(tmp_path / f"{seed}-{n}", setup, actions))]),
            )
            for n, actions in enumerate(both)
        )
        assert one == other
        if found == 4:
            return
    raise AssertionError("too few twins were found")


def test_what_a_tile_showed_is_told_with_the_memory_aid_alone(tmp_path):
    tops = (Reef(stack, animal) for stack, animal in enumerate(("crab", "fish", "squid", "snail")))
    actions = [*tops, Sail(1), Flip(0, "turtle")]
    aided = replace(OCTOPUS, options={"memory_aid": "on"})
    (_, without), (_, with_aid) = (
        [*told(snapshots(tmp_path / f"{number}", setup, actions))][-1]
        for number, setup in enumerate((OCTOPUS, aided))
    )
    assert [(event["event_type"], event["outcome"]) for event in without[:2]] == [
        ("happened", {"what": "tile", "area": 1, "tile": 0}),
        ("happened", {"what": "animal-not-visible"}),
    ]
    assert [(event["event_type"], event["outcome"]) for event in with_aid[:2]] == [
        ("shown", {"what": "tile", "area": 1, "tile": 0, "face": "turtle"}),
        ("shown", {"what": "animal-not-visible", "animal": "turtle"}),
    ]


def test_a_tag_is_never_told(tmp_path):
    tags = {"04000000000001": "tentacles/dots"}
    with running(tmp_path, TENTACLES, tags=tags) as table:
        first = table.snapshot
        table.report(TagOn("pcsc-1", "04000000000001", 0))
        table.report(TagOn("pcsc-1", "04A1B2C3D4E5F6", 10**10))
        table.settle()
        every = [first, *table.since(first.revision, 0)]
    text = json.dumps([*told(every)])
    assert '"card": "dots"' in text
    assert "0400000000" not in text
    assert "04A1B2" not in text
