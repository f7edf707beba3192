"""Sea Salt & Paper under every order of play: what must hold after each action, and undo."""

from __future__ import annotations

import json
from itertools import combinations, permutations, product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)
from sea_salt_by_chance import (
    NOT_A_WORD,
    PLAYERS,
    as_it_comes,
    begin,
    cards_in_play,
    chosen,
    played_on,
)

from companion.codec import action_from_json, action_to_json, outcome_to_json, reply
from companion.rules.api import Refusal
from companion.rules.sea_salt_paper.words import (
    Call,
    Deal,
    Discard,
    Draw,
    DrawOne,
    Duo,
    Hand,
    Keep,
    LastChance,
    Look,
    Mermaids,
    Pass,
    Pick,
    Skip,
    Steal,
    Stop,
    Take,
)

TARGETS = {2: 40, 3: 35, 4: 30}
REASONS = ("stop", "last-chance", "deck-empty", "mermaids")
PHASES = {
    *("deal", "take", "keep", "discard", "play", "look", "pick", "fish", "steal", "stung"),
    "over",
}
EITHER_PILE = (1, 2)
TIES = st.sampled_from(("ended-last", "last-round-points"))


def through_json(thing):
    return json.loads(json.dumps(thing))


def with_lists(thing):
    """The same with a list for each tuple: JSON has no tuples."""
    if isinstance(thing, dict):
        return {key: with_lists(value) for key, value in thing.items()}
    return [with_lists(part) for part in thing] if isinstance(thing, (list, tuple)) else thing


def in_words(bodies):
    """Actions as texts in one order; the cards of a duo have none."""
    return sorted(
        json.dumps({**body, "cards": sorted(body["cards"])} if body["do"] == "duo" else body)
        for body in bodies
    )


def accepted(match, actions):
    found = []
    for action in actions:
        try:
            match.do(action)
        except Refusal:
            continue
        found.append(action)
    return found


def with_one_card(players, cards):
    """Every action of the verbs with at most one card, with every value and one that is none."""
    names = (*players, NOT_A_WORD)
    return (
        *(Take(pile) for pile in EITHER_PILE),
        Skip(),
        *(Keep(card) for card in cards),
        *(Discard(pile) for pile in EITHER_PILE),
        *(Look(pile) for pile in EITHER_PILE),
        *(Pick(card) for card in cards),
        *(DrawOne(card) for card in cards),
        *(Draw((card,)) for card in cards),
        *(Steal(name, card) for name in names for card in cards),
        Pass(),
        Stop(),
        LastChance(),
        Mermaids(),
        *(Call(name, reason) for name in names for reason in REASONS),
        *(Hand(name, ()) for name in names),
    )


def with_more_cards(cards, *, salt):
    """Every action of the verbs with two cards of these, and where it can be with three."""
    pairs = tuple(permutations(cards, 2))
    doubles = tuple((card, card) for card in cards)
    return (
        *(Deal(pair) for pair in (*pairs, *doubles)),
        *(Draw(pair) for pair in (*pairs, *doubles)),
        *(Duo(pair) for pair in (*combinations(cards, 2), *doubles)),
        *(Duo(three) for three in combinations(cards, 3) if salt),
    )


class Ledger:
    """Where each card lies, written down from what was done and told, without any rule.

    A card has one place, so nothing that agrees with this has lost or doubled one.
    """

    def __init__(self, cards, players):
        self.cards, self.players = cards, players
        self.place = dict.fromkeys(cards, "deck")
        self.piles = {1: [], 2: []}
        self.stung = set()
        """Who was told to be stung and has not had the next turn yet."""

    def copy(self):
        other = Ledger(self.cards, self.players)
        other.place, other.stung = dict(self.place), set(self.stung)
        other.piles = {number: list(pile) for number, pile in self.piles.items()}
        return other

    def at(self, *place):
        wanted = place if len(place) > 1 else place[0]
        return {card for card, where in self.place.items() if where == wanted}

    def move(self, card, before, after):
        assert self.place[card] == before, (card, self.place[card], before, after)
        self.place[card] = after

    def note(self, player, action, outcomes):
        self.note_what_was_done(player, action, outcomes)
        for told in outcomes:
            self.note_what_was_told(**told)

    def note_what_was_done(self, player, action, outcomes):
        hand = ("hand", player)
        match action:
            case Draw((card,)) | DrawOne(card):
                self.move(card, "deck", hand)
            case Draw((first, second)):
                self.move(first, "deck", "drawn")
                self.move(second, "deck", "drawn")
            case Keep(card):
                self.move(card, "drawn", hand)
            case Steal(victim, card):
                self.move(card, ("hand", victim), hand)
            case Pick(card):
                (told,) = outcomes
                pile = told.get("pile", "deck")
                self.move(card, pile, hand)
                if pile != "deck":
                    self.piles[pile].remove(card)

    def note_what_was_told(self, what, player=None, card=None, cards=(), pile=None, **others):
        del others
        match what:
            case "dealt":
                self.place = dict.fromkeys(self.cards, "deck")
                self.piles = {1: [cards[0]], 2: [cards[1]]}
                self.place |= {cards[0]: 1, cards[1]: 2}
                self.stung = set()
            case "stung":
                self.stung.add(player)
            case "turn-ended":
                self.stung.discard(player)
            case "discarded":
                self.move(card, "drawn", pile)
                self.piles[pile].append(card)
            case "took":
                assert self.piles[pile].pop() == card
                self.move(card, pile, ("hand", player))
            case "duo-played":
                for played in cards:
                    self.move(played, ("hand", player), ("table", player))


class SeaSalt(RuleBasedStateMachine):
    """Plays at a physical table with full tracking, takes back, and watches."""

    @initialize(
        count=st.integers(2, 4), first=st.integers(0, 3), salt=st.booleans(), tie=st.none() | TIES
    )
    def begin(self, count, first, salt, tie):
        self.players = PLAYERS[:count]
        options = {"salt": salt} | ({"tie": tie} if tie else {})
        self.match = begin(count, starter=self.players[first % count], **options)
        self.cards = cards_in_play(self.match)
        self.single = with_one_card(self.players, (*self.cards, NOT_A_WORD))
        self.replies = [reply(self.match)]
        self.ledgers = [Ledger(self.cards, self.players)]

    def play(self, action):
        before = self.replies[-1]
        self.match = self.match.do(action)
        told = through_json([outcome_to_json(outcome) for outcome in self.match.outcomes])
        ledger = self.ledgers[-1].copy()
        ledger.note(before["turn"], action, told)
        self.ledgers.append(ledger)
        self.replies.append(reply(self.match, outcomes=self.match.outcomes))
        body = through_json(action_to_json(action))
        assert action_from_json("sea-salt-paper", body) == action
        self.the_outcomes_say_what_happened(before, told)

    @precondition(lambda self: not self.replies[-1]["over"])
    @rule(data=st.data(), seed=st.integers(0, 2**32))
    def act(self, data, seed):
        legal = sorted(self.match.game.legal(self.match.state), key=repr)
        self.play(as_it_comes(self.match, data.draw(st.sampled_from(legal)), Random(seed)))

    @precondition(lambda self: not self.replies[-1]["over"])
    @rule(seed=st.integers(0, 2**32), count=st.integers(1, 150), draws=st.sampled_from((0, 0.6, 1)))
    def play_on(self, seed, count, draws):
        self.play_by_chance(Random(seed), count, draws=draws)

    def play_by_chance(self, chance, count, **likings):
        for _ in range(count):
            if legal := self.match.game.legal(self.match.state):
                self.play(as_it_comes(self.match, chosen(legal, chance, **likings), chance))

    @rule(count=st.integers(1, 6) | st.integers(1, 400))
    def undo(self, count):
        if count > self.match.step:
            with pytest.raises(Refusal) as refusal:
                self.match.undo(count)
            assert refusal.value.code == "not-legal"
            return
        self.match = self.match.undo(count)
        del self.replies[-count:]
        del self.ledgers[-count:]
        assert reply(self.match) == {**self.replies[-1], "outcomes": []}

    @rule(data=st.data())
    def exactly_the_legal_actions_are_accepted(self, data):
        """With every card where one is named, and all pairs of some cards where two are."""
        here = self.ledgers[-1]
        own = here.at("hand", self.replies[-1]["turn"])
        several = {*sorted(own)[:9], *sorted(here.at("deck"))[:4], *sorted(here.at("drawn"))}
        several |= {pile[-1] for pile in here.piles.values() if pile}
        several |= set(data.draw(st.lists(st.sampled_from(self.cards), max_size=4)))
        more = with_more_cards(
            sorted({*several, NOT_A_WORD}), salt=self.match.setup.options["salt"]
        )
        found = accepted(self.match, (*self.single, *more))
        assert in_words(map(action_to_json, found)) == in_words(self.expected(several))

    def expected(self, several):
        """What `legal` offers as JSON, with all cards that can come; of pairs, only of these."""
        here = self.ledgers[-1]
        deck = here.at("deck")
        for body in self.replies[-1]["legal"]:
            match body:
                case {"do": "deal"}:
                    yield from ({**body, "cards": pair} for pair in permutations(several, 2))
                case {"do": "draw"} if len(deck) == 1:
                    yield {**body, "cards": tuple(deck)}
                case {"do": "draw"}:
                    yield from ({**body, "cards": two} for two in permutations(several & deck, 2))
                case {"do": "duo", "cards": cards}:
                    yield from [body] * several.issuperset(cards)
                case {"do": "draw-one"}:
                    yield from ({**body, "card": card} for card in deck)
                case {"do": "pick"} if "card" not in body:
                    yield from ({**body, "card": card} for card in deck)
                case {"do": "steal", "from": victim}:
                    hand = here.at("hand", victim)
                    yield from ({**body, "card": card} for card in hand)
                case _:
                    yield body

    def the_outcomes_say_what_happened(self, before, told):
        after = self.replies[-1]
        words = [outcome["what"] for outcome in told]
        ended = [outcome for outcome in told if outcome["what"] == "round-ended"]
        won = [outcome["player"] for outcome in told if outcome["what"] == "game-won"]
        turns = [outcome["player"] for outcome in told if outcome["what"] == "turn-ended"]
        assert after["step"] == before["step"] + 1
        assert sorted(won) == sorted(after["winners"])
        assert after["over"] is bool(won)
        if ended:
            assert turns == []
            self.the_round_ended_so(before, after, told, ended)
            return
        assert won == []
        assert after["scores"] == before["scores"]
        assert after["phase"] not in ("deal", "over")
        seat = self.players.index(before["turn"])
        following = self.players[(seat + 1) % len(self.players)]
        assert turns == ([before["turn"]] if after["turn"] != before["turn"] else [])
        assert after["turn"] == (following if turns else before["turn"])
        if turns:
            assert after["state"]["deck"] or after["state"]["called"]
            stung = after["turn"] in self.ledgers[-1].stung
            assert after["phase"] == ("stung" if stung else "take")
        unseen = [name for name in self.players if after["state"]["revealed"][name] is None]
        others = [name for name in unseen if name != before["turn"]]
        if "stung" in words:
            stung = [outcome["player"] for outcome in told if outcome["what"] == "stung"]
            assert sorted(stung) == sorted(others)
        if after["phase"] == "steal":
            counts = after["state"]["hand_counts"]
            robbed = [{"do": "steal", "from": name} for name in others if counts[name]]
            assert after["legal"] == robbed
        if "duo-played" in words and len(told[0]["cards"]) == 3:
            assert (words, after["phase"]) == (["duo-played"], "play")
        if "fizzled" in words:
            assert words == ["duo-played", "fizzled"]
            assert after["phase"] == "play"
        if "another-turn" in words:
            assert words == ["duo-played", "another-turn"]
            assert after["phase"] == "take"
        if "discarded" in words:
            (laid,) = (outcome for outcome in told if outcome["what"] == "discarded")
            empty = [n for n in EITHER_PILE if not before["state"]["piles"][n - 1]["count"]]
            assert laid["pile"] in (empty[:1] or EITHER_PILE)

    def the_round_ended_so(self, before, after, told, ended):
        (end,) = ended
        points = end["round_points"]
        scores = {name: before["scores"][name] + points[name] for name in self.players}
        assert after["scores"] == scores
        reason = end["reason"]
        seat = self.players.index(before["turn"])
        if reason == "mermaids":
            assert after["winners"] == [before["turn"]]
        else:
            enough = max(scores.values()) >= TARGETS[len(self.players)]
            assert after["over"] is (enough and reason != "deck-empty")
        if reason in ("mermaids", "deck-empty"):
            assert end["bet_won"] is None
            assert set(points.values()) == {0}
            assert not [outcome for outcome in told if outcome["what"] == "called"]
        if reason == "deck-empty":
            assert (after["state"]["deck"], after["state"]["called"]) == (0, None)
        if reason == "stop":
            assert points == end["card_points"]
            assert told[0] == {"what": "called", "player": before["turn"], "call": "stop"}
            assert end["card_points"][before["turn"]] >= 7
        if reason == "last-chance":
            caller = after["state"]["called"]
            seat = self.players.index(caller)
            best = max(end["card_points"].values())
            assert end["bet_won"] is (end["card_points"][caller] == best)
        if reason in ("stop", "last-chance"):
            assert None not in after["state"]["revealed"].values()
        if not after["over"]:
            assert after["phase"] == "deal"
            assert after["turn"] == self.players[(seat + 1) % len(self.players)]
        else:
            top = max(scores.values())
            assert reason == "mermaids" or {scores[name] for name in after["winners"]} == {top}

    @invariant()
    def each_card_is_in_the_one_place_that_was_told(self):
        here, state = self.ledgers[-1], self.replies[-1]["state"]
        turn, phase = self.replies[-1]["turn"], self.replies[-1]["phase"]
        assert state["deck"] == len(here.at("deck"))
        assert state["piles"] == [
            {"top": pile[-1] if pile else None, "count": len(pile)} for pile in here.piles.values()
        ]
        for player in self.players:
            own = self.match.game.view(self.match.state, player)
            assert own["hand"] == sorted(own["hand"], key=self.cards.index)
            assert set(own["hand"]) == here.at("hand", player)
            assert len(own["hand"]) == state["hand_counts"][player]
            assert len(state["tables"][player]) == len(set(state["tables"][player]))
            assert set(state["tables"][player]) == here.at("table", player)
            assert state["revealed"][player] in (None, own["hand"])
            assert ("drawn" in own) is (turn == player and phase in ("keep", "discard"))
            assert set(own.get("drawn", ())) == (here.at("drawn") if turn == player else set())
            looking = own.get("looking_at", [])
            assert turn == player and phase == "pick" if looking else True
            in_deck = set(looking) <= here.at("deck") and len(looking) <= 5
            assert in_deck or looking in here.piles.values()
            shown = {key: own[key] for key in state}
            assert shown == state
        lying = state["deck"] + sum(pile["count"] for pile in state["piles"])
        lying += sum(state["hand_counts"].values()) + sum(map(len, state["tables"].values()))
        assert lying + len(here.at("drawn")) == len(self.cards)

    @invariant()
    def one_player_is_in_turn_until_the_end(self):
        now = self.replies[-1]
        assert now["phase"] in PHASES
        assert now["scores"] == now["state"]["totals"]
        if now["over"]:
            assert (now["turn"], now["phase"], now["legal"]) == (None, "over", [])
            assert now["winners"]
        else:
            assert now["turn"] in self.players
            assert now["legal"]
            assert now["winners"] == []
        if now["phase"] in ("take", "stung"):
            assert now["state"]["revealed"][now["turn"]] is None
        for player in self.players:
            seen = reply(self.match, viewer=player, only_viewer=True)
            assert seen["legal"] == (now["legal"] if player == now["turn"] else [])

    @invariant()
    def a_reply_survives_json(self):
        assert through_json(self.replies[-1]) == with_lists(self.replies[-1])

    def teardown(self):
        """All the way back to the first action, one by one, each state as it was."""
        if not hasattr(self, "match"):
            return
        while self.match.step:
            self.match = self.match.undo(1)
            self.replies.pop()
            assert reply(self.match) == {**self.replies[-1], "outcomes": []}


TestSeaSalt = SeaSalt.TestCase
TestSeaSalt.settings = settings(max_examples=40, stateful_step_count=25)


@pytest.mark.parametrize("calls", [0, 0.5])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_outcomes_say_what_happened_in_long_games_too(players, calls):
    """Far enough for what is rare: where nobody calls each round goes to the last card."""
    for seed in range(12 if calls else 3):
        game = SeaSalt()
        game.begin(count=players, first=seed, salt=True, tie=None)
        game.play_by_chance(Random(seed), 1_500, calls=calls, duos=0.9)
        game.each_card_is_in_the_one_place_that_was_told()


class Scores(RuleBasedStateMachine):
    """Score tracking: calls and hands, in any order, taken back and watched."""

    @initialize(
        count=st.integers(2, 4), first=st.integers(0, 3), salt=st.booleans(), tie=st.none() | TIES
    )
    def begin(self, count, first, salt, tie):
        self.players = PLAYERS[:count]
        options = {"tracking": "score", "salt": salt} | ({"tie": tie} if tie else {})
        self.match = begin(count, starter=self.players[first % count], **options)
        self.cards = cards_in_play(self.match)
        self.replies = [reply(self.match)]
        self.entered = [{}]
        self.calls = [None]

    def play(self, action):
        before = self.replies[-1]
        self.match = self.match.do(action)
        self.replies.append(reply(self.match, outcomes=self.match.outcomes))
        after = self.replies[-1]
        body = through_json(action_to_json(action))
        assert action_from_json("sea-salt-paper", body) == action
        told = through_json(after["outcomes"])
        call = action if isinstance(action, Call) else self.calls[-1]
        hands = {**self.entered[-1]}
        if isinstance(action, Hand):
            hands[action.player] = action.cards
        ended = [outcome for outcome in told if outcome["what"] == "round-ended"]
        scoreless = call.call in ("deck-empty", "mermaids")
        assert bool(ended) is (scoreless or len(hands) == len(self.players))
        if ended:
            self.the_round_ended_so(before, after, told, call)
        else:
            assert after["scores"] == before["scores"]
            assert (after["phase"], after["turn"]) == ("hand", before["turn"])
            called = {"what": "called", "player": call.player, "call": call.call}
            assert told == ([called] if isinstance(action, Call) else [])
        self.entered.append({} if ended else hands)
        self.calls.append(None if ended else call)

    def the_round_ended_so(self, before, after, told, call):
        end, *rest = told
        assert end["reason"] == call.call
        scores = {name: before["scores"][name] + end["round_points"][name] for name in self.players}
        assert after["scores"] == scores
        assert [outcome["player"] for outcome in rest] == after["winners"]
        if call.call == "mermaids":
            assert after["winners"] == [call.player]
            assert scores == before["scores"]
        else:
            assert after["over"] is (max(scores.values()) >= TARGETS[len(self.players)])
        if not after["over"]:
            seat = self.players.index(call.player)
            assert after["turn"] == self.players[(seat + 1) % len(self.players)]
            assert after["phase"] == "call"
            assert after["state"]["round"] == before["state"]["round"] + 1

    @precondition(lambda self: self.replies[-1]["phase"] == "call")
    @rule(seat=st.integers(0, 3), reason=st.sampled_from((*REASONS[:2] * 4, *REASONS)))
    def call(self, seat, reason):
        self.play(Call(self.players[seat % len(self.players)], reason))

    @precondition(lambda self: self.replies[-1]["phase"] == "hand")
    @rule(data=st.data(), seed=st.integers(0, 2**32), size=st.integers(0, 16))
    def hand(self, data, seed, size):
        missing = [name for name in self.players if name not in self.entered[-1]]
        used = {card for cards in self.entered[-1].values() for card in cards}
        free = [card for card in self.cards if card not in used]
        cards = tuple(Random(seed).sample(free, min(size, len(free))))
        self.play(Hand(data.draw(st.sampled_from(missing)), cards))

    @rule(count=st.integers(1, 12))
    def undo(self, count):
        if count > self.match.step:
            return
        self.match = self.match.undo(count)
        for things in (self.replies, self.entered, self.calls):
            del things[-count:]
        assert reply(self.match) == {**self.replies[-1], "outcomes": []}

    @invariant()
    def exactly_the_legal_actions_are_accepted(self):
        now, entered = self.replies[-1], self.entered[-1]
        used = {card for cards in entered.values() for card in cards}
        names = (*self.players, NOT_A_WORD)
        calls = [Call(name, reason) for name, reason in product(names, REASONS)]
        hands = [Hand(name, (card,)) for name in names for card in (*self.cards, NOT_A_WORD)]
        hands += [Hand(name, (self.cards[0],) * 2) for name in names]
        expected = []
        if now["legal"] == [{"do": "call"}]:
            expected = [call for call in calls if call.player in self.players]
        elif not now["over"]:
            missing = [body["player"] for body in now["legal"]]
            assert sorted(missing) == sorted(set(self.players) - entered.keys())
            expected = [
                Hand(name, (card,)) for name in missing for card in self.cards if card not in used
            ]
        tried = (*with_one_card(self.players, self.cards[:3]), Deal(), Duo(self.cards[:2]))
        others = [action for action in tried if not isinstance(action, (Call, Hand))]
        found = accepted(self.match, [*calls, *hands, *others])
        assert sorted(found, key=repr) == sorted(expected, key=repr)

    @invariant()
    def one_player_is_the_starter_until_the_end(self):
        now = self.replies[-1]
        assert now["phase"] in ("call", "hand", "over")
        assert now["scores"] == now["state"]["totals"]
        assert (now["turn"] is None) is now["over"] is bool(now["winners"])
        assert now["turn"] in (None, *self.players)
        assert through_json(now) == with_lists(now)
        for viewer in (None, *self.players):
            assert self.match.game.view(self.match.state, viewer) == now["state"]


TestScores = Scores.TestCase
TestScores.settings = settings(max_examples=40, stateful_step_count=30)


EVERY_VERB = (
    *with_one_card(PLAYERS[:2], ("crab-grey", NOT_A_WORD)),
    *with_more_cards(("crab-grey", "crab-green", "starfish-yellow"), salt=True),
    *(Deal(), Draw(), DrawOne(), Pick(), Steal("Bo"), Call(), Hand("Ann")),
    Duo(("lobster-black", "crab-grey"), ("fish-green", "shell-grey")),
)


@pytest.mark.parametrize("action", EVERY_VERB, ids=repr)
def test_an_action_survives_json(action):
    body = through_json(action_to_json(action))
    assert action_from_json("sea-salt-paper", body, dealing=True) == action


@given(st.integers(0, 2**32), st.integers(2, 4), st.booleans())
@settings(max_examples=30)
def test_a_game_played_at_random_ends(seed, count, salt):
    """A player who always draws ends each round: the deck runs out, if nobody calls.

    Each of the 66 cards is drawn, kept, laid down and played once at most, and a turn
    begins with a card of the deck or, when that is empty, is one of the last: so 600
    actions are plenty for a round. With a call every few rounds the game ends, too.
    """
    dealt_at, words = 0, set()
    for now in played_on(begin(count, salt=salt), Random(seed), 100_000, draws=1):
        told = {outcome_to_json(outcome)["what"] for outcome in now.outcomes}
        dealt_at = now.step if "dealt" in told else dealt_at
        assert now.step - dealt_at < 600
        words |= told
    standing = now.game.standing(now.state)
    assert standing.over
    assert standing.winners
    assert {"dealt", "drew", "discarded", "turn-ended", "round-ended", "game-won"} <= words
    cards = (*cards_in_play(now), NOT_A_WORD)
    assert accepted(now, with_one_card(PLAYERS[:count], cards)) == []
    assert now.undo(now.step).step == 0
