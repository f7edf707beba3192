"""What the page of enrolment shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from companion.enrolling.places import Part, places_of
from companion.enrolling.session import Cell, Enrolment, Told
from companion.rules import GAMES
from companion.rules.sea_salt_paper.cards import CARDS, COLOURS
from web_ui.enrol.pictures import Picture, picture_of, title_of
from web_ui.games import face_of
from web_ui.live import Scene
from web_ui.parts import parts
from web_ui.sentences import Sentence
from web_ui.words import gettext, ngettext
from web_ui.words import told as engine_told

Sound = Literal["", "tick", "buzz", "fanfare"]
PictureOf = Callable[[str], Picture]
"""What a component looks like at this table."""

TO_CHECK = 5
"""So many things are named as a proof."""


@dataclass(frozen=True, slots=True)
class Square:
    """One thing of the grid.

    Attributes:
        picture: of it.
        tags: how many are on it.
        wanted: how many of it there are.
        state: whether it has its tags, lacks some, or has too many.
        next: it gets the next tag.
        says: all of it in words.
    """

    picture: Picture
    tags: int
    wanted: int
    state: Literal["done", "open", "twice"]
    next: bool
    says: str


@dataclass(frozen=True, slots=True)
class Group:
    """The things of one part.

    Attributes:
        part: which.
        title: what people read.
        squares: its things.
        done: how many tags are where they belong.
        of: how many there are to be.
        first: the first thing of it that lacks a tag; or empty.
    """

    part: Part
    title: str
    squares: Sequence[Square]
    done: int
    of: int
    first: str


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of card in the colour that was chosen.

    Attributes:
        picture: of the next such card.
        says: the kind.
        open: how many of them lack a tag.
        there: whether there is such a card at all.
    """

    picture: Picture
    says: str
    open: int
    there: bool


@dataclass(frozen=True, slots=True)
class Box:
    """A game that can be chosen.

    Attributes:
        name: of the game.
        title: in the reader's language.
        done: how many tags are where they belong.
        of: how many there are to be.
    """

    name: str
    title: str
    done: int
    of: int


def context(scene: Scene) -> Mapping[str, Any]:
    """What the template of the page needs."""
    enrolment = scene.snapshot.enrolment
    if enrolment is None:
        return {"enrolment": None, "boxes": boxes(parts().table.enrolled)}
    players = scene.snapshot.players if scene.snapshot.game_name == enrolment.game else ()
    picture = partial(picture_of, players=players)
    told = enrolment.told
    groups = [
        group
        for part in ("cards", "additions", "tokens")
        if (group := _group(part, enrolment, picture)).squares
    ]
    here = next(group for group in groups if group.part == enrolment.part)
    return {
        "enrolment": enrolment,
        "enrolled_title": face_of(enrolment.game).title(),
        "groups": groups,
        "here": here,
        "next": enrolment.next and picture(enrolment.next),
        "next_has_tag": any(
            square.next and square.tags for group in groups for square in group.squares
        ),
        "on": enrolment.on and picture(enrolment.on),
        "told": told_sentence(told, picture),
        "tone": tone(told),
        "sound": sound(told),
        "left": clock(enrolment.left_s) if here.done < here.of else "",
        "counting": enrolment.counting,
        "to_check": TO_CHECK,
        **_by_kind(enrolment, picture),
    }


def boxes(tags: Mapping[str, str]) -> Sequence[Box]:
    """The games, and how many of their cards have tags.

    Args:
        tags: component by UID.
    """
    on: dict[str, int] = {}
    for component in tags.values():
        on[component] = on.get(component, 0) + 1
    found = []
    for game in GAMES:
        cards = [place for place in places_of(game).values() if place.part == "cards"]
        done = sum(min(place.wanted, on.get(place.component, 0)) for place in cards)
        of = sum(place.wanted for place in cards)
        found.append(Box(game, face_of(game).title(), done, of))
    return found


def _group(part: Part, enrolment: Enrolment, picture: PictureOf) -> Group:
    cells = [cell for cell in enrolment.cells if cell.place.part == part]
    squares = [_square(cell, picture(cell.place.component), enrolment.next) for cell in cells]
    return Group(
        part,
        title_of(part, enrolment.game),
        squares,
        done=sum(min(cell.tags, cell.place.wanted) for cell in cells),
        of=sum(cell.place.wanted for cell in cells),
        first=next((cell.place.component for cell in cells if cell.open), ""),
    )


def _square(cell: Cell, picture: Picture, asked: str | None) -> Square:
    component, wanted = cell.place.component, cell.place.wanted
    if cell.twice:
        state: Literal["done", "open", "twice"] = "twice"
        says = gettext("%(thing)s: too many tags")
    elif cell.open:
        state, says = "open", gettext("%(thing)s: no tag yet")
        if cell.tags:
            says = gettext("%(thing)s: %(tags)s of %(wanted)s")
    else:
        state, says = "done", gettext("%(thing)s: done")
    told = {"thing": picture.says, "tags": cell.tags, "wanted": wanted}
    return Square(picture, cell.tags, wanted, state, component == asked, says % told)


def _by_kind(enrolment: Enrolment, picture: PictureOf) -> Mapping[str, Any]:
    """For a game with many cards that differ in kind and colour: both, to be chosen apart."""
    if enrolment.game != "sea-salt-paper" or enrolment.mode != "free":
        return {"colours": (), "kinds": ()}
    tags = {cell.place.component: cell for cell in enrolment.cells}
    colour = enrolment.colour if enrolment.colour in COLOURS else COLOURS[0]
    by_kind: dict[str, list[Cell]] = {}
    other: dict[str, list[Cell]] = {}
    for card in CARDS:
        cell = tags[f"sea-salt-paper/{card.name}"]
        other.setdefault(card.kind, []).append(cell)
        if card.colour == colour:
            by_kind.setdefault(card.kind, []).append(cell)
    kinds = []
    for kind, all_cells in other.items():
        # What comes in one colour alone needs none to be chosen.
        one = len({_hue(cell, picture) for cell in all_cells}) == 1
        cells = by_kind.get(kind) or (all_cells if one else [])
        shown = next((cell for cell in cells if cell.open), (cells or all_cells)[0])
        drawn = picture(shown.place.component)
        says = drawn.says.partition(",")[0]
        kinds.append(Kind(drawn, says, sum(cell.open for cell in cells), bool(cells)))
    colours = []
    for name in COLOURS:
        sample = next(card for card in CARDS if card.colour == name)
        drawn = picture(f"sea-salt-paper/{sample.name}")
        colours.append((name, drawn, name == colour))
    return {"colours": colours, "kinds": kinds}


def _hue(cell: Cell, picture: PictureOf) -> str:
    return picture(cell.place.component).style


def tone(told: Told) -> str:
    """How what was told feels, for the colour."""
    return {"buzz": "refused", "fanfare": "good", "tick": "good"}.get(sound(told), "plain")


def sound(told: Told) -> Sound:
    """What is heard, so that nobody need look up between two cards."""
    if told.complete:
        return "fanfare"
    if told.warns:
        return "buzz"
    match told.kind:
        case "begun" | "resumed" | "chosen":
            return ""
    return "tick"


def told_sentence(told: Told, picture: PictureOf) -> Sentence:  # noqa: PLR0912 - a table
    """What happened last, in words."""
    words = {"thing": picture(told.component).says} if told.component else {}
    icon = "touch"
    match told.kind:
        case "enrolled":
            says = gettext("Saved: %(thing)s")
            if told.twice:
                icon, says = "tag-several", gettext("Saved, but now twice: %(thing)s")
        case "moved":
            icon, says = "turn-over", gettext("%(was)s → %(thing)s")
            words["was"] = picture(told.was).says if told.was else gettext("no card")
        case "replaced":
            icon, says = "again", gettext("Counted anew: %(thing)s. Old tags are forgotten.")
        case "counted":
            says = gettext("Counted: %(thing)s")
        case "undone":
            icon, says = "undo", gettext("Taken back: %(thing)s")
            words.setdefault("thing", "")
        case "already":
            icon, says = "tag-several", gettext("Already there: %(thing)s")
        case "named":
            icon, says = "seen", gettext("This is: %(thing)s")
        case "unnamed":
            icon, says = "tag-unknown", gettext("A new tag: what is it on?")
        case "taken-off":
            icon, says = "decline", gettext("This tag is on nothing any more")
        case "cut":
            icon = "tag-unknown"
            says = gettext(
                "The number of this tag begins with 88: it may have been cut short, and then "
                "two tags can look the same."
            )
        case "trouble":
            return Sentence("refused", "%(what)s", {}, {"what": engine_told(told.sentence)})
        case "brought":
            icon = "program"
            says = ngettext(
                "%(num)d tag came out of the file", "%(num)d tags came out of the file", told.count
            )
            return Sentence(icon, says, {}, {"num": told.count})
        case "resumed":
            icon, says = "again", gettext("Enrolment goes on where it was")
        case "chosen" if told.component:
            says = gettext("Chosen: %(thing)s")
        case _:
            icon, says = "reader", gettext("Lay the first card on the reader")
    return Sentence(icon, says, {}, words)


def clock(seconds: float) -> str:
    """Minutes and seconds, such as `0:36`."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02}"
