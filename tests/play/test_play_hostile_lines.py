"""Whatever is written: one reply a line, never a crash, and nothing changed by a refusal."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from play_talk import NEW, Talk, line_of, run_play

from companion.rules.tentacles_words import FACES, PATTERNS

HOSTILE = {
    "nothing": b"",
    "blanks": b" \t ",
    "invalid UTF-8": b'{"do": "reveal", "card": "\xff"}',
    "UTF-8 cut short": '{"view": "Ż'.encode()[:-1],
    "a surrogate in UTF-8": b'{"view": "\xed\xa0\x80"}',
    "UTF-16": '{"do": "stop"}'.encode("utf-16"),
    "a byte order mark": b'\xef\xbb\xbf{"odds": true}',
    "NUL": b"\x00",
    "NUL in a text": b'{"view": "A\x00"}',
    "NUL behind a command": b'{"odds": true}\x00',
    "a lone surrogate": rb'{"view": "\ud800"}',
    "a lone surrogate as a key": rb'{"\udc00": 1}',
    "a lone surrogate as a player": rb'{"new": {"game": "tentacles", "players": ["\ud800", "B"]}}',
    "two lone surrogates the wrong way round": rb'{"view": "\udc00\ud800"}',
    "NaN": b'{"undo": NaN}',
    "Infinity": b'{"undo": Infinity}',
    "minus Infinity": b"-Infinity",
    "NaN as an option": b'{"new": {"game": "tentacles", "players": ["A", "B"], "set": {"eyes": NaN}}}',
    "a number too large for a float": b'{"undo": 1e999}',
    "a number of 5,000 digits": b'{"undo": ' + b"9" * 5_000 + b"}",
    "a number of 900,000 digits": b'{"undo": ' + b"9" * 900_000 + b"}",
    "a key twice": b'{"do": "stop", "do": "reveal"}',
    "a key twice within": b'{"new": {"game": "tentacles", "game": "x", "players": ["A", "B"]}}',
    "100,000 brackets": b"[" * 100_000,
    "100,000 nested lists": b"[" * 100_000 + b"]" * 100_000,
    "100,000 nested lists in a command": b'{"undo": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "100,000 nested objects": b'{"do":' * 100_000 + b"1" + b"}" * 100_000,
    "two million bytes": b" " * 2_000_000,
    "a text of two million bytes": b'{"view": "' + b"A" * 2_000_000 + b'"}',
    "two commands": b'{"odds": true} {"odds": true}',
    "quotes of the wrong kind": b"{'odds': true}",
    "a comma too many": b'{"odds": true,}',
    "a comment": b'{"odds": true} # please',
    "an escape code": b"\x1b[2J",
    "a terminal bell": b'{"do": "\x07"}',
    "a carriage return within": b'{"do": "st\rop"}',
}
LEGAL_BUT_ODD = {
    "a pair of surrogates is one letter": rb'{"view": "\ud83d\ude00"}',
    "an unknown player of 900,000 letters": b'{"view": "' + b"A" * 900_000 + b'"}',
    "a line separator in a name": '{"view": "A\u2028\u0085B"}'.encode(),
}
GAME = [{"new": NEW}, {"do": "reveal", "card": "dots"}]
LAST = {"odds": True}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_line_is_refused(name):
    talk = Talk(*GAME)
    before = talk.seen()
    assert talk.code(HOSTILE[name]) == "bad-command"
    assert talk.seen() == before


@pytest.mark.parametrize("name", LEGAL_BUT_ODD)
def test_an_odd_line_is_understood(name):
    assert Talk(*GAME).code(LEGAL_BUT_ODD[name]) == "unknown-player"


def test_the_real_program_answers_each_hostile_line_once():
    lines = [*HOSTILE.values(), *LEGAL_BUT_ODD.values()]
    finished = run_play(commands=[*GAME, *lines, LAST])
    assert (finished.status, finished.errors) == (0, "")
    assert len(finished.replies) == len(GAME) + len(lines) + 1
    assert [reply["ok"] for reply in finished.replies] == [
        *[True] * len(GAME),
        *[False] * len(lines),
        True,
    ]
    assert finished.replies[-1]["step"] == 1


def test_a_message_stays_short_enough_to_read_where_the_fault_is_in_the_form():
    talk = Talk(*GAME)
    for name, line in HOSTILE.items():
        message = talk.say(line)["error"]["message"]
        assert len(message) < 300, (name, message[:500])


@pytest.mark.parametrize("key", ["view", "undo", "odds", "new", "x"])
@pytest.mark.parametrize(("opened", "closed"), [("[", "]"), ('{"a":', "}")])
def test_every_depth_is_answered(key, opened, closed):
    """Up to and beyond the depth where the reader of JSON gives up."""
    lines = [f'{{"{key}": {opened * depth}1{closed * depth}}}' for depth in range(850, 1050)]
    assert len(run_play(commands=[*lines, LAST]).replies) == len(lines) + 1


@pytest.mark.parametrize(("opened", "closed"), [("[", "]"), ('{"a":', "}")])
def test_every_depth_of_a_verb_is_answered(opened, closed):
    lines = [f'{{"do": {opened * depth}1{closed * depth}}}' for depth in range(850, 1050)]
    assert len(run_play(commands=[*lines, LAST]).replies) == len(lines) + 1


NO_NEW_LINE = st.binary(max_size=60).filter(lambda line: b"\n" not in line)
PHASES = {
    "reveal": [{"new": NEW}],
    "choose": GAME,
    "steal": [*GAME, {"do": "stop"}, {"do": "reveal", "card": "dots-tentacle"}],
    "lose": [
        {"new": {**NEW, "set": {"octopus_takes": "one"}}},
        {"do": "reveal", "card": "dots"},
        {"do": "reveal", "card": "rings"},
        {"do": "reveal", "card": "octopus"},
    ],
    "over": [*GAME, {"do": "leave", "player": "Bo"}],
    "dealt": [{"new": {**NEW, "deal": True, "seed": 3}}],
}
COMMANDS = (
    {"new": {**NEW, "starter": "Bo", "set": {"octopus": 4}, "deal": True, "seed": 1}},
    *({"do": "reveal", "card": face} for face in FACES),
    {"do": "reveal"},
    {"do": "stop"},
    {"do": "steal", "from": "Ann"},
    {"do": "steal", "from": "Bo"},
    {"do": "decline"},
    *({"do": "lose", "pattern": pattern} for pattern in PATTERNS),
    {"do": "reshuffle"},
    {"do": "leave", "player": "Bo"},
    {"undo": 1},
    {"undo": 2},
    {"view": "Ann"},
    {"view": None},
    {"odds": True},
)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(("", "Ann", "Bo", "dots", "octopus", "tentacles", "stop", "\0", "Ż🐙")),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(("do", "card", "dots", "deck", "x")), inner, max_size=3)
    ),
    max_leaves=5,
)
KEYS = ("do", "card", "from", "pattern", "player", "new", "undo", "view", "odds", "game", "x")


@st.composite
def mutated_commands(draw):
    """A good command of which a value, a key or a byte has gone wrong, or none."""
    command = json.loads(json.dumps(draw(st.sampled_from(COMMANDS))))
    inner = command.get("new", command)
    for target in draw(st.lists(st.sampled_from((command, inner)), max_size=2)):
        match draw(st.sampled_from(("set", "add", "drop"))):
            case "set" if target:
                target[draw(st.sampled_from(sorted(target)))] = draw(JSON)
            case "add":
                target[draw(st.sampled_from(KEYS))] = draw(JSON)
            case "drop" if target:
                del target[draw(st.sampled_from(sorted(target)))]
    line = bytearray(line_of(command))
    if draw(st.integers(0, 3)) == 0:
        place = draw(st.integers(0, len(line) - 1))
        line[place : place + draw(st.integers(0, 2))] = draw(NO_NEW_LINE)
    return bytes(line)


def obeys_or_changes_nothing(talk, line):
    """One well-formed reply (which `say` sees to); with a refusal the game is as it was."""
    before = talk.seen()
    reply = talk.say(line)
    if reply["ok"]:
        return
    assert reply["step"] == before[0]["step"]
    assert talk.seen() == before


@given(st.sampled_from(sorted(PHASES)), st.lists(NO_NEW_LINE, min_size=1, max_size=5))
def test_any_bytes_are_answered(phase, lines):
    talk = Talk(*PHASES[phase])
    for line in lines:
        obeys_or_changes_nothing(talk, line)


@given(st.sampled_from(sorted(PHASES)), st.lists(mutated_commands(), min_size=1, max_size=5))
def test_any_command_is_obeyed_or_changes_nothing(phase, lines):
    talk = Talk(*PHASES[phase])
    for line in lines:
        obeys_or_changes_nothing(talk, line)


@given(st.lists(NO_NEW_LINE | mutated_commands(), max_size=20))
def test_undo_gives_back_the_beginning_whatever_was_said(lines):
    talk = Talk({"new": NEW})
    opening = talk.seen()
    for line in lines:
        if b'"new"' not in line:
            talk.say(line)
    step = talk.say(LAST)["step"]
    if step:
        talk.say({"undo": step})
    assert talk.seen() == opening
