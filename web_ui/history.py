"""The pages of the games that were played: list, single games, replay, charts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any
from uuid import UUID

from flask import (
    Blueprint,
    Response,
    jsonify,
    make_response,
    redirect,
    render_template,
    request,
)

from companion.chronicle import (
    Aliases,
    DamagedGame,
    Games,
    NoSuchGame,
    NotReadable,
    Played,
    best_moment,
    turns,
)
from web_ui import history_charts
from web_ui.errors import Problem, wants_json
from web_ui.forms import check_form
from web_ui.games import face_of
from web_ui.history_words import kind_of, listed, ranking
from web_ui.parts import parts
from web_ui.replay import board_at, step_at, words_of
from web_ui.views import shapes_of
from web_ui.visitor import visitor
from web_ui.words import gettext

blueprint = Blueprint("history", __name__, url_prefix="/history")

A_PAGE = 30
"""So many games are listed at once."""


@contextmanager
def problems() -> Iterator[None]:
    """What can be wrong with a record, as problems of the request."""
    try:
        yield
    except NotReadable as error:
        raise Problem("storage", str(error)) from error
    except NoSuchGame:
        raise Problem("not-found", gettext("There is no such game.")) from None
    except DamagedGame as damage:
        sentence = gettext(
            "The record of this game is damaged (%(trouble)s). The other games are as they were."
        )
        raise Problem("not-legal", sentence % {"trouble": damage}) from None


def games() -> Games:
    """The games of the record.

    Raises:
        Problem: this service keeps none.
    """
    found = parts().games
    if found is None:
        raise Problem("not-found", gettext("This table keeps no history."))
    return found


def aliases() -> Aliases:
    """What players are called on pages who are not to be named any more."""
    return Aliases(
        parts().household.now.hidden, lambda place: gettext("Player %(num)d") % {"num": place}
    )


def kind_asked() -> str | None:
    """Which kind of game is asked for; None for all."""
    return request.args.get("game") or None


def played_game(game: UUID) -> Played:
    """A game in full."""
    with problems():
        return games().played(str(game), aliases())


@blueprint.get("")
def index() -> str:
    """All games, newest first."""
    kind = kind_asked()
    before = request.args.get("before", "")
    number = int(before) if before.isdecimal() and len(before) < 10 else None
    with problems():
        found = games().listed(aliases(), game=kind, before=number, count=A_PAGE)
        kinds = games().kinds()
    return render_template(
        "history/list.html",
        games=[listed(game) for game in found.games],
        total=found.total,
        more=found.games[-1].number if found.more else None,
        later=number is not None,
        unread=any(game.state == "unread" for game in found.games),
        kinds=[kind_of(name, count) for name, count in kinds.items()],
        kind=kind,
        helper=visitor().helper,
    )


@blueprint.get("/charts")
def charts() -> str:
    """Numbers over all finished games."""
    kind = kind_asked()
    with problems():
        figures = games().figures(aliases(), kind)
        kinds = games().kinds()
    return render_template(
        "history/charts.html",
        figures=figures,
        charts=history_charts.of_all(figures),
        kinds=[kind_of(name, count) for name, count in kinds.items()],
        kind=kind,
    )


@blueprint.get("/<uuid:game>")
def single(game: UUID) -> str:
    """One game: result, best moment, charts, and what was told."""
    played = played_game(game)
    summary = played.summary
    going_on = summary.state == "going-on"
    points = turns(played.matches)
    moment = best_moment(points)
    shapes = shapes_of(summary.players, parts().household.now.shapes)
    ranked = ranking(summary, shapes)
    lines = [] if going_on else [words_of(played).line(one) for one in played.history.told]
    steps = {link.label: step for step, link in enumerate(played.history.timeline.links, 1)}
    return render_template(
        "history/game.html",
        game_template=face_of(summary.game).template,
        game=listed(summary),
        moment=moment,
        charts=history_charts.of_game(played, points, shapes),
        lines=[(line, steps.get(line.label)) for line in lines],
        going_on=going_on,
        players=ranked,
        moment_seat=next((one.seat for one in ranked if moment and one.name == moment.player), 1),
    )


@blueprint.get("/<uuid:game>/replay")
def replay(game: UUID) -> Response:
    """The board of that game at one step; as JSON for the page's script."""
    played = played_game(game)
    summary = played.summary
    if summary.state == "going-on":
        raise Problem(
            "not-legal",
            gettext("This game goes on: its course can be seen here when it is over."),
        )
    asked = request.args.get("step", "")
    step = int(asked) if asked.isdecimal() and len(asked) < 10 else summary.actions
    step = min(step, summary.actions)
    context: dict[str, Any] = board_at(played, step, parts().household.now.shapes)
    context.update(
        at=step_at(played, step, _clock(played, step)),
        game_id=summary.id,
        heading=listed(summary),
    )
    if wants_json():
        return jsonify(
            {
                "step": step,
                "board": render_template("board.html", **context),
                "at": render_template("history/at.html", **context),
            }
        )
    return make_response(render_template("history/replay.html", **context))


def _clock(played: Played, step: int) -> str:
    if step == 0:
        return ""
    known = played.times[played.entry_of(step)].known
    return f"{datetime.fromisoformat(known).astimezone():%H:%M:%S}" if known else ""


@blueprint.get("/players")
def players() -> str:
    """Who is named in the history, to be named no more."""
    hidden = parts().household.now.hidden
    with problems():
        found = games().people()
    asked = request.args.get("name")
    order = [*dict.fromkeys((*hidden, asked))]
    named = [(name, count) for name, (count, last) in found.items() if hidden.get(name, 0) < last]
    return render_template(
        "history/players.html",
        people=sorted(named, key=lambda each: (-each[1], each[0])),
        asked=asked if asked in found else None,
        alias=aliases().spelled(order.index(asked) + 1),
        done="done" in request.args,
        form_key=visitor().form_key,
    )


@blueprint.post("/players/forget")
def forget() -> Response:
    """Name this player no more."""
    check_form()
    name = request.form.get("name", "")
    with problems():
        known = games().people()
        newest = games().newest()
    if name not in known:
        raise Problem("not-found", gettext("There is no such player."))
    parts().household.forget(name, newest)
    parts().table.refresh()
    return make_response(redirect("/history/players?done", 303))
