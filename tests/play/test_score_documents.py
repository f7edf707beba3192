"""What `docs/play-protocol.md` says of `companion score` is so."""

from __future__ import annotations

import json
import re

from play_talk import ROOT
from score_talk import run_score

from companion.score import ENDS, SCORERS

PAGE = ROOT / "docs" / "play-protocol.md"


def section():
    _, _, rest = PAGE.read_text(encoding="utf-8").partition("\n## Scoring without a game\n")
    return rest.partition("\n## ")[0]


def session():
    (block,) = re.findall(r"^```score\n(.*?)^```$", section(), re.MULTILINE | re.DOTALL)
    start, *lines = block.splitlines()
    assert [line[:2] for line in lines] == ["> ", "< "] * (len(lines) // 2)
    return start.removeprefix("$ "), [line[2:] for line in lines]


def test_the_session_is_what_the_program_says():
    game, lines = session()
    assert run_score(game, lines=lines[::2]).output.decode().splitlines() == lines[1::2]


def test_every_key_of_a_reply_is_explained():
    _, lines = session()
    _, _, table = section().partition("| key of a reply |")
    first_cells = " ".join(re.findall(r"^\|([^|]+)\|", table, re.MULTILINE))
    explained = set(re.findall(r"`(\w+)`", first_cells))
    keys = {key for line in lines[1::2] for key in json.loads(line)}
    assert keys == explained | {"ok", "error"}


def test_every_way_to_end_a_round_and_every_game_is_named():
    for word in (*ENDS, *SCORERS):
        assert word in section()
