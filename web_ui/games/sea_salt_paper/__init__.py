"""How Sea Salt & Paper is shown and told."""

from __future__ import annotations

from web_ui.games.face import Face
from web_ui.games.sea_salt_paper.board import facts
from web_ui.games.sea_salt_paper.buttons import button
from web_ui.games.sea_salt_paper.cards import card_name
from web_ui.games.sea_salt_paper.own import mine
from web_ui.games.sea_salt_paper.telling import to_do, words
from web_ui.words import gettext

FACE = Face(
    template="game/sea-salt-paper.html",
    title=lambda: gettext("Sea Salt & Paper"),
    to_do=to_do,
    words=words,
    button=button,
    facts=facts,
    component=card_name,
    mine=mine,
)

__all__ = ["FACE"]
