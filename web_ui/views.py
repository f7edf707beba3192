"""From a snapshot to the HTML inside a page: rendered once for all who see the same."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, groupby
from typing import Any

from flask import Flask
from flask_babel import force_locale
from markupsafe import Markup

from companion.codec import action_to_json
from companion.config import Config
from companion.household import SHAPES, Household
from companion.rules.api import Action, Pieces
from companion.settings.live import LiveSettings
from companion.snapshot import Snapshot
from web_ui.contracts import Table, VirtualTable
from web_ui.corrections_words import Words
from web_ui.cues import cue
from web_ui.games import face_of
from web_ui.games.face import Button, Face, spelled_out
from web_ui.histories import Histories
from web_ui.live import LivePage, Scene, View
from web_ui.sentences import Sentence, named, story
from web_ui.sse import frame
from web_ui.streams import Rendering
from web_ui.words import gettext


@dataclass(frozen=True, slots=True)
class Player:
    """A player as people tell them apart: name, shape and colour.

    Attributes:
        name: as the player wrote it.
        seat: from 1; chooses the colour.
        shape: a symbol of the sprite.
        score: by the rules of the game.
        active: whether it is this player's turn.
        winner: whether this player has won.
        gone: whether this player has left.
        you: whether this player is looking.
    """

    name: str
    seat: int
    shape: str
    score: int
    active: bool
    winner: bool
    gone: bool
    you: bool = False


@dataclass(frozen=True, slots=True)
class Thing:
    """Something that can be laid on the virtual reader.

    Attributes:
        component: its name in the virtual table.
        card: without the game's name.
        label: what people call it.
        count: how many lie face down, as far as everybody knows; None for what never does.
        player: whose token it is; None for the others.
    """

    component: str
    card: str
    label: Sentence
    count: int | None = None
    player: Player | None = None


def version_of(snapshot: Snapshot) -> str:
    """Names this state of the table: `epoch.revision`."""
    return f"{snapshot.epoch}.{snapshot.revision}"


class Views:
    """Renders pages from the newest snapshot and remembers what it rendered.

    Args:
        app: whose templates are used.
        table: the authority.
        household: shapes of players.
        pages: those that follow the table, by name.
        settings: what was chosen for the table.
        histories: of the game, to say what a correction made of it.
    """

    def __init__(
        self,
        app: Flask,
        table: Table,
        household: Household,
        pages: Mapping[str, LivePage],
        *,
        settings: LiveSettings[Config],
        histories: Histories,
    ) -> None:
        self._app = app
        self._table = table
        self._household = household
        self._settings = settings
        self._histories = histories
        self.pages = pages
        self._lock = threading.Lock()
        self._revision = 0
        self._rendered: dict[object, tuple[object, Rendering]] = {}

    def newest(self, view: View) -> Rendering:
        """The inner HTML of the page for the newest snapshot."""
        moment = self._table.moment
        page = self.pages[view.page]
        with self._app.app_context():
            facts = None if page.facts is None else page.facts()

        def make() -> Rendering:
            face = face_of(moment.snapshot.game_name)
            scene = Scene(view, moment, face, self._household.now, self._settings.now.choices)
            with self._app.app_context(), force_locale(view.language):
                html = self._render(page, scene)
            version = version_of(moment.snapshot)
            framed = frame("view", html, version)
            return Rendering(version, moment.snapshot.revision, framed, html)

        return self.once(moment.snapshot, view, make, facts)

    def once(
        self,
        snapshot: Snapshot,
        key: object,
        make: Callable[[], Rendering],
        facts: object = None,
    ) -> Rendering:
        """What `make` gives, made once for each key while the table and the facts are the same."""
        with self._lock:
            if snapshot.revision < self._revision:
                return make()  # a latecomer's view must not displace the newer ones
            if snapshot.revision > self._revision:
                self._revision = snapshot.revision
                self._rendered.clear()
            known = self._rendered.get(key)
            if known is None or known[0] != facts:
                known = self._rendered[key] = (facts, make())
            return known[1]

    def _render(self, page: LivePage, scene: Scene) -> str:
        view = scene.view
        context = board(scene.snapshot, scene.face, scene.remembered.shapes, view.seat)
        context.update(
            page=page.name,
            helper=view.helper,
            form_key=view.form_key,
            odds=scene.odds,
        )
        if scene.snapshot.event.kind == "corrected":
            history = self._histories.newest
            fixed = Words(scene.snapshot, history, scene.face).fixed(history)
            if fixed is not None:
                context["story"] = replace(context["story"], sentences=(fixed,))
        context.update(page.context(scene))
        return self._app.jinja_env.get_template(f"{page.name}.html").render(context)


def shapes_of(players: Sequence[str], chosen: Mapping[str, str]) -> Mapping[str, str]:
    """A shape for each player, all different: the chosen ones first, then the free ones in order."""
    found: dict[str, str] = {}
    for player in players:
        shape = chosen.get(player)
        if shape in SHAPES and shape not in found.values():
            found[player] = shape
    free = (shape for shape in SHAPES if shape not in found.values())
    return {player: found.get(player) or next(free) for player in players}


def colour_of(place: int) -> int:
    """Which of the colours a player has who sits at that place, counted from 0."""
    return place % len(SHAPES) + 1


def players_of(
    snapshot: Snapshot, shapes: Mapping[str, str], seat: str | None = None
) -> list[Player]:
    """The players in seating order; `shapes` are those that they chose, `seat` is who looks."""
    standing = snapshot.standing
    shape_of = shapes_of(snapshot.players, shapes)
    return [
        Player(
            name=name,
            seat=colour_of(place),
            shape=shape_of[name],
            score=standing.scores.get(name, 0),
            active=name == standing.turn,
            winner=name in standing.winners,
            gone=name in standing.gone,
            you=name == seat,
        )
        for place, name in enumerate(snapshot.players)
    ]


def board(
    snapshot: Snapshot,
    face: Face,
    shapes: Mapping[str, str] | None = None,
    seat: str | None = None,
) -> dict[str, Any]:
    """What the templates of the board need, of what everybody may know.

    Args:
        snapshot: of the table.
        face: of the game.
        shapes: that players chose.
        seat: the player who is looking.
    """
    standing = snapshot.standing
    players = players_of(snapshot, shapes or {}, seat)
    return {
        "version": version_of(snapshot),
        "title": face.title(),
        "game_name": snapshot.game_name,
        "game_template": face.template,
        "standing": standing,
        "step": snapshot.step,
        "players": players,
        "winners": [player for player in players if player.winner],
        "you": next((player for player in players if player.you), None),
        "who": next((player for player in players if player.active), None),
        "to_do": face.to_do(snapshot),
        "story": story(snapshot, face.words),
        "event": snapshot.event,
        "facts": face.facts(snapshot),
        "cue": cue(snapshot),
        "readers": snapshot.readers,
        "questions": snapshot.questions,
        "waiting": snapshot.waiting,
        "enrolment": snapshot.enrolment,
    }


@dataclass(frozen=True, slots=True)
class TouchButton:
    """A button with what it sends and whom it is about."""

    button: Button
    sends: str
    player: Player | None


def buttons(
    legal: Iterable[Action], face: Face, players: Sequence[Player]
) -> Iterator[TouchButton]:
    """The touch buttons of what is possible now."""
    by_name = {player.name: player for player in players}
    for action in chain.from_iterable(map(spelled_out, legal)):
        button = face.button(action)
        if button is not None:
            sends = json.dumps(action_to_json(action), separators=(",", ":"))
            yield TouchButton(button, sends, by_name.get(button.player or ""))


def board_players(scene: Scene) -> Sequence[Player]:
    """The players as a scene shows them."""
    return players_of(scene.snapshot, scene.remembered.shapes, scene.view.seat)


def touch_context(scene: Scene, legal: Iterable[Action]) -> dict[str, Any]:
    """What the templates of buttons need: those of these actions, and the cards to be told."""
    return {
        "buttons": grouped(buttons(legal, scene.face, board_players(scene))),
        "cards": cards(scene.snapshot, scene.face),
    }


_ORDER = ("answer", "go-on", "choice", "against", "end")


def grouped(made: Iterator[TouchButton]) -> list[tuple[str, list[TouchButton]]]:
    """The buttons by where they stand, in the order in which they are shown."""

    def place(touch: TouchButton) -> int:
        return _ORDER.index(touch.button.group)

    ordered = sorted(made, key=place)
    return [(_ORDER[number], list(group)) for number, group in groupby(ordered, key=place)]


def cards(snapshot: Snapshot, face: Face) -> list[Thing]:
    """The cards that may be told by touch now; none while no card can be turned."""
    turn = face.turn
    if turn is None or not any(type(action) is type(turn("")) for action in snapshot.legal):
        return []
    return [
        Thing(
            json.dumps(action_to_json(turn(name)), separators=(",", ":")),
            name,
            _card_label(face, name),
            _left(snapshot.pieces, name),
        )
        for name in snapshot.pieces.total
    ]


def _left(pieces: Pieces, name: str) -> int:
    return pieces.total.get(name, 0) - pieces.turned.get(name, 0)


def _card_label(face: Face, name: str) -> Sentence:
    return Sentence("card", "%(card)s", {}, {"card": face.component(name)})


def table_top(
    virtual: VirtualTable, snapshot: Snapshot, face: Face, players: Sequence[Player]
) -> Mapping[str, Any]:
    """What lies on the virtual table, as its page shows it."""
    # The virtual table knows where each card is, also one in a secret hand. It is asked for
    # the kinds of cards alone; how many of each are shown is what everybody can count.
    things = [
        Thing(component, name, _card_label(face, name), _left(snapshot.pieces, name))
        for component, _ in virtual.faces()
        for name in (component.removeprefix(f"{snapshot.game_name}/"),)
    ]
    return {
        "things": things,
        "pile": virtual.pile(),
        "plugged": virtual.plugged,
        "others": [_other(component, players) for component in virtual.others()],
    }


def _other(component: str, players: Sequence[Player]) -> Thing:
    kind, _, name = component.partition("/")
    if kind == "player" and name.isdecimal() and 1 <= int(name) <= len(players):
        player = players[int(name) - 1]
        return Thing(component, name, named(player.shape, "%(player)s", player.name), None, player)
    labels = {
        "stop": Sentence("stop", gettext("Stop")),
        "undo": Sentence("undo", gettext("Take back")),
        "shuffle": Sentence("shuffle", gettext("Shuffle")),
        "decline": Sentence("decline", gettext("Take nothing")),
        "pass": Sentence("turn-over", gettext("Pass")),
        "last-chance": Sentence("stop", gettext("Last chance")),
        "mermaids": Sentence("crown", gettext("Four mermaids")),
    }
    return Thing(component, name, labels.get(name, Sentence("tag", "%(tag)s", {"tag": component})))


@lru_cache(maxsize=256)
def icon(name: str, sprite_url: str, extra: str = "") -> Markup:
    """A symbol of the sprite. It only repeats the words beside it, so it is hidden to readers."""
    return Markup('<svg class="i {}" aria-hidden="true"><use href="{}#{}"/></svg>').format(
        extra, sprite_url, name
    )
