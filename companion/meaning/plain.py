"""One tag, one action: what a tap means where its tag alone can say it (`Game.meaning`)."""

from __future__ import annotations

from typing import ClassVar

from companion.match import Setup
from companion.meaning.api import Do, Known, Meaning, Notice, Tap, Understanding
from companion.said import Thing, say

NO_MEANING = "no-meaning"


def no_meaning(game: str) -> Notice:
    """The tag says nothing now. It may be a card of somebody's hand, so it is not named."""
    return Notice(NO_MEANING, say("This tag means nothing in %(game)s now.", game=Thing(game)))


class Plain(Understanding[None]):
    """Remembers nothing; every reader is as good as any other."""

    stations: ClassVar[tuple[str, ...]] = ("play",)

    def begin(self, setup: Setup) -> None:
        """There is nothing to remember."""
        del setup

    def tapped(self, memory: None, tap: Tap, known: Known) -> tuple[None, Meaning]:
        """What the rules say that the tag means."""
        game = known.match.game
        action = game.meaning(known.match.state, "component", tap.name)
        if action is None:
            return memory, no_meaning(game.name)
        if tap.uid not in known.spent:
            return memory, Do((action,))
        if game.secret(action):
            turned = say("This card was turned since the last shuffle: it cannot come again.")
        else:
            turned = say(
                "This card (%(card)s) was turned since the last shuffle: it cannot come again.",
                card=Thing(tap.name),
            )
        return memory, Do((action,), unless=turned)
