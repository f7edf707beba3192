"""Every refusal is told somewhere, so that its sentence can be read, and is what it was.

Nearly all are told by the golden playthroughs. The others are of actions that no command can
mean, since the codec has asked before; they are told here.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest
from golden_playthroughs import playthroughs
from test_every_game import games, of_each_game, played

from companion.rules import api
from companion.rules.api import Action, Refusal

RULES = Path(api.__file__).parent
UNASKED = {
    # game: the sentences for an action without what chance decides, where nobody deals, and
    # for an action that is none of the game
    "tentacles": {
        "Name the card that was turned up (rule 10).",
        "Five tentacles knows no such action.",
    },
    "octopus-alarm": {
        "Name the animal on top of the stack (rule 4).",
        "Name the face of the tile that was turned up (rule 2).",
        "Say whether the ship is capsized or upright (rule 7).",
        "Octopus alarm knows no such action.",
    },
    "sea-salt-paper": {
        "Name the cards that came (rules 2 and 3).",
        "Name the card that was taken (rules 8, 10 and 11).",
        (
            "With tracking=full a round is ended by stop, last-chance or mermaids, and the cards "
            "are known (rule 29)."
        ),
    },
}


def unasked(name):
    """The refusals of such actions in whole games."""
    for start, chance in games(name):
        for match in played(start, chance):
            possible = match.game.legal(match.state)
            for action in (*possible, Action()) if possible else ():
                try:
                    match.game.apply(match.state, action)
                except Refusal as refusal:
                    yield refusal


def written():
    """The line of whatever makes or raises a refusal in the rules, and its words."""
    calls = [
        (str(path), node.exc if isinstance(node, ast.Raise) else node)
        for path in RULES.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Raise)
        or (isinstance(node, ast.Call) and ast.unparse(node.func) == "Refusal")
    ]
    return {(path, call.lineno): ast.unparse(call) for path, call in calls}


@pytest.fixture
def heard(monkeypatch):
    """The lines of the refusals from now on."""
    lines = set()
    said = Refusal.__init__

    def listening(self, code, message):
        for frame in (sys._getframe(1), sys._getframe(2)):  # who makes it, who raises it
            lines.add((frame.f_code.co_filename, frame.f_lineno))
        said(self, code, message)

    monkeypatch.setattr(Refusal, "__init__", listening)
    return lines


@of_each_game
def test_what_chance_decides_must_be_named_where_nobody_deals(name):
    refusals = list(unasked(name))
    assert {refusal.message for refusal in refusals} == UNASKED[name]
    assert {refusal.code for refusal in refusals} <= {"bad-command", "not-legal"}


def test_every_refusal_is_told(heard):
    for playthrough in playthroughs():
        playthrough.replies()
    assert not set(heard) >= set(written())
    for name in UNASKED:
        list(unasked(name))
    assert [words for line, words in written().items() if line not in heard] == []
