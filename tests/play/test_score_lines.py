"""`companion score`: each line is answered once, and what is wrong with it is said."""

from __future__ import annotations

import pytest
from score_talk import run_score

EMPTY = {"hand": [], "table": []}
CRAB = {"hand": ["crab-grey"], "table": []}
HAND = {"hand": ["crab-grey", "mermaid-white-1"], "table": ["boat-black-1", "boat-black-2"]}
STOP = {"end": "stop", "caller": 0, "players": [HAND, EMPTY]}
BET = {**STOP, "end": "last-chance"}
NO_DECK = {"end": "deck-empty", "players": [HAND, EMPTY]}
STARFISH = {"hand": ["starfish-yellow", "crab-grey", "crab-black"], "table": []}


def without(command, key):
    return {name: value for name, value in command.items() if name != key}


ANSWERED = {
    "a hand": (
        HAND,
        {
            "ok": True,
            "mermaids": 2,
            "duos": 1,
            "collectors": 0,
            "multipliers": 0,
            "total": 3,
            "colour_bonus": 2,
            "mermaid_colours": ["black"],
        },
    ),
    "no cards": (
        EMPTY,
        {
            "ok": True,
            "mermaids": 0,
            "duos": 0,
            "collectors": 0,
            "multipliers": 0,
            "total": 0,
            "colour_bonus": 0,
            "mermaid_colours": [],
        },
    ),
    "two colours": (
        {"hand": ["mermaid-white-1", "mermaid-white-2"], "table": ["crab-black"], "salt": False},
        {
            "ok": True,
            "mermaids": 3,
            "duos": 0,
            "collectors": 0,
            "multipliers": 0,
            "total": 3,
            "colour_bonus": 2,
            "mermaid_colours": ["white", "black"],
        },
    ),
    "Extra Salt": (
        {**STARFISH, "salt": True},
        {
            "ok": True,
            "mermaids": 0,
            "duos": 3,
            "collectors": 0,
            "multipliers": 0,
            "total": 3,
            "colour_bonus": 1,
            "mermaid_colours": [],
        },
    ),
    "stop": (
        STOP,
        {
            "ok": True,
            "card_points": [3, 0],
            "colour_bonus": [2, 0],
            "round_points": [3, 0],
            "bet_won": None,
        },
    ),
    "a bet that is won": (
        BET,
        {
            "ok": True,
            "card_points": [3, 0],
            "colour_bonus": [2, 0],
            "round_points": [5, 0],
            "bet_won": True,
        },
    ),
    "a bet that is lost": (
        {**BET, "caller": 1},
        {
            "ok": True,
            "card_points": [3, 0],
            "colour_bonus": [2, 0],
            "round_points": [3, 0],
            "bet_won": False,
        },
    ),
    "a round with Extra Salt": (
        {"end": "stop", "caller": 1, "players": [STARFISH, EMPTY, EMPTY, EMPTY], "salt": True},
        {
            "ok": True,
            "card_points": [3, 0, 0, 0],
            "colour_bonus": [1, 0, 0, 0],
            "round_points": [3, 0, 0, 0],
            "bet_won": None,
        },
    ),
}
NOBODY_SCORED = {
    "ok": True,
    "card_points": [3, 0],
    "colour_bonus": [2, 0],
    "round_points": [0, 0],
    "bet_won": None,
}
NO_CALLERS = (None, 0, 7, -1, True, "Ann", 1.5, [], {})
for number, nobody in enumerate(NO_CALLERS):
    ANSWERED[f"an empty deck with caller {number}"] = ({**NO_DECK, "caller": nobody}, NOBODY_SCORED)
ANSWERED["an empty deck"] = (NO_DECK, NOBODY_SCORED)
ANSWERED["an empty deck in other words"] = ({**NO_DECK, "end": "empty-deck"}, NOBODY_SCORED)
ANSWERED["blanks around it"] = (b' \t{"hand": [], "table": []} \r', ANSWERED["no cards"][1])
ANSWERED["letters by number"] = (
    rb'{"h\u0061nd": ["cr\u0061b-grey"], "table": []}',
    {**ANSWERED["no cards"][1], "colour_bonus": 1},
)

BAD = {
    "nothing": b"",
    "blanks": b" \t",
    "no JSON": b"hand",
    "NUL": b"\0",
    "invalid UTF-8": b'{"hand": ["crab-\xff"], "table": []}',
    "UTF-16": '{"hand": [], "table": []}'.encode("utf-16-be"),
    "a byte order mark": b'\xef\xbb\xbf{"hand": [], "table": []}',
    "a lone surrogate": rb'{"hand": ["\ud800"], "table": []}',
    "NaN": b'{"hand": [NaN], "table": []}',
    "Infinity": b'{"end": "deck-empty", "caller": -Infinity, "players": []}',
    "a key twice": b'{"hand": [], "hand": [], "table": []}',
    "a key twice within": b'{"end": "stop", "caller": 0, "players": [{"hand": [], "hand": []}]}',
    "a number of 5,000 digits": b'{"hand": [' + b"9" * 5_000 + b'], "table": []}',
    "100,000 nested lists": b'{"hand": ' + b"[" * 100_000 + b"]" * 100_000 + b', "table": []}',
    "100,000 nested objects": b'{"end":' * 100_000 + b"1" + b"}" * 100_000,
    "two million bytes": b" " * 2_000_000,
    "two hands": b'{"hand": [], "table": []} {"hand": [], "table": []}',
    "a comma too many": b'{"hand": [], "table": [],}',
    "a list": [],
    "a text": '"hand"',
    "null": b"null",
    "true": b"true",
    "an empty object": {},
    "no hand": without(HAND, "hand"),
    "no table": without(HAND, "table"),
    "an unknown key": {**HAND, "seat": 1},
    "a hand and a round": {**HAND, **STOP},
    "a hand with a caller": {**HAND, "caller": 0},
    "players alone": {"players": [HAND, EMPTY]},
    "no end": without(STOP, "end"),
    "no players": without(STOP, "players"),
    "no caller": without(STOP, "caller"),
    "no caller of a bet": without(BET, "caller"),
    "an unknown key of a round": {**STOP, "seat": 1},
    "an unknown key of an empty deck": {**NO_DECK, "seat": 1},
    "one player": {**STOP, "players": [HAND]},
    "no player": {**NO_DECK, "players": []},
    "five players": {**STOP, "players": [EMPTY] * 5},
    "players by name": {**STOP, "players": {"Ann": HAND, "Bo": EMPTY}},
    "a player that is a list": {**STOP, "players": [HAND, []]},
    "a player without a table": {**STOP, "players": [HAND, {"hand": []}]},
    "a player without a hand": {**STOP, "players": [HAND, {"table": []}]},
    "a player with more": {**STOP, "players": [HAND, {**EMPTY, "salt": True}]},
}
for end in (None, "", "STOP", "mermaids", 1, True, [], {}, ["stop"]):
    BAD[f"end {end}"] = {**STOP, "end": end}
for caller in (None, True, False, -1, 2, 10**30, "0", "Ann", 0.0, [], {}):
    BAD[f"caller {caller!r}"] = {**STOP, "caller": caller}
    BAD[f"caller {caller!r} of a bet"] = {**BET, "caller": caller}
for salt in (None, 0, 1, "true", [], {}):
    BAD[f"salt {salt!r}"] = {**HAND, "salt": salt}
    BAD[f"salt {salt!r} in a round"] = {**STOP, "salt": salt}
for cards in (
    None,
    1,
    True,
    "",
    "crab-grey",
    {},
    {"crab-grey": 1},
    [1],
    [None],
    [[]],
    [{}],
    [["crab-grey"]],
):
    BAD[f"cards {cards!r}"] = {"hand": [], "table": cards}
    BAD[f"cards {cards!r} in hand"] = {"hand": cards, "table": []}
    BAD[f"cards {cards!r} of a player"] = {**STOP, "players": [EMPTY, {"hand": [], "table": cards}]}

UNKNOWN = {
    "no card": {"hand": ["squid"], "table": []},
    "no name": {"hand": [""], "table": []},
    "on the table": {"hand": [], "table": ["squid"]},
    "a kind": {"hand": ["crab"], "table": []},
    "in capitals": {"hand": ["Crab-Grey"], "table": []},
    "a blank behind": {"hand": ["crab-grey "], "table": []},
    "a third copy": {"hand": ["crab-yellow-3"], "table": []},
    "of another player": {**STOP, "players": [HAND, {"hand": ["squid"], "table": []}]},
    "with Extra Salt": {"hand": ["squid"], "table": [], "salt": True},
    "of Extra Salt": STARFISH,
    "of Extra Salt, expressly not": {**STARFISH, "salt": False},
    "of Extra Salt in a round": {**NO_DECK, "players": [STARFISH, EMPTY]},
    "odd letters": {"hand": ["Ż🐙\u2028\x07"], "table": []},
    "900,000 letters": {"hand": ["A" * 900_000], "table": []},
}
TWICE = {
    "in hand": {"hand": ["crab-grey", "crab-grey"], "table": []},
    "on the table": {"hand": [], "table": ["crab-grey", "boat-black-1", "crab-grey"]},
    "in hand and on the table": {"hand": ["crab-grey"], "table": ["crab-grey"]},
    "four times": {"hand": ["crab-grey"] * 4, "table": []},
    "twice and twice": {"hand": ["crab-dark-blue-1"] * 2 + ["crab-dark-blue-2"], "table": []},
    "50,000 times": {"hand": ["crab-grey"] * 50_000, "table": []},
    "of Extra Salt": {"hand": ["seahorse-white"] * 2, "table": [], "salt": True},
    "by two players": {**STOP, "players": [CRAB, CRAB]},
    "by the last two of four": {**STOP, "players": [EMPTY, EMPTY, CRAB, CRAB]},
    "where nobody scores": {**NO_DECK, "players": [CRAB, {"hand": [], "table": ["crab-grey"]}]},
}
ORDER = {
    "a bad table before an unknown card": ("bad-command", {"hand": ["squid"], "table": 1}),
    "no name before an unknown card": ("bad-command", {"hand": ["squid"], "table": [1]}),
    "no name before a card named twice": (
        "bad-command",
        {"hand": ["crab-grey", "crab-grey", 1], "table": []},
    ),
    "a bad salt before an unknown card": ("bad-command", {**UNKNOWN["no card"], "salt": 1}),
    "a bad caller before an unknown card": (
        "bad-command",
        {**UNKNOWN["of another player"], "caller": 2},
    ),
    "a bad player before an unknown card": (
        "bad-command",
        {**STOP, "players": [{"hand": ["squid"], "table": []}, {}]},
    ),
    "a player's bad hand before an unknown card": (
        "bad-command",
        {**STOP, "players": [{"hand": ["squid"], "table": []}, {"hand": 0, "table": []}]},
    ),
    "an unknown card before one named twice": (
        "unknown-card",
        {"hand": ["crab-grey", "crab-grey"], "table": ["squid"]},
    ),
    "a card of Extra Salt before one named twice": (
        "unknown-card",
        {"hand": ["crab-grey", "crab-grey", "seahorse-white"], "table": []},
    ),
}
REFUSED = {
    **{f"bad: {name}": ("bad-command", line) for name, line in BAD.items()},
    **{f"unknown: {name}": ("unknown-card", line) for name, line in UNKNOWN.items()},
    **{f"twice: {name}": ("card-not-available", line) for name, line in TWICE.items()},
    **{f"order: {name}": fault for name, fault in ORDER.items()},
}


@pytest.fixture(scope="module")
def replies():
    """All lines in one process, each refused one followed by a good one."""
    lines = [line for line, _ in ANSWERED.values()]
    for _, line in REFUSED.values():
        lines += [line, HAND]
    finished = run_score(lines=lines)
    assert (finished.status, finished.errors) == (0, "")
    assert len(finished.replies) == len(lines)
    return finished.replies


@pytest.mark.parametrize("name", ANSWERED)
def test_a_line_is_answered(replies, name):
    reply = replies[list(ANSWERED).index(name)]
    expected = ANSWERED[name][1]
    assert reply == expected
    assert list(reply) == list(expected)


@pytest.mark.parametrize("name", REFUSED)
def test_a_bad_line_is_refused_and_the_next_one_answered(replies, name):
    place = len(ANSWERED) + 2 * list(REFUSED).index(name)
    reply, after = replies[place : place + 2]
    assert reply["ok"] is False
    assert reply.keys() == {"ok", "error"}
    assert reply["error"].keys() == {"code", "message"}
    assert reply["error"]["code"] == REFUSED[name][0]
    assert 20 < len(reply["error"]["message"]) < 300
    assert after == ANSWERED["a hand"][1]


def test_the_message_says_what_would_do():
    said = [
        (without(HAND, "table"), "hand and table"),
        (without(STOP, "caller"), "caller"),
        ({**STOP, "end": "mermaids"}, "stop, last-chance, deck-empty"),
        ({**STOP, "caller": 2}, "0 to 1"),
        ({**STOP, "players": [EMPTY]}, "2 to 4"),
        (STARFISH, '"salt": true'),
        (UNKNOWN["no card"], "'squid'"),
        (TWICE["by two players"], "crab-grey"),
    ]
    finished = run_score(lines=[line for line, _ in said])
    for (_, words), reply in zip(said, finished.replies, strict=True):
        assert words in reply["error"]["message"]


@pytest.mark.parametrize(("opened", "closed"), [("[", "]"), ('{"a":', "}")])
def test_every_depth_is_answered(opened, closed):
    """Up to and beyond the depth where the reader of JSON gives up."""
    lines = [
        f'{{"{key}": {opened * depth}1{closed * depth}, "table": []}}'
        for depth in range(900, 1050)
        for key in ("hand", "end")
    ]
    finished = run_score(lines=[*lines, HAND])
    codes = [reply["error"]["code"] for reply in finished.replies[:-1]]
    assert codes == ["bad-command"] * len(lines)
    assert finished.replies[-1]["ok"]
