"""`python -m tests.journal.make_golden GAME`: a finished game of the rules as they are now.

Run once for each version of a game's rules, and kept for ever: the files say how a game of
that version went, and `test_golden_journals.py` that it still goes so.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from companion.clocks import Clocks
from companion.codec import action_to_json
from companion.data_folder import JOURNAL
from companion.match import SeededChance, Setup
from companion.record.export import exported, find
from companion.record.journal import Entry, Journal, Note
from companion.record.reading import reading
from companion.repair.timeline import Delete, Insert, Replace, Timeline, edits_to_json
from companion.rules import GAMES
from companion.rules.api import Leave, Refusal
from companion.rules.sea_salt_paper.cards import NAMES
from companion.rules.sea_salt_paper.words import Call, Hand
from companion.snapshot import Source

GOLDEN = Path(__file__).with_name("golden")
SETUPS = {
    "tentacles": [Setup("tentacles", ("Ann", "Bo", "Cy"), "Bo", {"octopus": 2})],
    "octopus-alarm": [Setup("octopus-alarm", ("Kari", "Ola"))],
    "sea-salt-paper": [
        Setup("sea-salt-paper", ("Ann", "Bo", "Cy")),
        Setup("sea-salt-paper", ("Ann", "Bo"), None, {"tracking": "score"}),
    ],
}
TRIES = 200


class Evening:
    """Somebody who plays at random, and now and then sets the past right."""

    def __init__(self, setup: Setup, seed: int) -> None:
        self.random = random.Random(f"{setup} {seed}")
        self.timeline = Timeline.start(setup)
        self.entries: list[Entry] = []
        self.corrections = self.restorations = self.undos = 0

    @property
    def over(self) -> bool:
        match = self.timeline.match
        return match.game.standing(match.state).over

    def play(self) -> None:
        while not self.over:
            self.act()
            if self.random.random() < 0.08:
                self.undo(self.random.randint(1, 3))
            if self.random.random() < 0.15:
                self.correct()
        self.undo(1)
        while not self.over:
            self.act()

    def tell(self, command, uid=None) -> bool:
        command = json.loads(json.dumps(command))
        number = len(self.entries) + 1
        try:
            after = self.timeline.after(command, number, uid)
        except Refusal:
            return False
        self.timeline = after
        source = Source("reader", "pcsc-1") if uid else Source("page")
        self.entries.append(Entry(number, after.match.step, command, source, uid, None))
        return True

    def some_action(self, match):
        legal = [a for a in match.game.legal(match.state) if not isinstance(a, Leave)]
        if isinstance(legal[0], Call):
            reason = self.random.choice(("stop", "last-chance", "deck-empty"))
            return Call(self.random.choice(match.setup.players), reason)
        if isinstance(legal[0], Hand):
            player = self.random.choice(match.setup.players)
            return Hand(player, tuple(self.random.sample(NAMES, self.random.randint(5, 9))))
        chance = SeededChance(self.random.randrange(1 << 30))
        try:
            return match.game.deal(match.state, self.random.choice(legal), chance)
        except Refusal:
            return None

    def act(self) -> None:
        for _ in range(TRIES):
            action = self.some_action(self.timeline.match)
            if action is not None and self.tell(
                action_to_json(action), self.random.choice([None, f"04A3{len(self.entries):010}"])
            ):
                return
        raise RuntimeError("nothing was possible")

    def undo(self, count) -> None:
        self.undos += self.tell({"undo": count})

    def correct(self) -> None:
        links = self.timeline.links
        for _ in range(TRIES // 10):
            link = self.random.choice(links[-6:])
            before = self.timeline.found(link.label).before
            action = self.some_action(before)
            edits = [
                Delete(link.label),
                *([Replace(link.label, action), Insert(link.label, action)] if action else []),
            ]
            if self.tell({"correct": edits_to_json([self.random.choice(edits)])}):
                self.corrections += 1
                if self.random.random() < 0.3:
                    number = len(self.entries)
                    self.restorations += self.tell({"restore": number})
                return


def views(timeline: Timeline) -> dict[str, object]:
    """What each player sees at the end; what all see is in the file itself."""
    match = timeline.match
    return {player: match.game.view(match.state, player) for player in match.setup.players}


def kept(evening: Evening, path: Path) -> None:
    """Write the game to a record, and export it with all that is secret."""
    now_ns = 1_000_000_000_000

    def clock() -> int:
        nonlocal now_ns
        now_ns += 2_300_000_000
        return now_ns

    first = datetime(2026, 12, 1, 18, tzinfo=UTC)
    clocks = Clocks(clock, lambda: first + timedelta(seconds=now_ns / 1e9), "a-boot")
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / JOURNAL
        journal = Journal(record, clocks)
        game = journal.begin(evening.timeline.match.setup).id
        for entry in evening.entries:
            body = {"uid": entry.uid, "station": "play"}
            notes = [Note(entry.entry - 1, "reading", body)] if entry.uid else []
            journal.append(game, [entry], notes)
        journal.close()
        with reading(record) as connection:
            lines = b"".join(exported(connection, find(connection, "last"), secrets=True))
    path.write_bytes(lines)
    final = json.dumps(views(evening.timeline), ensure_ascii=False, indent=1)
    path.with_suffix(".json").write_text(f"{final}\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description="Keep a finished game of the present rules.")
    parser.add_argument("game", choices=GAMES)
    game = parser.parse_args().game
    for number, setup in enumerate(SETUPS[game], 1):
        evenings = []
        for seed in range(10):
            evening = Evening(setup, seed)
            evening.play()
            if evening.corrections >= 2 and evening.restorations and evening.undos >= 2:
                evenings.append(evening)
        shortest = min(evenings, key=lambda evening: len(evening.entries))
        name = f"{game}-rules-{GAMES[game].rules_version}-{number}.jsonl"
        kept(shortest, GOLDEN / name)
        print(
            f"{name}: {len(shortest.entries)} entries, {shortest.undos} undos, "
            f"{shortest.corrections} corrections, {shortest.restorations} of them taken back"
        )


if __name__ == "__main__":
    main()
