"""Sentences that remember how they were made: still texts, and told in any language."""

from __future__ import annotations

import copy
import json
import pickle
import sqlite3

import flask_babel
import pytest
from flask import Flask

from companion.doubts import Doubts
from companion.meaning.plain import no_meaning
from companion.rules.api import Refusal
from companion.said import (
    Capital,
    Listed,
    Said,
    Thing,
    either,
    kept,
    recalled,
    say,
    say_number,
    together,
)
from tests.support.tables import running
from web_ui import words

SENTENCE = say(
    "%(player)s may take %(cards)s, %(what)s.",
    player="Ann",
    cards=either(map(Thing, ("dots", "rings", "waves"))),
    what=Capital(say_number("%(num)d card", "%(num)d cards", 2)),
)
IN_ENGLISH = "Ann may take dots, rings or waves, 2 cards."


def test_a_sentence_is_a_text_like_any_other():
    assert SENTENCE == IN_ENGLISH
    assert hash(SENTENCE) == hash(IN_ENGLISH)
    assert {IN_ENGLISH: 1}[SENTENCE] == 1
    assert json.dumps([SENTENCE]) == json.dumps([IN_ENGLISH])
    with sqlite3.connect(":memory:") as file:
        (read,) = file.execute("SELECT ?", (SENTENCE,)).fetchone()
    assert read == IN_ENGLISH


@pytest.mark.parametrize(
    "copied",
    [
        copy.copy,
        copy.deepcopy,
        lambda text: pickle.loads(pickle.dumps(text)),
        lambda text: recalled(json.loads(json.dumps(kept(text)))),
    ],
)
def test_a_copy_remembers_as_much(copied):
    again = copied(SENTENCE)
    assert again == SENTENCE
    assert (again.template, again.parts) == (SENTENCE.template, SENTENCE.parts)
    cards, what = again.parts["cards"], again.parts["what"]
    assert isinstance(cards, Said)
    assert [type(thing) for thing in cards.parts["most"].things] == [Thing, Thing]
    assert what.text.many == "%(num)d cards"


def test_what_was_not_kept_comes_back_as_it_is():
    for value in ("dots", 3, None, ["dots"], {"a": 1}):
        assert recalled(kept(value)) == value


def test_an_exception_gives_the_sentence_back_whole():
    assert str(ValueError(SENTENCE)) is SENTENCE
    assert Refusal("not-legal", SENTENCE).message is SENTENCE


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 cards"), (1, "one card"), (2, "2 cards"), (21, "21 cards")]
)
def test_what_is_counted_chooses_the_form(count, text):
    assert say_number("one card", "%(num)d cards", count) == text


def test_things_are_joined_as_people_join_them():
    assert either([2]) == "2"
    assert either([0, 2, 3]) == "0, 2 or 3"
    assert either(["Ann", "Bo"]) == "Ann or Bo"
    assert together(["Ann"]) == "Ann"
    assert together(["Ann", "Bo", "Cy"]) == "Ann and Bo and Cy"
    assert Listed([], " ") == ""
    assert Listed(["a", 1]) == "a, 1"
    assert Capital("put it there.") == "Put it there."
    assert Capital("") == ""


def test_a_percent_sign_is_written_twice():
    assert say("%(share)d %% of it", share=5) == "5 % of it"


# In another language

POLISH = {
    "": "the head of the catalogue",
    "%(player)s may take %(cards)s, %(what)s.": "%(cards)s: to może wziąć %(player)s; %(what)s.",
    "%(most)s or %(last)s": "%(most)s lub %(last)s",
    "dots": "kropki",
    "%(reader)s was away for %(time)s in the turn of %(player)s: did anything happen there that "
    "was not read?": "%(player)s, %(reader)s, %(time)s?",
    "%(number)s s": "%(number)s sek.",
    "Nothing happened": "nic",
}
CARDS = ("%(num)d karta", "%(num)d karty", "%(num)d kart")


class Polish:
    """A catalogue as gettext has it, with three forms for numbers."""

    @staticmethod
    def ugettext(text):
        return POLISH.get(text, text)

    @staticmethod
    def ungettext(one, many, count):
        assert (one, many) == ("%(num)d card", "%(num)d cards")
        return CARDS[0 if count == 1 else 1 if count in (2, 3, 4) else 2]


@pytest.fixture
def polish(monkeypatch):
    monkeypatch.setattr(words, "get_translations", Polish)


def test_a_sentence_is_told_with_its_parts(polish):
    # "waves" has no word in this catalogue, and stays as it is.
    words.call_things(["rings"], lambda name: f"<{name}>")
    try:
        assert words.told(SENTENCE) == "kropki, <rings> lub waves: to może wziąć Ann; 2 karty."
    finally:
        words._names.pop("rings")


def test_the_number_chooses_the_form_of_the_language(polish):
    told = [words.told(say_number("%(num)d card", "%(num)d cards", n)) for n in (1, 2, 5, 21)]
    assert told == ["1 karta", "2 karty", "5 kart", "21 kart"]


def test_a_capital_is_of_the_word_in_that_language(polish):
    assert words.told(Capital(Thing("dots"))) == "Kropki"


def test_what_people_wrote_is_told_as_it_is(polish):
    assert words.told("dots") == "dots"
    assert words.told(None) is None
    named = say("%(most)s or %(last)s", most="dots", last="%(player)s")
    assert words.told(named) == "dots lub %(player)s"


def test_a_thing_without_a_name_is_not_the_head_of_the_catalogue(polish):
    """To gettext, the empty text is the head of the catalogue."""
    assert words.told(Thing("")) == ""
    assert words.told(Thing("waves")) == "waves"


def test_a_game_is_called_by_its_title():
    app = Flask(__name__)
    flask_babel.Babel(app)
    with app.app_context():
        import web_ui.games  # noqa: F401, PLC0415 - it gives the games their titles

        told = words.told(no_meaning("tentacles").message)
    assert told == "This tag means nothing in Five tentacles now."


def test_a_doubt_is_told_in_any_language_also_after_a_restart(tmp_path, polish):
    with running(tmp_path) as table:
        course = table._authority.course
        _, question = Doubts().lost("r1", 0, "Ann").back("r1", 7_000_000_000, "Ann")
        course.doubt(question)
    with running(tmp_path) as table:
        (asked,) = table.snapshot.questions
        assert asked == question
        assert words.told(asked.text) == "Ann, r1, 7 sek.?"
        assert words.told(asked.choices[0].label) == "nic"


def test_a_doubt_of_an_older_record_is_told_in_english(tmp_path):
    with running(tmp_path) as table:
        body = {"key": "away", "text": "Was it?", "choices": [["nothing", "No"]]}
        table._authority.course.remark("doubt", body)
    with running(tmp_path) as table:
        (asked,) = table.snapshot.questions
    assert (asked.text, asked.choices[0].label) == ("Was it?", "No")
