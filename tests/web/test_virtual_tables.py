"""The three games at their virtual tables, played by the forms of their pages alone."""

from __future__ import annotations

import re
from collections import Counter
from random import Random

import pytest
import virtual_evening as virtual_evening_module
from virtual_evening import PAGE, TWO, VirtualEvening

from companion.drivers.api import TagOff, TagOn
from companion.match import Setup
from companion.rules.octopus_alarm_words import ANIMALS, CHIPS
from companion.rules.sea_salt_paper.cards import BIT, DECK, names_of
from companion.rules.sea_salt_paper.duos import EFFECT_OF
from web_ui.games import face_of
from web_ui.virtual_scripts import SCRIPTS

LONGEST = 3000
"""So many presses no game takes."""


def things(evening: VirtualEvening) -> Counter[str]:
    """All that lies on the table, wherever it lies."""
    top = evening.virtual._top
    return Counter(uid for place in top.lying().values() for uid in place.tags)


def whole(evening: VirtualEvening) -> bool:
    """Whether each thing lies on the table once."""
    lies = things(evening)
    return lies.keys() == evening.virtual._top.things.keys() and set(lies.values()) == {1}


def accepted(evening: VirtualEvening) -> bool:
    return evening.table.snapshot.event.kind in ("action", "taken", "undo")


# --- whole games ----------------------------------------------------------------------


def test_a_whole_game_of_five_tentacles(virtual_evenings):
    evening, chance = virtual_evenings("tentacles"), Random(5)
    for _ in range(LONGEST):
        snapshot = evening.table.snapshot
        match snapshot.standing.phase:
            case "over":
                break
            case "choose" if chance.random() < 0.4:
                evening.token("stop")
            case "reveal" | "choose" if not evening.virtual.pile():
                evening.token("shuffle")
            case "reveal" | "choose":
                evening.post("/virtual/turn-top")
            case _:
                victim = next(n for n, p in enumerate(TWO, 1) if p != snapshot.standing.turn)
                evening.post("/virtual/tap", component=f"player/{victim}")
        assert accepted(evening), evening.table.snapshot.event
    assert evening.table.snapshot.standing.winners


def press_a_tile(evening: VirtualEvening, chance: Random) -> None:
    state = evening.match.state
    areas = [state.ship]
    if state.phase == "sail":
        areas = [area for far in (1, 2) if (area := (state.ship + far) % 4) != state.billy]
    area = chance.choice(areas)
    lies = evening.virtual.places()[f"area-{area}"]
    number = chance.choice([number for number, face in enumerate(lies) if face is None])
    evening.post("/virtual/lay", move=f"area-{area}:{number}>area-{area}")


@pytest.mark.parametrize("players", [TWO, ("Ann", "Bo", "Cy", "Dora")])
def test_a_whole_game_of_octopus_alarm(virtual_evenings, players):
    evening, chance = virtual_evenings("octopus-alarm", players), Random(len(players))
    evening.post("/virtual/lay-out")
    falls = 0
    for _ in range(LONGEST):
        state = evening.match.state
        match state.phase:
            case "over":
                break
            case "choose" if chance.random() < 0.4:
                evening.token("stop")
            case "sail" | "flip" | "choose":
                press_a_tile(evening, chance)
            case "take":
                stack = state.reef.tops.index(state.animal)
                evening.post("/virtual/lay", move=f"stack-{stack}:-1>reef")
            case "alarm":
                evening.clock.wait(4)  # the ship is carried to its place first
                how = chance.choice(("falls", "wobbles"))
                falls += how == "falls"
                evening.post("/virtual/ship", push=how)
                evening.clock.wait(7)
                event = evening.table.snapshot.event
                assert event.source.sense == "ship", (how, evening.table.snapshot.ship)
                if how == "falls":
                    evening.post("/virtual/ship", push="stands")
                    evening.clock.wait(4)
        assert evening.table.snapshot.event.kind != "refused", evening.table.snapshot.event
        assert whole(evening)
        assert up_by_area(evening) == shown_by_area(evening)
    assert evening.table.snapshot.standing.over
    lost = sum(3 - left for left in evening.table.snapshot.state["provisions"].values())
    assert lost == falls > 0


def up_by_area(evening):
    """The tiles that lie face up on the virtual table."""
    return Counter(
        (area, face.partition("/")[2])
        for area in range(4)
        for face in evening.virtual.places()[f"area-{area}"]
        if face is not None
    )


def shown_by_area(evening):
    """And on every screen."""
    face_up = evening.table.snapshot.state["face_up"]
    return Counter((int(place[0]), face) for place, face in face_up.items())


def sea_salt_step(evening: VirtualEvening, chance: Random) -> None:  # noqa: PLR0912 - phases
    """One gesture of the player in turn."""
    state = evening.match.state
    seat = f"seat-{state.seat + 1}"
    hand = f"hand-{state.seat + 1}"
    match state.phase:
        case "deal":
            evening.post("/virtual/deal")
        case "take" if state.deck and chance.random() < 0.7:
            evening.post("/virtual/draw")
        case "take":
            full = [number for number in (1, 2) if state.piles[number - 1]]
            if not full:
                evening.post("/virtual/draw")
            else:
                evening.lay(f"pile-{chance.choice(full)}:-1", seat)
        case "keep":
            evening.lay(f"drawn:{chance.randrange(2)}", seat)
        case "discard":
            evening.lay("drawn:0", f"discard-{chance.choice((1, 2))}")
        case "play":
            sea_salt_play(evening, hand, chance)
        case "look":
            pile = chance.choice([number for number in (1, 2) if state.piles[number - 1]])
            evening.lay(f"pile-{pile}:0", seat)
        case "pick" if state.looking:
            evening.lay(f"pile-{state.looking}:0", seat)
        case "pick":
            evening.lay("looked:0", seat)
        case "fish" | "stung":
            evening.post("/virtual/draw")
        case "steal":
            victims = [
                number
                for number, cards in enumerate(state.hands)
                if cards and number != state.seat and not state.revealed[number]
            ]
            evening.lay(f"hand-{chance.choice(victims) + 1}:0", seat)


def sea_salt_play(evening: VirtualEvening, hand: str, chance: Random) -> None:
    state = evening.match.state
    legal = {type(action).__name__ for action in evening.match.game.legal(state)}
    if "Mermaids" in legal:
        evening.token("mermaids")
        return
    pairs = [pair for pair in pairs_of(names_of(state.hands[state.seat])) if "Duo" in legal]
    if pairs:
        for card in pairs[0]:
            place, number = evening.virtual.find(f"sea-salt-paper/{card}")
            assert place == hand
            evening.lay(f"{place}:{number}", "play")
        return
    calls = [
        call for call, word in (("Stop", "stop"), ("LastChance", "last-chance")) if call in legal
    ]
    if calls and chance.random() < 0.5:
        evening.token({"Stop": "stop", "LastChance": "last-chance"}[chance.choice(calls)])
        return
    evening.token("pass")
    if any(question.key == "passed" for question in evening.table.snapshot.questions):
        evening.answer("yes")


def pairs_of(cards):
    return [
        (one, other)
        for place, one in enumerate(cards)
        for other in cards[place + 1 :]
        if BIT[one] | BIT[other] in EFFECT_OF
    ]


@pytest.mark.parametrize(("salt", "seed"), [(False, 1), (False, 3), (True, 3)])
def test_a_whole_game_of_sea_salt_and_paper(virtual_evenings, monkeypatch, salt, seed):
    monkeypatch.setattr(virtual_evening_module, "SEED", seed)
    evening, chance = (
        virtual_evenings("sea-salt-paper", ("Ann", "Bo", "Cy"), salt=salt),
        Random(seed),
    )
    for _ in range(LONGEST):
        if evening.match.state.phase == "over":
            break
        sea_salt_step(evening, chance)
        snapshot = evening.table.snapshot
        assert accepted(evening), (snapshot.event, snapshot.questions)
        assert whole(evening)
        state, places = evening.match.state, evening.virtual.places()
        if state.phase == "deal":
            assert len(places["deck"]) == state.terms.cards.bit_count()
            continue
        for seat, (held, table) in enumerate(zip(state.hands, state.tables, strict=True), 1):
            assert len(places[f"hand-{seat}"]) == held.bit_count()
            assert len(places[f"table-{seat}"]) == table.bit_count()
    assert evening.table.snapshot.standing.winners


# --- what is hidden -------------------------------------------------------------------

HIDDEN_WORDS = re.compile(r"FE[0-9A-F]{12}")


def test_covered_tiles_are_not_in_the_page(virtual_evenings):
    """Two tables that differ in what lies face down, and in nothing else, have the same page."""
    pages = []
    for seed in (11, 12):
        evening = virtual_evenings("octopus-alarm", folder=str(seed))
        evening.virtual.fix_next(2)
        setup = Setup("octopus-alarm", TWO)
        evening.table.new_game(setup, source=PAGE, instead=True)
        sea = evening.virtual._top
        lying = sea.lying()
        assert len(lying["area-0"].tags) == 4
        if seed == 12:
            swap_what_is_covered(evening)
        pages.append(plain(evening.html()))
        evening.post("/virtual/lay-out")
        pages.append(plain(evening.html()))
    assert pages[0] == pages[2]
    assert pages[1] == pages[3]
    assert not HIDDEN_WORDS.search(pages[1])


def swap_what_is_covered(evening):
    """The animals of area 0 and area 2 change places, and so do the lowest chips of two stacks."""
    top = evening.virtual._top
    lying, cards = top.lying(), evening.virtual._cards
    pairs = [
        (animals(cards, lying[f"area-{one}"].tags), animals(cards, lying[f"area-{other}"].tags))
        for one, other in ((0, 2), (1, 3))
    ]
    swaps = [pair for ones, others in pairs for pair in zip(ones, others, strict=True)]
    swaps.append((lying["stack-0"].tags[0], lying["stack-1"].tags[0]))
    for one, other in swaps:
        cards[one], cards[other] = cards[other], cards[one]


def animals(cards, uids):
    return [uid for uid in uids if cards[uid].partition("/")[2] in ANIMALS]


def plain(html):
    """The page without what is different in each run."""
    html = re.sub(r'name="key" value="[^"]*"', "", html)
    return re.sub(r'(data-version|data-cue|name="view" value)="[^"]*"', "", html)


def test_a_hand_is_in_the_page_only_when_it_was_turned_over(virtual_evenings):
    evening = virtual_evenings("sea-salt-paper")
    evening.post("/virtual/deal")
    evening.post("/virtual/draw")
    drawn = titles(evening, [name for card in evening.match.state.drawn for name in names_of(card)])
    assert not any(title in evening.html() for title in drawn)
    html = evening.see("/virtual/turn-over", place="drawn")
    assert all(title in html for title in drawn)
    evening.lay("drawn:0", "seat-1")
    held = titles(evening, names_of(evening.match.state.hands[0]))
    assert len(held) == 1
    assert all(title in evening.html() for title in held)
    html = evening.see("/virtual/turn-over", place="hand-1")
    assert not any(title in html for title in held)


def test_nothing_but_what_somebody_holds_can_be_turned_over(virtual_evenings):
    evening = virtual_evenings("sea-salt-paper")
    evening.post("/virtual/deal")
    for place in ("deck", "nowhere", "pile-1"):
        evening.post("/virtual/turn-over", 409, place=place)
    state, html = evening.match.state, evening.html()
    tops = titles(evening, [name for pile in state.piles for name in names_of(pile[-1])])
    assert all(title in html for title in tops)
    assert not any(title in html for title in titles(evening, names_of(state.deck)) - tops)


def titles(evening, cards):
    """What a card that lies face up is called on the page."""
    with evening.app.test_request_context():
        face = face_of("sea-salt-paper")
        return {f'title="{face.component(card)}"' for card in cards}


# --- the record leads -----------------------------------------------------------------


def test_what_is_taken_back_lies_where_it_lay(virtual_evenings):
    evening = virtual_evenings("octopus-alarm")
    evening.post("/virtual/lay-out")
    before = evening.virtual._top.lying()
    evening.post("/virtual/lay", move="area-1:2>area-1")
    assert evening.virtual._top.lying() != before
    evening.token("undo")
    evening.token("undo")
    assert evening.match.state.phase == "sail"
    assert evening.virtual._top.lying() == before


def test_a_tile_tells_that_the_ship_has_sailed_and_no_wave_carried_it(virtual_evenings):
    evening = virtual_evenings("octopus-alarm")
    evening.post("/virtual/lay-out")
    place, number = evening.virtual.find("octopus-alarm/billy", "area-1")
    html = evening.see("/virtual/lay", move=f"{place}:{number}>{place}")
    assert "sails to area 1" in html
    assert "a wave carries" not in html


def test_a_tile_that_was_told_by_touch_lies_face_up_too(virtual_evenings):
    evening = virtual_evenings("octopus-alarm")
    evening.post("/virtual/lay-out")
    evening.post("/touch", action='{"do":"sail","areas":1}', view=view(evening))
    evening.post("/touch", action='{"do":"flip","tile":0,"face":"billy"}', view=view(evening))
    assert up_by_area(evening) == {(1, "billy"): 1}


def view(evening):
    return f"{evening.table.snapshot.epoch}.{evening.table.snapshot.revision}"


def test_a_restarted_table_lies_as_it_lay(virtual_evenings):
    evening = virtual_evenings("octopus-alarm")
    evening.post("/virtual/lay-out")
    evening.post("/virtual/lay", move="area-1:3>area-1")
    lay = evening.virtual._top.lying()
    evening.lay_out()
    assert evening.virtual._top.lying() == lay
    assert whole(evening)


def test_another_game_lays_the_table_anew_with_its_own_readers(virtual_evenings):
    evening = virtual_evenings("octopus-alarm")

    def stations():
        return [reader.name for reader in evening.table.snapshot.readers]

    assert stations() == [
        "sim",
        *(f"sim/area-{area}" for area in range(4)),
        "sim/reef",
        "sim/ship",
    ]
    evening.table.new_game(Setup("tentacles", TWO), source=PAGE, instead=True)
    evening.table.settle()
    assert stations() == ["sim"]
    assert "43 cards lie face down" in evening.html()
    evening.table.new_game(Setup("sea-salt-paper", TWO), source=PAGE, instead=True)
    evening.table.settle()
    assert stations()[1:] == [
        f"sim/{station}" for station in ("draw", "discard-1", "discard-2", "seat-1", "seat-2")
    ]
    assert whole(evening)
    assert sum(things(evening).values()) == DECK.bit_count()


def test_readers_that_are_well_take_the_room_of_one_on_the_scoreboard(virtual_evenings):
    evening = virtual_evenings("octopus-alarm")
    board = evening.client.get("/").text
    assert board.count('class="chip reader ready"') == 1
    assert "7 readers ✓" in board
    evening.post("/virtual/unplug", reader="sim/reef")
    board = evening.client.get("/").text
    assert "6 readers ✓" in board
    assert re.search(r"Reader <bdi>sim/reef</bdi> ✗", board)


def test_the_reef_and_the_tiles_are_those_of_the_box(virtual_evenings):
    evening = virtual_evenings("octopus-alarm")
    chips = [face for face in evening.virtual._top.things.values() if "/chip-" in face]
    assert Counter(chips) == {f"octopus-alarm/chip-{animal}": CHIPS for animal in ANIMALS}
    assert sum(things(evening).values()) == 16 + 24


def test_the_twin_of_an_enrolled_card_has_its_uid(virtual_evenings):
    uid = "04A3C6CAE26180"
    evening = virtual_evenings("sea-salt-paper", enrolled={uid: "sea-salt-paper/crab-green"})
    assert evening.virtual.component(uid) == "sea-salt-paper/crab-green"
    assert whole(evening)


# --- what goes wrong ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "code"),
    [("unknown", "unknown-tag"), ("two", "several-tags"), ("noise", "unreadable-tag")],
)
@pytest.mark.parametrize("game", SCRIPTS)
def test_faults_are_told_and_change_nothing(virtual_evenings, game, fault, code):
    evening = virtual_evenings(game)
    evening.post(f"/virtual/{fault}")
    assert (evening.table.snapshot.event.code, evening.match.step) == (code, 0)


def test_a_fault_strikes_the_reader_that_was_named(virtual_evenings):
    evening = virtual_evenings("octopus-alarm")
    evening.post("/virtual/lay-out")
    evening.post("/virtual/unplug", reader="sim/area-1")
    assert [r.name for r in evening.table.snapshot.readers if not r.ready] == ["sim/area-1"]
    before = evening.match.step
    evening.post("/virtual/lay", 409, move="area-1:0>area-1")
    assert evening.match.step == before
    evening.post("/virtual/lay", move="area-2:0>area-2")
    assert evening.match.step > before
    evening.post("/virtual/plug", reader="sim/area-1")
    assert all(reader.ready for reader in evening.table.snapshot.readers)
    evening.post("/virtual/noise", 409, reader="sim/seat-1")


def test_what_is_read_twice_counts_once(virtual_evenings):
    evening = virtual_evenings("tentacles")
    reads = []
    report = evening.virtual._report
    evening.virtual._report = lambda reading: (reads.append(type(reading)), report(reading))
    assert 'aria-pressed="true"' in evening.see("/virtual/twice")
    assert 'aria-pressed="false"' in evening.see("/virtual/turn-top")
    assert reads == [TagOn, TagOff, TagOn, TagOff]
    assert evening.match.step == 1
    assert evening.table.snapshot.event.kind == "action"


@pytest.mark.parametrize(
    "fields",
    [
        {"move": "nowhere:0>area-1"},
        {"move": "area-1:9>area-1"},
        {"move": "area-1:x>area-1"},
        {"move": "area-1:0>moon"},
        {"thing": "area-1:0", "at": ""},
        {},
    ],
)
def test_what_cannot_be_laid_is_refused(virtual_evenings, fields):
    evening = virtual_evenings("octopus-alarm")
    if fields.get("at") == "":
        evening.post(
            "/virtual/lay", **fields
        )  # on the reader for tokens, which says what it thinks
    else:
        evening.post("/virtual/lay", 409, **fields)
    assert evening.match.step == 0


def test_there_is_no_ship_to_push_in_other_games(virtual_evenings):
    evening = virtual_evenings("tentacles")
    evening.post("/virtual/ship", 409, push="falls")
    evening.post("/virtual/ship", 409, push="flies")
    assert 'id="v-ship"' not in evening.html()


def test_the_slider_lays_the_ship_down(virtual_evenings):
    evening = virtual_evenings("octopus-alarm")
    assert 'value="70"' in evening.see("/virtual/ship", angle="70")
    evening.post("/virtual/ship", 409, angle="-1")
    assert evening.virtual.ship.angle == 70
