"""A correction in an exported game, as `companion replay` tells it."""

from __future__ import annotations

from companion.cli import main
from companion.match import Setup
from companion.record.journal import Entry
from companion.repair.timeline import Delete, Insert, Keep, Replace, Timeline, edits_to_json
from companion.rules.tentacles_words import Reveal
from companion.snapshot import Source
from tests.journal import records

TOLD = ({"do": "reveal", "card": "dots"}, {"do": "stop"}, {"do": "reveal", "card": "rings"})


def test_each_kind_of_edit_is_told(tmp_path, capsys):
    edits = [
        Replace("1", Reveal("waves")),
        Delete("2"),
        Insert("3", Reveal("stars")),
        Keep("3"),
        Insert(None, Reveal("octopus")),
    ]
    journal = records.opened(tmp_path)
    timeline = Timeline.start(Setup("tentacles", ("Ann", "Bo")))
    begun = journal.begin(timeline.match.setup)
    for number, command in enumerate((*TOLD, {"correct": edits_to_json(edits)}), 1):
        timeline = timeline.after(command, number)
        journal.append(begun.id, [Entry(number, timeline.match.step, command, Source("page"))])
    journal.close()
    file = tmp_path / "game.jsonl"
    assert main(["export", "last", "--data", str(tmp_path), "-o", str(file)]) == 0
    capsys.readouterr()
    assert main(["replay", str(file)]) == 0
    assert (
        "correction: 1 was reveal waves; 2 never happened; before 3 reveal stars; 3 stays; "
        "at the end reveal octopus"
    ) in capsys.readouterr().out
