"""The timeline: corrections, taking them back, and the fold of a game's commands."""

from __future__ import annotations

import json
from random import Random

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from companion.codec import action_to_json
from companion.match import Setup
from companion.meaning.api import Known
from companion.repair.timeline import (
    Delete,
    DoesNotFit,
    Insert,
    Keep,
    Link,
    Replace,
    Timeline,
    actor,
    edit_from_json,
    edit_to_json,
    edits_from_json,
    edits_to_json,
)
from companion.rules.api import Refusal
from companion.rules.tentacles_words import Decline, Reveal, Steal, Stop
from tests.support.random_games import (
    acted,
    actions_of,
    commands,
    corrections,
    could_be,
    games,
    played,
    seen,
    timeline_of,
)

TWO = Setup("tentacles", ("Ann", "Bo"))


def told(*actions):
    return timeline_of(TWO, actions)


def texts(timeline):
    """The actions in force with their labels, such as `5 reveal dots`."""
    past = reversed(list(timeline.match.back()))
    return [
        " ".join([link.label, *map(str, action_to_json(match.action).values())])
        for link, match in zip(timeline.links, past, strict=True)
    ]


def scores(timeline):
    return dict(timeline.match.game.standing(timeline.match.state).scores)


def same(one, other):
    """Two timelines that nobody could tell apart."""
    return (
        seen(one.match) == seen(other.match)
        and one.links == other.links
        and (one.correction is None) == (other.correction is None)
        and (
            one.correction is None
            or (
                one.correction.entry == other.correction.entry
                and one.correction.length == other.correction.length
                and same(one.correction.before, other.correction.before)
            )
        )
    )


# By example


def test_a_misread_card_is_replaced_and_what_came_later_is_replayed():
    timeline = told(Reveal("dots"), Reveal("stars"), Stop(), Reveal("dots"))
    fixed = timeline.corrected([Replace("1", Reveal("waves"))], 5)
    assert texts(fixed) == ["1 reveal waves", "2 reveal stars", "3 stop", "4 reveal dots"]
    assert fixed.match.state.fish == ({"waves", "stars"}, {"dots"})
    assert texts(timeline)[0] == "1 reveal dots"


def test_an_action_that_never_happened_is_left_out():
    timeline = told(Reveal("dots"), Reveal("stars"), Stop())
    assert texts(timeline.corrected([Delete("2")], 4)) == ["1 reveal dots", "3 stop"]


def test_what_was_missed_is_inserted_before_an_action_or_at_the_end():
    timeline = told(Reveal("dots"), Stop())
    fixed = timeline.corrected(
        [Insert(None, Reveal("rings")), Insert("2", Reveal("stars")), Insert("2", Reveal("waves"))],
        9,
    )
    assert texts(fixed) == [
        "1 reveal dots",
        "9.2 reveal stars",
        "9.3 reveal waves",
        "2 stop",
        "9.1 reveal rings",
    ]
    assert scores(fixed) == {"Ann": 3, "Bo": 1}


def test_something_can_be_inserted_into_a_game_without_actions():
    assert texts(told().corrected([Insert(None, Reveal("dots"))], 1)) == ["1.1 reveal dots"]


def test_what_a_correction_inserted_can_be_corrected_in_its_turn():
    fixed = told(Reveal("dots")).corrected([Insert("1", Reveal("stars"))], 2)
    again = fixed.corrected([Replace("2.1", Reveal("waves")), Delete("1")], 3)
    assert texts(again) == ["2.1 reveal waves"]


def test_several_edits_are_carried_out_together():
    timeline = told(Reveal("dots-eyes"), Stop(), Reveal("dots"), Stop())
    fixed = timeline.corrected(
        [Replace("1", Reveal("dots")), Delete("3"), Insert("4", Reveal("waves"))], 5
    )
    assert texts(fixed) == ["1 reveal dots", "2 stop", "5.1 reveal waves", "4 stop"]


def test_an_edit_that_the_rules_refuse_is_refused_as_a_whole():
    timeline = told(Reveal("dots"), Stop())
    with pytest.raises(DoesNotFit) as refusal:
        timeline.corrected([Delete("1"), Replace("2", Steal("Bo"))], 3)
    assert (refusal.value.label, refusal.value.edit) == ("2", 1)
    assert refusal.value.code == "not-legal"
    assert str(refusal.value).startswith("It is not possible to take a fish")


def test_the_first_later_action_that_the_rules_refuse_is_named():
    timeline = told(Reveal("dots"), Stop(), Reveal("dots-tentacle"), Steal("Ann"), Reveal("stars"))
    with pytest.raises(DoesNotFit) as refusal:
        timeline.corrected([Replace("1", Reveal("waves"))], 6)
    misfit = refusal.value
    assert (misfit.label, misfit.action, misfit.edit) == ("4", Steal("Ann"), None)
    assert misfit.code == "not-legal"
    assert misfit.message.startswith("Action 4 would no longer fit. It ")
    assert texts(misfit.so_far) == ["1 reveal waves", "2 stop", "3 reveal dots-tentacle"]
    fixed = timeline.corrected([Replace("1", Reveal("waves")), Delete("4")], 6)
    assert texts(fixed)[-1] == "5 reveal stars"


def test_an_action_never_becomes_another_players_in_silence():
    """Without her stop, what Bo turned would be Ann's."""
    timeline = told(Reveal("dots"), Stop(), Reveal("stars"), Reveal("waves"))
    with pytest.raises(DoesNotFit) as refusal:
        timeline.corrected([Delete("2")], 5)
    misfit = refusal.value
    assert (misfit.label, misfit.player, misfit.code) == ("3", "Bo", "not-legal")
    assert misfit.reason == "It was Bo's, and Ann would be in turn there."
    assert misfit.message == (
        "Action 3 would no longer fit. It was Bo's, and Ann would be in turn there. Leave it out, "
        "change it, keep it as Ann's, or give the correction up."
    )
    confirmed = [Delete("2"), Replace("3", Reveal("stars")), Keep("4")]
    fixed = timeline.corrected(confirmed, 5)
    assert scores(fixed) == {"Ann": 3, "Bo": 0}
    assert fixed.links[1] == Link("3", 5, "00000003")
    assert fixed.uids == ("00000001", "00000003", "00000004")


def test_a_game_that_would_be_over_earlier_says_so():
    cards = ("dots", "rings", "stars", "stripes")
    timeline = told(*map(Reveal, cards), Reveal("dots"), Stop())
    with pytest.raises(DoesNotFit) as refusal:
        timeline.corrected([Replace("5", Reveal("waves"))], 7)
    assert (refusal.value.label, refusal.value.code) == ("6", "game-over")
    fixed = timeline.corrected([Replace("5", Reveal("waves")), Delete("6")], 7)
    assert fixed.match.game.standing(fixed.match.state).winners == ("Ann",)


def test_edits_name_actions_that_are_in_force_and_each_once():
    timeline = told(Reveal("dots"), Stop()).undo(1)
    for edit in (Delete("2"), Replace("7", Stop()), Insert("2", Stop()), Delete("1.1")):
        with pytest.raises(Refusal, match=r"no action [0-9.]+ in force") as refusal:
            timeline.corrected([edit], 3)
        assert refusal.value.code == "not-legal"
    with pytest.raises(Refusal, match="Two edits are of action 1") as refusal:
        timeline.corrected([Delete("1"), Replace("1", Reveal("dots"))], 3)
    assert refusal.value.code == "bad-command"
    with pytest.raises(Refusal, match="at least one edit") as refusal:
        timeline.corrected([], 3)
    assert refusal.value.code == "bad-command"


def test_a_card_that_was_another_one_is_not_spent():
    def spent(timeline):
        return Known(timeline.match, timeline.uids).spent

    timeline = told(Reveal("dots"), Reveal("stars"))
    assert spent(timeline) == {"00000001", "00000002"}
    assert spent(timeline.corrected([Replace("2", Reveal("waves"))], 3)) == {"00000001"}
    assert spent(timeline.corrected([Replace("2", Reveal("stars"))], 3)) == spent(timeline)


def test_the_outcomes_of_an_entry_are_known_while_it_stands_as_told():
    timeline = told(Reveal("dots"), Reveal("stars"))
    assert timeline.outcomes_of(1) == timeline.found("1").outcomes != ()
    assert timeline.outcomes_of(3) == timeline.undo(2).outcomes_of(1) == ()
    fixed = timeline.corrected([Replace("1", Reveal("waves"))], 3)
    assert fixed.outcomes_of(1) == fixed.outcomes_of(3) == ()
    assert fixed.outcomes_of(2) == timeline.outcomes_of(2)
    assert fixed.links[0] == Link("1", 3, None)


# Taking a correction back


def test_a_correction_taken_back_leaves_what_came_after_it():
    timeline = told(Reveal("dots"), Reveal("stars"))
    fixed = timeline.corrected([Replace("1", Reveal("waves"))], 3).do(Stop(), 4)
    assert texts(fixed.restored(3)) == ["1 reveal dots", "2 reveal stars", "4 stop"]


def test_a_correction_is_not_taken_back_if_a_later_action_needs_it():
    timeline = told(Reveal("dots"), Stop())
    fixed = timeline.corrected([Replace("1", Reveal("waves"))], 3)
    fixed = fixed.do(Reveal("waves-tentacle"), 4).do(Steal("Ann"), 5)
    with pytest.raises(DoesNotFit) as refusal:
        fixed.restored(3)
    assert refusal.value.label == "5"


def test_the_last_correction_can_be_taken_back_and_then_the_one_before():
    timeline = told(Reveal("dots"), Reveal("stars"))
    first = timeline.corrected([Replace("1", Reveal("waves"))], 3)
    second = first.do(Stop(), 4).corrected([Delete("2")], 5).do(Reveal("rings"), 6)
    with pytest.raises(Refusal, match="Correction 3 cannot be taken back"):
        second.restored(3)
    back = second.restored(5)
    assert texts(back) == ["1 reveal waves", "2 reveal stars", "4 stop", "6 reveal rings"]
    assert texts(back.restored(3))[0] == "1 reveal dots"


def test_a_correction_that_was_undone_in_part_cannot_be_taken_back():
    fixed = told(Reveal("dots"), Stop()).corrected([Replace("1", Reveal("waves"))], 3)
    assert fixed.do(Reveal("dots"), 4).undo(1).restored(3).correction is None
    assert fixed.undo(1).correction is None
    for number in (3, 2, 9):
        with pytest.raises(Refusal, match=f"Correction {number} cannot be taken back") as refusal:
            fixed.undo(1).do(Stop(), 4).restored(number)
        assert refusal.value.code == "not-legal"


# JSON


@pytest.mark.parametrize(
    ("edit", "body"),
    [
        (Replace("5", Reveal("dots")), {"entry": "5", "do": "reveal", "card": "dots"}),
        (Replace("15.2", Steal("Bo")), {"entry": "15.2", "do": "steal", "from": "Bo"}),
        (Delete("7"), {"entry": "7", "do": None}),
        (Keep("7"), {"entry": "7", "keep": True}),
        (Insert("9", Stop()), {"before": "9", "do": "stop"}),
        (Insert(None, Stop()), {"before": None, "do": "stop"}),
    ],
)
def test_an_edit_as_json(edit, body):
    assert edit_to_json(edit) == body
    assert edit_from_json("tentacles", json.loads(json.dumps(body))) == edit


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (None, "An edit is an object"),
        ([], "An edit is an object"),
        ({}, "An edit is an object"),
        ({"do": "stop"}, "either entry or before"),
        ({"entry": "1", "before": "2", "do": "stop"}, "either entry or before"),
        ({"entry": "1"}, "needs the key do"),
        ({"entry": 1, "do": None}, "The key entry of an edit is a label"),
        ({"entry": None, "do": None}, "The key entry of an edit is a label"),
        ({"entry": "01", "do": None}, "is a label"),
        ({"entry": "1.0", "do": None}, "is a label"),
        ({"entry": "1\n", "do": None}, "is a label"),
        ({"before": "x", "do": "stop"}, "The key before of an edit is a label"),
        ({"before": "1", "do": None}, "There is no verb null"),
        ({"entry": "1", "do": None, "card": "dots"}, "takes no other key"),
        ({"entry": "1", "keep": False}, "keep is true"),
        ({"entry": "1", "keep": 1}, "keep is true"),
        ({"entry": "1", "keep": True, "do": None}, "goes with entry and nothing else"),
        ({"entry": 1, "keep": True}, "is a label"),
        ({"before": "1", "keep": True}, "needs the key do"),
        ({"entry": "1", "do": "reveal"}, "needs the key card"),
        ({"entry": "1", "do": "stop", "x": 1}, "no key"),
    ],
)
def test_what_is_no_edit(body, says):
    with pytest.raises(Refusal, match=says) as refusal:
        edit_from_json("tentacles", body)
    assert refusal.value.code == "bad-command"


@pytest.mark.parametrize(
    "command",
    [
        None,
        {"undo": 0},
        {"undo": 1, "x": 1},
        {"correct": []},
        {"correct": {}},
        {"correct": [{}]},
        {"correct": [{"entry": "1", "do": None}], "id": 1},
        {"restore": "3"},
        {"restore": 0},
        {"restore": True},
        {"restore": 3, "x": 1},
        {"do": "fly"},
        {},
    ],
)
def test_what_is_no_command(command):
    with pytest.raises(Refusal) as refusal:
        told(Reveal("dots")).after(command, 2)
    assert refusal.value.code == "bad-command"


# For random games


def carried_out(actions, edits):
    """The actions as they should have been told, each with its place before, or None."""
    after = []
    for place, action in enumerate(actions):
        label = str(place + 1)
        after += [(edit.action, None) for edit in edits if edit == Insert(label, edit_action(edit))]
        (change,) = [e for e in edits if getattr(e, "label", None) == label] or [None]
        match change:
            case None:
                after.append((action, place))
            case Replace(_, other):
                after.append((other, None))
            case Keep():
                after.append((action, None))
    after += [(edit.action, None) for edit in edits if edit == Insert(None, edit_action(edit))]
    return after


def edit_action(edit):
    return getattr(edit, "action", None)


def expected(setup, actions, edits):
    """The match as it should be; or the place and action that do not fit, found one by one."""
    players = acted(played(setup, actions))
    match = played(setup, ())
    for number, (action, place) in enumerate(carried_out(actions, edits)):
        over = match.game.standing(match.state).over
        if place is not None and not over and actor(match, action) != players[place]:
            return number, action
        try:
            match = match.do(action)
        except Refusal:
            return number, action
    return match


@given(corrections())
@settings(max_examples=300)
def test_a_correction_is_as_if_it_had_been_read_right_the_first_time(correction):
    setup, actions, edits = correction
    timeline = timeline_of(setup, actions)
    before = seen(timeline.match)
    right = expected(setup, actions, edits)
    if isinstance(right, tuple):
        event("something does not fit")
        with pytest.raises(DoesNotFit) as refusal:
            timeline.corrected(edits, 1000)
        assert (refusal.value.so_far.match.step, refusal.value.action) == right
        edited = {edit.label for edit in edits if not isinstance(edit, Insert)}
        later = refusal.value.label in {str(number + 1) for number in range(len(actions))} - edited
        assert (refusal.value.edit is None) == later == (refusal.value.player is not None)
    else:
        event("all fit")
        fixed = timeline.corrected(edits, 1000)
        assert seen(fixed.match) == seen(right)
        assert len(set(fixed.links)) == fixed.match.step
    assert seen(timeline.match) == before


@given(games(fewest=1), st.data())
@settings(max_examples=150)
def test_what_was_misread_and_corrected_is_as_if_it_had_been_read_right(game, data):
    """The other way round: the right game is known, and something else was told."""
    setup, actions = game
    assume(actions)
    chance = Random(data.draw(st.integers(0, 2**32)))
    place = chance.randrange(len(actions))
    players = acted(played(setup, actions))
    before = played(setup, actions[:place])
    for wrong in [None, *could_be(before, chance)]:
        told_wrong = [action for action in (*actions[:place], wrong) if action is not None]
        later = actions[place + 1 :]
        match = played(setup, told_wrong)
        for action, player in zip(later, players[place + 1 :], strict=True):
            try:
                if actor(match, action) != player:
                    break
                match = match.do(action)
            except Refusal:
                break
            told_wrong.append(action)
        else:
            event(f"{setup.game}: {'missed' if wrong is None else 'misread'}")
            timeline = timeline_of(setup, told_wrong)
            label = str(place + 1)
            if wrong is None:
                before_label = label if later else None
                edit = Insert(before_label, actions[place])
            else:
                edit = Replace(label, actions[place])
            fixed = timeline.corrected([edit], len(told_wrong) + 1)
            assert seen(fixed.match) == seen(played(setup, actions))


@given(corrections(), st.integers(0, 6))
@settings(max_examples=200)
def test_a_correction_taken_back_restores_exactly(correction, more):
    setup, actions, edits = correction
    timeline = timeline_of(setup, actions)
    try:
        fixed = timeline.corrected(edits, 1000)
    except DoesNotFit:
        return
    assert same(fixed.restored(1000), timeline)
    chance = Random(more)
    later = fixed
    for number in range(1001, 1001 + more):
        legal = could_be(later.match, chance)
        if not legal:
            break
        later = later.do(legal[0], number)
    assert same(later.undo(later.match.step - fixed.match.step).restored(1000), timeline)
    try:
        restored = later.restored(1000)
    except DoesNotFit:
        event("needs the correction")
        return
    again = timeline
    for link, match in list(zip(reversed(later.links), later.match.back(), strict=False))[::-1]:
        if int(link.label.partition(".")[0]) > 1000:
            again = again.do(match.action, link.entry)
    assert same(restored, again)


@given(commands())
@settings(max_examples=120)
def test_the_fold_of_the_commands_is_the_live_timeline_at_every_prefix(told_so_far):
    setup, rows = told_so_far
    live = Timeline.start(setup)
    for count, (command, number, uid) in enumerate(rows):
        live = live.after(command, number, uid)
        if count % 7 == 0 or count == len(rows) - 1:
            folded = Timeline.start(setup)
            for row in rows[: count + 1]:
                folded = folded.after(*json.loads(json.dumps(row)))
            assert same(folded, live)
        assert len({link.label for link in live.links}) == live.match.step
    for kind in {next(iter(command)) for command, _, _ in rows}:
        event(kind)


@given(corrections())
@settings(max_examples=100)
def test_edits_survive_json(correction):
    setup, _, edits = correction
    body = json.loads(json.dumps(edits_to_json(edits)))
    assert edits_from_json(setup.game, body) == edits


def test_the_games_of_these_tests_reach_every_verb_that_can_come():
    verbs = {"tentacles": set(), "octopus-alarm": set(), "sea-salt-paper": set()}
    for seed in range(40):
        for game, options in (("tentacles", {}), ("octopus-alarm", {}), ("sea-salt-paper", {})):
            setup = Setup(game, ("Ann", "Bo", "Cy"), None, options)
            verbs[game] |= {type(action).__name__ for action in actions_of(setup, seed, 90)}
    assert verbs["tentacles"] >= {"Reveal", "Stop", "Steal", "Decline"}
    assert verbs["octopus-alarm"] >= {"Reef", "Sail", "Flip", "Stop", "Swing"}
    assert verbs["sea-salt-paper"] >= {"Deal", "Draw", "Keep", "Discard", "Take", "Duo", "Pass"}


def test_declining_is_a_choice_of_its_own():
    timeline = told(Reveal("dots"), Stop(), Reveal("dots-tentacle"), Decline())
    fixed = timeline.corrected([Replace("4", Steal("Ann"))], 5)
    assert scores(fixed) == {"Ann": 0, "Bo": 1}
