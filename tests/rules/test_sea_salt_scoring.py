"""What cards are worth: known hands, and a second scorer that tries everything."""

from __future__ import annotations

from math import comb
from random import Random

import pytest
import sea_salt_brute_force as brute_force

from companion.rules.sea_salt_paper.cards import (
    BIT,
    CARDS,
    COLOURS,
    DECK,
    KINDS,
    NAMES,
    PLAIN_COUNT,
    SALT_DECK,
    Card,
    names_of,
    set_of,
)
from companion.rules.sea_salt_paper.scoring import card_points, points_of, round_result

CRABS = "crab-grey crab-green"
SWIMMERS = "swimmer-dark-blue swimmer-light-blue swimmer-black"
SHELLS = [name for name in NAMES if name.startswith("shell")]
OCTOPUSES = [name for name in NAMES if name.startswith("octopus")]
PENGUINS = [name for name in NAMES if name.startswith("penguin")]
SAILORS = [name for name in NAMES if name.startswith("sailor")]
BOATS = [name for name in NAMES if name.startswith("boat")]
FISH = [name for name in NAMES if name.startswith("fish")]
ALL_CRABS = [name for name in NAMES if name.startswith("crab")]
MERMAIDS = [name for name in NAMES if name.startswith("mermaid")]


def cards(names):
    """The set of these cards; a text names them with blanks between."""
    return set_of(names.split() if isinstance(names, str) else names)


def worth(hand, table=""):
    """The points of a hand, with both ways to get the total checked against each other."""
    points = points_of(cards(hand), cards(table))
    assert points.total == sum(points[:4])
    assert points.total == card_points(cards(hand), cards(table))
    return points


# --- duos ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "duos"),
    [
        ("", 0),
        ("crab-grey", 0),
        (CRABS, 1),
        (f"{CRABS} crab-black", 1),
        (ALL_CRABS, 4),
        (BOATS, 4),
        (FISH, 3),
        ("crab-grey boat-black-1", 0),
        ("crab-grey fish-green", 0),
        ("swimmer-black shark-green", 1),
        (SWIMMERS, 0),
        (f"{SWIMMERS} shark-green", 1),
        (f"{SWIMMERS} shark-green shark-purple shark-black shark-dark-blue", 3),
        ("shark-green shark-purple", 0),
        ("mermaid-white-1 mermaid-white-2", 0),
        ("boat-black-1 boat-yellow-1 fish-green fish-yellow swimmer-black shark-black", 3),
    ],
)
def test_rule_13_each_duo_is_a_point(hand, duos):
    assert worth(hand).duos == duos


def test_rule_13_a_duo_counts_the_same_in_hand_and_on_the_table():
    table = "boat-black-1 boat-yellow-1 swimmer-black shark-black"
    assert worth(CRABS, table).duos == 3
    assert worth(f"{CRABS} {table}").duos == 3
    assert worth("", f"{CRABS} {table}").duos == 3


def test_rule_13_halves_in_hand_and_on_the_table_are_a_duo_too():
    assert worth("crab-grey", "crab-green").duos == 1
    assert worth("swimmer-black", "shark-black").duos == 1


# --- collectors and multipliers --------------------------------------------------------


@pytest.mark.parametrize(
    ("family", "expected"),
    [
        (SHELLS, [0, 0, 2, 4, 6, 8, 10]),
        (OCTOPUSES, [0, 0, 3, 6, 9, 12]),
        (PENGUINS, [0, 1, 3, 5]),
        (SAILORS, [0, 0, 5]),
    ],
    ids=["shells", "octopuses", "penguins", "sailors"],
)
def test_rule_14_a_family_of_collectors_grows(family, expected):
    assert [worth(family[:count]).collectors for count in range(len(family) + 1)] == expected


def test_rule_14_families_are_added():
    assert worth(SHELLS + OCTOPUSES + PENGUINS + SAILORS).collectors == 10 + 12 + 5 + 5


@pytest.mark.parametrize(
    ("card", "counted", "each"),
    [
        ("lighthouse-purple", BOATS, 1),
        ("shoal-grey", FISH, 1),
        ("colony-green", PENGUINS, 2),
        ("captain-light-orange", SAILORS, 3),
    ],
)
def test_rule_15_a_multiplier_counts_its_cards_and_not_itself(card, counted, each):
    for count in range(len(counted) + 1):
        assert worth([card, *counted[:count]]).multipliers == each * count
        assert worth([card], counted[:count]).multipliers == each * count
        assert worth(counted[:count]).multipliers == 0


def test_rule_15_a_multiplier_counts_nothing_else():
    assert worth(["lighthouse-purple", *FISH, *PENGUINS, *SAILORS]).multipliers == 0
    assert worth(["shoal-grey", *BOATS, *PENGUINS, *SAILORS]).multipliers == 0
    assert worth(["colony-green", *BOATS, *FISH, *SAILORS]).multipliers == 0
    assert worth(["captain-light-orange", *BOATS, *FISH, *PENGUINS]).multipliers == 0


# --- mermaids and the colour bonus -----------------------------------------------------


def test_rule_16_white_counts_as_a_colour():
    assert worth(MERMAIDS[:3]).mermaids == 3
    assert worth([*MERMAIDS[:2], "crab-grey"]).mermaids == 2 + 1


def test_rule_16_one_mermaid_alone_counts_itself():
    points = worth(MERMAIDS[:1])
    assert (points.mermaids, points.colour_bonus, points.total) == (1, 1, 1)


def test_rule_16_no_colour_is_counted_by_two_mermaids():
    hand = "boat-black-1 boat-black-2 fish-black-1 fish-yellow"
    assert worth([*hand.split(), *MERMAIDS[:1]]).mermaids == 3
    assert worth([*hand.split(), *MERMAIDS[:2]]).mermaids == 3 + 2
    assert worth([*hand.split(), *MERMAIDS[:3]]).mermaids == 3 + 3 + 1


def test_rule_16_more_mermaids_than_colours_count_nothing_more():
    assert worth(MERMAIDS).mermaids == 4
    assert worth([*MERMAIDS, "crab-grey", "crab-green"]).mermaids == 4 + 1 + 1


def test_rule_16_hand_and_table_count():
    assert worth(MERMAIDS[:1], "boat-black-1 boat-black-2").mermaids == 2
    assert worth("fish-black-1 mermaid-white-1", "boat-black-1 boat-black-2").mermaids == 3


def test_rule_16_the_colours_that_were_counted_are_named():
    hand = "fish-yellow crab-black boat-black-1 mermaid-white-1"
    assert worth(hand).mermaid_colours == ("black",)
    assert worth(f"{hand} mermaid-white-2").mermaid_colours == ("black", "white")
    assert worth(f"{hand} {' '.join(MERMAIDS[1:])}").mermaid_colours == ("white", "black", "yellow")
    assert worth("fish-yellow crab-black").mermaid_colours == ()


def test_rule_16_of_colours_that_are_as_frequent_the_first_are_named():
    shuffled = "sailor-orange shell-grey octopus-yellow mermaid-white-1 crab-dark-blue-1"
    assert worth(shuffled).mermaid_colours == ("dark-blue",)
    assert worth("sailor-orange mermaid-white-1").mermaid_colours == ("white",)


@pytest.mark.parametrize(
    ("hand", "table", "bonus"),
    [
        ("", "", 0),
        ("crab-grey", "", 1),
        ("crab-grey shell-grey shoal-grey", "", 3),
        ("crab-grey shell-grey fish-black-1", "fish-black-2 boat-black-1", 3),
        (MERMAIDS, "", 4),
        (NAMES[:PLAIN_COUNT], "", 9),
    ],
)
def test_rule_17_the_bonus_is_the_most_frequent_colour(hand, table, bonus):
    assert worth(hand, table).colour_bonus == bonus


def test_rule_17_the_bonus_is_no_part_of_the_card_points():
    points = worth("crab-grey shell-grey shoal-grey")
    assert (points.total, points.colour_bonus) == (0, 3)


@pytest.mark.parametrize(
    ("hand", "table", "total", "bonus"),
    [
        (
            "octopus-grey octopus-yellow octopus-light-blue boat-black-1",
            "boat-dark-blue-1 boat-yellow-1",
            7,
            2,
        ),
        (
            "shell-light-blue shell-grey boat-dark-blue-1 boat-light-blue-1",
            "fish-green fish-yellow",
            4,
            2,
        ),
        (
            "shell-light-blue shell-green fish-light-blue mermaid-white-1 mermaid-white-2",
            "fish-green fish-yellow boat-light-blue-1 boat-light-blue-2",
            10,
            4,
        ),
        ([*PENGUINS, "colony-green"], "", 11, 1),
        (NAMES[:PLAIN_COUNT], "", 34 + 16 + 32 + 27, 9),
    ],
)
def test_the_card_points_of_known_hands(hand, table, total, bonus):
    points = worth(hand, table)
    assert (points.total, points.colour_bonus) == (total, bonus)


# --- the end of a round ----------------------------------------------------------------

SIX = (cards("octopus-grey octopus-yellow octopus-green shell-grey"), 0)  # bonus 2
SEVEN = (
    cards("octopus-light-blue octopus-purple"),
    cards("penguin-pink penguin-purple crab-black crab-green"),
)  # bonus 2
NONE = (cards("crab-grey"), 0)  # bonus 1


def test_the_hands_of_these_rounds():
    assert [points_of(*hand)[4:6] for hand in (SIX, SEVEN, NONE)] == [(6, 2), (7, 2), (0, 1)]


def test_rule_18_after_stop_all_score_card_points():
    for caller in range(3):
        result = round_result("stop", caller, [SIX, SEVEN, NONE])
        assert result == ((6, 7, 0), (2, 2, 1), (6, 7, 0), None)


def test_rule_19_a_bet_that_is_won():
    result = round_result("last-chance", 1, [SIX, SEVEN, NONE])
    assert result == ((6, 7, 0), (2, 2, 1), (2, 7 + 2, 1), True)


def test_rule_19_a_bet_that_is_lost():
    assert round_result("last-chance", 0, [SIX, SEVEN]) == ((6, 7), (2, 2), (2, 7), False)
    result = round_result("last-chance", 2, [SIX, SEVEN, NONE])
    assert result == ((6, 7, 0), (2, 2, 1), (6, 7, 1), False)


def test_rule_20_equal_points_win_the_bet():
    for caller, expected in ((0, (8, 2)), (1, (2, 8))):
        result = round_result("last-chance", caller, [SIX, SIX])
        assert (result.round_points, result.bet_won) == (expected, True)


@pytest.mark.parametrize("reason", ["deck-empty", "mermaids"])
@pytest.mark.parametrize("caller", [None, 0, 1])
def test_rule_21_nobody_scores_without_a_call(reason, caller):
    assert round_result(reason, caller, [SIX, SEVEN]) == ((6, 7), (2, 2), (0, 0), None)


# --- Extra Salt ------------------------------------------------------------------------


def test_rule_30_the_eight_cards_have_colours():
    points = worth([name for name in NAMES if BIT[name] & ~DECK])
    assert (points.colour_bonus, points.total) == (1, 0)
    assert worth("boat-black-1 crab-black lobster-black").colour_bonus == 3
    assert worth("seahorse-white mermaid-white-1 mermaid-white-2").mermaids == 3
    assert worth("starfish-yellow fish-yellow mermaid-white-1").mermaids == 2
    assert worth("jellyfish-pink sailor-pink penguin-pink").colour_bonus == 3
    assert worth("cast-of-crabs-green crab-green").colour_bonus == 2


@pytest.mark.parametrize(
    ("hand", "duos"),
    [
        ("lobster-black", 0),
        ("lobster-black crab-grey", 1),
        (f"lobster-black {CRABS}", 1),
        (f"lobster-black crab-black {CRABS}", 2),
        ("lobster-black boat-black-1", 0),
        ("lobster-black shark-black", 0),
    ],
)
def test_rule_31_a_lobster_and_a_crab_are_a_duo(hand, duos):
    assert worth(hand).duos == duos


@pytest.mark.parametrize(
    ("hand", "duos"),
    [
        ("jellyfish-pink", 0),
        ("jellyfish-pink jellyfish-purple", 0),
        ("jellyfish-pink shark-black", 0),
        ("jellyfish-pink swimmer-black", 1),
        ("jellyfish-pink jellyfish-purple swimmer-black", 1),
        ("jellyfish-pink shark-black swimmer-black", 1),
        ("jellyfish-pink shark-black swimmer-black swimmer-yellow", 2),
        (f"jellyfish-pink jellyfish-purple shark-black {SWIMMERS}", 3),
    ],
)
def test_rule_32_a_jellyfish_and_a_swimmer_are_a_duo(hand, duos):
    assert worth(hand).duos == duos


def test_rule_33_the_cast_of_crabs_counts_crabs_and_no_lobster():
    assert worth("cast-of-crabs-green").multipliers == 0
    assert worth("cast-of-crabs-green lobster-black").multipliers == 0
    assert worth(f"cast-of-crabs-green lobster-black {CRABS}").multipliers == 2
    assert worth("cast-of-crabs-green", CRABS).multipliers == 2
    assert worth(["cast-of-crabs-green", *ALL_CRABS]).multipliers == 9


ALL_STARFISH = "starfish-dark-blue starfish-light-blue starfish-yellow"


@pytest.mark.parametrize(
    ("hand", "table", "duos"),
    [
        ("starfish-yellow", "", 0),
        (f"starfish-yellow {CRABS}", "", 3),
        (f"{ALL_STARFISH} {CRABS}", "", 3),
        (f"{ALL_STARFISH} {CRABS} swimmer-black jellyfish-pink", "", 6),
        (f"starfish-yellow {CRABS} swimmer-black jellyfish-pink", "", 4),
        ("", f"starfish-yellow {CRABS}", 3),
        ("starfish-yellow", CRABS, 1),
        ("starfish-yellow", f"starfish-dark-blue {CRABS}", 3),
        (f"starfish-yellow {CRABS}", "starfish-dark-blue crab-black lobster-black", 6),
        ("starfish-yellow crab-grey", "boat-black-1 boat-black-2 crab-black lobster-black", 2),
        ("starfish-light-blue crab-grey", "starfish-yellow crab-black lobster-black", 3),
    ],
)
def test_rule_34_a_starfish_adds_two_to_a_duo_of_its_place(hand, table, duos):
    assert worth(hand, table).duos == duos


@pytest.mark.parametrize(
    ("families", "gained"),
    [
        ([], 0),
        (SHELLS[:1], 2),
        (SHELLS[:5], 2),
        (SHELLS, 0),
        (OCTOPUSES[:1], 3),
        (OCTOPUSES[:4], 3),
        (OCTOPUSES, 0),
        (PENGUINS[:1], 2),
        (PENGUINS, 0),
        (SAILORS[:1], 5),
        (SAILORS, 0),
        (SHELLS[:2] + OCTOPUSES[:2], 3),
        (SHELLS[:1] + OCTOPUSES[:1] + PENGUINS[:1] + SAILORS[:1], 5),
        (SHELLS[:1] + OCTOPUSES + SAILORS, 2),
        (SHELLS + OCTOPUSES + PENGUINS + SAILORS, 0),
        (BOATS + FISH, 0),
    ],
)
def test_rule_35_a_seahorse_is_one_more_of_the_best_family(families, gained):
    without = worth(families)
    points = worth([*families, "seahorse-white"])
    assert points.collectors - without.collectors == gained
    assert points.duos == without.duos


def test_rule_35_a_seahorse_is_no_penguin_or_sailor_to_a_multiplier():
    assert worth("seahorse-white sailor-pink captain-light-orange")[2:4] == (5, 3)
    assert worth("seahorse-white penguin-pink colony-green")[2:4] == (3, 2)


def test_rule_35_a_seahorse_counts_wherever_it_and_the_family_lie():
    assert worth("sailor-pink", "seahorse-white").collectors == 5
    assert worth("seahorse-white", "sailor-pink").collectors == 5


# --- against the second scorer ---------------------------------------------------------

LARGEST = 5
COUNT_BITS = 3
PARTS = 6


class ByKinds(dict):
    """What the second scorer says, by how many there are of each kind: filled when asked."""

    def __missing__(self, packed):
        self[packed] = brute_force.by_kinds(unpacked(packed, KINDS))
        return self[packed]


class ByColours(dict):
    """Likewise by colour; in the plain deck what is white is a mermaid."""

    def __missing__(self, packed):
        colours = unpacked(packed, COLOURS)
        self[packed] = brute_force.by_colours(colours, colours.count("white"))
        return self[packed]


def one(word, words):
    """One of these, in a number that has three bits to count each of the words."""
    return 1 << COUNT_BITS * words.index(word)


def unpacked(packed, words):
    mask = (1 << COUNT_BITS) - 1
    return [
        word for place, word in enumerate(words) for _ in range(packed >> COUNT_BITS * place & mask)
    ]


@pytest.mark.parametrize("part", range(PARTS))
def test_every_hand_of_up_to_five_cards_is_as_the_second_scorer_says(part):
    """Each of the five million is scored by `points_of`, one by one.

    The second scorer looks at kinds and colours apart, as duos, collectors and multipliers
    ask for kinds alone, mermaids and bonus for colours alone. So it is asked once for each
    selection of kinds and once for each of colours. A part has every hand whose first card
    has a number of its own, so that several workers share them.
    """
    packed = [
        (1 << card.number, one(card.kind, KINDS), one(card.colour, COLOURS)) for card in CARDS
    ]
    rest = [packed[first:PLAIN_COUNT] for first in range(PLAIN_COUNT + 1)]
    by_kinds, by_colours = ByKinds(), ByColours()
    seen = 0

    def check(hand, kinds, colours):
        points = points_of(hand, 0)
        if (points[1:4], (points[0], points[5])) != (
            by_kinds[kinds],
            by_colours[colours],
        ) or points[4] != sum(points[:4]):
            pytest.fail(f"{names_of(hand)}: {points}")

    def check_those_with(hand, kinds, colours, first, free):
        nonlocal seen
        for number, (card, kind, colour) in enumerate(rest[first], first + 1):
            check(hand | card, kinds + kind, colours + colour)
            if free > 1:
                check_those_with(hand | card, kinds + kind, colours + colour, number, free - 1)
        seen += len(rest[first])

    firsts = range(part, PLAIN_COUNT, PARTS)
    for first in firsts:
        check(*packed[first])
        check_those_with(*packed[first], first + 1, LARGEST - 1)
    assert seen + len(firsts) == sum(
        comb(PLAIN_COUNT - first - 1, others) for first in firsts for others in range(LARGEST)
    )


def test_the_parts_have_every_hand_and_no_card_is_worth_nothing():
    assert points_of(0, 0) == (0, 0, 0, 0, 0, 0, ())
    in_parts = [
        comb(PLAIN_COUNT - first - 1, others)
        for part in range(PARTS)
        for first in range(part, PLAIN_COUNT, PARTS)
        for others in range(LARGEST)
    ]
    assert 1 + sum(in_parts) == sum(comb(PLAIN_COUNT, size) for size in range(LARGEST + 1))


def compare(hand, table):
    expected = brute_force.points(names_of(hand), names_of(table))
    got = points_of(hand, table)
    assert got[:6] == expected, (names_of(hand), names_of(table))
    assert card_points(hand, table) == expected[4]
    counts = [brute_force.kind_and_colour(name)[1] for name in names_of(hand | table)]
    assert sum(map(counts.count, got.mermaid_colours)) == got.mermaids
    assert len(set(got.mermaid_colours)) == len(got.mermaid_colours)


def legal_table(random, deck, duos):
    """Up to so many duos, some of them trios with a starfish, out of a shuffled deck."""
    table = 0
    for _ in range(duos):
        pair: list[Card] = []
        for kind in random.choice(brute_force.MATCHES):
            pair += [card for card in deck if card.kind == kind and card not in pair][:1]
        if len(pair) == 2:
            if random.random() < 0.4:
                pair += [card for card in deck if card.kind == "starfish"][:1]
            for card in pair:
                deck.remove(card)
                table |= 1 << card.number
    return table


@pytest.mark.parametrize(("salt", "on_table"), [(False, 0), (False, 6), (True, 0), (True, 6)])
def test_random_hands_are_as_the_second_scorer_says(salt, on_table):
    random = Random(f"{salt}{on_table}")
    for _ in range(10_000):
        deck = list(CARDS if salt else CARDS[:PLAIN_COUNT])
        random.shuffle(deck)
        table = legal_table(random, deck, random.randint(0, on_table))
        hand = sum(1 << card.number for card in deck[: random.randint(0, 16)])
        compare(hand, table)


@pytest.mark.parametrize("salt", [False, True])
def test_hands_rich_in_special_cards_are_as_the_second_scorer_says(salt):
    """Chance seldom brings all mermaids, multipliers or cards of Extra Salt into one hand."""
    random = Random(f"rich {salt}")
    duo_kinds = ("crab", "boat", "fish", "swimmer", "shark")
    special = [
        card for card in CARDS[: None if salt else PLAIN_COUNT] if card.kind not in duo_kinds
    ]
    common = [card for card in CARDS if card.kind in duo_kinds]
    for _ in range(10_000):
        chosen = random.sample(special, random.randint(4, 14)) + random.sample(common, 6)
        compare(sum(1 << card.number for card in chosen), 0)


def test_whole_decks_are_as_the_second_scorer_says():
    compare(DECK, 0)
    compare(SALT_DECK, 0)
