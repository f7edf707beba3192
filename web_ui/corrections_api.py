"""The part of the HTTP API by which programs set the past right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import Blueprint, Response, jsonify

from companion.codec import action_to_json, undo_from_json
from companion.repair.by_hand import HandMove, moves, shows_hidden
from companion.repair.history import history_to_json
from companion.repair.likely import Blank, Choices, instead_of, missed_before
from companion.repair.preview import (
    moves_ahead,
    preview,
    preview_of_restoring,
    preview_of_undo,
    preview_to_json,
)
from companion.repair.timeline import (
    Edit,
    Timeline,
    edit_to_json,
    edits_from_json,
    restore_from_json,
)
from companion.rules.api import Refusal
from web_ui.api_requests import (
    API,
    authorise,
    body_of_request,
    reply_of,
    request_id_of,
    whole_number,
)
from web_ui.parts import parts

blueprint = Blueprint("corrections_api", __name__, url_prefix="/api/v1")


@blueprint.get("/history")
def history() -> Response:
    """All that was ever told of this game, as everybody may know it."""
    its = parts()
    snapshot, past = its.table.snapshot, its.histories.newest
    correction = past.timeline.correction
    return jsonify(
        {
            "ok": True,
            "game_id": snapshot.game,
            "epoch": snapshot.epoch,
            "revision": snapshot.revision,
            "entries": past.entries,
            "restorable": None if correction is None else correction.entry,
            "history": history_to_json(past),
        }
    )


@blueprint.get("/entries/<label>/likely")
def likely(label: str) -> Response:
    """What an action may have been, and what may have been missed before it."""
    authorise()
    timeline = parts().histories.newest.timeline
    return jsonify(
        {
            "ok": True,
            "entry": label,
            "instead": _choices_to_json(instead_of(timeline, label)),
            "before": _choices_to_json(missed_before(timeline, label)),
        }
    )


@blueprint.post("/corrections/preview")
def preview_correction() -> Response:
    """What a correction, its taking back or an undo would change; changes nothing."""
    body = body_of_request()
    kinds = {"edits", "restore", "undo"}
    if len(body) != 1 or not kinds >= body.keys():
        raise Refusal("bad-command", "A preview has one of the keys edits, restore, undo.")
    its = parts()
    revision = its.table.snapshot.revision
    timeline = its.histories.newest.timeline
    hidden = ""
    if "edits" in body:
        shown = preview(timeline, _edits(timeline, body))
    elif "restore" in body:
        shown = preview_of_restoring(timeline, restore_from_json(body["restore"]))
    else:
        count = undo_from_json(body["undo"])
        shown = preview_of_undo(timeline, count)
        hidden = shows_hidden(timeline.match, count)
    return jsonify(
        {
            "ok": True,
            "revision": revision,
            **preview_to_json(shown),
            "moves": _moves_to_json(moves_ahead(timeline, shown)),
            "shows_hidden": hidden,
        }
    )


@blueprint.post("/corrections")
def correct() -> Response:
    """Set the past right: all edits or none."""
    body = body_of_request()
    revision, request_id = whole_number(body, "revision"), request_id_of(body)
    if body.keys() != {"edits"}:
        raise Refusal("bad-command", "A correction has the key edits, and maybe revision and id.")
    its = parts()
    edits = _edits(its.histories.newest.timeline, body)
    answer = its.table.correct(edits, source=API, revision=revision, request_id=request_id)
    return reply_of(answer, _done("correct") if answer.code is None else None)


@blueprint.post("/corrections/<int:entry>/restore")
def restore(entry: int) -> Response:
    """Take a correction back."""
    body = body_of_request()
    revision, request_id = whole_number(body, "revision"), request_id_of(body)
    if body:
        raise Refusal("bad-command", "Taking a correction back takes revision and id alone.")
    its = parts().table
    answer = its.restore(entry, source=API, revision=revision, request_id=request_id)
    return reply_of(answer, _done("restore") if answer.code is None else None)


def _edits(timeline: Timeline, body: dict[str, Any]) -> Sequence[Edit]:
    return edits_from_json(timeline.match.setup.game, body["edits"])


def _done(kind: str) -> dict[str, Any]:
    """The entry of what was just carried out, and what hands must do now."""
    histories = parts().histories
    entry = histories.newest_entry((kind,))
    if entry is None:
        return {}
    return {"entry": entry, "moves": _moves_to_json(moves(*histories.around(entry)))}


def _moves_to_json(needed: Sequence[HandMove]) -> list[dict[str, Any]]:
    return [{"player": move.player, "text": move.text, "key": move.key} for move in needed]


def _choices_to_json(choices: Choices) -> dict[str, Any]:
    return {
        "likely": [edit_to_json(edit) for edit in choices.likely],
        "actions": [action_to_json(action) for action in choices.actions],
        "blanks": [_blank_to_json(blank) for blank in choices.blanks],
    }


def _blank_to_json(blank: Blank) -> dict[str, Any]:
    action = action_to_json(blank.action)
    action.pop(blank.field, None)
    return {
        "action": action,
        "field": blank.field,
        "names": list(blank.names),
        "fewest": blank.fewest,
        "most": blank.most,
    }
