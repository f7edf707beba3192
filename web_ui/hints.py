"""A little more than what is allowed, for the player in turn, at tables that want it."""

from __future__ import annotations

from web_ui.live import Scene
from web_ui.sentences import Sentence
from web_ui.words import gettext, ngettext


def hint(scene: Scene) -> Sentence | None:
    """One short sentence for the phone of the player in turn; None where there is nothing to say.

    Whoever stands beside the phone may read it, so it tells nothing that only its player knows.
    """
    if not scene.choices.hints:
        return None
    match scene.snapshot.game_name:
        case "tentacles":
            return _of_the_pile(scene)
        case "octopus-alarm":
            return _of_the_reef(scene)
        case _:
            return None


def _of_the_pile(scene: Scene) -> Sentence | None:
    odds, pile = scene.moment.odds, scene.snapshot.state.get("pile", 0)
    if odds is None or not pile:
        return None
    bad = round(odds["lose"] * pile)
    if not bad:
        return Sentence("card", gettext("No card takes fish now"))
    text = ngettext(
        "%(bad)d of %(num)d card takes fish", "%(bad)d of %(num)d cards take fish", pile
    )
    return Sentence("fish-gone", text, {}, {"bad": bad, "num": pile})


def _of_the_reef(scene: Scene) -> Sentence | None:
    if scene.snapshot.standing.phase not in ("flip", "choose"):
        return None
    tops = [top for top in scene.snapshot.state.get("reef", ()) if top not in (None, "unknown")]
    wanted = ", ".join(scene.face.component(top) for top in dict.fromkeys(tops))
    if not wanted:
        return None
    return Sentence("seen", gettext("Wanted: %(animals)s"), {}, {"animals": wanted})
