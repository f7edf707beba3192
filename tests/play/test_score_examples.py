"""Hands and rounds with their right scores, through the program.

The files in `examples-score/` hold one `command` and its `reply` a line.
"""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest
from play_talk import differences
from score_talk import run_score

EXAMPLES = Path(__file__).parent / "examples-score"


def examples_in(name):
    with lzma.open(EXAMPLES / f"{name}.jsonl.xz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.mark.parametrize(
    ("name", "count"), [("sea-salt-paper-hands", 2_104), ("sea-salt-paper-rounds", 1_201)]
)
def test_the_program_scores_as_the_examples_do(name, count):
    examples = examples_in(name)
    assert len(examples) == count

    finished = run_score(lines=[example["command"] for example in examples])

    assert (finished.status, finished.errors) == (0, "")
    wrong = [
        f"{json.dumps(example['command'])}: {line}"
        for example, reply in zip(examples, finished.replies, strict=True)
        for line in differences(example["reply"], reply)
    ]
    assert not wrong, "\n".join([f"{len(wrong)} differences, the first:", *wrong[:10]])
