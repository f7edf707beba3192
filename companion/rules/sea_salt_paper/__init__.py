"""Sea Salt & Paper: collect cards, then end the round or dare the last chance.

Clause numbers ("rule 12") are those of `docs/rules/sea-salt-paper.md`.
"""

from companion.rules.sea_salt_paper.game import GAME

__all__ = ["GAME"]
