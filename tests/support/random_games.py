"""Games that chance has played at a physical table, and what could have been read instead."""

from __future__ import annotations

from dataclasses import fields, replace
from itertools import islice
from random import Random

from hypothesis import assume
from hypothesis import strategies as st

from companion.codec import action_to_json
from companion.match import Match, Setup
from companion.repair.timeline import Delete, Insert, Keep, Replace, Timeline, actor, edits_to_json
from companion.rules.api import Leave, Nothing, Refusal

NAMES = ("Ann", "Bo", "Cy", "Dee")
KINDS = (
    ("tentacles", {}),
    ("tentacles", {"steal": "forced", "octopus_takes": "one", "dry_tentacle": "continue"}),
    ("octopus-alarm", {}),
    ("octopus-alarm", {"landing": "alarm", "stranded": "eliminate", "layout": "free"}),
    ("sea-salt-paper", {}),
    ("sea-salt-paper", {"salt": True}),
)
"""Names of games and options."""


def setups():
    """How a game begins."""
    return st.builds(
        lambda kind, players: Setup(kind[0], NAMES[:players], None, kind[1]),
        st.sampled_from(KINDS),
        st.integers(2, 4),
    )


def actions_of(setup, seed, most):
    """At most so many actions of a game, with what chance decided filled in."""
    chance = Random(seed)
    match = Match.start(replace(setup, seed=seed))
    for _ in range(most):
        legal = list(match.game.legal(match.state))
        if not legal:
            break
        if Leave in match.game.actions and chance.random() < 0.01:
            legal = [Leave(chance.choice(match.setup.players))]
        try:
            match = match.do(chance.choice(legal))
        except Refusal:
            continue  # who leaves is gone already
    return tuple(each.action for each in reversed(list(match.back())))


@st.composite
def games(draw, fewest=0, most=90):
    """How a game begins, and its actions."""
    setup = draw(setups())
    actions = actions_of(setup, draw(st.integers(0, 2**32)), draw(st.integers(fewest, most)))
    return setup, actions


def timeline_of(setup, actions):
    """Told one by one: the labels are 1, 2, 3 …"""
    timeline = Timeline.start(setup)
    for number, action in enumerate(actions, 1):
        timeline = timeline.do(action, number, f"{number:08X}")
    return timeline


def played(setup, actions):
    """The match after these actions."""
    match = Match.start(setup)
    for action in actions:
        match = match.do(action)
    return match


def seen(match):
    """All there is to a match, to compare."""
    past = [(each.action, each.outcomes, each.state) for each in match.back()]
    return match.setup, match.state, match.step, past


def acted(match):
    """Whose each action was, oldest first."""
    return [actor(each.before, each.action) for each in reversed(list(match.back()))]


def could_be(match, chance, most=12):
    """Some actions that the rules would take here, in any order."""
    found = []
    names = [*match.game.components, *match.setup.players]
    for action in match.game.legal(match.state):
        blanks = [each.name for each in fields(action) if getattr(action, each.name) is None]
        found += _filled(action, blanks, names, chance)
    chance.shuffle(found)
    return list(islice((each for each in found if accepted(match, each)), most))


def accepted(match, action):
    try:
        match.do(action)
    except Refusal:
        return False
    return True


def _filled(action, blanks, names, chance):
    if not blanks:
        return [action]
    (blank,) = blanks
    if blank == "cards":
        return [replace(action, cards=tuple(chance.sample(names, 2))) for _ in range(20)]
    if blank == "ship":
        return [replace(action, ship=word) for word in ("capsized", "upright")]
    values = [*names, Nothing.NOTHING] if blank == "animal" else names
    return [replace(action, **{blank: value}) for value in values]


@st.composite
def corrections(draw):
    """A game and edits of it, each of which the rules would take where it stands."""
    setup, actions = draw(games(fewest=1))
    assume(actions)
    chance = Random(draw(st.integers(0, 2**32)))
    edits = {}
    for _ in range(draw(st.integers(1, 3))):
        place = chance.choice([chance.randrange(len(actions)), len(actions) - 1])
        match = played(setup, actions[:place])
        label = str(place + 1)
        others = could_be(match, chance) or [actions[place]]
        edits[label] = chance.choice(
            [
                *(Replace(label, other) for other in others),
                Insert(label, others[0]),
                Delete(label),
                Replace(label, actions[place]),
                Keep(label),
            ]
        )
    return setup, actions, tuple(edits.values())


@st.composite
def commands(draw):
    """How a game begins, and commands as the journal has them; each is accepted."""
    setup, actions = draw(games(fewest=1, most=40))
    chance = Random(draw(st.integers(0, 2**32)))
    timeline = Timeline.start(setup)
    told_so_far = []
    waiting = list(actions)
    for number in range(1, draw(st.integers(1, 60))):
        labels = [link.label for link in timeline.links]
        options = [{"undo": chance.randint(1, 3)}] if chance.random() < 0.2 else []
        if labels and chance.random() < 0.4:
            label = chance.choice(labels)
            match = timeline.found(label).before
            edits = [Delete(label)]
            for other in could_be(match, chance, 2):
                edits += [Replace(label, other), Insert(label, other)]
            edits += [Insert(None, other) for other in could_be(timeline.match, chance, 1)]
            options.append({"correct": edits_to_json([chance.choice(edits)])})
        if timeline.correction is not None and chance.random() < 0.5:
            options.append({"restore": timeline.correction.entry})
        if waiting:
            options.append(action_to_json(waiting.pop(0)))
        options += [action_to_json(other) for other in could_be(timeline.match, chance, 1)]
        for command in options:
            try:
                timeline = timeline.after(command, number, f"{number:08X}")
            except Refusal:
                continue
            told_so_far.append((command, number, f"{number:08X}"))
            break
    return setup, told_so_far
