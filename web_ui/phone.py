"""The phone of one player: what can be done now, what is going on, and what is one's own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response, make_response, redirect

from companion.codec import action_to_json
from companion.household import Remembered
from companion.repair.history import History
from companion.rules import GAMES
from companion.rules.api import Action, Leave
from web_ui.access import Role
from web_ui.corrections_words import Words
from web_ui.cues import cue
from web_ui.hints import hint
from web_ui.languages import languages
from web_ui.live import LivePage, Scene
from web_ui.parts import parts
from web_ui.showing import live_page
from web_ui.views import touch_context
from web_ui.visitor import visitor

blueprint = Blueprint("phone", __name__)

RECENT = 3
"""So many of the last events are told."""


def _phone(scene: Scene) -> Mapping[str, Any]:
    seen = scene.seen
    if seen is None:
        return {}
    snapshot = scene.snapshot
    over = snapshot.standing.over
    acting = not over and scene.moment.may_act(seen.player)
    touch = touch_context(scene, seen.legal)
    away = not snapshot.readers or any(not reader.ready for reader in snapshot.readers)
    history = parts().histories.newest
    words = Words(snapshot, history, scene.face)
    in_force = [told for told in reversed(history.told) if told.now is not None]
    return {
        "acting": acting,
        "hint": hint(scene) if acting else None,
        "my": scene.face.mine(snapshot, seen),
        "buttons": touch["buttons"],
        "cards": touch["cards"] if acting and away else [],
        "cue": cue(snapshot, seen.player, acting=acting),
        "asked": [
            question
            for question in snapshot.questions
            if may_answer(question.who, seen.player, scene.remembered)
        ],
        "recent": [words.line(told) for told in in_force[:RECENT]],
        "last_card": _last_card(history, scene, seen.player),
        "may_correct": scene.view.helper or scene.choices.players_correct,
        "leaves": ""
        if over or seen.player in snapshot.standing.gone or not _can_be_left(snapshot.game_name)
        else _sends(Leave(seen.player)),
        "sharing": sum(
            device.player == seen.player for device in scene.remembered.devices.values()
        ),
        "languages": languages(),
    }


PAGES = (LivePage("phone", "/play", Role.SEAT, _phone, private=True, style="phone.css"),)


@blueprint.get("/play")
def play() -> Response:
    """The phone of this device's player; a device without a seat is led to one."""
    if visitor().seat is None:
        return make_response(redirect("/join", 303))
    return make_response(live_page("phone"))


def may_answer(asked: str | None, player: str, remembered: Remembered) -> bool:
    """Whether this player may answer what the table asks of that one, or of anybody.

    Others may where the one who is asked has no phone: the question must not stay open.
    """
    if asked in (None, player):
        return True
    return all(device.player != asked for device in remembered.devices.values())


def _can_be_left(game_name: str) -> bool:
    """Whether the game goes on when somebody leaves it."""
    return Leave in GAMES[game_name].actions


def _sends(action: Action) -> str:
    return json.dumps(action_to_json(action), separators=(",", ":"))


def _last_card(history: History, scene: Scene, player: str) -> str | None:
    """The card that this player turned up last and everybody saw."""
    turn = scene.face.turn
    if turn is None:
        return None
    for told in reversed(history.told):
        was = told.now
        if was is not None and was.player == player and type(was.action) is type(turn("")):
            return str(action_to_json(was.action)["card"])
    return None
