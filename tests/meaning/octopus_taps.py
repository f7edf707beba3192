"""Taps of octopus alarm in short: `area-0 wave#1`, `- crab`, `stop`, `= sail-2`, `! sail 1`.

A station or `-` for the only reader, then the tag, with a number where there are several. `=`
answers, `!` chooses on a page, `undo` takes back. The tiles lie as in `BOARD`, the chips as in
`STACKS`.
"""

from __future__ import annotations

from companion.codec import action_from_json, action_to_json
from companion.match import Setup
from companion.meaning.api import Ask, Do, Refuse, Wait
from companion.meaning.octopus_alarm import OctopusAlarm
from tests.support.understanding import Listener

BOARD = (
    "wave#0 billy#0 crab fish",
    "wave#1 billy#1 jellyfish seahorse",
    "wave#2 billy#2 snail squid",
    "wave#3 billy#3 starfish turtle",
)
STACKS = (
    "turtle snail fish seahorse squid crab",
    "turtle snail jellyfish seahorse squid fish",
    "crab starfish starfish seahorse squid jellyfish",
    "turtle snail fish jellyfish starfish crab",
)
"""From the bottom up. The tops: crab, fish, jellyfish, crab."""
TOPS = ("crab", "fish", "jellyfish", "crab")

FIELDS = {
    "sail": ("areas",),
    "flip": ("tile", "face"),
    "take": ("stack",),
    "reef": ("stack", "animal"),
    "swing": ("ship",),
    "leave": ("player",),
}


def chips():
    """All 24 in the order of building, each with its number among its kind."""
    counts: dict[str, int] = {}
    named = []
    for animal in " ".join(STACKS).split():
        number = counts[animal] = counts.get(animal, -1) + 1
        named.append(f"chip-{animal}#{number}")
    return named


TOP_CHIPS = tuple(chips()[place] for place in (5, 11, 17, 23))
LAY_BY_AREA = "; ".join(
    f"area-{area} {tile}" for area, tiles in enumerate(BOARD) for tile in tiles.split()
)
LAY = "; ".join(f"- {tile}" for tiles in BOARD for tile in tiles.split())
BUILD = "; ".join(f"- {chip}" for chip in chips())
TELL_TOPS = "; ".join(f"- {chip}" for chip in TOP_CHIPS) + "; = tops"
TOUCH_TOPS = "; ".join(f"! reef {stack} {animal}" for stack, animal in enumerate(TOPS))


def listening(taps="", players=("Ann", "Bo"), **options):
    """Somebody who understands, after these taps."""
    listener = Listener(OctopusAlarm(), Setup("octopus-alarm", players, None, options))
    tap(listener, taps)
    return listener


def tap(listener, taps):
    """What the last of the taps means, in short."""
    said = ""
    for text in filter(None, map(str.strip, taps.split(";"))):
        said = _short(_one(listener, text))
    return said


def _one(listener, text):
    what, *rest = text.split()
    if what == "=":
        return listener.answer(*rest)
    if what == "!":
        verb, *values = rest
        values = [int(value) if value.isdigit() else value for value in values]
        body = {"do": verb, **dict(zip(FIELDS.get(verb, ()), values, strict=True))}
        return listener.touch(action_from_json("octopus-alarm", body))
    if what == "undo":
        return listener.undo(int(rest[0]) if rest else 1)
    if what == "stop":
        return listener.tap("control/stop")
    (tag,) = rest
    return listener.tap(tag.partition("#")[0], "" if what == "-" else what, tag)


def _short(meaning):
    match meaning:
        case None:
            return ""
        case Do(actions):
            bodies = [action_to_json(action) for action in actions]
            return ", ".join(" ".join(map(str, body.values())) for body in bodies)
        case Ask(question):
            return f"ask {question.key}: " + " ".join(choice.key for choice in question.choices)
        case Refuse(code):
            return f"refuse {code}"
        case Wait():
            return "wait"
        case _:
            return meaning.code


def waiting(taps, players=("Ann", "Bo"), **options):
    return listening(taps, players, **options).waiting
