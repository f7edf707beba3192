"""The pages on which people set the past right. They need no script."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from flask import Blueprint, Response, make_response, redirect, render_template, request

from companion.codec import parse_json, undo_from_json
from companion.repair.by_hand import moves, shows_hidden
from companion.repair.history import History
from companion.repair.likely import Choices, instead_of, instead_of_misfit, missed_before
from companion.repair.preview import (
    Misfit,
    preview,
    preview_of_restoring,
    preview_of_undo,
)
from companion.repair.timeline import (
    Concealed,
    Delete,
    DoesNotFit,
    Edit,
    Insert,
    Keep,
    edit_to_json,
    edits_from_json,
    edits_to_json,
)
from companion.rules.api import Refusal
from companion.snapshot import Answer, Snapshot
from web_ui.corrections_words import Words
from web_ui.errors import Problem
from web_ui.forms import check_form, page_source, request_id_of, seen_version
from web_ui.games import face_of
from web_ui.parts import parts
from web_ui.views import board
from web_ui.visitor import visitor

blueprint = Blueprint("corrections", __name__, url_prefix="/correct")

SHOWN = 30
"""So many of the last entries are shown at first."""


class _Look:
    """The table at one moment, for one page."""

    def __init__(self) -> None:
        # The snapshot first: when the game changes in between, the form is out of date.
        self.snapshot: Snapshot = parts().table.snapshot
        self.history: History = parts().histories.newest
        self.timeline = self.history.timeline
        self.face = face_of(self.snapshot.game_name)
        self.words = Words(self.snapshot, self.history, self.face)

    def page(self, template: str, **more: Any) -> Response:  # noqa: ANN401 - of the template
        context = {
            **board(self.snapshot, self.face, parts().household.now.shapes),
            "form_key": visitor().form_key,
            "home": "/" if visitor().seat is None else "/play",
            "words": self.words,
            **more,
        }
        return make_response(render_template(f"correct/{template}.html", **context))


@blueprint.get("")
def feed() -> Response:
    """What was told last, newest first, each with a pencil."""
    look = _Look()
    told = look.history.told[::-1]
    shown = told if "all" in request.args else told[:SHOWN]
    correction = look.timeline.correction
    return look.page(
        "feed",
        lines=[look.words.line(one) for one in shown],
        more=len(told) - len(shown),
        restorable=None if correction is None else correction.entry,
        fixed="fixed" in request.args,
    )


@blueprint.get("/entry/<label>")
def entry(label: str) -> Response:
    """What was it really?"""
    look = _Look()
    choices = instead_of(look.timeline, label)
    labels = [link.label for link in look.timeline.links]
    return look.page(
        "entry",
        line=look.words.line(_told(look, label)),
        label=label,
        choices=_choices(look, choices, {"entry": label}, []),
        never=_chosen([], Delete(label)),
        steps=len(labels) - labels.index(label),
    )


@blueprint.get("/entry/<label>/missing")
def missing(label: str) -> Response:
    """What was missed before this?"""
    look = _Look()
    choices = missed_before(look.timeline, label)
    return look.page(
        "missing",
        line=look.words.line(_told(look, label)),
        label=label,
        choices=_choices(look, choices, {"before": label}, []),
    )


@blueprint.get("/entry/<label>/back")
def back(label: str) -> Response:
    """What taking back this and all after it would change."""
    look = _Look()
    count = _steps_back(look, label)
    return look.page(
        "back",
        line=look.words.line(_told(look, label)),
        count=count,
        shown=preview_of_undo(look.timeline, count),
        hidden=shows_hidden(look.timeline.match, count),
    )


@blueprint.get("/restore/<int:number>")
def restoring(number: int) -> Response:
    """What taking a correction back would change."""
    look = _Look()
    shown = preview_of_restoring(look.timeline, number)
    return look.page("restore", number=number, shown=shown)


@blueprint.post("/preview")
def preview_page() -> Response:
    """What the edits chosen so far would change."""
    check_form()
    look = _Look()
    return _previewed(look, _combined(look))


@blueprint.post("")
def correct() -> Response:
    """Fix it: all edits or none."""
    check_form()
    version = seen_version()
    look = _Look()
    edits = _edits(look, request.form.get("edits", ""))
    answer = parts().table.correct(
        edits,
        source=page_source(),
        revision=version[1],
        request_id=request_id_of(*version, request.form.get("edits", "")),
    )
    if answer.code == "stale":
        return _previewed(_Look(), edits, answer.message)
    if answer.code is not None and _refused_so(look, edits) == answer.message:
        # Everybody has been shown now that it does not fit, and may be told how to go on.
        response = _previewed(look, edits, attempted=True)
        response.status_code = 409
        return response
    return _done(answer, "correct")


@blueprint.post("/restore/<int:number>")
def restore(number: int) -> Response:
    """Take a correction back."""
    check_form()
    version = seen_version()
    answer = parts().table.restore(
        number,
        source=page_source(),
        revision=version[1],
        request_id=request_id_of(*version, f"restore {number}"),
    )
    return _done(answer, "restore")


@blueprint.post("/undo")
def undo() -> Response:
    """Take back the last actions, however many."""
    check_form()
    version = seen_version()
    text = request.form.get("count", "")
    count = undo_from_json(int(text) if text.isdecimal() and len(text) < 10 else text)
    answer = parts().table.undo(
        count,
        source=page_source(),
        revision=version[1],
        request_id=request_id_of(*version, f"undo {count}"),
    )
    return _done(answer, "undo")


@blueprint.get("/moves/<int:number>")
def by_hand(number: int) -> Response:
    """What hands must move after this entry, to tick off."""
    look = _Look()
    return look.page("moves", moves=moves(*parts().histories.around(number)))


def _done(answer: Answer, kind: str) -> Response:
    if answer.code is not None:
        raise Problem(answer.code, answer.message)
    histories = parts().histories
    number = histories.newest_entry((kind,))
    if number is not None and moves(*histories.around(number)):
        return make_response(redirect(f"/correct/moves/{number}", 303))
    return make_response(redirect("/correct?fixed", 303))


def _refused_so(look: _Look, edits: Sequence[Edit]) -> str | None:
    """What the table says when an action does not fit after these edits."""
    found = _misfit(look, edits, silently=False)
    return None if found is None else found.message


def _misfit(look: _Look, edits: Sequence[Edit], *, silently: bool) -> DoesNotFit | None:
    try:
        look.timeline.corrected(edits, look.history.entries + 1, silently=silently)
    except DoesNotFit as found:
        return found
    except (Refusal, Concealed):
        return None
    return None


def _told(look: _Look, label: str) -> Any:  # noqa: ANN401 - a Told
    look.timeline.found(label)
    return next(one for one in look.history.told if one.label == label)


def _steps_back(look: _Look, label: str) -> int:
    look.timeline.found(label)
    labels = [link.label for link in look.timeline.links]
    return len(labels) - labels.index(label)


def _edits(look: _Look, text: str) -> tuple[Edit, ...]:
    return edits_from_json(look.snapshot.game_name, parse_json(text.encode()))


def _combined(look: _Look) -> tuple[Edit, ...]:
    """The edits that were chosen before, and what was added to them just now."""
    before = request.form.get("edits", "[]")
    edits = () if before == "[]" else _edits(look, before)
    added: object = parse_json(request.form.get("add", "").encode())
    field = request.form.get("field")
    if field is not None and isinstance(added, dict):
        # Cards that people chose for a blank.
        names = [name for name in request.form.getlist("name") if name]
        added[field] = names if field == "cards" else (names or [""])[0]
    more = edits_from_json(look.snapshot.game_name, added if isinstance(added, list) else [added])
    changed = {edit.label for edit in more if not isinstance(edit, Insert)}
    kept = [edit for edit in edits if isinstance(edit, Insert) or edit.label not in changed]
    return (*kept, *more)


def _previewed(
    look: _Look, edits: Sequence[Edit], note: str = "", *, attempted: bool = False
) -> Response:
    shown = preview(look.timeline, edits, attempted=attempted)
    misfit = shown.misfit
    more: dict[str, Any] = {"choices": None, "rest": {}}
    # An action that was missed is not there to be decided on: without it, nothing is left to fix.
    if misfit is not None and (misfit.edit is None or not isinstance(edits[misfit.edit], Insert)):
        more = _ways_on(look, edits, misfit, attempted=attempted)
    return look.page(
        "preview",
        shown=shown,
        edits=json.dumps(edits_to_json(edits)),
        said=[look.words.edit(edit) for edit in edits],
        note=note,
        **more,
    )


def _ways_on(
    look: _Look, edits: Sequence[Edit], misfit: Misfit, *, attempted: bool
) -> dict[str, Any]:
    """What can be done about the first action that does not fit."""
    label = misfit.label
    found = _misfit(look, edits, silently=not attempted)
    if found is None:
        return {}
    choices = instead_of_misfit(look.timeline, found)
    rest: dict[str, str] = {"delete": _chosen([], *(Delete(each) for each in misfit.rest))}
    if Keep(label) in choices.likely:
        rest["keep"] = _chosen([], *(Keep(each) for each in misfit.rest))
    return {
        "choices": _choices(look, choices, {"entry": label}, edits),
        "never": json.dumps(edit_to_json(Delete(label))),
        "rest": rest,
        "line": look.words.line(_told(look, label)),
    }


def _chosen(before: Sequence[Edit], *added: Edit) -> str:
    body = edits_to_json([*before, *added])
    return json.dumps(body[0] if len(body) == 1 else body)


def _choices(
    look: _Look, choices: Choices, where: Mapping[str, Any], edits: Sequence[Edit]
) -> dict[str, Any]:
    """The choices with their words, and what each button sends."""
    return {
        "likely": [look.words.choice(edit) for edit in choices.likely],
        "others": [look.words.other(action, where) for action in choices.actions],
        "blanks": [look.words.blank(blank, where) for blank in choices.blanks],
        "edits": json.dumps(edits_to_json(edits)),
    }
