"""Five tentacles under every order of play: what must hold after each action, and undo."""

from __future__ import annotations

import json
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from companion.codec import action_from_json, action_to_json, outcome_to_json, reply
from companion.match import Match, Setup
from companion.rules.api import GameWon, Leave, Refusal
from companion.rules.tentacles_words import (
    FACES,
    PATTERNS,
    Decline,
    Lose,
    Reshuffle,
    Reveal,
    Steal,
    Stop,
)

NAMES = ("Ann", "Bo", "Cy", "Dee", "Eve", "Fay")
PHASES = {"reveal", "choose", "steal", "lose", "over"}
NOT_A_WORD = "kraken"

CHOICES = {
    "dry_tentacle": st.sampled_from(("end", "continue")),
    "steal": st.sampled_from(("optional", "forced")),
    "octopus_takes": st.sampled_from(("all", "one")),
}
BY_COUNTS = {
    "pattern": st.integers(1, 5),
    "eyes": st.integers(0, 3),
    "tentacle": st.integers(0, 4),
    "octopus": st.integers(1, 4),
}
EXPLICIT_DECKS = st.fixed_dictionaries(
    {**dict.fromkeys(PATTERNS, st.integers(1, 3)), "octopus": st.integers(1, 2)},
    optional={face: st.integers(0, 2) for face in FACES if "-" in face},
)
OPTIONS = st.one_of(
    st.fixed_dictionaries({}, optional={**CHOICES, **BY_COUNTS}),
    st.fixed_dictionaries({"deck": EXPLICIT_DECKS}, optional=CHOICES),
)


def deck_of(options):
    """The number of cards of each face, counted as the rules describe a deck."""
    if "deck" in options:
        return {face: options["deck"].get(face, 0) for face in FACES}
    counts = {"pattern": 4, "eyes": 2, "tentacle": 2, "octopus": 3, **options}
    kinds = {"": "pattern", "-eyes": "eyes", "-tentacle": "tentacle"}
    return {
        **{p + suffix: counts[name] for p in PATTERNS for suffix, name in kinds.items()},
        "octopus": counts["octopus"],
    }


def conceivable(players):
    """Every action of every verb with every value, and with one that is none."""
    names = (*players, NOT_A_WORD)
    return (
        *(Reveal(face) for face in (*FACES, NOT_A_WORD)),
        Stop(),
        *(Steal(name) for name in names),
        Decline(),
        *(Lose(pattern) for pattern in (*PATTERNS, "octopus", NOT_A_WORD)),
        Reshuffle(),
        *(Leave(name) for name in names),
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


def through_json(thing):
    return json.loads(json.dumps(thing))


class Tentacles(RuleBasedStateMachine):
    """Plays at a physical table, takes back, lets players leave, and watches."""

    @initialize(count=st.integers(2, 6), first=st.integers(0, 5), options=OPTIONS)
    def begin(self, count, first, options):
        self.players = NAMES[:count]
        self.deck = deck_of(options)
        starter = self.players[first % count]
        self.match = Match.start(Setup("tentacles", self.players, starter, options))
        self.every_action = conceivable(self.players)
        self.replies = [reply(self.match)]
        self.here = [set(self.players)]

    def expected(self):
        """What `legal` offers, with the cards that can come, and leaving."""
        now = self.replies[-1]
        offered = {
            action_from_json("tentacles", body) for body in now["legal"] if body["do"] != "reveal"
        }
        if {"do": "reveal"} in now["legal"]:
            turned = now["state"]["discard"]
            offered |= {
                Reveal(face) for face, count in self.deck.items() if count > turned.get(face, 0)
            }
        if not now["over"]:
            offered |= {Leave(player) for player in self.here[-1]}
        return offered

    def play(self, action):
        self.match = self.match.do(action)
        self.replies.append(reply(self.match, outcomes=self.match.outcomes))
        gone = {action.player} if isinstance(action, Leave) else set()
        self.here.append(self.here[-1] - gone)

    @precondition(lambda self: not self.replies[-1]["over"])
    @rule(data=st.data())
    def act(self, data):
        actions = sorted(
            (action for action in self.expected() if not isinstance(action, Leave)), key=repr
        )
        self.play(data.draw(st.sampled_from(actions)))

    @precondition(lambda self: not self.replies[-1]["over"])
    @rule(seat=st.integers(0, 5))
    def leave(self, seat):
        here = sorted(self.here[-1])
        self.play(Leave(here[seat % len(here)]))

    @rule(count=st.integers(1, 6))
    def undo(self, count):
        if count > self.match.step:
            with pytest.raises(Refusal) as refusal:
                self.match.undo(count)
            assert refusal.value.code == "not-legal"
            return
        self.match = self.match.undo(count)
        del self.replies[-count:]
        del self.here[-count:]
        assert reply(self.match) == {**self.replies[-1], "outcomes": []}

    @invariant()
    def exactly_the_legal_actions_are_accepted(self):
        assert accepted(self.match, self.every_action) == self.expected()

    @invariant()
    def fish_are_conserved(self):
        state = self.replies[-1]["state"]
        tentacles = sum(len(fish) for fish in state["fish"].values())
        assert state["sea"] + tentacles == 5 * len(self.players)
        assert all(fish == sorted(set(fish)) for fish in state["fish"].values())
        scores = {player: len(fish) for player, fish in state["fish"].items()}
        assert self.replies[-1]["scores"] == scores

    @invariant()
    def cards_are_conserved(self):
        state = self.replies[-1]["state"]
        assert state["pile"] + sum(state["discard"].values()) == sum(self.deck.values())
        assert all(0 < count <= self.deck[face] for face, count in state["discard"].items())

    @invariant()
    def one_player_is_in_turn_until_the_end(self):
        now = self.replies[-1]
        assert now["phase"] in PHASES
        if now["over"]:
            assert (now["turn"], now["phase"], now["legal"]) == (None, "over", [])
        else:
            assert now["turn"] in self.here[-1]
            assert now["legal"]
            assert now["winners"] == []
        assert all(now["scores"][gone] == 0 for gone in set(self.players) - self.here[-1])

    @invariant()
    def the_one_winner_has_five_fish_or_is_the_last_one_left(self):
        now = self.replies[-1]
        full = {player for player, score in now["scores"].items() if score == 5}
        alone = self.here[-1] if len(self.here[-1]) == 1 else set()
        assert set(now["winners"]) == full | alone
        assert now["over"] is bool(now["winners"])
        assert len(now["winners"]) <= 1
        wins = [outcome for outcome in self.match.outcomes if isinstance(outcome, GameWon)]
        assert wins == [GameWon(player) for player in now["winners"]]

    @invariant()
    def odds_are_those_of_the_cards_left(self):
        now = self.replies[-1]
        odds = self.match.game.odds(self.match.state)
        if {"do": "reveal"} not in now["legal"]:
            assert odds is None
            return
        turned, pile = now["state"]["discard"], now["state"]["pile"]
        left = {face: count - turned.get(face, 0) for face, count in self.deck.items()}
        assert odds["next"] == {face: count / pile for face, count in left.items() if count}
        costly = 0
        before = now["scores"][now["turn"]]
        for face, count in left.items():
            if count:
                after = self.match.do(Reveal(face))
                fish = after.game.standing(after.state).scores[now["turn"]]
                costly += count * (
                    fish < before or after.game.standing(after.state).phase == "lose"
                )
        assert odds["lose"] == pytest.approx(costly / pile)

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


TestTentacles = Tentacles.TestCase
TestTentacles.settings = settings(max_examples=60, stateful_step_count=40)


@pytest.mark.parametrize("action", [*conceivable(NAMES), Reveal()], ids=repr)
def test_an_action_survives_json(action):
    body = through_json(action_to_json(action))
    assert action_from_json("tentacles", body, dealing=True) == action


@given(st.integers(0, 2**32), st.integers(2, 6), OPTIONS)
@settings(max_examples=60)
def test_a_game_played_at_random_ends(seed, count, options):
    """With one winner, who has five fish; a deck that makes a game drag is left out."""
    options = {**options, "eyes": 2, "pattern": 4, "octopus": 2}
    options.pop("deck", None)
    choices = Random(seed)
    match = Match.start(Setup("tentacles", NAMES[:count], None, options, seed=seed))
    words = set()
    while (legal := match.game.legal(match.state)) and match.step < 50_000:
        match = match.do(choices.choice(legal))
        words |= {outcome_to_json(outcome)["what"] for outcome in match.outcomes}
    standing = match.game.standing(match.state)
    assert standing.over
    assert [standing.scores[winner] for winner in standing.winners] == [5]
    assert accepted(match, conceivable(NAMES[:count])) == set()
    assert match.undo(match.step).step == 0
    assert {"card", "fish-won", "turn-ended", "game-won"} <= words
