"""Whole games with the answers of an independent model of the rules, through the program.

The files in `examples/` hold one game a line: `new`, `new_reply`, `commands`, `replies`.
A command that is a text is a raw line. A reply there holds only what is to be compared.
"""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest
from play_talk import differences, run_play

EXAMPLES = sorted((Path(__file__).parent / "examples").glob("*.jsonl.xz"))


def games_in(path):
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name.partition(".")[0])
def test_the_program_answers_as_the_model_does(path):
    """One process plays all games of a file, one after another."""
    commands, expected, places = [], [], []
    for number, game in enumerate(games_in(path), 1):
        commands += [{"new": game["new"]}, *game["commands"]]
        expected += [game["new_reply"], *game["replies"]]
        places += [f"game {number}, command {step}" for step in range(len(game["commands"]) + 1)]

    finished = run_play(commands=commands)

    assert finished.status == 0, finished.errors
    assert len(finished.replies) == len(commands)
    wrong = [
        f"{place}, {json.dumps(command)}: {line}"
        for place, command, part, reply in zip(
            places, commands, expected, finished.replies, strict=True
        )
        for line in differences(part, reply)
    ]
    assert not wrong, "\n".join(wrong[:10])


def test_there_are_examples():
    """Without which nothing would be compared."""
    assert [(path.name, len(games_in(path))) for path in EXAMPLES if "tentacles" in path.name] == [
        ("tentacles.jsonl.xz", 40)
    ]


REPLY = {
    "ok": True,
    "step": 1,
    "outcomes": [{"what": "card", "card": "dots"}, {"what": "fish-won", "player": "Ann"}],
    "legal": [{"do": "reveal"}, {"do": "stop"}],
    "state": {"fish": {"Ann": ["dots"]}},
}


@pytest.mark.parametrize(
    ("expected", "wrong"),
    [
        ({"ok": True, "state": {"fish": {"Ann": ["dots"]}}}, 0),
        ({"legal": [{"do": "stop"}, {"do": "reveal"}]}, 0),
        ({"outcomes": [{"what": "card"}, {"what": "fish-won"}]}, 0),
        ({"ok": 1}, 1),
        ({"step": 2}, 1),
        ({"phase": "choose"}, 1),
        ({"legal": [{"do": "stop"}]}, 1),
        ({"legal": [{"do": "stop"}, {"do": "stop"}]}, 1),
        ({"outcomes": [{"what": "fish-won"}, {"what": "card"}]}, 2),
        ({"outcomes": [{"what": "card"}]}, 1),
        ({"state": {"fish": {"Ann": []}}}, 1),
        ({"error": {"code": "not-legal", "message": "any"}}, 1),
    ],
)
def test_the_comparison_finds_a_planted_difference(expected, wrong):
    assert len(differences(expected, REPLY)) == wrong


def test_a_message_is_compared_by_being_there():
    expected = {"error": {"message": "any"}}
    assert differences(expected, {"error": {"message": "Another one."}}) == []
    assert differences(expected, {"error": {"message": ""}})
