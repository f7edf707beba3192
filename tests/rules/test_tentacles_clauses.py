"""Every clause of the rules of five tentacles is written down, played by and tested."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from companion.rules import GAMES
from companion.rules.api import Choice, Number
from companion.rules.tentacles_words import FACES, PATTERNS

ROOT = Path(__file__).parents[2]
RULES = ROOT / "docs" / "rules" / "tentacles.md"
CLAUSES = set(range(1, 14))
NAMED = re.compile(r"\brules?[ _]\d+(?:(?:, | and |, and )\d+)*", re.IGNORECASE)


def clauses_named(text):
    """Such as `rule 7`, `Rules 2, 3 and 4` or `test_rule_9_the_last_card`."""
    text = text.replace("test_rule_", "test rule ")
    return {int(number) for named in NAMED.findall(text) for number in re.findall(r"\d+", named)}


def clauses_numbered(text):
    """The numbered paragraphs of a page in Markdown."""
    return [int(number) for number in re.findall(r"^(\d+)\. ", text, re.MULTILINE)]


def text_of(folder, pattern):
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob(pattern)))


def test_the_rules_have_every_clause_once_and_in_order():
    assert clauses_numbered(RULES.read_text(encoding="utf-8")) == sorted(CLAUSES)


def test_every_clause_is_named_where_it_is_kept():
    """In the code or, for a clause that needs none, in the documents."""
    code = clauses_named(text_of(ROOT / "companion" / "rules", "tentacles*.py"))
    documents = clauses_named(text_of(ROOT / "docs", "**/*.md"))
    assert CLAUSES - code - documents == set()


def test_every_clause_is_named_by_a_test():
    tests = (ROOT / "tests" / "rules" / "test_tentacles.py").read_text(encoding="utf-8")
    names = "\n".join(re.findall(r"^def (test_\w+)", tests, re.MULTILINE))
    assert clauses_named(names) == CLAUSES


def test_the_code_names_no_clause_that_there_is_not():
    assert clauses_named(text_of(ROOT / "companion" / "rules", "tentacles*.py")) <= CLAUSES


def test_the_rules_name_every_card_and_option():
    text = RULES.read_text(encoding="utf-8")
    words = set(re.findall(r"`([^`]+)`", text))
    options = GAMES["tentacles"].options
    values = {word for option in options if isinstance(option, Choice) for word in option.words}
    cards = {*PATTERNS, "octopus", *(face for face in FACES if face.startswith("dots"))}
    assert {*cards, *values, *(option.name for option in options)} - words == set()


def test_the_rules_tell_the_default_counts_and_ranges():
    text = RULES.read_text(encoding="utf-8")
    for option in GAMES["tentacles"].options:
        if isinstance(option, Number):
            row = f"| `{option.name}` | {option.low}-{option.high} | {option.default} |"
            assert row in text
        if isinstance(option, Choice):
            assert f"| `{option.name}` | `{option.default}` |" in text


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("The pile is empty (rule 9).", {9}),
        ("Rules 2, 3 and 4: ask whom to rob", {2, 3, 4}),
        ("def test_rule_13_so_are_the_odds", {13}),
        ("rule 1 and rule 12", {1, 12}),
        ("There are 5 rules, and 7 cards.", set()),
        ("the overrule 3", set()),
    ],
)
def test_a_named_clause_is_read(text, clauses):
    assert clauses_named(text) == clauses
