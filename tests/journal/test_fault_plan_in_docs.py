"""The plan of faults in docs/reliability.md is the one that is played without another."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from hardware_sim.evening.faults import KINDS, USUAL, Plan

DOCUMENT = Path(__file__).parents[2] / "docs" / "reliability.md"


def test_the_plan_in_the_document_is_the_usual_one_and_names_every_kind():
    (plan,) = re.findall(r"```toml\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    tables = tomllib.loads(plan)
    assert {table: set(kinds) for table, kinds in tables.items()} == {
        table: set(kinds) for table, kinds in KINDS.items()
    }
    assert Plan.of(plan) == Plan.of(USUAL)
    for kinds in KINDS.values():
        for kind, meaning in kinds.items():
            assert re.search(rf"^{kind} = [0-9.]+ +# {re.escape(meaning)}$", plan, re.MULTILINE)
