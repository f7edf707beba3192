"""The golden playthroughs are what the rules do, and every game has one for each ending."""

from __future__ import annotations

import json

import pytest
from golden_playthroughs import RENEW, Playthrough, playthroughs

from companion.codec import kebab
from companion.rules import GAMES

ENDINGS = {
    # game: by name of the ending, the outcome that stands before `game-won`
    "tentacles": {"pattern card": "fish-won", "steal": "fish-stolen", "others left": "player-left"},
    "octopus-alarm": {
        "tile": "animal-taken",
        "chosen stack": "animal-taken",
        "stranded, most animals of the others": "player-stranded",
        "stranded, most animals of all": "player-stranded",
        "stranded, most provisions": "player-stranded",
        "stranded, shared": "game-won",
        "stranded, last one left": "player-stranded",
        "others left": "player-left",
    },
    "sea-salt-paper": {
        "STOP": "round-ended",
        "LAST CHANCE, bet won": "round-ended",
        "LAST CHANCE, bet lost": "round-ended",
        "LAST CHANCE, all cards gone": "round-ended",
        "four mermaids, shown": "round-ended",
        "four mermaids, by passing": "round-ended",
        "tie, shared": "game-won",
        "tie, to the one who ended the round": "round-ended",
        "tie, to the better last round": "round-ended",
        "Extra Salt, LAST CHANCE": "round-ended",
        "score tracking, a call": "round-ended",
        "score tracking, four mermaids": "round-ended",
    },
}
ALL = playthroughs()


def playthroughs_of(game):
    return [playthrough for playthrough in ALL if playthrough.game == game]


def untold_endings(game, endings, found):
    """The endings of a game that none of these playthroughs has."""
    return set(endings) - {playthrough.ending for playthrough in found}


@pytest.mark.parametrize("playthrough", ALL, ids=lambda playthrough: playthrough.path.stem)
def test_a_playthrough_is_what_the_rules_do(playthrough):
    assert playthrough.rendered() == playthrough.text, (
        f"{playthrough.path.name}: if the change is meant, type: {RENEW}"
    )


@pytest.mark.parametrize("playthrough", ALL, ids=lambda playthrough: playthrough.path.stem)
def test_a_playthrough_ends_as_it_says(playthrough):
    *_, last = (reply for reply in playthrough.replies() if reply["ok"])
    assert last["over"]
    before, won = (outcome["what"] for outcome in last["outcomes"][-2:])
    assert won == "game-won"
    assert ENDINGS[last["game"]][playthrough.ending] == before


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_a_playthrough_for_each_of_its_endings(game):
    assert game in ENDINGS, f"say in ENDINGS how {game} can end"
    assert untold_endings(game, ENDINGS[game], playthroughs_of(game)) == set()


@pytest.mark.parametrize("game", GAMES)
def test_every_verb_and_undo_is_played(game):
    commands = [
        json.loads(command)
        for playthrough in playthroughs_of(game)
        for command, reply in zip(playthrough.commands, playthrough.replies(), strict=True)
        if reply["ok"]
    ]
    verbs = {kebab(action.__name__) for action in GAMES[game].actions}
    assert verbs - {command.get("do") for command in commands} == set()
    assert any("undo" in command for command in commands)


@pytest.mark.parametrize("game", GAMES)
def test_every_outcome_is_seen(game):
    seen = {
        outcome["what"]
        for playthrough in playthroughs_of(game)
        for reply in playthrough.replies()
        for outcome in reply.get("outcomes", ())
    }
    assert seen == {kebab(outcome.__name__) for outcome in GAMES[game].outcomes}


def test_a_missing_ending_is_found():
    stolen = [playthrough for playthrough in ALL if playthrough.ending == "steal"]
    endings = {"pattern card", "steal", "others left"}
    assert untold_endings("tentacles", endings, stolen) == {"pattern card", "others left"}


def test_another_answer_is_found(tmp_path):
    """And one with the lines of `#` and `>` alone can be filled in."""
    copy = Playthrough(tmp_path / "copy.txt")
    original = next(playthrough for playthrough in ALL if "sea: 9" in playthrough.text)
    copy.path.write_text(original.text.replace("sea: 9", "sea: 8", 1), encoding="utf-8")
    assert copy.rendered() == original.text != copy.text
    kept = [line for line in original.text.splitlines() if line[:1] in {"#", ">"}]
    copy.path.write_text("\n".join(kept), encoding="utf-8")
    assert copy.rendered() == original.text
