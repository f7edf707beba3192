"""The preview: what a correction would change, before anybody decides."""

from __future__ import annotations

import json

import pytest
from hypothesis import event, given, settings

from companion.match import Setup
from companion.repair.preview import (
    Side,
    preview,
    preview_of_restoring,
    preview_of_undo,
    preview_to_json,
)
from companion.repair.timeline import Delete, DoesNotFit, Insert, Keep, Replace
from companion.rules.api import Refusal
from companion.rules.sea_salt_paper.words import Deal, Discard, Draw, Pass
from companion.rules.sea_salt_paper.words import Keep as KeepCard
from companion.rules.tentacles_words import Reveal, Steal, Stop
from tests.support.random_games import corrections, timeline_of

TWO = Setup("tentacles", ("Ann", "Bo"))


def told(*actions):
    return timeline_of(TWO, actions)


def test_scores_turn_and_phase_before_and_after():
    timeline = told(Reveal("dots"), Reveal("dots-eyes"), Reveal("stars"), Reveal("waves"))
    shown = preview(timeline, [Replace("1", Reveal("stripes")), Keep("3"), Keep("4")])
    assert shown.before == Side({"Ann": 0, "Bo": 2}, "Bo", "choose", ())
    assert shown.after == Side({"Ann": 3, "Bo": 0}, "Ann", "choose", ())
    assert (shown.replayed, shown.fitting, shown.misfit) == (1, 1, None)


def test_the_first_that_does_not_fit_and_how_many_do():
    timeline = told(Reveal("dots"), Stop(), Reveal("dots-tentacle"), Steal("Ann"), Reveal("stars"))
    shown = preview(timeline, [Replace("1", Reveal("waves"))])
    assert (shown.replayed, shown.fitting) == (4, 2)
    assert shown.after == Side({"Ann": 1, "Bo": 0}, "Ann", "reveal", ())
    misfit = shown.misfit
    assert (misfit.label, misfit.player, misfit.edit) == ("4", "Bo", None)
    assert misfit.action == {"do": "steal", "from": "Ann"}
    assert misfit.reason.startswith("It is not possible to take a fish")
    assert misfit.rest == ("4", "5")
    assert preview_to_json(shown)["misfit"]["rest"] == ["4", "5"]


def test_an_edit_that_does_not_fit_is_told_as_such():
    shown = preview(told(Reveal("dots"), Stop()), [Insert("1", Stop())])
    assert (shown.misfit.edit, shown.misfit.label, shown.misfit.player) == (0, "3.1", None)
    assert shown.misfit.rest == ("1", "2")


def test_what_was_to_be_kept_and_cannot_be_is_among_the_rest():
    timeline = told(
        *(Reveal("dots"), Stop(), Reveal("rings"), Stop()),
        *(Reveal("stars"), Reveal("rings-tentacle"), Steal("Bo")),
    )
    later = [Keep(str(label)) for label in range(3, 8)]
    shown = preview(timeline, [Delete("2"), *later])
    assert (shown.misfit.label, shown.misfit.edit, shown.misfit.rest) == ("7", 5, ("7",))
    shown = preview(timeline, [Delete("1"), *later])
    assert (shown.misfit.label, shown.misfit.rest[0]) == ("2", "2")


def test_who_wins():
    cards = ("dots", "rings", "stars", "stripes")
    timeline = told(*map(Reveal, cards), Reveal("dots"))
    shown = preview(timeline, [Replace("5", Reveal("waves"))])
    assert shown.after == Side({"Ann": 5, "Bo": 0}, None, "over", ("Ann",))


def test_what_is_no_correction_is_refused():
    with pytest.raises(Refusal, match="no action 7"):
        preview(told(Reveal("dots")), [Delete("7")])


def test_the_preview_of_taking_a_correction_back():
    timeline = told(Reveal("dots"), Stop())
    fixed = timeline.corrected([Replace("1", Reveal("waves"))], 3)
    fixed = fixed.do(Reveal("waves-tentacle"), 4)
    assert preview_of_restoring(fixed, 3).misfit is None
    shown = preview_of_restoring(fixed.do(Steal("Ann"), 5), 3)
    assert (shown.replayed, shown.fitting, shown.misfit.label) == (2, 1, "5")
    with pytest.raises(Refusal, match="cannot be taken back"):
        preview_of_restoring(timeline, 3)


def test_the_preview_of_an_undo():
    timeline = told(Reveal("dots"), Stop())
    assert preview_of_undo(timeline, 2).after == Side({"Ann": 0, "Bo": 0}, "Ann", "reveal", ())
    with pytest.raises(Refusal):
        preview_of_undo(timeline, 3)


def test_what_hidden_cards_decide_is_not_told():
    actions = (
        Deal(("crab-grey", "boat-yellow-2")),
        Draw(("fish-green", "shoal-grey")),
        KeepCard("shoal-grey"),
        Discard(1),
    )
    timeline = timeline_of(Setup("sea-salt-paper", ("Ann", "Bo")), actions)
    drawn = ("fish-green", "captain-light-orange")
    shown = preview(timeline, [Replace("2", Draw(drawn))])
    assert (shown.replayed, shown.fitting, shown.misfit, shown.after) == (2, 0, None, None)
    assert "can be taken back" in shown.concealed
    told = preview_to_json(shown)
    assert (told["fits"], told["after"], told["concealed"]) == (None, None, shown.concealed)
    # The table has refused it before everybody: then it is told, without the card.
    tried = preview(timeline, [Replace("2", Draw(drawn))], attempted=True)
    text = json.dumps(preview_to_json(tried))
    assert '"action": {"do": "keep", "secret": true}' in text
    assert not any(card in text for card in ("shoal", "captain", "fish"))


def test_what_everybody_can_see_is_told_with_hidden_cards_as_well():
    actions = (Deal(("crab-grey", "boat-yellow-2")), Draw(("fish-green", "shoal-grey")))
    timeline = timeline_of(
        Setup("sea-salt-paper", ("Ann", "Bo")),
        (
            *actions,
            KeepCard("shoal-grey"),
            Discard(1),
            Pass(),
            Draw(("fish-black-1", "shell-grey")),
        ),
    )
    shown = preview(timeline, [Delete("4")])
    assert (shown.misfit.label, shown.misfit.rest) == ("5", ("5", "6"))
    shown = preview(timeline, [Delete("1")])
    assert shown.misfit.label == "2"
    shown = preview(timeline, [Delete("6")])
    assert (shown.concealed, shown.after.turn, shown.after.phase) == ("", "Bo", "take")


@given(corrections())
@settings(max_examples=150)
def test_what_the_preview_shows_is_what_comes(correction):
    setup, actions, edits = correction
    timeline = timeline_of(setup, actions)
    shown = preview(timeline, edits)
    if shown.concealed:
        event("something hidden decides")
        shown = preview(timeline, edits, attempted=True)
    assert 0 <= shown.fitting <= shown.replayed <= len(actions)
    json.dumps(preview_to_json(shown))
    try:
        fixed = timeline.corrected(edits, 1000)
    except DoesNotFit as misfit:
        event("something does not fit")
        assert shown.misfit is not None
        assert (shown.misfit.edit, shown.misfit.code) == (misfit.edit, misfit.code)  # noqa: PT017
        return
    standing = fixed.match.game.standing(fixed.match.state)
    assert shown.after == Side(
        dict(standing.scores), standing.turn, standing.phase, standing.winners
    )
    assert shown.misfit is None
    assert shown.replayed == shown.fitting
