"""Every clause of the rules of each game is written down, played by and tested."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from companion.rules import GAMES
from companion.rules.api import Choice, Names, Number
from companion.rules.sea_salt_paper.cards import KINDS

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Book:
    """The rules of one game, and where they are kept.

    Attributes:
        game: its name.
        count: of clauses; they are numbered from 1.
        code: its modules, below `companion/rules`.
        tests: below `tests/rules`, those named by clauses.
        words: that its page must explain, beside the options and their values.
    """

    game: str
    count: int
    code: str
    tests: str
    words: tuple[str, ...]

    @property
    def clauses(self):
        return set(range(1, self.count + 1))

    @property
    def page(self):
        return (ROOT / "docs" / "rules" / f"{self.game}.md").read_text(encoding="utf-8")

    @property
    def section(self):
        """Of the play protocol."""
        protocol = (ROOT / "docs" / "play-protocol.md").read_text(encoding="utf-8")
        _, _, rest = protocol.partition(f"\n## {self.game}\n")
        return re.split(r"^## ", rest, maxsplit=1, flags=re.MULTILINE)[0]

    @property
    def options(self):
        return GAMES[self.game].options


PATTERNS = ("dots", "rings", "stars", "stripes", "waves")
BOOKS = (
    Book(
        *("tentacles", 13, "tentacles*.py", "test_tentacles.py"),
        words=(*PATTERNS, "dots-eyes", "dots-tentacle", "octopus"),
    ),
    Book(
        *("octopus-alarm", 13, "octopus_alarm*.py", "test_octopus_alarm_*.py"),
        words=GAMES["octopus-alarm"].components,
    ),
    Book(
        *("sea-salt-paper", 37, "sea_salt_paper/*.py", "test_sea_salt*.py"),
        words=KINDS,
    ),
)
of_each_game = pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.game)
NAMED = re.compile(r"\brules?[ _]\d+(?:(?:, | and |, and )\d+)*", re.IGNORECASE)


def clauses_named(text):
    """Such as `rule 7`, `Rules 2, 3 and 4` or `test_rule_9_the_last_card`."""
    text = text.replace("test_rule_", "test rule ")
    return {int(number) for named in NAMED.findall(text) for number in re.findall(r"\d+", named)}


def clauses_numbered(text):
    """The numbered paragraphs of a page in Markdown."""
    return [int(number) for number in re.findall(r"^(\d+)\. ", text, re.MULTILINE)]


def text_of(folder, pattern):
    paths = sorted(folder.glob(pattern))
    assert paths, f"there is no {folder / pattern}"
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


def code_of(book):
    return text_of(ROOT / "companion" / "rules", book.code)


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_its_book(game):
    assert game in {book.game for book in BOOKS}, f"say in BOOKS where the rules of {game} are"


@of_each_game
def test_the_rules_have_every_clause_once_and_in_order(book):
    assert clauses_numbered(book.page) == sorted(book.clauses)


@of_each_game
def test_every_clause_is_named_where_it_is_kept(book):
    """In the code or, for a clause that needs none, in the documents."""
    named = clauses_named(code_of(book)) | clauses_named(book.page) | clauses_named(book.section)
    assert book.clauses - named == set()


@of_each_game
def test_every_clause_is_named_by_a_test(book):
    names = re.findall(
        r"^def (test_\w+)", text_of(ROOT / "tests" / "rules", book.tests), re.MULTILINE
    )
    assert clauses_named("\n".join(names)) == book.clauses


@of_each_game
def test_nothing_names_a_clause_that_there_is_not(book):
    named = clauses_named(code_of(book)) | clauses_named(book.page) | clauses_named(book.section)
    assert named <= book.clauses


@of_each_game
def test_the_rules_name_every_card_and_option(book):
    words = set(re.findall(r"`([^`]+)`", book.page))
    values = {
        word for option in book.options if isinstance(option, Choice) for word in option.words
    }
    values |= {
        word for option in book.options if isinstance(option, Names) for word in option.never
    }
    assert {*book.words, *values, *(option.name for option in book.options)} - words == set()


@of_each_game
def test_the_rules_tell_the_default_counts_and_ranges(book):
    for option in book.options:
        match option:
            case Number(name, int() as default, low, high):
                assert f"| `{name}` | {low}-{high} | {default} |" in book.page
            case Number(name, several, low, high):
                default = " / ".join(map(str, several.values()))
                assert f"| `{name}` | {low}-{high} | {default} |" in book.page
            case Choice(name):
                assert f"| `{name}` | `{option.default}` |" in book.page


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
