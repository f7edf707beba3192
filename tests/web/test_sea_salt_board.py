"""The board of Sea Salt & Paper: what it says of every phase and outcome, and that all of it fits."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

import pytest
from evening import HOSTILE_NAMES, TOKEN, serving
from salt_evening import (
    BOARD,
    FOUR,
    MANY,
    TALLY,
    calling,
    dealt,
    ended,
    told,
    with_state,
)
from still_table import StillTable
from test_browser import GEOMETRY, SIZES, in_every_size, screens
from test_every_page_looks import LONGER
from test_pages import Page

from companion.rules.api import GameWon, Nothing, TurnEnded
from companion.rules.sea_salt_paper.cards import COLOURS, KINDS, NAMES
from companion.rules.sea_salt_paper.words import (
    AnotherTurn,
    Call,
    Called,
    Dealt,
    Discarded,
    Drew,
    DuoPlayed,
    Fizzled,
    Hand,
    LastChance,
    Look,
    Pass,
    Picked,
    RoundEnded,
    Skip,
    Stole,
    Stop,
    Stung,
    Took,
)
from web_ui import create_app
from web_ui.assets import Assets
from web_ui.games.sea_salt_paper.cards import colour_words, kind_name, shown

__all__ = ["screens"]

NONE = Nothing.NOTHING
PARTS = {"duos": 2, "collectors": 3, "multipliers": 1, "mermaids": 2, "mermaid_colours": []}


def result(reason, bet_won=NONE, got=None, parts=PARTS):
    return RoundEnded(
        reason,
        bet_won,
        dict.fromkeys(FOUR, 8),
        dict.fromkeys(FOUR, 3),
        got or dict.fromkeys(FOUR, 8),
        dict.fromkeys(FOUR, parts) if parts else None,
    )


def page(snapshot, *, helper=False) -> Page:
    client = create_app(StillTable(snapshot), token=TOKEN).test_client()
    if helper:
        client.get(f"/link/{TOKEN}")
    return Page(client.get("/").text)


@pytest.mark.parametrize(
    ("snapshot", "words"),
    [
        (told(phase="deal"), "Shuffle, and turn up two cards: one for each pile"),
        (told(phase="take"), "Draw two, or take from a pile"),
        (
            with_state(told(phase="take"), piles=[{"top": None, "count": 0}] * 2),
            "Draw from the deck",
        ),
        (with_state(told(phase="take"), deck=0), "Take from a pile: the deck is empty"),
        (
            with_state(told(phase="take"), deck=0, piles=[{"top": None, "count": 0}] * 2),
            "No card is left to take: go on",
        ),
        (told(phase="keep"), "Keep one of the two cards"),
        (told(phase="discard"), "Lay the other card on a pile"),
        (told(phase="play"), "Play pairs, or finish"),
        (with_state(told(phase="play"), called="Dora"), "Last turn: play pairs, then pass"),
        (told(phase="look"), "Crabs: look through which pile?"),
        (told(phase="pick"), "Look, and keep one card"),
        (told(phase="fish"), "Fish: take the top card of the deck"),
        (told(phase="steal"), "Draw a card: from whose hand?"),
        (told(phase="stung"), "Stung: only take the top card of the deck"),
        (with_state(told(phase="stung"), deck=0), "Stung, and the deck is empty: pass"),
        (told(phase="call", on=TALLY), "Play on. Who ends the round says how"),
        (
            replace(told(phase="hand", on=TALLY), legal=(Hand("Bo"), Hand("Cy"))),
            "Tap all cards of Bo, Cy",
        ),
    ],
)
def test_the_banner_says_what_to_do(snapshot, words):
    assert f"Cy {words}" in page(snapshot).text


@pytest.mark.parametrize(
    ("outcomes", "action", "words"),
    [
        (
            [Dealt(("crab-black", "shell-grey"))],
            None,
            "The piles: crab, black; shell, grey",
        ),
        ([Drew("Cy", 2)], None, "Cy : 2 cards from the deck"),
        ([Drew("Cy", 1)], None, "Cy : one card from the deck"),
        ([Discarded("boat-black-1", 2)], None, "Cy : boat, black → pile 2"),
        ([Took("Cy", "shoal-grey", 1)], None, "Cy : pile 1 → shoal of fish, grey"),
        ([], None, "Cy keeps one of two cards"),
        ([], Skip(), "Cy : no card is left to take"),
        ([], Look(2), "Cy looks through pile 2"),
        ([TurnEnded("Cy")], Pass(), "Cy passes the turn ends"),
        ([DuoPlayed("Cy", ("crab-black", "crab-grey"))], None, "Cy plays two crabs"),
        (
            [DuoPlayed("Cy", ("boat-black-1", "boat-black-2")), AnotherTurn()],
            None,
            "Cy plays two boats one more turn",
        ),
        (
            [DuoPlayed("Cy", ("fish-black-1", "fish-green")), Fizzled()],
            None,
            "Cy plays two fish nothing to take: the pair counts all the same",
        ),
        (
            [DuoPlayed("Cy", ("shark-black", "swimmer-yellow"))],
            None,
            "Cy plays swimmer and shark",
        ),
        (
            [DuoPlayed("Cy", ("lobster-black", "crab-black"))],
            None,
            "Cy plays lobster and crab",
        ),
        (
            [
                DuoPlayed("Cy", ("jellyfish-pink", "swimmer-yellow")),
                Stung("Dora"),
                Stung("Ann"),
            ],
            None,
            "Cy plays jellyfish and swimmer Stung, only the top card next turn: Dora, Ann",
        ),
        (
            [DuoPlayed("Cy", ("crab-black", "crab-grey", "starfish-yellow"))],
            None,
            "Cy plays two crabs with a starfish: three points, no more",
        ),
        ([Picked("Cy", 1)], None, "Cy : a card out of pile 1"),
        ([Picked("Cy")], None, "Cy keeps a card of the deck"),
        ([Stole("Cy", "Bo")], None, "Cy : a card from the hand of Bo"),
        (
            [Called("Cy", "last-chance"), TurnEnded("Cy")],
            LastChance(),
            "LAST CHANCE! Cy : one more turn for the others the turn ends",
        ),
        (
            [Called("Cy", "stop"), result("stop")],
            Stop(),
            "STOP! Cy ends the round All score their cards",
        ),
        ([result("deck-empty", parts=None)], Pass(), "The deck is empty: nobody scores"),
        (
            [result("mermaids", parts=None), GameWon("Cy")],
            None,
            "Four mermaids! Cy wins",
        ),
        ([], Hand("Bo", ("crab-black",)), "Bo : all cards are told"),
        ([], Call("Bo", "deck-empty"), "Bo ends the round"),
        ([result("last-chance", True)], None, "The bet is won: nobody has more"),
        ([result("last-chance", False)], None, "The bet is lost: somebody has more"),
    ],
)
def test_every_outcome_has_a_sentence(outcomes, action, words):
    assert words in page(told(*outcomes, action=action)).text


@pytest.mark.parametrize(
    ("bet_won", "got", "words"),
    [
        (True, {"Ann": 3, "Bo": 3, "Cy": 3, "Dora": 11}, "Dora : bet won, nobody has more"),
        (False, {"Ann": 8, "Bo": 8, "Cy": 8, "Dora": 3}, "Dora : bet lost, somebody has more"),
    ],
)
def test_a_bet_is_told_in_words_and_what_counts_is_seen(bet_won, got, words):
    ended = with_state(told(result("last-chance", bet_won, got), phase="deal"), called="Dora")
    shown = page(ended)
    assert words in shown.text
    assert "Pairs 2 Collections 3 Multipliers 1 Mermaids 2 Cards 8 Colour bonus 3" in shown.text
    for points in got.values():
        assert f"+{points}" in shown.text
    not_counted = len(shown.with_class("not-counted"))
    assert not_counted == (3 if bet_won else 4)
    # Whoever dared is looked at last.
    assert "after-4" in next(
        tag["class"] for tag in shown.with_class("sum") if tag["id"] == "sum-2-4"
    )


def test_with_score_tracking_the_caller_of_a_bet_is_the_one_before_the_next_starter():
    ended = told(result("last-chance", False), on=TALLY, phase="call", turn="Ann")
    assert "Dora : bet lost, somebody has more" in page(ended).text


def test_the_sums_stay_while_the_cards_lie_there(tmp_path):
    """Another event comes, such as an unknown tag, and the sums are still to be read."""
    with dealt(tmp_path) as game:
        game.play(ended("stop"), calling(Stop))
        app = create_app(game.table, token=TOKEN)
        before = Page(app.test_client().get("/").text).with_class("term")
        game.table.act(Pass(), source=game.table.snapshot.event.source)
        assert game.table.snapshot.event.kind == "refused"
        after = Page(app.test_client().get("/").text)
        assert len(before) > 6
        assert after.with_class("term") == before


def test_the_sums_from_the_table_are_those_of_the_rules(tmp_path):
    for seed in range(4):
        with dealt(tmp_path / str(seed), seed=seed) as game:
            game.play(ended("last-chance"), calling(LastChance))
            app = create_app(game.table, token=TOKEN)
            first = Page(app.test_client().get("/").text).text
            game.table.act(Pass(), source=game.table.snapshot.event.source)
            second = Page(app.test_client().get("/").text).text
            sums = [text[text.index("Pairs") : text.index("Goal")] for text in (first, second)]
            assert sums[0] == sums[1]


def test_steps_deck_piles_hands_and_pairs():
    shown = page(with_state(called="Dora"))
    for words in (
        "✓ Take 2 Pairs 3 Pass",
        "31 Deck",
        "DB Pile 1 \u00d74",
        "Pile 2 \u00d70",
        "23 /30",
    ):
        assert words in shown.text
    assert "LAST CHANCE" in shown.text
    assert "Round 2" in shown.text
    labels = {tag.get("aria-label") for _, tag in shown.tags}
    assert {
        "Pile 1: crab, dark blue, 4 cards",
        "Pile 2 is empty",
        "5 cards in the hand",
        "lighthouse, purple",
        "boat, yellow",
    } <= labels
    assert len(shown.with_class("mini")) == 7


def test_many_cards_are_counted_by_kind():
    hand = {**BOARD.state["revealed"], "Dora": MANY}
    shown = page(with_state(revealed=hand, tables={**BOARD.state["tables"], "Dora": MANY[:2]}))
    labels = [tag["aria-label"] for tag in shown.with_class("counted")]
    assert "5 \u00d7 crab" in labels
    assert len(labels) == 14


def test_the_winners_come_first_and_the_others_by_their_points():
    over = told(
        GameWon("Bo"),
        phase="over",
        over=True,
        turn=None,
        winners=("Bo",),
        scores={"Ann": 31, "Bo": 31, "Cy": 7, "Dora": 40},
    )
    rows = [tag["id"] for tag in page(over).with_class("row")]
    assert rows == ["row-2", "row-4", "row-1", "row-3"]


def test_every_card_has_a_picture_a_word_and_letters_that_only_its_colour_has():
    assets = Assets()
    sprite = assets.find("icons.svg").body.decode()
    styles = assets.find("table.css").body.decode()
    with create_app(StillTable(BOARD), token=TOKEN).test_request_context():
        for name in NAMES:
            card = shown(name)
            assert f'id="salt-{card.kind}"' in sprite
            assert f".hue-{card.colour} " in styles
        assert len({kind_name(kind) for kind in KINDS}) == len(KINDS)
        words = [colour_words(colour) for colour in COLOURS]
    letters = [short for _, short in words]
    assert len(set(letters)) == len(letters)
    assert all(0 < len(short) <= 2 for short in letters)


def test_no_icon_is_named_that_the_sprite_has_not(tmp_path):
    sprite = Assets().find("icons.svg").body.decode()
    missing = set()
    with dealt(tmp_path, options={"salt": True}) as game:
        client = create_app(game.table, token=TOKEN).test_client()

        def look():
            html = client.get("/").text
            missing.update(
                symbol
                for part in html.split("icons.svg#")[1:]
                for symbol in [part.partition('"')[0]]
                if f'id="{symbol}"' not in sprite
            )

        game.play(lambda match: match.step > 120, seen=look)
    assert missing == set()


def long_names(snapshot):
    """The same table with hostile names."""
    names = dict(zip(FOUR, HOSTILE_NAMES[:3] + HOSTILE_NAMES[4:5], strict=True))

    def renamed(value):
        if isinstance(value, dict):
            return {names.get(key, key): part for key, part in value.items()}
        return names.get(value, value) if isinstance(value, str) else value

    standing = snapshot.standing
    return replace(
        snapshot,
        players=tuple(names.values()),
        state={key: renamed(value) for key, value in snapshot.state.items()},
        standing=replace(
            standing, turn=names.get(standing.turn), scores=renamed(dict(standing.scores))
        ),
        event=replace(snapshot.event, player=names.get(snapshot.event.player)),
    )


OPEN = with_state(
    told(Took("Cy", "colony-green", 1), phase="play"),
    called="Dora",
    revealed={**BOARD.state["revealed"], "Dora": MANY, "Ann": MANY[:9]},
    hand_counts={"Ann": 25, "Bo": 25, "Cy": 25, "Dora": 25},
    piles=[{"top": "captain-light-orange", "count": 12}, {"top": "crab-black", "count": 31}],
)
STATES = {
    "start": with_state(
        told(phase="deal"),
        tables=dict.fromkeys(FOUR, ()),
        hand_counts=dict.fromkeys(FOUR, 0),
        revealed=dict.fromkeys(FOUR),
        piles=[{"top": None, "count": 0}] * 2,
    ),
    "open": OPEN,
    "crowded": with_state(
        OPEN, tables={"Ann": MANY[:8], "Bo": MANY[:14], "Cy": MANY[:8], "Dora": ()}
    ),
    "dozen": with_state(
        told(phase="take"),
        called="Dora",
        revealed={"Ann": MANY[:10], "Bo": None, "Cy": None, "Dora": MANY[:12]},
        tables={"Ann": MANY[:2], "Bo": MANY[:8], "Cy": MANY[:8], "Dora": ()},
        hand_counts=dict.fromkeys(FOUR, 12),
    ),
    "trio": told(
        DuoPlayed("Cy", ("jellyfish-pink", "swimmer-light-orange", "starfish-yellow")),
        Stung("Dora"),
        Stung("Ann"),
        Stung("Bo"),
    ),
    "bet": with_state(
        told(result("last-chance", False), phase="deal"), called="Dora", tables={}, revealed={}
    ),
    "call": told(phase="call", on=TALLY),
    "hands": replace(told(phase="hand", on=TALLY), legal=(Hand("Ann"), Hand("Bo"))),
    "over": told(
        result("stop"),
        GameWon("Dora"),
        phase="over",
        over=True,
        turn=None,
        winners=("Dora",),
    ),
    "hostile": long_names(told(phase="play")),
}
SIZES_OF_A_FAMILY = ((True, ("tv", "hd", "pi", "phone")), (False, ("phone-lying",)))
"""With a helper's buttons; who helps with a phone on its side scrolls the players."""
SMALLEST_PRINT = """() => Math.min(...[...document.querySelectorAll('#view *')]
  .filter((node) => [...node.childNodes].some((c) => c.nodeType === 3 && c.data.trim()))
  .map((node) => parseFloat(getComputedStyle(node).fontSize)))"""
INSIDE = """() => {
  const faults = [];
  const box = (node) => node.getBoundingClientRect();
  for (const node of document.querySelectorAll('.things, .mini, .counted, .backs, .heap, .sum, .called, .lying, .turn-steps li, .way')) {
    const row = node.closest('.row, .middle');
    const a = box(node), b = box(row);
    if (!a.width) continue;
    if (a.left < b.left - 2 || a.right > b.right + 2 || a.top < b.top - 4 || a.bottom > b.bottom + 4)
      faults.push(`${node.className} sticks out of ${row.id}`);
  }
  const apart = (selector) => {
    const all = [...document.querySelectorAll(selector)].filter((node) => box(node).width);
    all.forEach((a, i) => all.slice(i + 1).forEach((b) => {
      const p = box(a), q = box(b);
      if (Math.min(p.right, q.right) - Math.max(p.left, q.left) > 1 &&
          Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 1)
        faults.push(`${a.className} ${a.id} lies on ${b.className} ${b.id}`);
    }));
  };
  apart('.middle, .row');
  apart('.turn-steps, .lying');
  apart('.mini, .counted, .backs, .called, .score');
  apart('.sum, .score');
  return faults;
}"""


@pytest.mark.needs("chromium")
@pytest.mark.parametrize("state", sorted(STATES))
def test_all_of_it_fits_everywhere(screens, state):
    with serving(create_app(StillTable(STATES[state]), token=TOKEN)) as server:
        for size, page in chain.from_iterable(
            in_every_size(screens, server, sizes, helper=helper)
            for helper, sizes in SIZES_OF_A_FAMILY
        ):
            assert (size, page.evaluate(GEOMETRY)) == (size, [])
            assert (size, page.evaluate(INSIDE)) == (size, [])
            assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0], size
            assert page.evaluate(SMALLEST_PRINT) >= {"tv": 18}.get(size, 12), size


@pytest.mark.needs("chromium")
@pytest.mark.parametrize(
    ("rule", "fault"),
    [
        (".mini { width: 20vw !important; flex: none !important; }", "sticks out"),
        (".heap { margin-inline-start: -20vw; }", "lies on"),
        (".lying > span { height: 60vh !important; }", "sticks out"),
    ],
)
def test_a_planted_fault_is_found(screens, rule, fault):
    with serving(create_app(StillTable(OPEN), token=TOKEN)) as server:
        page = screens(bypass_csp=True).open(server)
        page.add_style_tag(content=rule)
        assert fault in " ".join(page.evaluate(INSIDE))


@pytest.mark.needs("chromium")
@pytest.mark.parametrize("state", ["bet", "hands", "trio"])
def test_longer_texts_fit_too(screens, state):
    with serving(create_app(StillTable(STATES[state]), token=TOKEN)) as server:
        for size, page in in_every_size(
            screens, server, ("tv", "pi", "phone"), helper=False, anew=True
        ):
            page.evaluate(LONGER)
            assert (size, page.evaluate(INSIDE)) == (size, [])
            assert (size, page.evaluate(GEOMETRY)) == (size, [])


@pytest.mark.needs("chromium")
def test_sums_come_one_after_the_other_and_all_at_once_without_motion(screens):
    delays = "[...document.querySelectorAll('.sum')].map((node) => getComputedStyle(node).animationDelay)"
    names = (
        "[...document.querySelectorAll('.sum')].map((node) => getComputedStyle(node).animationName)"
    )
    with serving(create_app(StillTable(STATES["bet"]), token=TOKEN)) as server:
        moving = screens(reduced_motion="no-preference").open(server)
        assert moving.evaluate(delays) == ["2s", "5s", "8s", "11s"]
        assert set(screens().open(server).evaluate(names)) == {"none"}
