"""A game is one file: dropped into a copy of the houses, with no change elsewhere, it plays.

And `docs/adding-a-game.md`, which walks through that file, says nothing else.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import urllib.parse
import urllib.request
from pathlib import Path

import pytest

from companion.rules import GAMES
from tests.support.service import TOKEN, serving

ROOT = Path(__file__).parents[2]
HOUSES = ("companion", "firmware_bridge", "hardware_sim", "web_ui")
GAME_FILE = Path(__file__).with_name("pebbles.py")
GUIDE = (ROOT / "docs" / "adding-a-game.md").read_text(encoding="utf-8")
PLAYERS = ("--players", "Ann,Bo")
LIMIT_S = 60
MOST_MOVES = 100


def blocks(kind):
    return re.findall(rf"^```{kind}\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """Where Python finds the copy first, and nothing of the folder that the tests run in."""
    folder = tmp_path_factory.mktemp("houses")
    for house in HOUSES:
        shutil.copytree(ROOT / house, folder / house, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(GAME_FILE, folder / "companion" / "rules")
    return {"PYTHONPATH": str(folder), "PYTHONSAFEPATH": "1"}


@pytest.fixture
def companion(environment, tmp_path):
    """Runs the command of the copy, in a folder and with a record of its own."""

    def run(*words, lines=()):
        return subprocess.run(
            [sys.executable, "-m", "companion.cli", *words],
            input="".join(f"{line}\n" for line in lines),
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={**os.environ, **environment, "XDG_DATA_HOME": str(tmp_path)},
            timeout=LIMIT_S,
            check=False,
        )

    return run


def replies(done):
    assert (done.returncode, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_without_its_file_there_is_no_such_game(companion, environment):
    assert "pebbles" not in GAMES
    where = companion("rules").stdout
    assert [line.split()[0] for line in where.splitlines()] == sorted([*GAMES, "pebbles"])


def test_the_file_is_short():
    assert len(GAME_FILE.read_text(encoding="utf-8").splitlines()) <= 100


# The guide


def test_the_guide_shows_the_whole_file_in_order():
    rest = GAME_FILE.read_text(encoding="utf-8")
    for block in blocks("python"):
        rest = rest.lstrip("\n")
        assert rest.startswith(block), f"not the next part of {GAME_FILE.name}:\n{block}"
        rest = rest[len(block) :]
    assert rest.strip() == ""


def test_the_conversation_in_the_guide_is_what_the_program_says(companion):
    (session,) = blocks("session")
    first, *lines = session.splitlines()
    words = shlex.split(first.removeprefix("$ companion "))
    said = [line[2:] for line in lines if line.startswith("> ")]
    done = companion(*words, lines=said)
    assert done.stdout.splitlines() == [line[2:] for line in lines if line.startswith("< ")]
    assert [line[:2] for line in lines] == ["< ", *["> ", "< "] * len(said)]


def commands():
    lines = [line for block in blocks("sh") for line in block.splitlines()]
    return [shlex.split(line) for line in lines]


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_every_command_of_the_guide_runs(companion, environment, tmp_path, words):
    program, word, *more = words
    assert program == "companion"
    (tags,) = blocks("csv")
    (tmp_path / "pebbles.csv").write_text(tags, encoding="utf-8")
    if word == "run":
        with serving(tmp_path / "data", *more, environment=environment) as service:
            assert service.get()["game"] == "pebbles"
        return
    done = companion(word, *more)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


def test_every_file_that_the_guide_names_is_there():
    named = {path for path in re.findall(r"`([a-z_]+/[^`]*)`", GUIDE) if "pebbles/" not in path}
    assert [path for path in named if not (ROOT / path).exists()] == []
    assert "tests/rules/test_every_game.py" in named


# Without a page


def turns(*cards):
    return [json.dumps({"do": "turn", "card": card}) for card in cards]


STOP = '{"do": "stop"}'


def test_a_whole_game_is_dealt(companion):
    opening, *played = replies(
        companion(
            *("play", "pebbles", *PLAYERS, "--deal", "--seed", "7"),
            lines=['{"do": "turn"}', STOP] * 20,
        )
    )
    assert opening["legal"] == [{"do": "turn"}]
    last = next(reply for reply in played if reply.get("over"))
    assert (last["turn"], last["phase"], last["legal"]) == (None, "over", [])
    assert sum(last["scores"].values()) == 15  # never more than one pebble is in the hand
    assert last["outcomes"][-1] == {"what": "game-won", "player": last["winners"][-1]}
    assert played[-1]["error"]["code"] == "game-over"


def test_where_it_is_dealt_no_other_card_may_be_named(companion):
    words = ("play", "pebbles", *PLAYERS, "--deal", "--seed", "7")
    _, first = replies(companion(*words, lines=['{"do": "turn"}']))
    (card,) = (outcome["card"] for outcome in first["outcomes"] if outcome["what"] == "turned")
    (other,) = {"pebble", "wave"} - {card}
    _, refused, done = replies(companion(*words, lines=turns(other, card)))
    assert refused["error"]["code"] == "card-not-available"
    assert done["outcomes"] == first["outcomes"]


def test_a_table_tells_what_came_and_is_refused_what_cannot_be(companion):
    *_, washed, early, sixth, undone = replies(
        companion(
            *("play", "pebbles", *PLAYERS),
            lines=[*turns(*["wave"] * 4, "pebble", "wave"), STOP, *turns("wave"), '{"undo": 1}'],
        )
    )
    assert washed["outcomes"] == [
        {"what": "turned", "card": "wave"},
        {"what": "turn-ended", "player": "Ann"},
    ]
    assert (washed["turn"], washed["scores"]) == ("Bo", {"Ann": 0, "Bo": 0})
    assert [early["error"]["code"], sixth["error"]["code"]] == ["not-legal", "card-not-available"]
    assert "rule 3" in early["error"]["message"]
    assert (undone["turn"], undone["state"]["hand"]) == ("Ann", 1)


def test_the_last_card_puts_the_hand_away_and_the_fullest_bucket_wins(companion):
    lines = [*turns("pebble"), STOP, *turns(*["wave"] * 5, *["pebble"] * 14)]
    *_, last = replies(companion("play", "pebbles", *PLAYERS, lines=lines))
    assert last["scores"] == {"Ann": 15, "Bo": 0}
    assert (last["over"], last["winners"]) == (True, ["Ann"])


def test_equal_buckets_win_together(companion):
    each = [*turns("pebble"), STOP]
    lines = [*each, *each, *turns(*["pebble"] * 13, *["wave"] * 5)]
    *_, last = replies(companion("play", "pebbles", *PLAYERS, lines=lines))
    assert last["scores"] == {"Ann": 1, "Bo": 1}
    assert (last["over"], last["winners"]) == (True, ["Ann", "Bo"])


def test_without_options_any_option_is_refused(companion):
    done = companion("play", "pebbles", *PLAYERS, "--set", "goal=20")
    assert (done.returncode, done.stdout) == (2, "")
    assert "it has none" in done.stderr


def test_its_rules_are_printed(companion):
    done = companion("rules", "pebbles")
    assert done.stdout.startswith("PEBBLES, for 2 to 6 players.\n")
    assert max(map(len, done.stdout.splitlines())) <= 78


# On the page


class Visitor:
    """Somebody with the table's link, in a browser without a script."""

    def __init__(self, service):
        self.service = service
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        self.page = self._open(f"/link/{TOKEN}?to=virtual")

    def _open(self, path, form=None):
        body = None if form is None else urllib.parse.urlencode(form).encode()
        with self._opener.open(self.service.url + path, body, timeout=LIMIT_S) as response:
            return response.read().decode()

    def press(self, path, **form):
        """Press a button of the virtual table's page, which answers with the next page."""
        hidden = dict(re.findall(r'name="(key|view)" value="([^"]*)"', self.page))
        self.page = self._open(path, {**hidden, "page": "virtual", **form})

    def words(self):
        return " ".join(re.sub(r"<[^>]+>", " ", self.page).split())


def wants_to_stop(table):
    return table["phase"] == "choose" and table["state"]["hand"] >= 2


def test_a_whole_game_at_the_virtual_table(environment, tmp_path):
    with serving(tmp_path, "--game", "pebbles", *PLAYERS, environment=environment) as service:
        visitor = Visitor(service)
        stops = 0
        for _ in range(MOST_MOVES):
            table = service.get()
            words = visitor.words()
            for player, points in table["scores"].items():
                assert re.search(rf"{player} {points} ", words), words
            if table["over"]:
                break
            what = "Choose: turn or stop" if table["phase"] == "choose" else "Turn"
            assert f"{table['turn']} {what}" in words
            pile = table["state"]["pile"]
            assert f"{pile} card" in words
            assert sum(map(int, re.findall("\N{MULTIPLICATION SIGN}([0-9]+)", words))) == pile
            if not wants_to_stop(table):
                visitor.press("/virtual/turn-top")
            elif stops % 2:
                visitor.press("/virtual/tap", component="control/stop")
            else:
                (stop,) = re.findall(r'name="action" value="([^"]*stop[^"]*)"', visitor.page)
                visitor.press("/touch", action=stop.replace("&#34;", '"'))
            stops += wants_to_stop(table)
            assert service.get()["step"] == table["step"] + 1, visitor.words()
        assert table["over"]
        assert stops > 1
        assert f"{' '.join(table['winners'])} The game is over" in words
        assert f"{table['winners'][-1]} wins" in words
        assert "Pebbles" in words
        visitor.press("/touch/new-game")
        assert service.get()["step"] == 0
        assert service.stop() == 0


@pytest.mark.needs("chromium")
def test_a_whole_game_in_a_browser(environment, tmp_path, page):
    with serving(tmp_path, "--game", "pebbles", *PLAYERS, environment=environment) as service:
        page.goto(f"{service.url}/link/{TOKEN}?to=virtual")
        for _ in range(MOST_MOVES):
            table = service.get()
            page.locator(f"#board[data-version$='.{table['revision']}']").wait_for()
            if table["over"]:
                break
            assert page.locator("#banner h1").inner_text() == table["turn"]
            page.locator("#b-choice-1" if wants_to_stop(table) else "#v-top").click()
            page.locator(f"#board:not([data-version$='.{table['revision']}'])").wait_for()
        assert page.locator("#banner h1").all_inner_texts() == table["winners"]
        scores = page.locator(".row .score b").all_inner_texts()
        assert scores == [str(points) for points in table["scores"].values()]
        page.goto(service.url)
        page.locator(".row.winner").first.wait_for()
        assert page.locator("#banner .to-do").inner_text() == "The game is over"


def test_its_tags_are_read_and_exported(companion, tmp_path):
    (tags,) = blocks("csv")
    (tmp_path / "pebbles.csv").write_text(tags, encoding="utf-8")
    assert companion("tags", "import", "pebbles.csv").stdout == "3 tags imported.\n"
    assert "04744822A61490,pebbles/wave" in companion("tags", "export").stdout
    (tmp_path / "wrong.csv").write_text("uid,component\n04A3C6CAE26199,pebbles/octopus\n")
    assert companion("tags", "import", "wrong.csv").returncode == 2
