"""A game as one file: what is in it, what is not, and that it plays again or is refused."""

from __future__ import annotations

import argparse
import io
import json
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from companion.cli import main
from companion.codec import action_from_json
from companion.commands.records import _replay as chosen_to_replay
from companion.data_folder import JOURNAL
from companion.errors import PlainError
from companion.match import Match, Setup
from companion.record.export import exported, find, tells
from companion.record.journal import Entry, Journal, Note
from companion.record.reading import reading
from companion.repair.timeline import Replace, Timeline, edits_to_json
from companion.rules import GAMES
from companion.rules.sea_salt_paper.words import Keep
from companion.snapshot import Source
from tests.journal import records
from tests.journal.make_golden import GOLDEN
from tests.support.tables import still_clocks

VERSION_1 = Path(__file__).with_name("version_1")
UID = "04A3C6CAE26180"


@pytest.fixture
def folder(tmp_path):
    shutil.copy(VERSION_1 / JOURNAL, tmp_path)
    return tmp_path


def export(folder, game, *options):
    path = folder / "game.jsonl"
    assert main(["export", game, "--data", str(folder), "-o", str(path), *options]) == 0
    return path


def lines_of(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("game", "1234")
@pytest.mark.parametrize("options", [(), ("--with-secrets",)], ids=["shown", "secrets"])
def test_each_game_is_exported_and_replays(folder, capsys, game, options):
    path = export(folder, game, *options)
    assert main(["replay", str(path), "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert rows == lines_of(path)[1:-1]
    assert main(["replay", str(path)]) == 0
    out = capsys.readouterr().out.splitlines()
    assert len(out) == len(rows) + 2


def test_a_game_is_named_by_number_by_id_and_as_last(folder):
    last = lines_of(export(folder, "last"))
    assert lines_of(export(folder, "4")) == last
    assert lines_of(export(folder, last[0]["id"])) == last


@pytest.mark.parametrize("game", ["5", "first", "0"])
def test_a_game_that_is_not_there_is_refused(folder, capsys, game):
    assert main(["export", game, "--data", str(folder)]) == 2
    assert f"There is no game {game}" in capsys.readouterr().err


def test_an_empty_record_has_no_last_game(tmp_path, capsys):
    records.opened(tmp_path).close()
    assert main(["export", "last", "--data", str(tmp_path)]) == 2
    assert "There is no game" in capsys.readouterr().err


def test_without_secrets_there_is_no_uid(folder):
    assert UID in export(folder, "last", "--with-secrets").read_text()
    assert UID not in export(folder, "last").read_text()


def test_the_file_with_secrets_is_for_its_owner_alone(folder):
    assert export(folder, "last", "--with-secrets").stat().st_mode & 0o777 == 0o600


def hidden_game(folder):
    """A game of Sea Salt & Paper in which a card is drawn and kept that nobody else ever sees.

    The other one of the two that were drawn lies open on a pile.
    """
    journal = records.opened(folder)
    timeline = Timeline.start(Setup("sea-salt-paper", ("Ann", "Bo")))
    begun = journal.begin(timeline.match.setup)
    commands = [
        {"do": "deal", "cards": ["boat-black-1", "crab-dark-blue-1"]},
        {"do": "draw", "cards": ["mermaid-white-1", "mermaid-white-2"]},
        {"do": "keep", "card": "mermaid-white-2"},
    ]
    correction = {"correct": edits_to_json([Replace("3", Keep("mermaid-white-1"))])}
    commands += [correction, {"do": "discard", "pile": 1}]
    for number, command in enumerate(commands, 1):
        timeline = timeline.after(command, number)
        entry = Entry(number, timeline.match.step, command, Source("page"))
        tap = Note(number - 1, "tap", {"uid": UID, "component": "sea-salt-paper/mermaid-white-1"})
        journal.append(begun.id, [entry], [tap, Note(number - 1, "device-lost", {"reader": "r1"})])
    journal.close()


def test_a_hidden_card_is_nowhere_in_a_file_without_secrets(tmp_path, capsys):
    hidden_game(tmp_path)
    assert "mermaid-white-1" in export(tmp_path, "last", "--with-secrets").read_text()
    path = export(tmp_path, "last")
    text = path.read_text(encoding="utf-8")
    assert "mermaid-white-1" not in text
    assert "mermaid-white-2" in text  # it lies open on a pile
    assert '"body":{"reader":"r1"}' in text
    commands = [row["command"] for row in lines_of(path) if "entry" in row]
    assert [command is None for command in commands] == [False, True, True, True, False]
    capsys.readouterr()
    assert main(["replay", str(path)]) == 0
    shown = capsys.readouterr()
    assert "Hidden cards were left out" in shown.err
    assert "an action that names a hidden card" in shown.out


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.jsonl")), ids=lambda path: path.stem)
def test_no_hidden_action_of_a_whole_game_is_in_a_file_without_secrets(path, tmp_path):
    """Two games that look the same to all but a player give the same file."""
    header, *rows = lines_of(path)[:-1]
    journal = Journal(tmp_path / JOURNAL, still_clocks())
    setup = Setup(header["game"], tuple(header["players"]), header["starter"], header["options"])
    begun = journal.begin(setup)
    for row in rows:
        if "entry" in row:
            source = Source(row["source"], row["reader"])
            entry = Entry(row["entry"], row["shown"]["step"], row["command"], source, row["uid"])
            journal.append(begun.id, [entry])
    journal.close()
    with reading(tmp_path / JOURNAL) as connection:
        found = b"".join(exported(connection, find(connection, "last"), secrets=False))
    open_rows = [json.loads(line) for line in found.splitlines()[1:-1]]
    told = [row for row in rows if "entry" in row]
    game = GAMES[header["game"]]
    for row, original in zip(open_rows, told, strict=True):
        assert row["shown"] == original["shown"]
        assert "uid" not in row
        assert row["command"] == (None if tells(game, original["command"]) else original["command"])


def test_an_open_game_hides_nothing(folder):
    commands = [row["command"] for row in lines_of(export(folder, "1")) if "entry" in row]
    assert None not in commands


def replay(path, capsys):
    capsys.readouterr()
    status = main(["replay", str(path)])
    return status, capsys.readouterr().err


def rewritten(path, change):
    """The file with a change, and with an end that fits it."""
    import hashlib  # noqa: PLC0415

    values = lines_of(path)
    change(values)
    lines = b"".join(
        json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        for value in values[:-1]
    )
    end = {"end": len(values) - 2, "sha256": hashlib.sha256(lines).hexdigest()}
    path.write_bytes(lines + json.dumps(end).encode() + b"\n")


def test_a_file_that_is_cut_anywhere_is_refused(folder, capsys):
    path = export(folder, "last")
    data = path.read_bytes()
    for end in range(0, len(data) - 1, 53):
        path.write_bytes(data[:end])
        status, said = replay(path, capsys)
        assert status == 2
        assert said.startswith("companion: ")
        assert "Traceback" not in said


def test_a_changed_file_is_refused(folder, capsys):
    path = export(folder, "last")
    path.write_text(path.read_text().replace('"Bo"', '"Bob"'))
    assert replay(path, capsys) == (
        2,
        "companion: The file is cut off or was changed: its last line does not fit the rest.\n",
    )


JSONS = (None, True, 7, 1.5, "seven", [7], {"seven": 7})
"""One of each type."""
FREE = {"body", "options"}
"""What is in these is for others to say."""


def places(value, path=()):
    """Where each value in this JSON stands, as the keys that lead to it."""
    for key, each in value.items() if isinstance(value, dict) else enumerate(value):
        yield (*path, key)
        if isinstance(each, dict | list):
            yield from places(each, (*path, key))


def put(value, path, other):
    for key in path[:-1]:
        value = value[key]
    former, value[path[-1]] = value[path[-1]], other
    return type(former) is not type(other)


def refused(path):
    """The sentence with which it is refused, or None; quicker than the whole command line."""
    chosen = argparse.Namespace(file=path, step=False, json=False)
    try:
        chosen_to_replay(chosen)
    except PlainError as error:
        return str(error)
    return None


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """An open game and one with hidden cards, each shown to all and with its secrets."""
    found = {}
    for name in ("open", "hidden"):
        folder = tmp_path_factory.mktemp(name)
        if name == "hidden":
            hidden_game(folder)
        else:
            shutil.copy(VERSION_1 / JOURNAL, folder)
        for options in ((), ("--with-secrets",)):
            found[name, bool(options)] = export(folder, "last", *options).read_bytes()
    return found


@pytest.mark.parametrize("name", ["open", "hidden"])
@pytest.mark.parametrize("secrets", [False, True], ids=["shown", "secrets"])
def test_any_value_replaced_by_another_type_is_refused(files, tmp_path, capsys, name, secrets):
    path = tmp_path / "game.jsonl"
    values = [json.loads(line) for line in files[name, secrets].splitlines()]
    everywhere = [place for place in places(values[:-1]) if len(place) > 1]
    chance = random.Random(1)
    # Of the rows each key, in some rows; deep in the states are a thousand values like each other.
    of_header = [place for place in everywhere if place[0] == 0 and len(place) < 4]
    some = chance.sample(everywhere, 60)
    keys = {(("note" in values[place[0]]), place[1:]): place for place in everywhere}
    of_rows = [place for place in keys.values() if 1 < len(place) < 4]
    for place in [*of_header, *of_rows, *some]:
        for other in JSONS if len(place) == 2 else chance.sample(JSONS, 2):
            path.write_bytes(files[name, secrets])
            changed = []
            rewritten(path, lambda rows: changed.append(put(rows, place, other)))  # noqa: B023
            said = refused(path)
            capsys.readouterr()
            if not changed[0] or (name == "hidden" and not secrets and len(place) > 2):
                continue
            hides = other is None and place[-1] == "command" and not secrets
            if not hides and not FREE & set(place[1:-1]):
                assert said, (place, other)


@pytest.mark.parametrize(
    ("number", "change", "sentence"),
    [
        (0, {"tidetable_game": True}, "in its header tidetable_game is of another kind"),
        (0, {"options": None}, "in its header options is of another kind"),
        (0, {"more": 1}, "in its header more is one key too many"),
        (3, {"at": None}, "in row 3 at is of another kind"),
        (3, {"source": "elsewhere"}, "in row 3 source is of another kind"),
        (3, {"row": 4}, "in row 3 row is another number"),
        (3, {"entry": 2}, "in row 3 entry is another number"),
        (3, {"after": 9}, "in row 3 after"),
    ],
)
def test_a_file_without_secrets_is_as_it_is_written(folder, capsys, number, change, sentence):
    path = export(folder, "1")
    rewritten(path, set_key(number, **change))
    status, said = replay(path, capsys)
    assert status == 2
    assert sentence in said


def test_a_file_that_says_true_for_one_is_refused(folder, capsys):
    path = export(folder, "last")
    scores = lines_of(path)[4]["shown"]["scores"]
    rewritten(path, lambda rows: rows[4]["shown"].update(over=0))
    assert replay(path, capsys)[0] == 2
    path = export(folder, "last")
    as_real = {player: float(score) for player, score in scores.items()}
    rewritten(path, lambda rows: rows[4]["shown"].update(scores=as_real))
    assert replay(path, capsys)[0] == 2
    path = export(folder, "last")
    state = lines_of(path)[4]["shown"]["state"]
    key, number = next((key, value) for key, value in state.items() if type(value) is int)
    rewritten(path, lambda rows: rows[4]["shown"]["state"].update({key: float(number)}))
    assert "Entry 4 of the file does not lead to what it says" in replay(path, capsys)[1]
    path = export(folder, "last")
    path.write_text(path.read_text().replace('{"end":6,', '{"end":6.0,'))
    assert "its last line does not fit" in replay(path, capsys)[1]


def test_a_file_nested_without_end_is_refused(folder, capsys):
    path = export(folder, "last")
    deep = []
    for _ in range(400):
        deep = [deep]
    rewritten(path, lambda rows: rows[4]["shown"]["state"].update(more=deep))
    status, said = replay(path, capsys)
    assert status == 2
    assert "in row 4 too much lies in one another" in said


def set_key(number, **values):
    return lambda rows: rows[number].update(values)


LIES = {
    "another card": (set_key(4, command={"do": "reveal", "card": "octopus"}), "does not lead"),
    "another score": (
        lambda rows: rows[4]["shown"]["scores"].update(Ann=3),
        "Entry 4 of the file does not lead to what it says",
    ),
    "no such verb": (set_key(4, command={"do": "fly"}), "after entry 3 the rules say no"),
    "another start": (set_key(0, players=["Ann", "Bo", "Di"]), "does not begin as the file says"),
    "no such game": (set_key(0, game="chess"), "the rules say no"),
    "a key short": (lambda rows: rows[4].pop("shown"), "not as companion export writes it"),
    "a newer format": (set_key(0, tidetable_game=2), "newer version"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_file_that_does_not_replay_to_what_it_says_is_refused(folder, capsys, lie):
    change, sentence = LIES[lie]
    path = export(folder, "last")
    rewritten(path, change)
    status, said = replay(path, capsys)
    assert status == 2
    assert sentence in said


@pytest.mark.parametrize(
    ("key", "value"), [("uid", "04"), ("source", "page"), ("hash", "00"), ("request", "x")]
)
def test_with_secrets_the_chain_is_in_the_file(folder, capsys, key, value):
    path = export(folder, "last", "--with-secrets")
    rewritten(path, set_key(6, **{key: value}))
    status, said = replay(path, capsys)
    assert status == 2
    assert "Row 6 of the file is not what was written" in said


@pytest.mark.parametrize("data", [b"", b"{}\n", b"[1]\n", b"\xff\n", b'{"a":1,"a":2}\n'])
def test_what_is_no_exported_game_is_refused(tmp_path, capsys, data):
    path = tmp_path / "other"
    path.write_bytes(data)
    status, said = replay(path, capsys)
    assert status == 2
    assert "file" in said


def test_a_file_that_is_not_there_is_refused(tmp_path, capsys):
    assert replay(tmp_path / "none", capsys)[0] == 2


def test_a_game_of_other_rules_says_so(folder, capsys, monkeypatch):
    path = export(folder, "last")
    monkeypatch.setattr(type(GAMES["tentacles"]), "rules_version", 2)
    status, said = replay(path, capsys)
    assert status == 0
    assert "played by version 1 of the rules" in said


def test_it_waits_for_enter_after_each_step(folder, capsys, monkeypatch):
    path = export(folder, "last")
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n\n"))
    capsys.readouterr()
    assert main(["replay", str(path), "--step"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 + 3 + 1


def test_a_damaged_game_is_not_exported(folder, capsys):
    from tests.journal.test_verify import behind_its_back  # noqa: PLC0415

    Journal(folder / JOURNAL, still_clocks()).close()
    behind_its_back(folder, "UPDATE entry SET uid = 'x' WHERE uid IS NOT NULL")
    assert main(["export", "last", "--data", str(folder)]) == 2
    assert "companion verify says more" in capsys.readouterr().err


def test_the_commands_work_from_a_shell(folder):
    command = [sys.executable, "-m", "companion.cli"]
    found = subprocess.run(
        [*command, "export", "last", "--data", folder], capture_output=True, check=True
    )
    assert found.stdout.startswith(b'{"tidetable_game":1,')
    ends = found.stdout.splitlines()[-1]
    assert json.loads(ends)["end"] == 6


def test_a_secret_in_a_correction_is_one():
    game = GAMES["sea-salt-paper"]
    edit = {"entry": "3", "do": "keep", "card": "mermaid-white-1"}
    assert tells(game, {"correct": [edit]})
    assert not tells(game, {"correct": [{"entry": "3", "do": None}]})
    assert not tells(game, {"undo": 1})
    assert (
        Match.start(Setup("tentacles", ("Ann", "Bo"))).game.secret(
            action_from_json("tentacles", {"do": "stop"})
        )
        is False
    )
