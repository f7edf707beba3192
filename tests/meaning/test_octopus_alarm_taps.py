"""What taps mean in octopus alarm: set-up, voyages, flips and chips."""

from __future__ import annotations

import pytest
from octopus_taps import (
    BOARD,
    BUILD,
    LAY,
    LAY_BY_AREA,
    TELL_TOPS,
    TOP_CHIPS,
    TOUCH_TOPS,
    chips,
    listening,
    tap,
    waiting,
)

from companion.meaning import understanding_of
from companion.meaning.octopus_alarm import OctopusAlarm
from companion.rules.octopus_alarm_words import ANIMALS

DO_NOT_FIT = (
    "The tiles that were tapped do not fit together (rule 11): tap each that may lie elsewhere "
    "once more, in its own area."
)
OR_BUILT = "stack after stack; or go on tapping the stacks, each from the bottom up."
FIRST_FOUR = "; ".join(f"- {tile}" for tile in BOARD[0].split())
ASK_SAILED = "ask sailed: sail-1 sail-2 none"


def place_of(listener, uid):
    """The area and the tile that this tag told."""
    for match, told in listener.known.past():
        if told == uid:
            return match.before.state.ship, match.action.tile
    return None


def test_the_game_is_understood():
    assert isinstance(understanding_of("octopus-alarm"), OctopusAlarm)
    assert OctopusAlarm.stations == ("area", "reef", "play")


# The tiles before the game

LAYING = [
    ("", ""),
    ("- wave#0", "Area 0: 1 of 4 tiles are tapped."),
    (FIRST_FOUR, "Area 1: 0 of 4 tiles are tapped."),
    (LAY.rpartition(";")[0], "Area 3: 3 of 4 tiles are tapped."),
    (LAY, ""),
    ("area-2 wave#0; area-0 crab", "2 of 16 tiles are tapped."),
    (LAY_BY_AREA, ""),
    ("area-0 wave#0; area-0 wave#1", DO_NOT_FIT),
    (f"{LAY_BY_AREA}; area-2 crab", DO_NOT_FIT),
    (f"{LAY_BY_AREA}; area-2 crab; area-0 snail", ""),
    # Laid again, elsewhere, and again with one reader.
    ("area-2 wave#0; area-2 wave#0", "1 of 16 tiles are tapped."),
    ("area-2 wave#0; area-1 wave#0; area-2 wave#1", "2 of 16 tiles are tapped."),
    ("- wave#0; - billy#0; - crab; - billy#0", "Area 0: 2 of 4 tiles are tapped."),
    ("- wave#0; - wave#0", "Area 0: 1 of 4 tiles are tapped."),
    (f"{FIRST_FOUR}; - wave#1; - crab", "Area 0: 3 of 4 tiles are tapped."),
    # When a top is told the game begins.
    (f"- wave#0; {TOUCH_TOPS}", "Area 0: 1 of 4 tiles are tapped."),
    (f"- wave#0; {TOUCH_TOPS}; ! sail 2", ""),
    # The reef.
    (
        "- chip-crab#0",
        f"1 of 4 tops are tapped, {OR_BUILT}",
    ),
    ("; ".join(f"- {chip}" for chip in chips()[:4]), ""),
    (
        "; ".join(f"- {chip}" for chip in chips()[:4]) + "; = built",
        "Stack 0: 4 of 6 chips are tapped.",
    ),
    ("; ".join(f"- {chip}" for chip in chips()[:5]), "Stack 0: 5 of 6 chips are tapped."),
    ("; ".join(f"reef {chip}" for chip in chips()[:12]), "Stack 2: 0 of 6 chips are tapped."),
    (
        "; ".join(f"- {chip}" for chip in chips()[:9]) + f"; - {chips()[6]}",
        "Stack 1: 1 of 6 chips are tapped.",
    ),
    (BUILD, ""),
    (f"{TELL_TOPS}; undo 4; - chip-snail#0", f"1 of 4 tops are tapped, {OR_BUILT}"),
    # Told otherwise, a reef that was tapped in part is forgotten; with nothing told it is not.
    (f"{'; '.join(f'- {chip}' for chip in chips()[:5])}; {TOUCH_TOPS}; undo 4", ""),
    (
        f"{'; '.join(f'- {chip}' for chip in chips()[:5])}; ! leave Cy",
        "Stack 0: 5 of 6 chips are tapped.",
    ),
    ("; ".join(f"- {chip}" for chip in chips()[:4]) + "; = anew", ""),
    (
        "- chip-crab#0; ! reef 0 crab",
        "Tap the chip that came up on stack 1, 2 or 3 of the reef (rule 4).",
    ),
]


@pytest.mark.parametrize(("taps", "sentence"), LAYING)
def test_how_far_board_and_reef_are_tapped_is_told(taps, sentence):
    assert waiting(taps, ("Ann", "Bo", "Cy")) == sentence


NOT_LAID = [
    # A second wave, octopus, and a third animal of an area; a second tile of one animal.
    ("fixed", "area-0 wave#0; area-0 wave#1", "does-not-fit"),
    ("fixed", "- wave#0; - billy#0; - billy#1", "refuse card-not-available"),
    ("fixed", "area-1 crab; area-1 fish; area-1 snail", "does-not-fit"),
    ("fixed", "area-1 crab; area-2 crab#2", "does-not-fit"),
    ("waves-only", "area-0 billy#0; area-0 billy#1", "wait"),
    ("waves-only", "area-0 wave#0; area-0 wave#1", "does-not-fit"),
    ("free", "area-0 wave#0; area-0 wave#1; area-0 wave#2; area-0 wave#3", "wait"),
    (
        "free",
        "area-0 wave#0; area-0 wave#1; area-0 wave#2; area-1 wave#3; area-1 wave#4",
        "does-not-fit",
    ),
    # A fifth tile; one that was laid elsewhere makes room.
    (
        "free",
        "area-0 wave#0; area-0 crab; area-0 fish; area-0 snail; area-0 squid",
        "does-not-fit",
    ),
    (
        "free",
        "area-0 wave#0; area-0 crab; area-0 fish; area-0 snail; area-1 fish; area-0 squid",
        "wait",
    ),
    # The one that lies elsewhere is tapped there, or two are exchanged.
    ("fixed", "area-0 wave#0; area-0 wave#1; area-1 wave#1", "wait"),
    ("fixed", f"{LAY_BY_AREA}; area-0 fish; area-1 crab; area-0 snail", "does-not-fit"),
    ("fixed", f"{LAY_BY_AREA}; area-2 crab; area-0 snail", "wait"),
    # A fourth chip of one animal.
    (
        "fixed",
        "- chip-crab#0; - chip-crab#1; - chip-crab#2; - chip-crab#3",
        "refuse card-not-available",
    ),
]


@pytest.mark.parametrize(("layout", "taps", "meaning"), NOT_LAID)
def test_what_cannot_be_laid_out_is_said(layout, taps, meaning):
    listener = listening(layout=layout)
    *before, last = taps.split(";")
    tap(listener, ";".join(before))
    memory = listener.memory
    assert tap(listener, last) == meaning
    assert (listener.memory == memory) == meaning.startswith("refuse")


def test_nothing_that_is_laid_out_is_named():
    """Rule 12: only how many were tapped, and not even in refusals."""
    listener = listening()
    said = []
    for taps in (
        FIRST_FOUR,
        "- crab#1; - wave#0; - billy#0",
        LAY,
        "area-1 crab",
        "- wave#0",
        BUILD,
    ):
        for each in taps.split(";"):
            what, tag = each.split()
            meaning = listener.tap(tag.partition("#")[0], "" if what == "-" else what, tag)
            said.append(getattr(meaning, "message", ""))
            said.append(listener.waiting)
    assert any("does not fit" in each for each in said)
    assert not any(face in each for face in ("wave", "billy", *ANIMALS) for each in said)


# How far the ship has sailed: it starts in area 0, Lille-Billy in area 3

SAILED = [
    (LAY, "- jellyfish", "sail 1, flip 0 jellyfish"),
    (LAY, "- squid", "sail 2, flip 0 squid"),
    (LAY_BY_AREA, "area-1 wave#1", "sail 1, flip 0 wave"),
    (LAY_BY_AREA, "area-2 billy#2", "sail 2, flip 0 billy"),
    (LAY_BY_AREA, "- billy#2", "sail 2, flip 0 billy"),
    (LAY_BY_AREA, "- crab", "refuse not-legal"),
    (LAY_BY_AREA, "- turtle", "refuse not-legal"),
    (LAY_BY_AREA, "area-1 squid", "refuse not-legal"),
    # Not tapped before: asked, unless the reader says it or only one way is possible.
    ("", "- jellyfish", ASK_SAILED),
    ("", "reef jellyfish", ASK_SAILED),
    ("", "area-1 jellyfish", "sail 1, flip 0 jellyfish"),
    ("", "area-2 jellyfish", "sail 2, flip 0 jellyfish"),
    ("", "area-3 jellyfish", "refuse not-legal"),
    ("", "area-0 jellyfish", "refuse not-legal"),
    ("", "area-4 jellyfish", ASK_SAILED),
    ("", "! sail 2; - jellyfish", "flip 0 jellyfish"),
    ("", "- jellyfish; = sail-2", "sail 2, flip 0 jellyfish"),
    ("", "- jellyfish; = none", "wait"),
    ("", "- jellyfish; = none; - snail", ASK_SAILED),
    # Some areas are known.
    ("area-1 wave#1; area-2 snail", "area-1 wave#1; = flipped", "sail 1, flip 0 wave"),
    ("area-1 wave#1; area-2 snail", "- snail; = flipped", "sail 2, flip 0 snail"),
    ("area-1 wave#1", "- wave#2; = flipped", "sail 2, flip 0 wave"),
    ("area-1 wave#1", "- billy#2; = flipped", ASK_SAILED),
    (
        "area-1 wave#1; area-1 billy#1; area-1 snail; area-1 crab",
        "- fish; = flipped",
        "sail 2, flip 0 fish",
    ),
    # Tiles that do not fit together tell nothing.
    ("area-1 wave#1; area-1 wave#2", "- wave#1; = flipped", ASK_SAILED),
    (f"{LAY_BY_AREA}; area-2 crab", "- squid; = flipped", ASK_SAILED),
    # With one reader only all sixteen can be relied on.
    (LAY.rpartition(";")[0], "- squid; = flipped", ASK_SAILED),
    # Nobody has sailed: a tile may still be laid out.
    ("area-1 wave#1", "area-1 wave#1", "ask laid: flipped laid-out none"),
    ("area-1 wave#1", "area-2 wave#2; = laid-out", "wait"),
    ("area-1 wave#1", "area-2 wave#2; = laid-out; area-3 wave#3", "wait"),
    (
        "area-1 wave#1",
        "area-2 wave#2; = laid-out; area-2 wave#2",
        "ask laid: flipped laid-out none",
    ),
    ("area-1 wave#1", "area-2 wave#2; = none; ! sail 1; - wave#1", "flip 0 wave"),
]


@pytest.mark.parametrize(("laid", "taps", "meaning"), SAILED)
def test_the_voyage_is_known_by_the_tile_or_asked(laid, taps, meaning):
    assert tap(listening(f"{laid}; {TOUCH_TOPS}"), taps) == meaning


@pytest.mark.parametrize(
    ("start", "meaning"),
    [
        ({"ship": 0, "billy": 1}, "sail 2, flip 0 crab"),
        ({"ship": 0, "billy": 2}, "sail 1, flip 0 crab"),
        ({"ship": 0, "billy": 0}, ASK_SAILED),
        # Who sails to Lille-Billy flips nothing (rule 1).
        ({"ship": 0, "billy": 1, "landing": "alarm"}, "sail 2, flip 0 crab"),
    ],
)
def test_where_lille_billy_is_nobody_has_flipped(start, meaning):
    assert tap(listening(TOUCH_TOPS, **start), "- crab") == meaning


def test_the_question_names_the_player_and_holds_all_else_up():
    listener = listening(f"{TOUCH_TOPS}; - snail")
    question = listener.question
    assert (question.who, question.blocking) == ("Ann", True)
    assert question.text == "The snail was flipped: how far has Ann sailed?"
    assert [choice.label for choice in question.choices] == [
        "One area, to area 1",
        "Two areas, to area 2",
        "It was not flipped",
    ]
    assert tap(listener, "- squid") == "refuse not-legal"
    assert tap(listener, "stop") == "refuse not-legal"
    assert listener.question == question
    assert tap(listener, "- snail") == ASK_SAILED
    assert tap(listener, "= sail-2") == "sail 2, flip 0 snail"
    assert listener.question is None
    assert place_of(listener, "snail") == (2, 0)


def test_a_flip_that_waits_is_not_lost_when_the_voyage_is_told_otherwise():
    listener = listening(f"{TOUCH_TOPS}; - snail; ! sail 1")
    assert listener.question.key == "meant"
    assert tap(listener, "= done") == "flip 0 snail"
    assert place_of(listener, "snail") == (1, 0)
    listener = listening(f"{TOUCH_TOPS}; - snail; ! sail 1; = none")
    assert listener.question is None
    assert listener.match.state.phase == "flip"


def test_a_flip_that_waits_is_forgotten_when_it_cannot_be_any_more():
    listener = listening(f"{TOUCH_TOPS}; - snail; ! sail 2; ! flip 0 squid")
    assert listener.match.state.seat == 1
    assert listener.question.key == "meant"  # it may lie where Bo can sail to
    listener = listening(f"{TOUCH_TOPS}; - snail; undo")
    assert listener.question is None


# Flips

FLIPPED = [
    ("- billy#1; - jellyfish", "flip 1 jellyfish"),
    # The wave moves the ship: the next tile lies in the next area.
    ("- wave#1; - squid", "flip 0 squid"),
    ("- wave#1; - jellyfish", "refuse not-legal"),
    ("- wave#1; - billy#2", "flip 0 billy"),
    # Up already.
    ("- billy#1; - billy#1", "refuse not-legal"),
    # Another area, and with a reader there.
    ("- billy#1; - snail", "refuse not-legal"),
    ("- billy#1; area-2 snail", "refuse not-legal"),
    ("- billy#1; area-2 jellyfish", "refuse not-legal"),
    ("area-1 billy#1; area-1 jellyfish", "flip 1 jellyfish"),
    # A second one of a kind.
    ("- jellyfish#1", "refuse card-not-available"),
    ("- wave#9", "refuse card-not-available"),
]


@pytest.mark.parametrize(("taps", "meaning"), FLIPPED)
def test_flips(taps, meaning):
    assert tap(listening(f"{LAY_BY_AREA}; {BUILD}"), taps) == meaning


def test_a_tile_keeps_the_place_that_it_got():
    listener = listening(TOUCH_TOPS, layout="free", billy=0)
    assert tap(listener, "- billy#1; = sail-2; - wave#1") == "flip 1 wave"
    # The ship is in area 3; round the sea again.
    tap(listener, "stop; ! sail 1; ! flip 0 turtle")
    assert tap(listener, "- wave#1") == "sail 2, flip 1 wave"


def test_two_tiles_of_one_face_and_area_are_told_apart():
    listener = listening(f"{TOUCH_TOPS}; ! sail 1", layout="free", billy=3)
    assert tap(listener, "- billy#0") == "flip 0 billy"
    assert tap(listener, "- billy#1") == "flip 1 billy"
    assert tap(listener, "- billy#0") == "refuse not-legal"


def test_an_undo_unlearns():
    listener = listening(f"{TOUCH_TOPS}; - snail; = sail-1")
    assert place_of(listener, "snail") == (1, 0)
    tap(listener, "undo 2")
    assert tap(listener, "- snail") == ASK_SAILED


def test_what_was_learnt_tells_the_next_voyage():
    listener = listening(f"{TOUCH_TOPS}; - snail; = sail-1", billy=3)
    assert listener.match.state.seat == 1  # the snail was not on top
    tap(listener, "! sail 1; - squid")
    assert listener.match.state.ship == 2
    tap(listener, "! sail 2; - turtle")
    assert listener.match.state.ship == 0
    assert tap(listener, "- snail") == "sail 1, flip 0 snail"


def test_a_tile_chosen_on_a_page_and_tapped_later_is_one_tile():
    listener = listening(f"{TOUCH_TOPS}; ! sail 1; ! flip 2 snail")
    tap(listener, "! sail 1; ! flip 0 squid; ! sail 2; ! flip 0 turtle")
    assert tap(listener, "- snail") == "sail 1, flip 2 snail"


def test_tags_of_waves_tell_nothing_once_a_wave_was_told_without_its_tag():
    """Which of the two waves was flipped first, nobody can say any more."""
    first = f"{TOUCH_TOPS}; ! sail 1; - wave#1; stop; ! sail 2"
    round_the_sea = "! sail 1; ! flip 0 squid; ! sail 2; ! flip 2 turtle"
    by_tag = listening(f"{first}; - wave#0; stop; {round_the_sea}")
    assert tap(by_tag, "- wave#1") == "sail 1, flip 0 wave"
    by_touch = listening(f"{first}; ! flip 1 wave; stop; {round_the_sea}")
    assert tap(by_touch, "- wave#1") == ASK_SAILED
    # An animal is the only one of its kind.
    assert tap(by_touch, "= none; - squid") == "sail 2, flip 0 squid"


WHICH = [
    # A wave of area 1 lies up by touch: this may be it, or another one.
    ("! sail 1; ! flip 2 billy; - billy#0", "ask tile: up first none"),
    ("! sail 1; ! flip 2 billy; - billy#0; = first", "flip 0 billy"),
    ("! sail 1; ! flip 2 billy; - billy#0; = up", "wait"),
    ("! sail 1; ! flip 2 billy; - billy#0; = none", "wait"),
]


@pytest.mark.parametrize(("taps", "meaning"), WHICH)
def test_which_of_two_tiles_is_asked_where_the_face_does_not_say(taps, meaning):
    listener = listening(TOUCH_TOPS, layout="free", billy=3)
    assert tap(listener, taps) == meaning
    assert listener.question is None or "ask" in meaning


def test_a_tile_must_wait_for_the_tops():
    for station in ("area-1", ""):
        meaning = listening(LAY_BY_AREA).tap("jellyfish", station, "jellyfish")
        assert "first tap the tops of the reef" in meaning.message


PASSED_OVER = [
    # The crab of area 0 was passed over, so all others were counted one too far.
    ("- chip-crab#0; - crab", "ask laid: flipped laid-out none"),
    ("- chip-crab#0; - crab; = flipped", "wait"),
    ("- chip-crab#0; - crab; = laid-out", "wait"),
    (f"{TELL_TOPS}; undo; - crab", "ask laid: flipped laid-out none"),
]


@pytest.mark.parametrize(("taps", "meaning"), PASSED_OVER)
def test_a_tile_that_was_passed_over_does_not_complete_the_count(taps, meaning):
    laid = LAY.replace("- crab; ", "")
    listener = listening(laid, layout="free")
    assert tap(listener, taps) == meaning
    assert (len(listener.memory.tiles) == 16) == ("laid-out" in taps)


def test_tops_that_were_taken_back_come_with_the_next_flip():
    listener = listening(f"{TELL_TOPS}; undo 4")
    assert tap(listener, "area-2 snail") == (
        "reef 0 crab, reef 1 fish, reef 2 jellyfish, reef 3 crab, sail 2, flip 0 snail"
    )


def test_the_animals_of_a_table_stand_in_the_order_of_their_list():
    animals = "cat,dog,hen,pig,cow,fox,owl,bee"
    tops = "! reef 0 cat; ! reef 1 dog; ! reef 2 hen; ! reef 3 pig"
    listener = listening(tops, animals=animals)
    assert tap(listener, "area-1 turtle") == "sail 1, flip 0 bee"
    listener = listening(TELL_TOPS, animals=animals)
    assert listener.match.state.reef.tops == ("cat", "dog", "hen", "cat")


# Chips


@pytest.mark.parametrize("build", [BUILD, BUILD.replace("- ", "reef ")])
def test_a_reef_that_was_tapped_needs_no_telling(build):
    listener = listening(f"{LAY_BY_AREA}; {build}")
    assert listener.match.state.reef.tops == ("crab", "fish", "jellyfish", "crab")
    tap(listener, "- jellyfish")
    assert listener.match.state.reef.tops == ("crab", "fish", "squid", "crab")
    assert listener.match.state.phase == "choose"
    # By whatever way the chip was taken.
    listener = listening(f"{build}; ! sail 1; ! flip 0 jellyfish")
    assert listener.match.state.reef.tops == ("crab", "fish", "squid", "crab")


def test_a_top_that_was_taken_back_is_told_with_the_next_tap():
    listener = listening(f"{LAY_BY_AREA}; {BUILD}; - jellyfish; undo")
    assert listener.match.state.phase == "reef"
    assert listener.waiting == ""
    assert tap(listener, "- billy#1") == "reef 2 squid, flip 1 billy"
    listener = listening(f"{LAY_BY_AREA}; {BUILD}; - jellyfish; undo")
    assert tap(listener, "stop") == "reef 2 squid, stop"
    listener = listening(f"{LAY_BY_AREA}; {BUILD}; - jellyfish; undo")
    assert tap(listener, f"- {chips()[16]}") == "reef 2 squid"
    listener = listening(f"{LAY_BY_AREA}; {BUILD}; - jellyfish; undo")
    assert tap(listener, f"- {chips()[0]}") == "refuse card-not-available"


def test_a_stack_of_which_something_else_was_told_is_not_relied_on():
    listener = listening(f"{BUILD}; undo; ! reef 3 squid; ! sail 1; ! flip 0 squid")
    assert listener.match.state.phase == "reef"
    assert listener.waiting == "Tap the chip that came up on stack 3 of the reef (rule 4)."
    assert tap(listener, "- chip-snail#9") == "reef 3 snail"


TOLD_TOPS = [
    (TELL_TOPS, "crab fish jellyfish crab"),
    (TELL_TOPS.replace("= tops", "stop"), "crab fish jellyfish crab"),
    (
        f"! reef 2 snail; - {TOP_CHIPS[0]}; - {TOP_CHIPS[1]}; - {TOP_CHIPS[2]}",
        "crab fish snail jellyfish",
    ),
]


@pytest.mark.parametrize(("taps", "tops"), TOLD_TOPS)
def test_the_tops_are_told_in_the_order_of_the_stacks(taps, tops):
    assert " ".join(listening(taps).match.state.reef.tops) == tops


CLOSING = [
    (TELL_TOPS, "The tops of the reef, stack after stack: crab, fish, jellyfish, crab"),
    (BUILD, "The tops of the reef, stack after stack: crab, fish, jellyfish, crab"),
    (TOUCH_TOPS, ""),
    (TELL_TOPS.rpartition(";")[0], ""),
    (f"{TELL_TOPS}; ! sail 1", ""),
    (f"{TELL_TOPS}; area-1 snail", ""),
]


@pytest.mark.parametrize(("taps", "sentence"), CLOSING)
def test_tops_that_were_tapped_are_compared_before_the_game(taps, sentence):
    listener = listening(taps)
    assert listener.understanding.closing(listener.known) == sentence


def test_at_the_end_the_scores_are_compared():
    listener = listening(f"{TELL_TOPS}; area-1 jellyfish", target=1)
    assert listener.understanding.closing(listener.known) == "Ann 1, Bo 0"


def test_four_chips_are_asked_about_and_a_fifth_answers():
    listener = listening("; ".join(f"- {chip}" for chip in chips()[:4]))
    assert listener.question.key == "reef"
    assert not listener.question.blocking
    tap(listener, f"- {chips()[4]}")
    assert listener.question is None
    listener = listening("; ".join(f"- {chip}" for chip in chips()[:4]) + "; ! reef 0 crab")
    assert listener.question is None


CAME_UP = [
    ("- chip-snail#0", "reef 2 snail"),
    ("- chip-jellyfish#9", "reef 2 jellyfish"),
    # The one that was taken, and one that lies elsewhere.
    (f"- {TOP_CHIPS[2]}", "refuse not-legal"),
    (f"- {TOP_CHIPS[0]}", "refuse not-legal"),
    ("- billy#1", "refuse not-legal"),
    ("- chip-snail#0; - chip-snail#0", "refuse not-legal"),
]


@pytest.mark.parametrize(("taps", "meaning"), CAME_UP)
def test_the_chip_that_came_up_is_tapped(taps, meaning):
    listener = listening(f"{TELL_TOPS}; area-1 jellyfish")
    assert listener.match.state.phase == "reef"
    assert tap(listener, taps) == meaning


def test_a_chip_like_the_one_that_was_taken_is_asked_about_where_no_tag_tells():
    listener = listening(f"{TOUCH_TOPS}; area-1 jellyfish")
    assert tap(listener, "- chip-jellyfish#1") == "ask chip: came-up none"
    assert tap(listener, "= none") == "wait"
    assert tap(listener, "- chip-jellyfish#1; = came-up") == "reef 2 jellyfish"
    assert tap(listening(f"{TOUCH_TOPS}; area-1 jellyfish"), "- chip-snail#1") == "reef 2 snail"


TAKEN = [
    (TELL_TOPS, f"- {TOP_CHIPS[0]}", "take 0"),
    (TELL_TOPS, f"- {TOP_CHIPS[3]}", "take 3"),
    (BUILD, f"- {TOP_CHIPS[3]}", "take 3"),
    (TELL_TOPS, f"- {TOP_CHIPS[1]}", "refuse not-legal"),
    (BUILD, "- chip-crab#1", "refuse not-legal"),  # it lies at the bottom of stack 2
    (TELL_TOPS, "- chip-crab#9", "ask stack: stack-0 stack-3 none"),
    (TOUCH_TOPS, f"- {TOP_CHIPS[0]}", "ask stack: stack-0 stack-3 none"),
    (TOUCH_TOPS, f"- {TOP_CHIPS[0]}; = stack-3", "take 3"),
    (TOUCH_TOPS, f"- {TOP_CHIPS[0]}; = none", "wait"),
    (TOUCH_TOPS, "- chip-fish#0", "refuse not-legal"),
    (f"{BUILD}; undo; ! reef 3 crab", "- chip-crab#1", "refuse not-legal"),
    # What was told of stack 2 is not what was tapped there: nothing is known of its top.
    (
        f"{BUILD}; undo 2; ! reef 2 crab",
        "- chip-crab#1",
        "ask stack: stack-0 stack-2 stack-3 none",
    ),
    (TOUCH_TOPS, "- billy#1", "refuse not-legal"),
]


@pytest.mark.parametrize(("tops", "taps", "meaning"), TAKEN)
def test_the_stack_is_told_by_the_chip_that_is_taken_or_asked(tops, taps, meaning):
    listener = listening(f"{tops}; ! sail 1; ! flip 0 crab")
    assert listener.match.state.phase == "take"
    assert tap(listener, taps) == meaning


def test_a_chip_that_was_taken_is_not_the_one_that_came_up():
    listener = listening(f"{TOUCH_TOPS}; ! sail 1; ! flip 0 crab; - {TOP_CHIPS[0]}; = stack-0")
    assert tap(listener, f"- {TOP_CHIPS[0]}") == "refuse not-legal"
    assert tap(listener, "- chip-crab#1") == "reef 0 crab"


WRONG_KIND = [
    (f"{TELL_TOPS}; area-1 jellyfish", f"- {TOP_CHIPS[2]}", "That chip was taken: tap the one"),
    (f"{TELL_TOPS}; area-1 jellyfish", f"- {TOP_CHIPS[1]}", "That chip lies on stack 1: tap the"),
    (TELL_TOPS, "- chip-snail#0", "tap the tile that was flipped (rule 2)."),
    (f"{TELL_TOPS}; area-1 billy#1", "- chip-snail#0", "tap the tile that was flipped, or stop"),
    (f"{TELL_TOPS}; area-1 jellyfish", "- billy#1", "first tap the chip that came up on stack 2"),
    (f"{TELL_TOPS}; area-1 billy#1", "- billy#1", "The billy lies up already: flip a tile of area"),
    (
        f"{LAY_BY_AREA}; {TELL_TOPS}",
        "- crab",
        "The crab lies in another area: Ann can sail to area 1 or 2 and flip there",
    ),
    (f"{LAY_BY_AREA}; {TELL_TOPS}; ! sail 1", "- crab", "flip a tile of area 1, where the ship is"),
    (f"{LAY_BY_AREA}; {TELL_TOPS}", "area-1 crab", "The crab does not belong to area 1"),
    (f"{TELL_TOPS}; ! sail 1", "area-3 crab", "That was tapped in area 3: flip a tile of area 1"),
    (f"{TELL_TOPS}; area-1 billy#1", "area-1 billy#2", "The billy cannot lie in area 1"),
    (f"{TELL_TOPS}; area-2 wave#2", "- crab", "there is an alarm"),
    (f"{TELL_TOPS}; area-2 wave#2", "- chip-crab#0", "there is an alarm"),
]


@pytest.mark.parametrize(("before", "taps", "sentence"), WRONG_KIND)
def test_a_refusal_says_what_would_fit(before, taps, sentence):
    listener = listening(before)
    match, memory = listener.match, listener.memory
    what, tag = taps.split()
    meaning = listener.tap(tag.partition("#")[0], "" if what == "-" else what, tag)
    assert sentence in meaning.message
    assert (listener.match, listener.memory) == (match, memory)


def test_the_game_is_over():
    listener = listening(f"{TELL_TOPS}; area-1 jellyfish", target=1)
    assert tap(listener, "- billy#1") == "refuse game-over"
    assert tap(listener, "- chip-crab#0") == "refuse game-over"
