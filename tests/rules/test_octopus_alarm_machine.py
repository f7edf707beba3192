"""Octopus alarm under every order of play: what must hold after each action, and undo."""

from __future__ import annotations

import json
from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from companion.codec import action_from_json, action_to_json, outcome_to_json, reply
from companion.match import Match, SeededChance, Setup
from companion.rules import game_named
from companion.rules.api import GameWon, Leave, Nothing, Refusal, TurnEnded
from companion.rules.octopus_alarm_words import (
    ANIMALS,
    Flip,
    Reef,
    Sail,
    Stop,
    Swing,
    Take,
)

GAME = game_named("octopus-alarm")
NAMES = ("Ann", "Bo", "Cy", "Dee")
FACES = ("wave", "billy", *ANIMALS)
PHASES = {"reef", "sail", "flip", "choose", "take", "alarm", "over"}
CHANCE = {Reef: "animal", Flip: "face", Swing: "ship"}
OTHERS = ("ape", "bat", "cow", "dog", "elk", "fox", "gnu", "hen")

CHOICES = {
    "landing": st.sampled_from(("forbidden", "alarm")),
    "stranded": st.sampled_from(("end-excluded", "end-included", "eliminate")),
    "tie": st.sampled_from(("provisions", "shared")),
    "layout": st.sampled_from(("fixed", "waves-only", "free")),
    "memory_aid": st.sampled_from(("off", "on")),
    "provisions": st.integers(1, 4),
    "target": st.integers(1, 6),
    "ship": st.integers(0, 3),
    "billy": st.integers(0, 3),
}
OPTIONS = st.fixed_dictionaries({}, optional=CHOICES)


def conceivable(players, animals=ANIMALS):
    """Every action of every verb with every value, and with some that are none."""
    faces = ("wave", "billy", *animals, "unknown", "kraken")
    return (
        *(Reef(stack, animal) for stack in range(4) for animal in (*faces, Nothing.NOTHING)),
        *(Sail(areas) for areas in (1, 2)),
        *(Flip(tile, face) for tile in range(4) for face in faces),
        *(Take(stack) for stack in range(4)),
        Stop(),
        *(Swing(ship) for ship in ("capsized", "upright")),
        *(Leave(name) for name in (*players, "kraken")),
    )


def accepted(match, actions):
    found = set()
    for action in actions:
        try:
            match.do(action)
        except Refusal:
            continue
        found.add(action)
    return found


def can_be(layout, known, place):
    """The faces that can be in this place, by filling the board up as the layout says.

    Args:
        known: by place, the face that was seen; None for none.
    """
    found = set()
    for face in FACES:
        board = [*known[:place], face, *known[place + 1 :]]
        areas = [board[4 * area : 4 * area + 4] for area in range(4)]
        left = Counter({"wave": 4, "billy": 4, **dict.fromkeys(ANIMALS, 1)})
        left.subtract(face for face in board if face)
        one = {"fixed": ("wave", "billy"), "waves-only": ("wave",), "free": ()}[layout]
        room = [area.count(None) - sum(each not in area for each in one) for area in areas]
        doubled = any(area.count(each) > 1 for area in areas for each in one)
        if min(left.values()) >= 0 and min(room) >= 0 and not doubled:
            found.add(face)
    return found


def through_json(thing):
    return json.loads(json.dumps(thing))


class OctopusAlarm(RuleBasedStateMachine):
    """Plays at a physical table, takes back, lets players leave, and watches.

    Replies, seen faces and chips are kept by step, so that each undo can be held against them.
    """

    @initialize(count=st.integers(2, 4), first=st.integers(0, 3), options=OPTIONS)
    def begin(self, count, first, options):
        self.players = NAMES[:count]
        self.options = options
        starter = self.players[first % count]
        self.match = Match.start(Setup("octopus-alarm", self.players, starter, options))
        self.every_action = conceivable(self.players)
        self.replies = [reply(self.match)]
        self.here = [set(self.players)]
        self.seen = [(None,) * 16]
        self.told = [()]
        self.aside = [()]

    def expected(self):
        """What `legal` offers, with all that chance can bring, and leaving."""
        now = self.replies[-1]
        offered = set()
        for body in now["legal"]:
            action = action_from_json("octopus-alarm", body, dealing=True)
            match action:
                case Reef(stack):
                    left = Counter(dict.fromkeys(ANIMALS, 3))
                    left.subtract(self.told[-1])
                    offered |= {Reef(stack, animal) for animal, count in left.items() if count}
                case Flip(tile):
                    place = 4 * now["state"]["ship"] + tile
                    layout = self.options.get("layout", "fixed")
                    faces = {self.seen[-1][place]}
                    if None in faces:
                        faces = can_be(layout, self.seen[-1], place)
                    offered |= {Flip(tile, face) for face in faces}
                case Swing():
                    offered |= {Swing("capsized"), Swing("upright")}
                case _:
                    offered.add(action)
        if not now["over"]:
            offered |= {Leave(player) for player in self.here[-1]}
        return offered

    def play(self, action):
        before = self.replies[-1]
        self.match = self.match.do(action)
        self.replies.append(reply(self.match, outcomes=self.match.outcomes))
        gone = {action.player} if isinstance(action, Leave) else set()
        seen, told, aside = self.seen[-1], self.told[-1], self.aside[-1]
        for outcome in map(outcome_to_json, self.match.outcomes):
            match outcome["what"]:
                case "tile":
                    place = 4 * outcome["area"] + outcome["tile"]
                    seen = (*seen[:place], outcome["face"], *seen[place + 1 :])
                case "reef-top":
                    told = (*told, outcome["animal"])
                case "player-left":
                    aside = (*aside, *before["state"]["animals"][outcome["player"]])
                case "player-stranded" if self.options.get("stranded") == "eliminate":
                    gone = {outcome["player"]}
        self.here.append(self.here[-1] - gone)
        self.seen.append(seen)
        self.told.append(told)
        self.aside.append(aside)

    @precondition(lambda self: not self.replies[-1]["over"])
    @rule(data=st.data())
    def act(self, data):
        actions = sorted(
            (action for action in self.expected() if not isinstance(action, Leave)), key=repr
        )
        self.play(data.draw(st.sampled_from(actions)))

    @precondition(lambda self: not self.replies[-1]["over"])
    @rule(data=st.data())
    def act_again(self, data):
        """Twice as often as leaving or taking back."""
        self.act(data)

    @precondition(lambda self: not self.replies[-1]["over"])
    @rule(seat=st.integers(0, 3), really=st.integers(0, 3))
    def leave(self, seat, really):
        here = sorted(self.here[-1])
        if not really:
            self.play(Leave(here[seat % len(here)]))

    @rule(count=st.integers(1, 6))
    def undo(self, count):
        if count > self.match.step:
            with pytest.raises(Refusal) as refusal:
                self.match.undo(count)
            assert refusal.value.code == "not-legal"
            return
        self.match = self.match.undo(count)
        for kept in (self.replies, self.here, self.seen, self.told, self.aside):
            del kept[-count:]
        assert reply(self.match) == {**self.replies[-1], "outcomes": []}

    @invariant()
    def exactly_the_legal_actions_are_accepted(self):
        assert accepted(self.match, self.every_action) == self.expected()

    @invariant()
    def chips_are_conserved(self):
        state = self.replies[-1]["state"]
        taken = [animal for own in state["animals"].values() for animal in own]
        gone = len(taken) + len(self.aside[-1])
        assert gone + sum(state["reef_left"]) == 24
        for top, left in zip(state["reef"], state["reef_left"], strict=True):
            assert 0 <= left <= 6
            assert (top is None) is (left == 0)
        tops = [top for top in state["reef"] if top not in (None, "unknown")]
        assert Counter(self.told[-1]) == Counter([*taken, *tops, *self.aside[-1]])
        assert all(count <= 3 for count in Counter(self.told[-1]).values())

    @invariant()
    def tiles_are_conserved(self):
        """Each shows what it showed before, and all of them can lie as the layout says."""
        state = self.replies[-1]["state"]
        for place, face in state["face_up"].items():
            area, tile = map(int, place.split("-"))
            assert self.seen[-1][4 * area + tile] == face
        seen = Counter(face for face in self.seen[-1] if face)
        assert all(count <= (1 if face in ANIMALS else 4) for face, count in seen.items())
        if any(isinstance(outcome, TurnEnded) for outcome in self.match.outcomes):
            assert state["face_up"] == {}

    @invariant()
    def one_player_is_in_turn_until_the_end(self):
        now = self.replies[-1]
        assert now["phase"] in PHASES
        assert all(0 <= now["state"][piece] <= 3 for piece in ("ship", "billy"))
        if now["over"]:
            assert (now["turn"], now["phase"], now["legal"]) == (None, "over", [])
            assert now["winners"]
        else:
            assert now["turn"] in self.here[-1]
            assert now["legal"]
            assert now["winners"] == []
        alarm = now["phase"] == "alarm"
        assert (now["state"]["swinger"] in self.here[-1] - {now["turn"]}) is alarm
        assert (now["state"]["swinger"] is None) is not alarm
        assert not alarm or now["state"]["ship"] == now["state"]["billy"]

    @invariant()
    def what_must_be_known_is_asked(self):
        now = self.replies[-1]
        asked = [body["stack"] for body in now["legal"] if body["do"] == "reef"]
        unknown = [stack for stack, top in enumerate(now["state"]["reef"]) if top == "unknown"]
        assert now["over"] or asked == unknown
        assert (now["phase"] == "reef") is bool(asked)

    @invariant()
    def winners_have_the_target_or_remain(self):
        now = self.replies[-1]
        state = now["state"]
        target = {player for player, score in now["scores"].items() if score == state["target"]}
        assert max(now["scores"].values()) <= state["target"]
        if not now["over"]:
            assert len(self.here[-1]) > 1
            assert not target & self.here[-1]
        elif len(self.here[-1]) == 1:
            assert set(now["winners"]) == self.here[-1]
        elif target:
            assert set(now["winners"]) == target
        else:
            assert 0 in state["provisions"].values()
            assert set(now["winners"]) <= self.here[-1]
        wins = [outcome for outcome in self.match.outcomes if isinstance(outcome, GameWon)]
        assert [win.player for win in wins] == now["winners"]

    @invariant()
    def the_views_are_all_alike_and_tell_nothing_of_what_lies_face_down(self):
        views = [GAME.view(self.match.state, viewer) for viewer in (None, *self.players)]
        assert views == [views[0]] * len(views)
        aid = self.options.get("memory_aid") == "on"
        assert ("seen" in views[0]) is aid
        forgotten = tuple(
            face if f"{place // 4}-{place % 4}" in views[0]["face_up"] or aid else None
            for place, face in enumerate(self.match.state.seen)
        )
        other = self.match.state._replace(seen=forgotten)
        assert GAME.view(other, None) == views[0]
        assert GAME.odds(other) == GAME.odds(self.match.state)
        assert GAME.legal(other) == GAME.legal(self.match.state)

    @invariant()
    def odds_are_given_where_a_tile_can_be_flipped(self):
        odds = GAME.odds(self.match.state)
        assert (odds is not None) is (self.replies[-1]["phase"] in ("flip", "choose"))
        if odds:
            assert sum(odds["next"].values()) == pytest.approx(1)
            assert 0 <= odds["alarm"] <= odds["ends_turn"] <= 1

    @invariant()
    def a_reply_survives_json(self):
        assert through_json(self.replies[-1]) == self.replies[-1]

    def teardown(self):
        """All the way back to the first action, one by one, each state as it was."""
        if not hasattr(self, "match"):
            return
        while self.match.step:
            self.match = self.match.undo(1)
            self.replies.pop()
            assert reply(self.match) == {**self.replies[-1], "outcomes": []}


TestOctopusAlarm = OctopusAlarm.TestCase
TestOctopusAlarm.settings = settings(max_examples=60, stateful_step_count=40)


@pytest.mark.parametrize("action", [*conceivable(NAMES), Reef(1), Flip(2), Swing()], ids=repr)
def test_an_action_survives_json(action):
    body = through_json(action_to_json(action))
    assert action_from_json("octopus-alarm", body, dealing=True) == action


def played(setup, choices, most=20_000):
    """A dealt game in which each action is an entry of `legal`, sent as it is."""
    match = Match.start(setup)
    while (legal := match.game.legal(match.state)) and match.step < most:
        match = match.do(choices.choice(legal))
    return match


@given(st.integers(0, 2**32), st.integers(2, 4), OPTIONS)
@settings(max_examples=100)
def test_a_game_played_at_random_ends(seed, count, options):
    setup = Setup("octopus-alarm", NAMES[:count], None, options, seed=seed)
    match = played(setup, Random(seed))
    standing = match.game.standing(match.state)
    assert standing.over
    assert standing.winners
    assert accepted(match, conceivable(NAMES[:count])) == set()
    assert match.undo(match.step).step == 0


@given(st.integers(0, 2**32), OPTIONS, st.integers(1, 20))
@settings(max_examples=40)
def test_dealt_after_an_undo_the_same_comes_again(seed, options, count):
    setup = Setup("octopus-alarm", NAMES[:3], None, {**options, "animals": ",".join(OTHERS)}, seed)
    match = played(setup, Random(seed), most=60)
    assert played(setup, Random(seed), most=60).outcomes == match.outcomes
    done = [back.action for back in match.back()][: min(count, match.step)]
    again = match.undo(len(done))
    for action in reversed(done):
        again = again.do(unknown(action))
    assert again.state == match.state


def unknown(action):
    """The action without what chance decides."""
    body = action_to_json(action)
    body.pop(CHANCE.get(type(action)), None)
    return action_from_json("octopus-alarm", body, dealing=True)


@given(st.integers(0, 2**32), st.integers(0, 60), OPTIONS)
@settings(max_examples=60)
def test_dealt_only_what_comes_is_accepted(seed, most, options):
    setup = Setup("octopus-alarm", NAMES[:3], None, options, seed)
    match = played(setup, Random(seed), most=most)
    comes = {
        GAME.deal(match.state, action, SeededChance(seed)) for action in GAME.legal(match.state)
    }
    left = (
        {Leave(name) for name in NAMES[:3]} if not match.game.standing(match.state).over else set()
    )
    found = accepted(match, conceivable(NAMES[:3]))
    assert {action for action in found if not isinstance(action, Leave)} == comes
    assert found - comes <= left
