"""What a household chooses for its table, and the rules in force in plain words."""

from __future__ import annotations

from flask import Blueprint, Response, make_response, redirect, render_template, request

from web_ui.errors import Problem
from web_ui.forms import check_form
from web_ui.games import face_of
from web_ui.house_rules import in_force, in_short
from web_ui.parts import parts
from web_ui.sentences import Sentence
from web_ui.visitor import visitor
from web_ui.words import gettext

blueprint = Blueprint("settings", __name__)


def _switches() -> dict[str, tuple[Sentence, Sentence]]:
    """Each choice with its title and what it does."""
    return {
        "odds": (
            Sentence("seen", gettext("Chances")),
            Sentence("seen", gettext("Shows how likely the next card or tile is what.")),
        ),
        "hints": (
            Sentence("asked", gettext("Hints")),
            Sentence("asked", gettext("Phones say a little more than what is allowed.")),
        ),
        "players_correct": (
            Sentence("pencil", gettext("Players set the past right")),
            Sentence("pencil", gettext("On their own phones; else only those who help.")),
        ),
    }


@blueprint.get("/settings")
def settings() -> str:
    """What can be switched on and off at this table."""
    its = parts()
    chosen = its.settings.now.choices
    switches = [
        (name, title, what, getattr(chosen, name)) for name, (title, what) in _switches().items()
    ]
    return render_template(
        "settings/settings.html",
        switches=switches,
        join_code=its.link.join_code,
        pin=its.link.pin,
        form_key=visitor().form_key,
        kept="kept" in request.args,
        trouble=its.settings.trouble,
        waiting=its.settings.waiting,
        outvoted=its.settings.outvoted,
    )


@blueprint.post("/settings")
def change() -> Response:
    """Switch something on or off."""
    check_form()
    name, value = request.form.get("name", ""), request.form.get("value", "")
    if name not in _switches() or value not in ("on", "off"):
        raise Problem("bad-command", gettext("There is no such setting."))
    parts().settings.change({("choices", name): value == "on"})
    return make_response(redirect("/settings?kept", 303))


@blueprint.get("/rules")
def rules() -> str:
    """The rules of the game in short, and those that this table chose."""
    snapshot = parts().table.snapshot
    return render_template(
        "settings/rules.html",
        game=face_of(snapshot.game_name).title(),
        lines=in_short(snapshot.game_name),
        chosen=in_force(snapshot),
    )
