"""The catalogues hold every text of the pages and the engine, and nothing else."""

from __future__ import annotations

import ast
import re
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import write_po

from companion.codec import kebab
from companion.rules import GAMES
from companion.rules.sea_salt_paper.cards import CARDS
from tests import translations
from web_ui import things

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wanted():
    return translations.texts()


@pytest.mark.parametrize("language", translations.LANGUAGES)
def test_a_catalogue_has_no_text_that_is_nowhere_said(language, wanted):
    assert not translations.unused(language, wanted), "python -m tests.translations"


@pytest.mark.parametrize("language", translations.LANGUAGES)
def test_a_catalogue_lacks_no_text(language, wanted):
    assert not translations.missing(language, wanted)


@pytest.mark.parametrize("language", translations.LANGUAGES)
def test_a_catalogue_is_right_in_itself(language):
    assert not translations.faults(language)


def test_no_text_is_there_with_and_without_a_plural(wanted):
    plurals = {key[0] for key in wanted if isinstance(key, tuple)}
    assert len(plurals) == sum(isinstance(key, tuple) for key in wanted), "two plurals of one text"
    assert not plurals & {key for key in wanted if isinstance(key, str)}


def test_every_part_of_a_template_can_be_filled(wanted):
    for key in wanted:
        for text in key if isinstance(key, tuple) else (key,):
            assert not re.search(r"%\((\w+)\)(?![sd])", text), text


def test_the_texts_come_from_pages_templates_and_the_engine(wanted):
    assert "web_ui/games/tentacles.py" in wanted["Turn a card"]
    assert "web_ui/templates/board.html" in wanted["Take back"]
    assert "companion/doubts.py" in wanted["Nothing happened"]
    assert "It is not possible to sail now: %(possible)s." in wanted
    assert ("%(num)d card", "%(num)d cards") in wanted


def test_the_small_words_of_the_cards_are_all_there():
    assert {card.kind.replace("-", " ") for card in CARDS} == set(things.KINDS)
    assert {card.colour.replace("-", " ") for card in CARDS} == set(things.COLOURS)


def test_the_words_of_all_actions_are_there():
    """Where the past is set right, an action is told by its verb and what belongs to it."""
    actions = [action for game in GAMES.values() for action in game.actions]
    assert {kebab(action.__name__).replace("-", " ") for action in actions} == set(things.VERBS)
    keys = {entry.name.removesuffix("_") for action in actions for entry in fields(action)}
    assert keys - {"player"} == set(things.KEYS)  # a player is told by the name alone


def plain_ones(source):
    """The problems and refusals of a module that nobody can translate."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("Problem", "Refusal"):
            _, message, *_ = *node.args, None, None
            if isinstance(message, ast.Constant | ast.JoinedStr) and ast.unparse(message) != "None":
                yield node.lineno


def test_every_error_of_a_page_can_be_told_in_any_language():
    """Programs read English."""
    for path in (ROOT / "web_ui").rglob("*.py"):
        if "api" not in path.stem:
            assert not list(plain_ones(path.read_text(encoding="utf-8"))), path
    assert list(plain_ones('Problem("stale", "Gone")\nRefusal("stale", f"{x}")')) == [1, 2]
    assert not list(plain_ones('Problem("stale", say("Gone"))'))


def test_an_installed_program_has_the_catalogues():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = project["tool"]["setuptools"]["package-data"]["web_ui"]
    held = {path for pattern in patterns for path in (ROOT / "web_ui").glob(pattern)}
    for language in translations.LANGUAGES:
        assert {translations.po(language), translations.mo(language)} <= held


# What collects the texts, and what judges the catalogues, are seen to do so


def test_a_text_is_found_wherever_it_is_said():
    source = """
say("one %(part)s", part=say("within"))
Refusal("not-legal", say("a" if x else "b") if y else say("joined " "together"))
"""
    with pytest.raises(translations.NotLiteral, match="line 3"):
        list(translations.texts_of_python(source, "here.py"))
    source = source.replace('"a" if x else "b"', '"a"')
    assert list(translations.texts_of_python(source, "here.py")) == [
        "one %(part)s",
        "within",
        "a",
        "joined together",
    ]


@pytest.mark.parametrize("source", ['say(f"{x} lies")', "gettext(text)", 'say_number("one", x, 2)'])
def test_a_text_that_is_put_together_is_refused(source):
    with pytest.raises(translations.NotLiteral):
        list(translations.texts_of_python(source, "here.py"))


def test_a_template_gives_its_texts():
    source = (
        "{{ _('One') }}{{ ngettext('%(num)d x', '%(num)d xs', n) }}{% trans %}Two{% endtrans %}"
    )
    assert list(translations.texts_of_template(source)) == [
        "One",
        ("%(num)d x", "%(num)d xs"),
        "Two",
    ]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(translations, "FOLDER", tmp_path)
    return tmp_path


def written(*messages, compiled=None):
    """A Polish catalogue with these messages."""
    catalogue = Catalog(locale="pl", fuzzy=False)
    for text, translated, *flags in messages:
        catalogue.add(text, translated, flags=flags)
    translations.po("pl").parent.mkdir(parents=True, exist_ok=True)
    with translations.po("pl").open("wb") as file:
        write_po(file, catalogue)
    with translations.mo("pl").open("wb") as file:
        write_mo(file, compiled or catalogue)
    return catalogue


CARD = ("%(num)d card of %(player)s", "%(num)d cards of %(player)s")
GOOD = ("karta %(player)s", "%(num)d karty %(player)s", "%(num)d kart %(player)s")


def test_a_good_catalogue_has_no_fault(folder):
    written(("%(a)s takes %(b)s", "%(b)s: %(a)s, %(b)s"), (CARD, GOOD), ("Later", ""))
    assert translations.faults("pl") == []
    assert translations.missing("pl", {"Later": set(), CARD: set(), "New": set()}) == [
        "Later",
        "New",
    ]
    assert translations.unused("pl", {"Later": set(), CARD: set()}) == ["%(a)s takes %(b)s"]


@pytest.mark.parametrize(
    ("messages", "fault"),
    [
        ([("%(a)s takes %(b)s", "%(a)s bierze")], "other parts"),
        ([("%(a)s takes", "%(a)s bierze %(b)s")], "other parts"),
        ([(CARD, (*GOOD[:2], "%(num)d kart"))], "other parts"),
        ([(CARD, (*GOOD[:2], ""))], "plural forms"),
        ([("Stop", "Stop", "fuzzy")], "fuzzy"),
    ],
)
def test_a_fault_of_a_catalogue_is_named(folder, messages, fault):
    written(*messages)
    assert any(fault in each for each in translations.faults("pl"))


def test_a_compiled_catalogue_of_another_time_is_named(folder):
    before = written(("Stop", "Stój"))
    written(("Stop", "Dość"), compiled=before)
    assert translations.faults("pl") == ["messages.mo was not made from messages.po"]


def test_renewing_keeps_what_is_translated_and_leaves_out_what_is_not_said(folder):
    written(("Stop", "Dość"), ("Gone", "Nie ma"), (CARD, GOOD))
    translations.update("pl", {"Stop": {"a.py"}, "New": {"b.py"}, CARD: {"c.py"}})
    known = translations.catalogue("pl")
    assert {message.id: message.string for message in known if message.id} == {
        "Stop": "Dość",
        "New": "",
        CARD: GOOD,
    }
    assert translations.faults("pl") == []
    text = translations.po("pl").read_text(encoding="utf-8")
    translations.update("pl", {"Stop": {"a.py"}, "New": {"b.py"}, CARD: {"c.py"}})
    assert translations.po("pl").read_text(encoding="utf-8") == text
