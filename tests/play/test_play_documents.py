"""`docs/play-protocol.md` names every word that the program knows, and its session is real."""

from __future__ import annotations

import re
import shlex
from dataclasses import fields

import pytest
from play_talk import REPLY_KEYS, ROOT, Talk, run_play

from companion.codec import kebab
from companion.play import COMMANDS
from companion.rules import GAMES
from companion.rules.api import Choice, Code, Names, Number, Switch
from companion.rules.sea_salt_paper.words import RoundEnded

PAGE = ROOT / "docs" / "play-protocol.md"
EVERY_KEY = {
    # game: options with which its state has all its keys
    "tentacles": {},
    "octopus-alarm": {"memory_aid": "on"},
    "sea-salt-paper": {},
}


def text():
    return PAGE.read_text(encoding="utf-8")


def section(title, of=None):
    """From a heading to the next one of its rank or above; of a game, where one is named."""
    rank = len(title.partition(" ")[0])
    _, _, rest = (section(f"## {of}") if of else text()).partition(f"\n{title}\n")
    return re.split(rf"^#{{1,{rank}}} ", rest, maxsplit=1, flags=re.MULTILINE)[0]


def rows(part):
    """The cells of each row of the tables, without their heads."""
    lines = [line for line in part.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row, after in zip(cells, [*cells[1:], []], strict=True) if is_body(row, after)]


def is_body(row, after):
    return not is_ruler(row) and not is_ruler(after)


def is_ruler(row):
    return bool(row) and all(set(cell) == {"-"} for cell in row)


def coded(cell):
    return re.findall(r"`([^`]+)`", cell)


def first_words(title, of=None):
    return [coded(row[0])[0] for row in rows(section(title, of))]


def with_fields(kinds):
    return {
        kebab(kind.__name__): [entry.name.removesuffix("_") for entry in fields(kind)]
        for kind in kinds
    }


def session():
    (block,) = re.findall(r"^```session\n(.*?)^```$", text(), re.MULTILINE | re.DOTALL)
    return block


def test_the_session_is_what_the_program_says():
    start, *lines = session().splitlines()
    commands = [line[2:] for line in lines if line.startswith("> ")]
    finished = run_play(*shlex.split(start.removeprefix("$ ")), commands=commands)
    assert finished.output.decode().splitlines() == [
        line[2:] for line in lines if line.startswith("< ")
    ]
    signs = [line[:2] for line in lines]
    assert signs == ["< ", *["> ", "< "] * len(commands)]


def test_every_code_stands_in_the_order_in_which_it_is_reported():
    found = [row[0].strip("`") for row in rows(section("## Replies"))]
    assert [word for word in found if word in Code.__args__] == list(Code.__args__)


def test_every_key_of_a_reply_is_explained():
    reply = Talk().say({"new": {"game": "tentacles", "players": ["Ann", "Bo"]}})
    assert set(first_words("## Replies")) == {*reply, *Code.__args__}
    assert set(reply) == REPLY_KEYS


def test_every_command_is_explained():
    found = {re.match(r'\{"(\w+)"', word)[1] for word in first_words("## Commands")}
    assert found == set(COMMANDS)


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_a_section(game):
    assert section(f"## {game}")
    assert game in EVERY_KEY, f"say in EVERY_KEY how to begin {game}"


@pytest.mark.parametrize("game", EVERY_KEY)
def test_every_verb_with_its_fields(game):
    found = {coded(row[0])[0]: coded(row[1]) for row in rows(section("### Verbs", game))}
    assert found == with_fields(GAMES[game].actions)


@pytest.mark.parametrize("game", EVERY_KEY)
def test_every_outcome_with_its_fields(game):
    found = {coded(row[0])[0]: coded(row[1]) for row in rows(section("### Outcomes", game))}
    assert found == with_fields(GAMES[game].outcomes)


@pytest.mark.parametrize("game", EVERY_KEY)
def test_every_option_with_its_values(game):
    found = {coded(row[0])[0]: row[1:] for row in rows(section("### Options", game))}
    for option in GAMES[game].options:
        values, default = found.pop(option.name)
        match option:
            case Number(_, int() as one):
                assert (values, default) == (f"{option.low}-{option.high}", str(one))
            case Number(_, several):
                assert values.startswith(f"{option.low}-{option.high}; ")
                assert default == " / ".join(map(str, several.values()))
            case Choice():
                assert coded(values) == list(option.words)
                assert coded(default) == [option.default]
            case Switch():
                assert (coded(values), coded(default)) == (["true", "false"], ["false"])
            case Names():
                assert coded(values) == list(option.never)
                assert coded(default) == list(option.default)
            case _:
                assert str(option.high) in values
    assert found == {}


@pytest.mark.parametrize(("game", "options"), EVERY_KEY.items())
def test_every_key_of_the_state(game, options):
    new = {"game": game, "players": ["Ann", "Bo"], "set": options}
    assert first_words("### State", game) == list(Talk().say({"new": new})["state"])


def test_every_key_that_a_player_alone_sees():
    """The last two come and go with the phase."""
    talk = Talk()
    public = talk.say({"new": {"game": "sea-salt-paper", "players": ["Ann", "Bo"]}})["state"]
    own = [key for key in talk.say({"view": "Ann"})["state"] if key not in public]
    title = "### What a player alone sees"
    assert first_words(title, "sea-salt-paper") == [*own, "drawn", "looking_at"]


def test_every_field_of_the_end_of_a_round():
    found = [word for row in rows(section("### The end of a round")) for word in coded(row[0])]
    assert found == with_fields([RoundEnded])["round-ended"]


@pytest.mark.parametrize(
    "option", ["--players", "--starter", "--set", "--deal", "--seed"], ids=lambda option: option
)
def test_every_option_of_the_command_line(option):
    assert option in section("## Running it")
    assert option in run_play("--help").output.decode()


def test_a_table_is_read_without_its_head():
    part = "| verb | fields |\n|---|---|\n| `stop` | |\n\n| a |\n|---|\n| `b` |\n| `c` |\n"
    assert rows(part) == [["`stop`", ""], ["`b`"], ["`c`"]]
