"""A page in a language of the catalogues has no English text that is translated there.

What can be translated at all is `test_other_languages`' matter, with a language that nobody
speaks. Here the catalogues themselves are looked at: a text that is shown around them, or that
they lack, is an English text on a page in another language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

import pytest
from evening import TOKEN
from every_page import addresses, sit

from companion.config import Told
from companion.match import SeededChance, Setup
from companion.rules import GAMES
from companion.rules.sea_salt_paper.cards import NAMES
from companion.rules.sea_salt_paper.words import Call, Hand
from companion.snapshot import Source
from tests import translations
from tests.support.pseudo import texts_of
from tests.support.tables import running
from web_ui import create_app
from web_ui.games import face_of, plain

LANGUAGES = translations.LANGUAGES
PLAYERS = ("Kari", "Ola", "Zosia")
PAGE = Source("page")
GAMES_WITH_WORDS = [name for name in GAMES if face_of(name) is not plain.face(name)]

WHOLE = 4
"""Letters that an English text has at least, to be looked for as the whole of a text."""
WITHIN = 10
"""The same, to be looked for within one: shorter ones are words of other languages, too."""


class English:
    """The English of what has another text in a language."""

    def __init__(self, language: str) -> None:
        known = translations.catalogue(language)
        self.whole: set[str] = set()
        pieces: set[str] = set()
        for key in translations.texts():
            message = known.get(key[0] if isinstance(key, tuple) else key)
            told = message.string if message is not None else ""
            forms = set(told if isinstance(told, list | tuple) else (told,))
            for text in key if isinstance(key, tuple) else (key,):
                if text not in forms:
                    longest = max(re.split(r"%\(\w+\)[sd]", text), key=len).strip(" .,:;?!…")
                    self.whole |= {text} if len(text) >= WHOLE else set()
                    pieces |= {longest} if len(longest) >= WITHIN and " " in longest else set()
        either = "|".join(re.escape(piece) for piece in sorted(pieces, key=len, reverse=True))
        self.within = re.compile(rf"\b(?:{either})\b")

    def left_on(self, page: str) -> Iterator[str]:
        """The texts of a page that are English, or have English in them."""
        for text in texts_of(page):
            if text in self.whole or self.within.search(text):
                yield text


@pytest.fixture(scope="module", params=LANGUAGES)
def language(request):
    return request.param


@pytest.fixture(scope="module")
def english(language):
    return English(language)


class Visitor:
    """Somebody with a device in this language."""

    def __init__(self, app, language, english, *, link):
        self._client = app.test_client()
        if link:
            self._client.get(f"/link/{TOKEN}")
        self._client.set_cookie("lang", language)
        self._language, self._english = language, english
        self.left: dict[str, list[str]] = {}
        self.looked = 0

    def sit(self, app, name):
        sit(app, lambda path, form: self._client.post(path, data=form), name)

    def look(self, path):
        response = self._client.get(path)
        if response.mimetype == "text/html" and response.status_code != 303:
            assert f'lang="{self._language}"' in response.text, path
            self.looked += 1
            if left := list(self._english.left_on(response.text)):
                self.left[path] = left


def some(match, action, chance):
    """The action with what chance decides, or what people would say of their hands."""
    if isinstance(action, Call):
        return Call(chance.choice(match.setup.players), "stop")
    if isinstance(action, Hand):
        seat = match.setup.players.index(action.player)
        return Hand(action.player, tuple(chance.sample(NAMES[seat:54:3], 6)))
    return match.game.deal(match.state, action, SeededChance(11))


@pytest.mark.parametrize("tracking", [None, "score"])
@pytest.mark.parametrize("game", GAMES_WITH_WORDS)
def test_no_page_of_a_game_has_english_left(tmp_path, language, english, game, tracking):
    if tracking and "tracking" not in {option.name for option in GAMES[game].options}:
        return
    chance = Random(5)
    setup = Setup(game, PLAYERS, None, {"tracking": tracking} if tracking else {})
    with running(tmp_path, setup) as table:
        app = create_app(table, token=TOKEN)
        helper = Visitor(app, language, english, link=True)
        phone = Visitor(app, language, english, link=False)
        phone.sit(app, "Ola")
        for _ in range(30):
            match = table.timeline.match
            legal = match.game.legal(match.state)
            if not legal:
                break
            answer = table.act(some(match, chance.choice(legal), chance), source=PAGE)
            assert answer.code is None, answer.message
            helper.look("/")
            phone.look("/play")
        viewer = Visitor(app, language, english, link=False)
        for _, path in addresses(app):
            for visitor in (helper, phone, viewer):
                visitor.look(path)
        for visitor in (helper, phone, viewer):
            assert visitor.left == {}
        assert helper.looked > 40
        assert phone.looked > 30
        assert viewer.looked > 10


BROKEN = (
    "host = 'kitchen\n",
    'host = "kitchen\nport = 80',
    'folder = "C:\\x"',
    "[network\n",
    "port = eighty\n",
    "port 80\n",
    "port = 80 90\n",
    "prot = 80\n[network]\nnmae = 'x'\n",
    "port = '80'\n",
    "port = 70000\n",
    "readers = 'sim:'\n",
    "readers = ['smi:']\n",
    "stations = { sim = 'roof' }\n",
    "[log]\nlevel = 3\n",
    "[log]\nold = 99\n",
    "[ship]\nupright = [1]\n",
    "[ship]\nrest_s = 0\n",
    "[network]\nname = 'Our kitchen'\n",
    "[mqtt]\nport = 0\n",
    "[webhook]\nurl = 'home'\n",
)


def test_what_is_wrong_with_the_file_of_the_settings_is_told_without_english(
    tmp_path, language, english
):
    told = Told({"data": tmp_path})
    settings = told.settings()
    with running(tmp_path, Setup("tentacles", PLAYERS)) as table:
        app = create_app(table, token=TOKEN, settings=settings)
        helper = Visitor(app, language, english, link=True)
        for text in BROKEN:
            told.path.write_text(text)
            for _ in range(2):
                settings.look()
            assert str(told.path) in settings.trouble
            helper.look("/settings")
            assert helper.left == {}, text
        told.path.unlink()
        for _ in range(2):
            settings.look()
        helper.look("/settings")
        assert helper.left == {}
        assert helper.looked == len(BROKEN) + 1


def test_english_would_be_seen(english):
    """In a text, in what is read aloud, whole or with names and numbers in it."""
    page = '<p title="Turn a card">Snu et kort</p><b>Ola: the eyes take the fish on ringer</b>'
    assert list(english.left_on(page)) == ["Turn a card", "Ola: the eyes take the fish on ringer"]
    assert list(english.left_on("<p>Settings</p><i>Extra Salt</i>")) == ["Settings"]
