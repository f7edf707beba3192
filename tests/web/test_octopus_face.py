"""The face of octopus alarm, without a browser: what it says, offers, and does not show."""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import replace

import pytest
from evening import HOSTILE_NAMES, TOKEN
from sea_table import (
    ALARM,
    AWAY,
    CAUGHT,
    FOUR,
    OWN,
    REEF,
    SHIPS,
    STOP,
    SeaTable,
    flip,
    long_game,
    played,
    reef,
    sail,
    swing,
    take,
    top,
)
from test_pages import Page

from companion.codec import action_from_json
from companion.match import Setup
from companion.rules.octopus_alarm import GAME
from companion.rules.octopus_alarm_words import ANIMALS, CHIP_TAGS, Flip, Reef, Take
from companion.snapshot import ShipStatus
from tests.support.settings import chosen
from tests.support.tables import API, Hands, running
from web_ui import create_app
from web_ui.assets import Assets
from web_ui.games.octopus_alarm import FACE

TWO = ("Ann", "Bo")


def html(which, path="/", *, helper=False, **choices) -> str:
    app = create_app(SeaTable(which), token=TOKEN, settings=chosen(**choices))
    client = app.test_client()
    if helper:
        client.get(f"/link/{TOKEN}")
    answer = client.get(path)
    assert answer.status_code == 200
    return answer.text


def shown(which, path="/", *, helper=False) -> Page:
    return Page(html(which, path, helper=helper))


def said(commands, **more) -> str:
    """What the page says happened last."""
    page = html(played(commands, TWO, **more))
    part = page[page.index('<div class="told">') : page.index('<p class="cause">')]
    return Page(part).text.replace(" :", ":").replace(" ,", ",")


LAST = {"provisions": 1}


TOLD = [
    ([], {}, "A new game: Ann starts"),
    (REEF[:1], {}, "crab: on top of stack 0"),
    ([*REEF, sail(1)], {}, "Ann sails to area 1"),
    ([*REEF, sail(1), flip(0, "fish")], {}, "Ann: fish, caught!"),
    ([*REEF, sail(1), flip(0, "crab")], {}, "Ann: crab, from which stack?"),
    ([*REEF, sail(1), flip(0, "crab"), take(2)], {}, "Ann: crab, caught!"),
    (
        [*REEF, sail(1), flip(0, "squid")],
        {},
        "Ann: squid, not on top of the reef the turn ends",
    ),
    ([*REEF, sail(1), flip(0, "wave")], {}, "Ann: a wave carries the ship to area 2"),
    (
        ALARM,
        {},
        "Ann: a wave carries the ship to area 3 Alarm! Bo swings the ball",
    ),
    ([*REEF, sail(1), flip(0, "billy")], {}, "Ann: Lille-Billy swims to area 0"),
    (
        [*REEF, sail(1), flip(0, "billy")],
        {"billy": 0, "ship": 0},
        "Ann: Lille-Billy swims to area 1 Alarm! Bo swings the ball",
    ),
    ([*CAUGHT, STOP], {}, "Ann: stop the turn ends"),
    (
        [*ALARM, swing("upright")],
        {},
        "The ship is standing: nothing is lost the turn ends",
    ),
    (
        [*ALARM, swing("capsized")],
        {},
        "The ship has capsized! Ann: provisions lost, 2 left the turn ends",
    ),
    (
        [*ALARM, swing("capsized")],
        LAST,
        "The ship has capsized! Ann: the last provisions are lost Ann is stranded Bo wins",
    ),
    (
        [*REEF, sail(2)],
        {"landing": "alarm", "billy": 2},
        "Ann sails to area 2 Alarm! Bo swings the ball",
    ),
    (
        [*REEF, sail(1), flip(0, "fish")],
        {"target": 1},
        "Ann: fish, caught! Ann wins",
    ),
    ([{"do": "leave", "player": "Bo"}], {}, "Bo leaves Ann wins"),
    (
        [
            *reef("crab", "fish", "squid", "turtle"),
            *(sail(1), flip(0, "fish"), top(1, "fish")),
            *(flip(1, "turtle"), top(3, "fish")),
            *(flip(2, "crab"), top(0, "crab")),
            *(flip(3, "squid"), top(2, "snail")),
        ],
        {"layout": "free"},
        "snail: on top of stack 2 All four tiles are up the turn ends",
    ),
]


@pytest.mark.parametrize(("commands", "options", "words"), TOLD)
def test_what_happened_is_a_sentence(commands, options, words):
    assert said(commands, **options) == words


def test_every_outcome_of_the_game_has_words():
    """Each of the outcomes is told in one of the games above, and each with an icon that is drawn."""
    drawn = set(re.findall(r'symbol id="([^"]+)"', Assets().find("icons.svg").body.decode()))
    told = set()
    for commands, options, _ in TOLD:
        with_event = played(commands, TWO, **options)
        sentences, _, face = FACE.words(with_event, with_event.event)
        told |= set(map(type, with_event.event.outcomes)) if sentences else set()
        assert {sentence.icon for sentence in sentences} <= drawn
        assert face is None or f"animal-{face}" in drawn or face in ("wave", "billy")
    general = {"PlayerLeft", "TurnEnded", "GameWon"}
    assert {kind.__name__ for kind in set(GAME.outcomes) - told} <= general


@pytest.mark.parametrize(
    ("commands", "options", "words"),
    [
        ([], {}, "What lies on top of the reef? Stack 0, 1, 2 or 3"),
        ([*REEF, sail(1), flip(0, "fish")], {}, "What came up on stack 1?"),
        (REEF, {}, "Sail 1 or 2 areas"),
        (REEF, {"ship": 0, "billy": 1}, "Sail 2 areas"),
        (REEF, {"ship": 0, "billy": 2}, "Sail 1 area"),
        ([*REEF, sail(1)], {}, "Flip a tile"),
        (CAUGHT, {}, "Flip a tile, or stop"),
        ([*REEF, sail(1), flip(0, "crab")], {}, "Take: crab. From which stack?"),
        ([*REEF, sail(1), flip(0, "fish")], {"target": 1}, "Wins the game!"),
        (ALARM, {}, "Alarm! Bo swings the ball"),
    ],
)
def test_the_banner_says_what_to_do(commands, options, words):
    page = html(played(commands, TWO, **options))
    assert Page(page[: page.index('<section id="happened"')]).text.endswith(words)


@pytest.mark.parametrize(
    ("ship", "words"),
    [
        ("armed", "Alarm! Ola swings the ball"),
        ("placed", "Alarm! Ola swings the ball"),
        ("unwatched", "Alarm! Ola swings the ball"),
        ("carry", "Put the ship in its place, then Ola swings the ball"),
        ("laid", "Stand the ship up, then Ola swings the ball"),
        ("stand-up", "Stand the ship up, then Ola swings the ball"),
        ("swinging", "Hands off! The ball swings"),
        ("settling", "Hands off until the ship is at rest"),
        ("asking", "Is the ship standing?"),
        ("judged", "Is the ship standing?"),
    ],
)
def test_each_step_of_an_alarm_says_what_hands_do(ship, words):
    page = shown(played(ALARM, ship=SHIPS[ship]))
    assert f"Kari {words}" in page.text
    assert page.with_class("alarm")
    assert [row["id"] for row in page.with_class("swings")] == ["row-2"]


def test_after_a_capsize_the_ship_is_to_be_stood_up():
    lying = ShipStatus("stand-up", 88, "", alarm=False)
    page = html(played([*ALARM, swing("capsized")], ship=lying))
    assert "Stand the ship up, then sail on" in page
    assert '#ship-capsized" x=' in page


def test_the_judge_says_why_and_how_far_he_is():
    asking = html(played(ALARM, ship=SHIPS["asking"]), "/cards", helper=True)
    assert "leans by 40 degrees" in asking
    settling = shown(played(ALARM, ship=SHIPS["settling"]))
    assert [len(settling.with_class(name)) for name in ("past", "now")] == [2, 1]
    assert "Standing" not in settling.text
    assert "Standing ? Capsized" in shown(played(ALARM, ship=SHIPS["asking"])).text


def test_only_tiles_that_are_up_are_shown():
    page = shown(played(CAUGHT))
    assert len(page.with_class("tile")) == 16
    assert len(page.with_class("face-up")) == 1
    assert [tile["id"] for tile in page.with_class("wanted") if "tile-" in tile["id"]] == [
        "tile-1-1",
        "tile-1-2",
        "tile-1-3",
    ]
    assert not shown(played([*CAUGHT, STOP])).with_class("face-up")


def test_ship_billy_and_reef_stand_where_they_are():
    page = shown(played([*REEF, sail(1), flip(0, "billy")]))
    assert page.with_class("ship")[0]["class"] == "ship at-1"
    assert page.with_class("billy")[0]["class"] == "billy at-0"
    assert [area["id"] for area in page.with_class("here")] == ["area-1"]
    stacks = shown(played(CAUGHT)).with_class("stack")
    assert [stack["class"] for stack in stacks] == [f"stack left-{left}" for left in (6, 5, 6, 6)]
    asked = shown(played([*REEF, sail(1), flip(0, "fish")])).with_class("stack")
    assert asked[1]["class"] == "stack left-5 wanted"


def test_the_crew_have_what_they_caught_and_what_is_left():
    snapshot = long_game()
    page = shown(snapshot)
    assert len(page.with_class("caught")) == sum(snapshot.standing.scores.values())
    assert len(page.with_class("missing")) == 4 * 6 - len(page.with_class("caught"))
    barrels = [each["aria-label"] for each in page.with_class("barrels")]
    assert barrels == ["3 provisions"] * 4
    lost = shown(played([*ALARM, swing("capsized")]))
    assert lost.with_class("barrels")[0]["aria-label"] == "2 provisions"
    many = shown(played(REEF, provisions=40))
    assert "40" in many.text


def test_at_the_end_the_crew_stand_in_their_order():
    won = played([*REEF, sail(1), flip(0, "squid"), sail(1), flip(0, "fish")], FOUR, target=1)
    page = shown(won)
    rows = [row["id"] for row in page.with_class("row")]
    assert rows == ["row-2", "row-1", "row-3", "row-4"]
    assert [row["id"] for row in page.with_class("winner")] == ["row-2"]
    assert page.text.count("2.") == 3
    stranded = shown(played([*ALARM, swing("capsized")], FOUR, provisions=1))
    assert [row["id"] for row in stranded.with_class("stranded")] == ["row-1"]
    assert [row["id"] for row in stranded.with_class("row")][-1] == "row-1"


def test_a_stranded_player_is_out_while_the_others_go_on():
    options = {"provisions": 1, "stranded": "eliminate"}
    page = shown(played([*ALARM, swing("capsized")], FOUR, **options))
    assert [row["id"] for row in page.with_class("stranded")] == ["row-1"]
    assert "Ola Sail" in page.text


@pytest.mark.parametrize(
    ("commands", "sends"),
    [
        (REEF, ['{"do":"sail","areas":1}', '{"do":"sail","areas":2}']),
        (
            [*REEF, sail(1), flip(0, "crab")],
            ['{"do":"take","stack":0}', '{"do":"take","stack":2}'],
        ),
        (ALARM, ['{"do":"swing","ship":"capsized"}', '{"do":"swing","ship":"upright"}']),
        (CAUGHT, ['{"do":"stop"}']),
        ([*REEF, sail(1)], []),
    ],
)
def test_a_helper_has_a_button_for_what_needs_no_face(commands, sends):
    for helper in (True, False):
        buttons = shown(played(commands), helper=helper).all("button")
        actions = [button["value"] for button in buttons if button.get("name") == "action"]
        assert actions == (sends if helper else [])


def test_buttons_of_corrections_name_what_was_seen():
    labels = [
        FACE.button(action).label.text
        for action in (Flip(2, "crab"), Reef(1, "billy the seal"), Take(3))
    ]
    assert labels == ["Tile 2: crab", "Stack 1: billy the seal", "Stack 3"]
    assert FACE.button(Flip(2)) is None
    assert FACE.button(Reef(2)) is None


def _offered(page: Page) -> list[dict[str, object]]:
    return [
        json.loads(button["value"])
        for button in page.all("button")
        if button.get("name") == "action" and (button.get("id") or "").startswith("p-")
    ]


def test_by_touch_every_tile_and_every_face_can_be_told():
    offered = _offered(shown(played(CAUGHT), "/cards", helper=True))
    faces = ("wave", "billy", *ANIMALS)
    assert offered == [
        *({"do": "flip", "tile": tile, "face": face} for tile in (1, 2, 3) for face in faces),
        {"do": "stop"},
    ]
    tops = _offered(shown(played(REEF[:3]), "/cards", helper=True))
    assert tops == [{"do": "reef", "stack": 3, "animal": animal} for animal in ANIMALS]
    spots = shown(played(REEF[:3]), "/cards", helper=True).all("input")
    assert [each["id"] for each in spots if "checked" in each] == ["spot-3"]


def test_a_way_that_the_rules_forbid_says_why():
    page = shown(played(REEF, billy=2), "/cards", helper=True)
    forbidden = [button for button in page.all("button") if "disabled" in button]
    assert [button["id"] for button in forbidden] == ["p-sail-2"]
    assert "Sail 2 areas Lille-Billy is there" in page.text
    assert "Sail 1 area to area 1" in page.text


def test_what_is_offered_by_touch_is_taken():
    client = create_app(SeaTable(played(CAUGHT)), token=TOKEN).test_client()
    client.get(f"/link/{TOKEN}")
    offered = _offered(Page(client.get("/cards").text))
    assert len({action_from_json("octopus-alarm", action) for action in offered}) == 31


def test_own_animals_have_their_names_and_stay_names():
    tops = reef("cat", "humpback whale", "<b>owl</b>", "crab")
    page = html(played([*tops, sail(1), flip(0, "humpback whale")], animals=OWN), helper=True)
    assert "<b>owl" not in page
    assert "&lt;b&gt;owl" in page
    assert "<bdi>humpback whale</bdi>, caught!" in page
    assert "humpback …" in page
    picks = _offered(shown(played(REEF[:0], animals=OWN), "/cards", helper=True))
    assert [each["animal"] for each in picks[:8]] == OWN.split(",")


def test_hostile_names_stay_names():
    page = html(played(ALARM, HOSTILE_NAMES[:4]), helper=True)
    assert "<script>alert" not in page


def test_odds_are_told_only_where_the_household_wants_them(tmp_path):
    setup = Setup("octopus-alarm", TWO)
    settings = chosen()
    with running(tmp_path, setup) as table:
        for command in CAUGHT:
            table.act(action_from_json("octopus-alarm", command), source=API)
        client = create_app(table, token=TOKEN, settings=settings).test_client()
        assert 'id="odds"' not in client.get("/").text
        settings.change({("choices", "odds"): True})
        text = Page(client.get("/").text).text
        odds = GAME.odds(table.moment._match.state)
        assert f"turn ends: {round(100 * odds['ends_turn'])} %" in text


# What nobody may see


def _plain(page: str, table) -> str:
    """The page without what differs between any two tables."""
    page = page.replace(table.snapshot.epoch, "").replace(table.snapshot.game, "")
    return re.sub(r'name="key" value="[^"]*"', "", page)


def _everything(table) -> list[str]:
    app = create_app(table, token=TOKEN)
    pages = []
    for helper in (False, True):
        client = app.test_client()
        if helper:
            client.get(f"/link/{TOKEN}")
        paths = ("/", "/cards") if helper else ("/",)
        pages += [_plain(client.get(path).text, table) for path in paths]
        stream = client.get("/stream")
        parts = iter(stream.response)
        pages.append(_plain(b"".join(next(parts) for _ in range(2)).decode(), table))
        stream.close()
    return pages


def _game(folder, commands, **options) -> list[str]:
    with running(folder, Setup("octopus-alarm", TWO, None, options)) as table:
        for command in commands:
            answer = table.act(action_from_json("octopus-alarm", command), source=API)
            assert answer.code is None, answer.message
        return _everything(table)


def _seen_and_covered(face):
    return [*REEF, sail(1), flip(0, face), sail(1), flip(1, "fish"), top(1, "snail"), STOP]


def test_a_tile_that_was_seen_and_lies_face_down_is_nowhere_on_the_pages(tmp_path):
    """Twins: two games that differ only in what a covered tile showed look the same."""
    one = _game(tmp_path / "one", _seen_and_covered("squid"))
    other = _game(tmp_path / "other", _seen_and_covered("jellyfish"))
    assert one == other
    # The pages would tell if they were told.
    aided = [
        _game(tmp_path / face, _seen_and_covered(face), memory_aid="on")
        for face in ("seahorse", "starfish")
    ]
    assert aided[0] != aided[1]


def test_what_lies_below_the_tops_of_the_reef_is_nowhere_on_the_pages(tmp_path):
    """Twins: two reefs tapped chip by chip, which differ below their tops."""
    order = [animal for animal in CHIP_TAGS for _ in range(3)]
    hidden = [0, 1, 2, 3, 4]
    pages = []
    for name, turned in (("one", hidden), ("other", hidden[::-1])):
        chips = [order[each] for each in (0, 3, 6, 9, 12)]
        rest = [each for number, each in enumerate(order) if number not in (0, 3, 6, 9, 12)]
        laid = [*(chips[each] for each in turned), *rest]
        tags = {
            f"04A3C6CAE2{number:04X}": f"octopus-alarm/{chip}" for number, chip in enumerate(laid)
        }
        setup = Setup("octopus-alarm", TWO)
        with running(tmp_path / name, setup, tags=tags) as table:
            hands = Hands(table)
            for number, uid in enumerate(tags):
                hands.tap(uid)
                if number == 3:
                    question = table.snapshot.questions[0]
                    table.answer(question.key, "built", source=API)
            assert table.snapshot.standing.phase == "sail"
            pages.append(_everything(table))
    assert pages[0] == pages[1]
    assert 'id="stack-0"' in pages[0][0]


def test_no_face_of_a_tile_stands_at_a_covered_place():
    """The last event names the tile that was turned; its place shows a back again."""
    page = html(played([*REEF, sail(1), flip(0, "squid")]))
    assert "squid, not on top of the reef" in Page(page).text.replace(" ,", ",")
    sea = page[page.index('id="sea"') : page.index('id="reef"')]
    assert "squid" not in sea
    assert "face-up" not in sea


def test_every_drawing_has_a_name_of_its_own():
    drawn = re.findall(r'symbol id="([^"]+)"', Assets().find("icons.svg").body.decode())
    assert len(drawn) == len(set(drawn))


def test_the_page_is_light():
    client = create_app(SeaTable(long_game()), token=TOKEN).test_client()
    page = client.get("/").data
    files = set(re.findall(rb'"(/static/[^"#]+)', page))
    packed = {"Accept-Encoding": "gzip"}
    sent = [client.get(file.decode(), headers=packed).data for file in files]
    assert 1 + len(files) + 1 <= 8
    assert len(gzip.compress(page)) + sum(map(len, sent)) <= 40_000


def test_by_touch_is_offered_where_a_reader_is_away():
    assert FACE.facts(played(CAUGHT))["by_touch"] is False
    assert FACE.facts(played(CAUGHT, readers=(AWAY,)))["by_touch"] is True
    assert FACE.facts(replace(played(CAUGHT), readers=()))["by_touch"] is True
