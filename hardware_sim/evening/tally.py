"""What was counted over many games: faults, who noticed them, and the errors that nobody told."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from hardware_sim.evening.faults import ALL_KINDS


@dataclass(frozen=True, slots=True)
class Wrong:
    """The table's record differed from the truth, and nobody was told.

    Attributes:
        seed: of the run.
        number: of the game in it; with the seed it plays the same game again.
        step: how many actions had truly happened.
        what: how the two differ, and after which move.
    """

    seed: int
    number: int
    step: int
    what: str

    def __str__(self) -> str:
        return f"seed {self.seed}, game {self.number}, after action {self.step}: {self.what}"


@dataclass
class Tally:
    """Figures of some games; two of them can be added.

    Attributes:
        games, turns, actions: that were truly played.
        taps: tags laid, buttons pressed and choices touched to play, faults or not.
        struck: faults that struck, by kind.
        harmless: those that changed nothing and that nobody had to care for, by kind.
        at_once: those that somebody noticed before the move was over, by kind.
        later: those noticed after it, by kind.
        told_by: how an error that was not noticed at once came to light, in how many cases:
            `refused`, `question`, `closing` (a question when a pile, round or game is closed),
            `looking` (people who look from the screen to the table at the end), `waiting` (the
            table said at once that it lacks something), or by `itself` (what happened next led
            to the same state).
        turns_until: how many turns such an error had lasted, in how many cases.
        questions: of the table that people answered, by key.
        repairs: how often record and truth were brought together.
        repair_taps: what people tapped and touched to do so, laying a tag again included.
        by_touch: moves that were told on a page since no reader would.
        given_up: games that could not be brought together again, though people knew.
        crashed: games that ended in an exception, of the people or of the table.
        silent: the errors that nobody was told of.
    """

    games: int = 0
    turns: int = 0
    actions: int = 0
    taps: int = 0
    struck: Counter[str] = field(default_factory=Counter)
    harmless: Counter[str] = field(default_factory=Counter)
    at_once: Counter[str] = field(default_factory=Counter)
    later: Counter[str] = field(default_factory=Counter)
    told_by: Counter[str] = field(default_factory=Counter)
    turns_until: Counter[int] = field(default_factory=Counter)
    questions: Counter[str] = field(default_factory=Counter)
    repairs: int = 0
    repair_taps: int = 0
    by_touch: int = 0
    given_up: list[Wrong] = field(default_factory=list)
    crashed: list[Wrong] = field(default_factory=list)
    silent: list[Wrong] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Count those, too."""
        for name in self.__dataclass_fields__:
            mine, theirs = getattr(self, name), getattr(other, name)
            if isinstance(mine, Counter):
                mine.update(theirs)
            else:
                setattr(self, name, mine + theirs)

    @property
    def sound(self) -> bool:
        """Whether every difference was told, and every game could be played to its end."""
        return not (self.silent or self.crashed or self.given_up)

    def report(self) -> str:
        """The figures as a table in plain text."""
        lines = [
            _line("games", self.games),
            _line("turns", self.turns),
            _line("actions", self.actions),
            _line("taps", self.taps),
            _line("faults injected", self.struck.total()),
            _line("  noticed at once", self.at_once.total()),
            _line("  noticed later", self.later.total()),
            _line("  harmless", self.harmless.total()),
            _line("repairs", self.repairs),
            _line("  taps for them", self.repair_taps),
            _line("moves told by touch", self.by_touch),
            _line("questions answered", self.questions.total()),
            _line("given up", len(self.given_up)),
            _line("crashed", len(self.crashed)),
            _line("SILENT ERRORS", len(self.silent)),
        ]
        if self.struck:
            lines += [
                "",
                f"{'fault':<18}{'injected':>10}{'at once':>10}{'later':>10}{'harmless':>10}",
            ]
            lines += [
                f"{kind:<18}{self.struck[kind]:>10,}{self.at_once[kind]:>10,}"
                f"{self.later[kind]:>10,}{self.harmless[kind]:>10,}"
                for kind in ALL_KINDS
                if self.struck[kind]
            ]
        if self.told_by:
            found = self.told_by.total()
            ways = ", ".join(
                f"{count:,} by {way} ({100 * count / found:.1f} %)"
                for way, count in self.told_by.most_common()
            )
            lines += ["", f"Errors that came to light later: {found:,}: {ways}."]
            lines += [f"Turns until then: {_spread(self.turns_until)}."]
        if self.questions:
            asked = ", ".join(f"{count:,} {key}" for key, count in self.questions.most_common())
            lines += ["", f"Questions answered: {asked}."]
        for title, wrongs in (
            ("Given up", self.given_up),
            ("Crashed", self.crashed),
            ("Silent error", self.silent),
        ):
            lines += [f"{title}: {wrong}" for wrong in wrongs[:20]]
            if len(wrongs) > 20:
                lines += [f"{title}: and {len(wrongs) - 20} more."]
        return "\n".join(lines)


def _line(what: str, count: int) -> str:
    return f"{what:<22}{count:>14,}"


def _spread(counts: Counter[int]) -> str:
    """Median, 90 % and most, from how often each value came."""
    total, so_far = counts.total(), 0
    marks = {0.5: "median", 0.9: "90 %"}
    words = []
    for value, count in sorted(counts.items()):
        so_far += count
        for share, name in list(marks.items()):
            if so_far >= share * total:
                words.append(f"{name} {value}")
                del marks[share]
    return ", ".join([*words, f"most {max(counts)}"])
