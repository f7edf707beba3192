"""The pages of the wizard. They need no script."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from flask import (
    Blueprint,
    Response,
    make_response,
    redirect,
    render_template,
    request,
)

from companion.beginning import setup_of
from companion.config import USUAL_GAME
from companion.household import SHAPES, NotRemembered
from companion.rules import GAMES, game_named
from companion.rules.api import Refusal
from web_ui.errors import Problem
from web_ui.forms import check_form, page_source, seen_version
from web_ui.games import face_of
from web_ui.house_rules import house_rules
from web_ui.languages import languages
from web_ui.names import LONGEST_NAME
from web_ui.parts import parts
from web_ui.sentences import Sentence
from web_ui.setup.draft import Draft
from web_ui.views import version_of
from web_ui.visitor import visitor
from web_ui.words import gettext

blueprint = Blueprint("setup", __name__, url_prefix="/setup")

QUICK_PLAYERS = ("Ann", "Bo")


def _page(template: str, draft: Draft, **more: Any) -> str:  # noqa: ANN401 - of the template
    return render_template(
        f"setup/{template}.html",
        draft=draft,
        face=face_of(draft.game),
        form_key=visitor().form_key,
        **more,
    )


@blueprint.get("")
def welcome() -> str:
    """Which language, and which game."""
    games = [
        (name, face_of(name).title(), _players_of(name), _offered(name).address("/setup/players"))
        for name in sorted(GAMES, key=lambda name: (name != USUAL_GAME, name))
    ]
    return _page(
        "welcome",
        Draft(USUAL_GAME),
        games=games,
        languages=languages(),
        virtual=parts().virtual is not None,
        version=version_of(parts().table.snapshot),
    )


def _offered(name: str) -> Draft:
    """What the settings ask of a new game, as far as they are about this one."""
    asked = parts().settings.now
    if name != (asked.game or USUAL_GAME):
        return Draft(name)
    return Draft.asked(name, asked.players, asked.starter, asked.set)


@blueprint.get("/players")
def players() -> Response | str:
    """Who plays, in which order and with which shapes."""
    draft = Draft.read(request.args)
    button = request.args.get("do", "")
    what, _, at = button.partition("-")
    place = int(at) if at.isdecimal() and len(at) < 3 else -1
    match what:
        case "up":
            draft = draft.moved(place, -1)
        case "down":
            draft = draft.moved(place, 1)
        case "away":
            draft = draft.without(place)
        case "more":
            draft = draft.sat("")
        case "known" if place < len(known := _known(draft)):
            name = known[place]
            draft = draft.sat(name, parts().household.now.shapes.get(name, ""))
        case "next":
            fault = _fault_of_players(draft)
            if not fault:
                return make_response(redirect(draft.address("/setup/readers"), 303))
            return _players_page(draft, fault)
    return _players_page(draft)


def _players_page(draft: Draft, fault: str = "") -> str:
    seats = game_named(draft.game).seats
    draft = draft.filled()
    return _page(
        "players",
        draft,
        fault=fault,
        shapes=SHAPES,
        known=_known(draft),
        room=len(draft.chairs) < seats[-1],
        spare=len(draft.chairs) > seats[0],
        longest=LONGEST_NAME,
    )


def _known(draft: Draft) -> list[str]:
    """Who sits at this table or sat here before, and is not among those who play."""
    names = dict.fromkeys((*parts().table.snapshot.players, *parts().household.now.names))
    return [name for name in names if name not in draft.players]


def _fault_of_players(draft: Draft) -> str:
    game, names = game_named(draft.game), draft.players
    if len(names) not in game.seats:
        text = gettext("This game is for %(least)d to %(most)d: give each a name.")
        return text % {"least": game.seats[0], "most": game.seats[-1]}
    if len({name.casefold() for name in names}) < len(names):
        return gettext("Two have the same name: give each their own.")
    return ""


@blueprint.get("/rules")
def rules() -> str:
    """The house rules, each in plain words."""
    draft = Draft.read(request.args)
    return _page("rules", draft, rules=house_rules(draft.game, len(draft.players)))


@blueprint.get("/summary")
def summary() -> Response | str:
    """All of it once more, and the start."""
    draft = Draft.read(request.args)
    draft = replace(draft, options=_unusual(draft))
    fault = _fault_of_players(draft)
    if fault:
        return _players_page(draft, fault)
    chosen = house_rules(draft.game, len(draft.players))
    try:
        options = draft.chosen()
        setup_of(draft.game, draft.players, None, options, parts().table.enrolled)
    except Refusal as refusal:
        return _page("rules", draft, rules=chosen, fault=refusal.message)
    snapshot = parts().table.snapshot
    return _page(
        "summary",
        draft,
        chosen=[
            (rule.title, rule.told(options.get(rule.name)))
            for rule in chosen
            if rule.name in options
        ],
        warnings=game_named(draft.game).warnings(options),
        going_on=bool(snapshot.step) and not snapshot.standing.over,
        now=snapshot,
        version=version_of(snapshot),
    )


def _unusual(draft: Draft) -> dict[str, str]:
    """What differs from what most tables play."""
    usual = {rule.name: rule for rule in house_rules(draft.game, len(draft.players))}

    def differs(name: str, text: str) -> bool:
        rule = usual[name]
        if rule.values:
            return text != rule.values[0].key
        return text != str(rule.usual)

    return {name: text for name, text in draft.options.items() if differs(name, text)}


@blueprint.post("/start")
def start() -> Response:
    """Begin the game."""
    check_form()
    _, revision = seen_version()
    draft = Draft.read(request.form)
    its = parts()
    setup = setup_of(draft.game, draft.players, None, draft.chosen(), its.table.enrolled)
    instead = "instead" in request.form
    answer = its.table.new_game(setup, source=page_source(), revision=revision, instead=instead)
    if answer.code is not None:
        raise Problem(answer.code, answer.message)
    _remember(draft)
    return make_response(redirect("/", 303))


@blueprint.post("/at-once")
def at_once() -> Response:
    """A game without hardware, for those who want to see it."""
    check_form()
    _, revision = seen_version()
    draft = Draft.read(request.form)
    its = parts()
    target = "/virtual" if its.virtual is not None else "/cards"
    snapshot = its.table.snapshot
    if snapshot.step and not snapshot.standing.over:
        # It is not thrown away for a look: there is a table to play on already.
        return make_response(redirect(target, 303))
    players = draft.players or QUICK_PLAYERS
    setup = setup_of(draft.game, players, None, {}, its.table.enrolled)
    answer = its.table.new_game(setup, source=page_source(), revision=revision)
    if answer.code is not None:
        raise Problem(answer.code, answer.message)
    return make_response(redirect(target, 303))


def _remember(draft: Draft) -> None:
    """The names and shapes are offered the next time; a game goes on without them."""
    household = parts().household
    try:
        household.remember(draft.players)
        for chair in draft.chairs:
            if chair.name:
                household.shape(chair.name, chair.shape)
    except NotRemembered:
        return
    parts().table.refresh()


def _players_of(game: str) -> Sentence:
    seats = game_named(game).seats
    text = gettext("%(least)d to %(most)d players")
    return Sentence("circle", text, {}, {"least": seats[0], "most": seats[-1]})
