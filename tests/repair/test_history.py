"""The history: everything that was ever told, with what became of it."""

from __future__ import annotations

import json

from hypothesis import event, given, settings

from companion.codec import action_to_json
from companion.match import Setup
from companion.record.journal import Entry, Note
from companion.repair.history import history, history_to_json
from companion.repair.timeline import Timeline
from companion.snapshot import Source
from tests.support.random_games import commands, seen

TWO = Setup("tentacles", ("Ann", "Bo"))
READER = Source("reader", "r1")
PAGE = Source("page")
REVEALS = [{"do": "reveal", "card": card} for card in ("dots", "stars", "waves")]
STOP = {"do": "stop"}


def record(*commands):
    return [
        Entry(number, 0, command, READER if "do" in command else PAGE)
        for number, command in enumerate(commands, 1)
    ]


def words(was):
    return " ".join(str(value) for value in action_to_json(was.action).values())


def lines(*commands, setup=TWO):
    """The history in short, such as `1 reveal dots -> reveal waves (replaced by 3)`."""
    text = []
    for one in history(setup, record(*commands)).told:
        now = "-" if one.now is None else words(one.now)
        fates = "".join(f" ({change.fate} by {change.entry})" for change in one.changes)
        first = words(one.first)
        text.append(f"{one.label} {first}{'' if now == first else f' -> {now}'}{fates}")
    return text


def test_what_was_told_stands_until_something_changes_it():
    assert lines(*REVEALS[:2], STOP) == ["1 reveal dots", "2 reveal stars", "3 stop"]


def test_what_was_undone_stays_in_its_place():
    assert lines(*REVEALS[:2], {"undo": 2}, STOP | REVEALS[2]) == [
        "1 reveal dots -> - (undone by 3)",
        "2 reveal stars -> - (undone by 3)",
        "4 reveal waves",
    ]


def test_both_versions_of_a_corrected_action_are_there():
    correction = {
        "correct": [
            {"entry": "1", "do": "reveal", "card": "rings"},
            {"entry": "2", "do": None},
            {"before": "3", "do": "reveal", "card": "stripes"},
            {"entry": "3", "keep": True},
        ]
    }
    assert lines(*REVEALS[:2], STOP, correction) == [
        "1 reveal dots -> reveal rings (replaced by 4)",
        "2 reveal stars -> - (deleted by 4)",
        "4.1 reveal stripes",
        "3 stop (replaced by 4)",
    ]
    one, two, inserted, stop = history(TWO, record(*REVEALS[:2], STOP, correction)).told
    assert [words(was) for was in one.struck] == ["reveal dots"]
    assert [words(was) for was in two.struck] == ["reveal stars"]
    assert (one.inserted, inserted.inserted) == (False, True)
    assert inserted.struck == stop.struck == ()
    assert (one.source, one.changes[0].source, inserted.source) == (READER, PAGE, PAGE)


def test_a_correction_taken_back_is_told_as_well():
    correction = {
        "correct": [
            {"entry": "1", "do": "reveal", "card": "rings"},
            {"entry": "2", "do": None},
            {"before": None, "do": "reveal", "card": "stripes"},
        ]
    }
    told = [*REVEALS[:2], correction, STOP, {"restore": 3}]
    assert lines(*told) == [
        "1 reveal dots (replaced by 3) (restored by 5)",
        "2 reveal stars (deleted by 3) (restored by 5)",
        "3.1 reveal stripes -> - (withdrawn by 5)",
        "4 stop",
    ]
    assert [words(was) for was in history(TWO, record(*told)).told[0].struck] == ["reveal rings"]


def test_whose_an_action_is_and_what_it_brings_follows_the_corrections():
    told = [REVEALS[0], STOP, REVEALS[1]]
    (_, _, stars) = history(TWO, record(*told)).told
    assert stars.now.player == "Bo"
    kept = {"correct": [{"entry": "2", "do": None}, {"entry": "3", "keep": True}]}
    (_, _, stars) = history(TWO, record(*told, kept)).told
    assert (stars.first.player, stars.now.player) == ("Bo", "Ann")
    steal = [REVEALS[0], STOP, {"do": "reveal", "card": "dots-tentacle"}, {"do": "decline"}]
    (*_, card, _) = history(TWO, record(*steal)).told
    assert len(card.now.outcomes) == 1
    changed = {
        "correct": [{"entry": "1", "do": "reveal", "card": "rings"}, {"entry": "4", "do": None}]
    }
    (*_, card, _) = history(TWO, record(*steal, changed)).told
    assert len(card.now.outcomes) == len(card.first.outcomes) + 1
    assert card.changes == ()


def test_notes_are_passed_over():
    with_notes = [Note(0, "tap", {}), *record(REVEALS[0]), Note(1, "refused", {})]
    assert history(TWO, with_notes).told == history(TWO, record(REVEALS[0])).told


def test_of_a_secret_everybody_reads_the_verb_alone():
    setup = Setup("sea-salt-paper", ("Ann", "Bo"))
    told = [
        {"do": "deal", "cards": ["crab-grey", "boat-yellow-2"]},
        {"do": "draw", "cards": ["fish-green", "shoal-grey"]},
        {"do": "keep", "card": "shoal-grey"},
    ]
    correction = {
        "correct": [
            {"entry": "2", "do": "draw", "cards": ["fish-green", "captain-light-orange"]},
            {"entry": "3", "do": "keep", "card": "captain-light-orange"},
        ]
    }
    text = json.dumps(history_to_json(history(setup, record(*told, correction))))
    assert '"action": {"do": "draw", "secret": true}' in text
    assert "crab-grey" in text
    for card in ("fish-green", "shoal", "captain"):
        assert card not in text
    # What was laid on a pile is seen by all.
    text = json.dumps(history_to_json(history(setup, record(*told, {"do": "discard", "pile": 1}))))
    assert '{"what": "discarded", "card": "fish-green", "pile": 1}' in text


@given(commands())
@settings(max_examples=80)
def test_the_history_holds_all_that_was_told_and_ends_where_the_game_stands(told_so_far):
    setup, rows = told_so_far
    live = Timeline.start(setup)
    told = []
    for command, number, uid in rows:
        live = live.after(command, number, uid)
        told += [str(number)] if "do" in command else []
        told += [link.label for link in live.links if link.label not in told]
    past = history(setup, [Entry(number, 0, command, READER) for command, number, _ in rows])
    assert seen(past.timeline.match) == seen(live.match)
    assert sorted(one.label for one in past.told) == sorted(told)
    in_force = [one for one in past.told if one.now is not None]
    assert [one.label for one in in_force] == [link.label for link in live.links]
    matches = reversed(list(live.match.back()))
    for one, match in zip(in_force, matches, strict=True):
        assert (one.now.action, one.now.outcomes) == (match.action, match.outcomes)
        if one.first.action != one.now.action:
            event("corrected")
            assert one.struck[0] == one.first
    for one in past.told:
        assert one.now is not None or one.changes
    json.dumps(history_to_json(past))


def test_a_tile_that_lies_face_down_again_is_not_told():
    setup = Setup("octopus-alarm", ("Ann", "Bo"))
    animals = ("crab", "squid", "snail", "turtle")
    told = [
        *({"do": "reef", "stack": stack, "animal": name} for stack, name in enumerate(animals)),
        {"do": "sail", "areas": 1},
        {"do": "flip", "tile": 2, "face": "seahorse"},
        {"do": "sail", "areas": 1},
        {"do": "flip", "tile": 1, "face": "wave"},
    ]
    text = json.dumps(history_to_json(history(setup, record(*told))))
    assert "seahorse" not in text
    assert '"action": {"do": "flip", "tile": 2, "secret": true}, "outcomes": []' in text
    aided = Setup("octopus-alarm", ("Ann", "Bo"), None, {"memory_aid": "on"})
    assert "seahorse" in json.dumps(history_to_json(history(aided, record(*told))))
    # While it lies open, all see it.
    text = json.dumps(history_to_json(history(setup, record(*told[:5], *told[7:]))))
    assert '{"do": "flip", "tile": 1, "face": "wave"}' in text
