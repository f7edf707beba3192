"""What people do by touch: on the scoreboard of a helper, and on the phones of the players."""

from __future__ import annotations

from flask import Blueprint, Response, request

from companion.codec import action_from_json, parse_json
from companion.doubts import MISSED
from companion.rules import GAMES
from companion.rules.api import Action
from web_ui.errors import Problem
from web_ui.forms import check_form, page_source, request_id_of, seen_version
from web_ui.parts import parts
from web_ui.phone import may_answer
from web_ui.showing import answered, done
from web_ui.visitor import visitor
from web_ui.words import gettext

blueprint = Blueprint("touch", __name__, url_prefix="/touch")


@blueprint.post("")
def touch() -> Response:
    """A touch button: the action that it names, done once however often it is pressed."""
    check_form()
    epoch, revision = seen_version()
    text = request.form.get("action", "")
    action = action_from_json(parts().table.snapshot.game_name, parse_json(text.encode()))
    _require_hands(action)
    answer = parts().table.act(
        action,
        source=page_source(),
        revision=revision,
        request_id=request_id_of(epoch, revision, text),
    )
    return answered(answer)


def _require_hands(action: Action) -> None:
    """A seat acts for its own player, and when that one is to act; a helper for everybody."""
    who = visitor()
    moment = parts().table.moment
    # What names a player is that player's own, also beside the turn: leaving, ending a round.
    named = getattr(action, "player", None)
    if who.helper or (named is not None and named == who.seat):
        return
    # The form names a revision, so nothing can have changed when the table looks at it.
    if who.seat is None or named is not None or not moment.may_act(who.seat):
        turn = moment.snapshot.standing.turn
        if turn is None:
            raise Problem("game-over", gettext("The game is over."))
        sentence = gettext("%(player)s is in turn, and your own turn comes later.")
        raise Problem("not-legal", sentence % {"player": turn})


@blueprint.post("/card")
def card() -> Response:
    """A card, or a token, that would have been laid on a reader: told by touch."""
    check_form()
    _, revision = seen_version()
    who, its = visitor(), parts()
    players = its.table.snapshot.players
    if who.seat is None:
        raise Problem("unauthorized", gettext("Take a seat on this device first."))
    if not its.table.moment.may_act(who.seat):
        raise Problem("not-legal", gettext("Another player is to act now."))
    place = request.form.get("place", "")
    component = request.form.get("component", "")
    if place not in _PLACES or not _may_be_told(component):
        raise Problem("bad-command", gettext("There is no such card."))
    # A seat is always the own one, whatever the form says.
    station = f"seat-{players.index(who.seat) + 1}" if place == "seat" else place
    return answered(its.table.touch(component, station, source=page_source(), revision=revision))


_PLACES = frozenset({"seat", "draw", "discard-1", "discard-2"})


def _may_be_told(component: str) -> bool:
    """Whether this is a card of the game in progress, or the token that closes a hand."""
    game = parts().table.snapshot.game_name
    where, _, name = component.partition("/")
    return component == "control/stop" or (where == game and name in GAMES[game].components)


@blueprint.post("/undo")
def undo() -> Response:
    """Take back one action."""
    check_form()
    epoch, revision = seen_version()
    answer = parts().table.undo(
        1,
        source=page_source(),
        revision=revision,
        request_id=request_id_of(epoch, revision, "undo"),
    )
    return answered(answer)


@blueprint.post("/answer")
def answer() -> Response:
    """Answer a question of the table."""
    check_form()
    _, revision = seen_version()
    question, choice = request.form.get("question", ""), request.form.get("choice", "")
    _require_asked(question)
    what = parts().table.answer(question, choice, source=page_source(), revision=revision)
    return answered(what, go_on_to="/correct" if choice == MISSED else None)


def _require_asked(key: str) -> None:
    """What one player is asked, that one answers, or a helper."""
    who = visitor()
    if who.helper or who.seat is None:
        return
    its = parts()
    asked = next((each.who for each in its.table.snapshot.questions if each.key == key), None)
    if not may_answer(asked, who.seat, its.household.now):
        raise Problem("not-legal", gettext("%(player)s is asked this.") % {"player": asked})


@blueprint.post("/new-game")
def new_game() -> Response:
    """The same game again, once it is over."""
    check_form()
    _, revision = seen_version()
    snapshot = parts().table.snapshot
    if revision < snapshot.revision and not snapshot.standing.over:
        # A second press, or another device was quicker: what was wanted is there.
        return done()
    return answered(parts().table.new_game(source=page_source()))
