"""What a table may choose when a game of five tentacles begins."""

from __future__ import annotations

import pytest
from play_talk import NEW, Talk

from companion.rules.tentacles_words import FACES, PATTERNS

RANGES = {"pattern": (1, 20), "eyes": (0, 20), "tentacle": (0, 20), "octopus": (0, 20)}
WORDS = {
    "dry_tentacle": ("end", "continue"),
    "steal": ("optional", "forced"),
    "octopus_takes": ("all", "one"),
}
ILL_TYPED = (True, False, 1.0, 1.5, "1", "", None, [], [1], {})
ONE_OF_EACH_PATTERN = dict.fromkeys(PATTERNS, 1)


def begun(**options):
    return Talk().say({"new": {**NEW, "set": options}})


def code(**options):
    reply = begun(**options)
    return None if reply["ok"] else reply["error"]["code"]


@pytest.mark.parametrize("name", RANGES)
def test_the_range_of_a_count(name):
    low, high = RANGES[name]
    assert [code(**{name: value}) for value in (low, high)] == [None, None]
    refused = [code(**{name: value}) for value in (low - 1, high + 1, 10**30, -(10**30))]
    assert refused == ["bad-option"] * 4


@pytest.mark.parametrize("value", ILL_TYPED)
@pytest.mark.parametrize("name", RANGES)
def test_a_count_is_a_whole_number(name, value):
    assert code(**{name: value}) == "bad-option"


@pytest.mark.parametrize("name", WORDS)
def test_the_words_of_a_choice(name):
    assert [code(**{name: word}) for word in WORDS[name]] == [None, None]
    others = ("", "End", "yes", WORDS[name][0] + " ", *ILL_TYPED)
    assert {code(**{name: value}) for value in others} == {"bad-option"}


@pytest.mark.parametrize(
    ("options", "pile"),
    [
        ({}, 43),
        ({"pattern": 5, "octopus": 4}, 49),
        ({"pattern": 5, "eyes": 3, "octopus": 4}, 54),
        ({"pattern": 1, "eyes": 0, "tentacle": 0, "octopus": 1}, 6),
        ({"pattern": 20, "eyes": 20, "tentacle": 20, "octopus": 20}, 320),
        ({"octopus": 0}, 40),
        ({"eyes": 0}, 33),
        ({"deck": {**ONE_OF_EACH_PATTERN, "octopus": 1}}, 6),
        ({"deck": {**ONE_OF_EACH_PATTERN, "waves-eyes": 1}}, 6),
        ({"deck": dict.fromkeys(FACES, 3)}, 48),
        ({"deck": {**ONE_OF_EACH_PATTERN, "octopus": 1000}}, 1005),
        ({"deck": {**ONE_OF_EACH_PATTERN, "octopus": 1, "dots-eyes": 0}}, 6),
    ],
)
def test_the_size_of_the_pile(options, pile):
    assert begun(**options)["state"]["pile"] == pile


def test_the_counts_are_per_pattern_and_the_octopus_in_all():
    """Counted by what the odds tell: how much of the pile each face makes up."""
    talk = Talk({"new": {**NEW, "set": {"pattern": 7, "eyes": 5, "tentacle": 3, "octopus": 2}}})
    odds = talk.say({"odds": True})["odds"]["next"]
    pile = 5 * (7 + 5 + 3) + 2
    assert {face: round(share * pile, 9) for face, share in odds.items()} == {
        **dict.fromkeys(PATTERNS, 7),
        **{f"{pattern}-eyes": 5 for pattern in PATTERNS},
        **{f"{pattern}-tentacle": 3 for pattern in PATTERNS},
        "octopus": 2,
    }


@pytest.mark.parametrize(
    "deck",
    [
        {},
        {"octopus": 1},
        ONE_OF_EACH_PATTERN,  # nothing that takes a fish
        {**ONE_OF_EACH_PATTERN, "dots-tentacle": 3},  # the same
        {"rings": 1, "stars": 1, "stripes": 1, "waves": 1, "octopus": 1},  # no dots
        {**ONE_OF_EACH_PATTERN, "octopus": 1, "rings": 0},
        *({**ONE_OF_EACH_PATTERN, "octopus": value} for value in (True, 1.0, "1", None, [], -1)),
        *({**ONE_OF_EACH_PATTERN, "octopus": 1, face: 1} for face in ("kraken", "", "Dots")),
        *({**ONE_OF_EACH_PATTERN, "octopus": 1, face: 0} for face in ("kraken", "pattern")),
        {**ONE_OF_EACH_PATTERN, "octopus": 10**30},
        None,
        True,
        5,
        "dots",
        [],
        ["dots"],
    ],
)
def test_a_deck_that_cannot_be(deck):
    assert code(deck=deck) == "bad-option"


def test_a_deck_without_anything_that_takes_a_fish_by_counts():
    assert code(eyes=0, octopus=0) == "bad-option"


@pytest.mark.parametrize("name", RANGES)
def test_a_deck_stands_in_place_of_the_counts(name):
    deck = {**ONE_OF_EACH_PATTERN, "octopus": 1}
    assert code(deck=deck, **{name: 2}) == "bad-option"


def test_a_deck_goes_together_with_the_other_options():
    deck = {**ONE_OF_EACH_PATTERN, "octopus": 1}
    assert code(deck=deck, steal="forced", dry_tentacle="continue", octopus_takes="one") is None


@pytest.mark.parametrize("name", ["", "Octopus", "pattern ", "tracking", "seed", "players"])
def test_an_unknown_option(name):
    assert code(**{name: 1}) == "bad-option"


@pytest.mark.parametrize(
    ("options", "warned"),
    [
        ({}, False),
        ({"eyes": 3}, False),
        ({"eyes": 4}, True),
        ({"eyes": 5}, True),
        ({"pattern": 2}, True),
        ({"pattern": 3}, False),
        ({"deck": {**ONE_OF_EACH_PATTERN, "dots-eyes": 4, "octopus": 1}}, False),
        ({"deck": {**ONE_OF_EACH_PATTERN, "dots-eyes": 5, "octopus": 1}}, True),
        ({"eyes": 4, "octopus": 21}, False),
        ({"deck": {"dots-eyes": 5}}, False),
    ],
)
def test_eyes_in_the_number_of_patterns_are_warned_of(options, warned):
    """One line, for a game that does begin."""
    talk = Talk()
    talk.say({"new": {**NEW, "set": options}})
    lines = talk.warnings.getvalue().splitlines()
    assert len(lines) == int(warned)
    assert all(line.startswith("warning: ") for line in lines)
