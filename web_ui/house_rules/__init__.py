"""The rules that a table may choose, and each game's rules in short, in plain words."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from companion.rules import game_named
from companion.rules.api import Choice, Counts, Names, Number, Option, Switch
from companion.snapshot import Snapshot
from web_ui.house_rules import octopus_alarm, sea_salt_paper, tentacles
from web_ui.house_rules.words import HouseRule, InForce, Value
from web_ui.sentences import Sentence
from web_ui.words import gettext

__all__ = ["HouseRule", "InForce", "Value", "house_rules", "in_force", "in_short"]

_WORDS: Mapping[str, Callable[[int], tuple[HouseRule, ...]]] = {
    "octopus-alarm": octopus_alarm.house_rules,
    "sea-salt-paper": sea_salt_paper.house_rules,
    "tentacles": tentacles.house_rules,
}
_IN_SHORT: Mapping[str, Callable[[], tuple[Sentence, ...]]] = {
    "octopus-alarm": octopus_alarm.in_short,
    "sea-salt-paper": sea_salt_paper.in_short,
    "tentacles": tentacles.in_short,
}


def house_rules(game_name: str, players: int) -> tuple[HouseRule, ...]:
    """What this game lets a table choose, in the order in which it is asked.

    Args:
        game_name: such as `tentacles`.
        players: how many play; some defaults depend on it.
    """
    known = _WORDS.get(game_name)
    if known is not None:
        return known(players)
    return tuple(_spelled(option, players) for option in game_named(game_name).options)


def in_force(snapshot: Snapshot) -> tuple[InForce, ...]:
    """What this table chose, each option in one sentence; the usual ones as well."""
    chosen = snapshot.options
    return tuple(
        InForce(rule.title, rule.told(chosen.get(rule.name)), rule.is_usual(chosen.get(rule.name)))
        for rule in house_rules(snapshot.game_name, len(snapshot.players))
    )


def in_short(game_name: str) -> tuple[Sentence, ...]:
    """The rules of a game in short, in the reader's language."""
    known = _IN_SHORT.get(game_name)
    if known is not None:
        return known()
    return (Sentence("card", "%(text)s", {"text": game_named(game_name).in_short}),)


def default_of(option: Option, players: int) -> object:
    """What holds for that many players when the table chose nothing."""
    default = option.default
    return default.get(players) if isinstance(default, Mapping) else default


def _spelled(option: Option, players: int) -> HouseRule:
    """An option of a game that has no words of its own here."""
    title = Sentence("service", option.name.replace("_", " "))
    usual = default_of(option, players)
    match option:
        case Number(_, _, low, high):
            return HouseRule(option.name, title, number=(low, high), usual=usual)
        case Choice(_, words):
            values = tuple(Value(word, Sentence("card", word)) for word in words)
            return HouseRule(option.name, title, values, usual=usual)
        case Switch():
            values = (
                Value(False, Sentence("decline", gettext("no"))),  # noqa: FBT003 - the value itself
                Value(True, Sentence("touch", gettext("yes"))),  # noqa: FBT003
            )
            return HouseRule(option.name, title, values, usual=usual)
        case Counts() | Names():
            return HouseRule(option.name, title, free_text=True, usual=usual)
