"""One tag, one action: what a tap means where its tag alone can say it (`Game.meaning`)."""

from __future__ import annotations

from typing import ClassVar

from companion.match import Setup
from companion.meaning.api import Do, Known, Meaning, Notice, Tap, Understanding

NO_MEANING = "no-meaning"


def no_meaning(game: str) -> Notice:
    """The tag says nothing now. It may be a card of somebody's hand, so it is not named."""
    return Notice(NO_MEANING, f"This tag means nothing in {game} now.")


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
        card = "This card" if game.secret(action) else f"This card ({tap.name})"
        return memory, Do(
            (action,), unless=f"{card} was turned since the last shuffle: it cannot come again."
        )
