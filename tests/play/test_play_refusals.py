"""Which code each fault has, and which comes first where several apply.

Order of the protocol: bad-command, no-game, game-over, not-legal (phase), unknown-card,
unknown-player, tile-mismatch, card-not-available, not-legal (choice).
"""

from __future__ import annotations

import pytest
from play_talk import NEW, Talk

from companion.rules.api import Code


def do(verb, **fields):
    return {"do": verb, **{name.removesuffix("_"): value for name, value in fields.items()}}


def reveal(*cards):
    return [do("reveal", card=card) for card in cards]


def begin(*players, starter="Ann", **options):
    return {"new": {**NEW, "players": list(players), "starter": starter, "set": options}}


ONE_OF_EACH = dict.fromkeys(("dots", "rings", "stars", "stripes", "waves", "octopus"), 1)
BO_HAS_DOTS = [*reveal("dots"), do("stop")]
ALL_OF_THEM = reveal("dots", "rings", "stars", "stripes")

SITUATIONS = {
    "no game": [],
    "reveal": [begin("Ann", "Bo")],
    "choose": [begin("Ann", "Bo"), *reveal("dots")],
    "steal": [begin("Ann", "Bo", starter="Bo"), *BO_HAS_DOTS, *reveal("dots-tentacle")],
    "forced steal": [
        begin("Ann", "Bo", "Cy", starter="Bo", steal="forced"),
        *BO_HAS_DOTS,
        *BO_HAS_DOTS,
        *reveal("dots-tentacle"),
    ],
    "lose": [begin("Ann", "Bo", octopus_takes="one"), *reveal("dots", "rings", "octopus")],
    "no eyes in the deck": [begin("Ann", "Bo", eyes=0)],
    "no dots left": [begin("Ann", "Bo", pattern=1), *reveal("dots")],
    "empty pile, must reveal": [
        begin("Ann", "Bo", deck=ONE_OF_EACH),
        *ALL_OF_THEM,
        do("stop"),
        *reveal("waves"),
        do("stop"),
        *reveal("octopus"),
    ],
    "empty pile, may stop": [
        begin("Ann", "Bo", deck=ONE_OF_EACH),
        *reveal("octopus"),
        *ALL_OF_THEM,
        do("stop"),
        *reveal("waves"),
    ],
    "Bo has left": [begin("Ann", "Bo", "Cy"), do("leave", player="Bo")],
    "over": [begin("Ann", "Bo"), do("leave", player="Bo")],
}

CODES = (
    # situation, command, code (None: it is obeyed)
    *(
        (situation, command, "bad-command")
        for situation in ("no game", "steal", "over")
        for command in (
            "",
            "reveal dots",
            '{"do": "stop"',
            "[]",
            "null",
            "{}",
            do("fly"),
            do("Reveal", card="dots"),
            {"do": None},
            {"do": ["stop"]},
            {"do": {"do": "stop"}},
            do("reveal", card=1),
            do("reveal", card=None),
            do("reveal", card=["dots"]),
            do("reveal", card="dots", pattern="dots"),
            do("steal"),
            do("steal", from_=0),
            do("steal", player="Bo"),
            {"do": "steal", "from_": "Bo"},
            do("stop", player="Ann"),
            do("decline", from_="Bo"),
            do("lose"),
            do("lose", pattern=None),
            do("reshuffle", seed=1),
            do("leave"),
            do("leave", player=True),
            {"do": "stop", "undo": 1},
            {"do": "stop", "view": None},
            {"undo": 1, "odds": True},
            {"undo": 0},
            {"view": 0},
            {"odds": False},
            {"help": True},
        )
    ),
    # a verb that only another game has
    *((situation, do("sail", areas=1), "bad-command") for situation in ("steal", "over")),
    ("no game", do("sail", areas=1), "no-game"),
    # a field that the physical table must supply
    *((situation, do("reveal"), "bad-command") for situation in ("reveal", "steal", "over")),
    # there is no game: the same
    ("no game", do("reveal", card="kraken"), "no-game"),
    ("no game", do("steal", from_="Zed"), "no-game"),
    ("no game", do("leave", player="Zed"), "no-game"),
    ("no game", {"undo": 9}, "no-game"),
    ("no game", {"view": "Zed"}, "no-game"),
    ("no game", {"odds": True}, "no-game"),
    # the game is over: this comes before all that is wrong with the action itself
    ("over", do("reveal", card="dots"), "game-over"),
    ("over", do("reveal", card="kraken"), "game-over"),
    ("over", do("steal", from_="Zed"), "game-over"),
    ("over", do("lose", pattern="kraken"), "game-over"),
    ("over", do("stop"), "game-over"),
    ("over", do("decline"), "game-over"),
    ("over", do("reshuffle"), "game-over"),
    ("over", do("leave", player="Ann"), "game-over"),
    ("over", do("leave", player="Zed"), "game-over"),
    ("over", {"view": "Zed"}, "unknown-player"),
    ("over", {"undo": 9}, "not-legal"),
    ("over", {"undo": 1}, None),
    # the phase comes before the card and the player
    ("reveal", do("stop"), "not-legal"),
    ("reveal", do("reshuffle"), "not-legal"),
    ("reveal", do("decline"), "not-legal"),
    ("reveal", do("steal", from_="Zed"), "not-legal"),
    ("reveal", do("lose", pattern="kraken"), "not-legal"),
    ("choose", do("steal", from_="Bo"), "not-legal"),
    ("choose", do("lose", pattern="dots"), "not-legal"),
    ("choose", do("reshuffle"), "not-legal"),
    ("choose", do("decline"), "not-legal"),
    ("steal", do("reveal", card="kraken"), "not-legal"),
    ("steal", do("stop"), "not-legal"),
    ("steal", do("reshuffle"), "not-legal"),
    ("steal", do("lose", pattern="kraken"), "not-legal"),
    ("lose", do("reveal", card="kraken"), "not-legal"),
    ("lose", do("stop"), "not-legal"),
    ("lose", do("reshuffle"), "not-legal"),
    ("lose", do("decline"), "not-legal"),
    ("lose", do("steal", from_="Zed"), "not-legal"),
    ("empty pile, must reveal", do("reveal", card="kraken"), "not-legal"),
    ("empty pile, must reveal", do("reveal", card="dots"), "not-legal"),
    ("empty pile, must reveal", do("stop"), "not-legal"),
    ("empty pile, must reveal", do("reshuffle"), None),
    ("empty pile, may stop", do("reveal", card="dots-eyes"), "not-legal"),
    ("empty pile, may stop", do("stop"), None),
    ("empty pile, may stop", do("reshuffle"), None),
    # a card
    ("reveal", do("reveal", card="kraken"), "unknown-card"),
    ("reveal", do("reveal", card=""), "unknown-card"),
    ("reveal", do("reveal", card="Dots"), "unknown-card"),
    ("reveal", do("reveal", card="dots-octopus"), "unknown-card"),
    ("lose", do("lose", pattern="kraken"), "unknown-card"),
    ("lose", do("lose", pattern="octopus"), "unknown-card"),
    ("lose", do("lose", pattern="dots-eyes"), "unknown-card"),
    # a player
    ("steal", do("steal", from_="Zed"), "unknown-player"),
    ("steal", do("steal", from_="Ann"), "unknown-player"),
    ("Bo has left", do("leave", player="Bo"), "unknown-player"),
    ("choose", do("leave", player="Zed"), "unknown-player"),
    ("choose", {"view": "Zed"}, "unknown-player"),
    # a copy of the card
    ("no dots left", do("reveal", card="dots"), "card-not-available"),
    ("no eyes in the deck", do("reveal", card="dots-eyes"), "card-not-available"),
    # a choice
    ("lose", do("lose", pattern="waves"), "not-legal"),
    ("lose", do("lose", pattern="rings"), None),
    ("forced steal", do("decline"), "not-legal"),
    ("forced steal", do("steal", from_="Zed"), "unknown-player"),
    ("forced steal", do("steal", from_="Cy"), None),
    ("steal", do("decline"), None),
    ("reveal", {"undo": 1}, "not-legal"),
)

NEW_CODES = (
    # how the argument of `new` differs from a good one, code
    ({}, None),
    ({"game": "chess"}, "bad-option"),
    ({"game": ""}, "bad-option"),
    ({"game": "Tentacles"}, "bad-option"),
    ({"game": None}, "bad-command"),
    ({"players": "Ann,Bo"}, "bad-command"),
    ({"players": {"Ann": 1, "Bo": 2}}, "bad-command"),
    ({"players": ["Ann", 2]}, "bad-command"),
    ({"players": ["Ann", None]}, "bad-command"),
    ({"players": []}, "bad-option"),
    ({"players": ["Ann"]}, "bad-option"),
    ({"players": list("ABCDEF")}, None),
    ({"players": list("ABCDEFG")}, "bad-option"),
    ({"players": ["Ann", "Bo", "Ann"]}, "bad-option"),
    ({"players": ["Ann", ""]}, "bad-option"),
    ({"starter": "Bo"}, None),
    ({"starter": "Zed"}, "unknown-player"),
    ({"starter": ""}, "unknown-player"),
    ({"starter": 1}, "bad-command"),
    ({"set": []}, "bad-command"),
    ({"set": None}, "bad-command"),
    ({"deal": 1}, "bad-command"),
    ({"deal": None}, "bad-command"),
    ({"deal": True}, None),
    ({"seed": 7}, None),
    ({"seed": 7.0}, "bad-command"),
    ({"seed": True}, "bad-command"),
    ({"seed": "7"}, "bad-command"),
    ({"deal": True, "seed": -7}, None),
    ({"colour": "blue"}, "bad-command"),
    # ill-formed comes before what the values mean
    ({"game": "chess", "seed": "7"}, "bad-command"),
    ({"players": ["Ann"], "colour": "blue"}, "bad-command"),
)


@pytest.mark.parametrize(("situation", "command", "code"), CODES)
def test_the_code_of_a_fault(situation, command, code):
    talk = Talk(*SITUATIONS[situation])
    before = talk.seen()

    reply = talk.say(command)

    assert (None if reply["ok"] else reply["error"]["code"]) == code
    if code:
        assert reply["step"] == before[0]["step"]
        assert talk.seen() == before


@pytest.mark.parametrize(("change", "code"), NEW_CODES)
def test_the_code_of_a_refused_new(change, code):
    talk = Talk({"new": NEW}, *reveal("dots"))
    before = talk.seen()

    reply = talk.say({"new": {**NEW, **change}})

    assert (None if reply["ok"] else reply["error"]["code"]) == code
    assert reply["step"] == (1 if code else 0)
    assert (talk.seen() == before) is (code is not None)


@pytest.mark.parametrize("key", ["game", "players"])
def test_new_needs_its_keys(key):
    body = {name: value for name, value in NEW.items() if name != key}
    assert Talk().code({"new": body}) == "bad-command"


@pytest.mark.parametrize("body", [None, True, 7, "tentacles", [], ["tentacles", ["Ann", "Bo"]]])
def test_the_argument_of_new_is_an_object(body):
    assert Talk().code({"new": body}) == "bad-command"


def test_every_code_that_this_game_can_give_is_in_the_table():
    """A face of a tile belongs to another game."""
    in_table = {code for _, _, code in CODES} | {code for _, code in NEW_CODES}
    assert in_table - {None} == set(Code.__args__) - {"tile-mismatch"}
