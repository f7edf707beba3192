"""What a page says is in its reader's language, whatever happens at the table.

A catalogue that sets every text in brackets stands for another language. What is outside brackets
on a page, and is no name that people gave, is English that was left behind.
"""

from __future__ import annotations

import html
import json
import re
from random import Random

import pytest
from evening import TOKEN
from every_page import addresses, sit

from companion.match import SeededChance, Setup
from companion.publisher import Publisher
from companion.repair.by_hand import moves, shows_hidden
from companion.repair.timeline import Timeline
from companion.rules import GAMES
from companion.rules.api import Refusal
from companion.rules.sea_salt_paper.cards import NAMES, PLAIN_COUNT
from companion.rules.sea_salt_paper.words import Call, Hand
from companion.said import Said
from companion.snapshot import Source
from hardware_sim.evening.faults import USUAL, Plan
from hardware_sim.evening.simulate import Run
from tests.rules.golden_playthroughs import playthroughs
from tests.support.pseudo import Pseudo, bracketed, bracketing, english_left, pseudo, untold
from tests.support.tables import running
from web_ui import create_app
from web_ui.games import face_of, plain
from web_ui.words import told

__all__ = ["bracketing", "pseudo"]

PLAYERS = ("Ann", "Bo", "Cy", "Kari", "Ola", "Zosia", "Dora", "Eva", "Leo", "Mia")
READERS = re.compile(
    r"\b(sim|reader|pcsc-\d|r\d|gpio-\d+|play|reef|draw|area-\d|seat-\d|discard-\d)\b"
)


def names_of_pieces():
    """What nobody has given names for people yet: games without a face of their own."""
    return {
        name
        for game in GAMES.values()
        if face_of(game.name) is plain.face(game.name)
        for name in (*game.components, game.name, face_of(game.name).title())
    }


def left_in(sentence, names=PLAYERS):
    """What of an engine's sentence is not translated."""
    return untold(READERS.sub(" ", str(told(sentence))), {*names, *names_of_pieces()})


# --- the engine's sentences ------------------------------------------------------------


def test_a_refusal_of_the_rules_is_told_in_any_language(bracketing, monkeypatch):
    """All that the golden playthroughs are refused, and they are refused nearly everything."""
    messages = set()
    made = Refusal.__init__

    def listening(self, code, message):
        messages.add(message)
        made(self, code, message)

    monkeypatch.setattr(Refusal, "__init__", listening)
    for playthrough in playthroughs():
        playthrough.replies()
    said = {message for message in messages if isinstance(message, Said)}
    assert len({message.template for message in said}) > 100
    for message in said:
        # In quotes is what somebody wrote; options and keys are called so in every language.
        text = re.sub(r"'[^']*'", " ", str(told(message)))
        if not message.startswith(("The option", "The key", *(f"{game} " for game in GAMES))):
            assert not untold(text, {*PLAYERS, *names_of_pieces(), *GAMES}), message
    # What is no such sentence answers a program that has written what is no command.
    assert not [message for message in messages - said if "(rule" in message]


def sentences_of(snapshot):
    """All that a page shows of a snapshot as the engine said it."""
    yield snapshot.event.message
    yield snapshot.waiting
    if snapshot.ship is not None:
        yield snapshot.ship.reason
    for question in snapshot.questions:
        yield question.text
        yield from (choice.label for choice in question.choices)
    for reader in snapshot.readers:
        yield reader.trouble


@pytest.fixture
def published(monkeypatch):
    """The sentences of all snapshots from now on, without repeats."""
    found = {}
    publish = Publisher.publish

    def listening(self, moment):
        for sentence in sentences_of(moment.snapshot):
            found.setdefault(sentence, sentence)
        publish(self, moment)

    monkeypatch.setattr(Publisher, "publish", listening)
    return found


OF_OTHERS = ("it gives no UID", "database or disk is full")
"""What a robot's reader says, and a disk: they speak for themselves."""


@pytest.mark.parametrize(
    ("game", "games", "templates"),
    [("tentacles", 6, 14), ("octopus-alarm", 3, 28), ("sea-salt-paper", 2, 25)],
)
def test_whole_evenings_with_faults_are_told_in_any_language(
    bracketing, published, game, games, templates
):
    for temper in ("attentive", "careless"):
        tally = Run(game, Plan.of(USUAL), 5, temper).play(range(games))
        assert not tally.crashed, tally.report()
    said = {sentence.template for sentence in published.values() if isinstance(sentence, Said)}
    assert len(said) >= templates, len(said)
    left = {
        sentence: words
        for sentence in published.values()
        if (words := left_in(sentence, (*PLAYERS, *OF_OTHERS)))
        and not sentence.startswith("The question ")  # which names what a program sends
    }
    assert not left


@pytest.mark.parametrize("game", GAMES)
def test_moves_by_hand_are_told_in_any_language(bracketing, game):
    chance = Random(3)
    told_of = set()
    for seed in range(6):
        timeline = Timeline.start(Setup(game, ("Ann", "Bo", "Cy"), None, {}, seed))
        for number in range(1, 60):
            legal = timeline.match.game.legal(timeline.match.state)
            if not legal:
                break
            timeline = timeline.do(chance.choice(legal), number)
            for count in {1, chance.randint(1, number)}:
                before = timeline.undo(count)
                for one, other in ((timeline, before), (before, timeline)):
                    texts = [move.text for move in moves(one, other)]
                    told_of |= {text for text in texts if not isinstance(text, str) or text}
                    assert not [text for text in texts if left_in(text)]
                assert not left_in(shows_hidden(timeline.match, count))
    assert len(told_of) > 5


# --- pages -----------------------------------------------------------------------------

PAGE = Source("page")
POLISH = {"Accept-Language": "pl"}


class Visitor:
    """Somebody with a device in another language, who looks everywhere."""

    def __init__(self, app, *, link=True):
        self.client = app.test_client()
        if link:
            self.client.get(f"/link/{TOKEN}")
        self.left: dict[str, list[str]] = {}
        self.looked = 0
        names = {
            app.extensions["tidetable"].link.join_code,
            "sim",
            "Virtual reader",
            "English",
            "Norsk",
            "Polski",
        }
        self.names = {*PLAYERS, *names, *names_of_pieces()}

    def _look(self, what, response):
        if response.mimetype == "text/html" and response.status_code != 303:
            self.looked += 1
            self.page = response.text
            assert 'lang="pl"' in response.text, what
            if left := list(english_left(response.text, self.names)):
                self.left[what] = left
        return response

    def get(self, path):
        return self._look(f"GET {path}", self.client.get(path, headers=POLISH))

    def post(self, path, **more):
        found = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', self.page)
        fields = {name: html.unescape(value) for name, value in reversed(found)}
        sent = self.client.post(path, data={**fields, **more}, headers=POLISH)
        return self._look(f"POST {path}", sent)


@pytest.fixture
def visitor(pseudo, evening):
    return Visitor(evening.app)


def nothing_left(visitor, at_least):
    assert not visitor.left, json.dumps(visitor.left, indent=1, ensure_ascii=False)
    assert visitor.looked >= at_least


@pytest.mark.parametrize("role", ["viewer", "seat", "helper"])
def test_no_page_says_anything_that_cannot_be_translated(pseudo, evening, role):
    """Every page that has a route, for everybody who may look at it."""
    evening.do("dots", {"do": "stop"}, "rings")
    visitor = Visitor(evening.app, link=role == "helper")
    if role == "seat":
        sit(evening.app, lambda path, form: visitor.client.post(path, data=form), "Ann")
    for _, path in addresses(evening.app):
        visitor.get(path)
    nothing_left(visitor, 20)


def test_whatever_happens_at_the_table_is_told_in_any_language(visitor, evening):
    def look():
        for path in ("/", "/cards", "/virtual"):
            visitor.get(path)

    for command in (
        "dots",
        {"do": "stop"},
        "dots-tentacle",
        {"do": "steal", "from": "Ann"},
        "waves",
        "waves-eyes",
        "octopus",
        "rings",
    ):
        evening.do(command)
        look()
    evening.table.undo(1, source=evening.table.snapshot.event.source)
    look()
    evening.virtual.tap_unknown()
    look()
    evening.virtual.lay_two()
    look()
    for token in ("stop", "stop", "shuffle", "mermaids", "undo"):
        evening.virtual.tap(f"control/{token}")
        look()
    evening.lose_reader()
    look()
    evening.find_reader()
    look()
    nothing_left(visitor, 45)


def some(match, action, chance):
    """The action with what chance decides, or what people would say of their hands."""
    match action:
        case Call():
            reason = chance.choice(["stop", "last-chance", "deck-empty"])
            return Call(chance.choice(match.setup.players), reason)
        case Hand(player):
            seat = match.setup.players.index(player)
            return Hand(player, tuple(chance.sample(NAMES[seat:PLAIN_COUNT:3], 6)))
    return match.game.deal(match.state, action, SeededChance(11))


@pytest.mark.parametrize(
    "options", [{}, {"tracking": "score"}, {"memory_aid": "on"}, {"salt": True}]
)
@pytest.mark.parametrize("game", GAMES)
def test_whole_games_are_shown_in_any_language(pseudo, tmp_path, game, options):
    """On the scoreboard of who helps, on a player's phone, and where the past is set right."""
    if not set(options) <= {option.name for option in GAMES[game].options}:
        return
    chance = Random(7)
    setup = Setup(game, PLAYERS[:3], None, options)
    with running(tmp_path, setup) as table:
        app = create_app(table, token=TOKEN)
        helper = Visitor(app)
        phone = Visitor(app, link=False)
        sit(app, lambda path, form: phone.client.post(path, data=form), "Bo")
        for _ in range(60):
            match = table.timeline.match
            legal = match.game.legal(match.state)
            if not legal:
                break
            action = some(match, chance.choice(legal), chance)
            answer = table.act(action, source=PAGE)
            assert answer.code is None, answer.message
            helper.get("/")
            phone.get("/play")
        helper.get("/correct?all")
        for link in chance.sample(table.timeline.links, 5):
            for what in ("", "/missing", "/back"):
                helper.get(f"/correct/entry/{link.label}{what}")
        nothing_left(helper, 20)
        nothing_left(phone, 10)


def test_the_past_is_set_right_in_any_language(visitor, evening):
    evening.do("dots", {"do": "stop"}, "dots-tentacle", {"do": "decline"}, "rings", "stars")
    for path in ("", "/entry/1", "/entry/1/missing", "/entry/3/back"):
        visitor.get(f"/correct{path}")
    for edit in (
        {"entry": "1", "do": None},
        {"entry": "1", "do": "reveal", "card": "waves"},
        {"entry": "1", "do": "reveal", "card": "octopus"},
        {"before": "1", "do": "reveal", "card": "dots-eyes"},
    ):
        visitor.get("/correct/entry/1")
        visitor.post("/correct/preview", add=json.dumps(edit))
    visitor.get("/correct/entry/6")
    visitor.post("/correct", edits=json.dumps([{"entry": "6", "do": "reveal", "card": "waves"}]))
    number = len(evening.table.past.entries)
    for path in ("", f"/restore/{number}", f"/moves/{number}"):
        visitor.get(f"/correct{path}")
    nothing_left(visitor, 14)


def test_an_error_is_told_in_any_language(visitor):
    for path in ("/nothing", "/correct/entry/99", "/correct/restore/99", "/link/wrong"):
        assert visitor.get(path).status_code >= 400
    for path, form in (
        ("/touch", {"action": '{"do": "decline"}'}),
        ("/touch/answer", {"question": "away", "choice": "nothing"}),
        ("/touch/undo", {"view": "old.1"}),
        ("/touch/undo", {"key": "wrong"}),
    ):
        visitor.get("/")
        assert visitor.post(path, **form).status_code >= 400
    nothing_left(visitor, 12)


def test_a_program_reads_an_error_in_english(pseudo, evening):
    """Whatever language its requests ask for; the script of a page shows it to people."""
    sent = {"Authorization": f"Bearer {TOKEN}", **POLISH}
    answer = evening.client().post("/api/v1/actions", json={"do": "decline"}, headers=sent)
    sentence = "It is not possible to decline now: Ann must turn a card first (rule 1)."
    assert answer.json["error"]["message"] == sentence
    visitor = Visitor(evening.app)
    visitor.get("/")
    accept = {**POLISH, "Accept": "application/json"}
    fields = dict(re.findall(r'name="(key|view|page)" value="([^"]*)"', visitor.page))
    form = {**fields, "action": '{"do": "decline"}'}
    answer = visitor.client.post("/touch", data=form, headers=accept)
    assert answer.json["error"]["message"].startswith("⟦It is not possible to decline now: ⟧")


# --- that this would be seen -----------------------------------------------------------


def test_what_is_in_no_catalogue_stands_out():
    page = f'<html lang="pl"><p aria-label="Plain">{bracketed("Turn a card")}</p>Ann 5 <b>wins</b>'
    assert list(english_left(page, PLAYERS)) == ["Plain", "wins"]
    assert Pseudo.ugettext("Turn a card") == "⟦Turn a card⟧"
    assert Pseudo.ugettext("Such a text is nowhere said") == "Such a text is nowhere said"
    sentence = Pseudo.ugettext("It is the turn of %(player)s.") % {"player": "Ann"}
    assert sentence == "⟦It is the turn of ⟧Ann⟦.⟧"
    assert untold(sentence) == ["Ann"]
    assert not untold(sentence, PLAYERS)
