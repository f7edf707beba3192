"""The API's view of the table: what a spectator may know, as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from flask_babel import force_locale

from companion.codec import outcome_to_json
from companion.rules.api import Outcome
from companion.snapshot import Snapshot
from web_ui.games import face_of
from web_ui.sentences import story


def table_reply(snapshot: Snapshot, outcomes: tuple[Outcome, ...] = ()) -> dict[str, Any]:
    """The reply object of the play protocol for a spectator, with what the table adds.

    Args:
        snapshot: what it tells of.
        outcomes: of the action that it answers; () where it answers none.
    """
    standing = snapshot.standing
    # Programs read English, whatever language the device of a page asks for.
    with force_locale("en"):
        told = story(snapshot, face_of(snapshot.game_name).words)
        last_event = {"text": told.text, "cause": told.cause.text}
    return {
        "ok": True,
        "step": snapshot.step,
        "outcomes": [outcome_to_json(outcome) for outcome in outcomes],
        "game": snapshot.game_name,
        "turn": standing.turn,
        "phase": standing.phase,
        # A player's choices can name that player's secrets; a spectator has none to make.
        "legal": [],
        "scores": dict(standing.scores),
        "state": dict(snapshot.state),
        "over": standing.over,
        "winners": list(standing.winners),
        "revision": snapshot.revision,
        "epoch": snapshot.epoch,
        "readers": [
            {
                "name": reader.name,
                "state": "ready" if reader.ready else "lost",
                "hardware": reader.hardware,
                "trouble": reader.trouble,
            }
            for reader in snapshot.readers
        ],
        "ship": None if snapshot.ship is None else asdict(snapshot.ship),
        "questions": [asdict(question) for question in snapshot.questions],
        "waiting": snapshot.waiting,
        "last_event": last_event,
        "table": snapshot.table,
        "game_id": snapshot.game,
    }
