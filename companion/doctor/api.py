"""What the doctor's checks are made of: a check looks at a system and tells what it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

if TYPE_CHECKING:
    from companion.doctor.system import System

Severity: TypeAlias = Literal["bad", "warning", "unseen", "fine"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
"""From what matters most to what matters least."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found. It names no player, no tag and no secret.

    Attributes:
        code: what it is, such as `pcscd-missing`; of what is fine, or could not be seen, the
            name of the check.
        severity: `bad` where play suffers, `warning` where it may, `unseen` where this user
            cannot tell.
        cause: one sentence.
        fix: what to do, one sentence; empty where nothing is to be done.
        command: to type in a terminal; empty where nothing is to be done.
    """

    code: str
    severity: Severity
    cause: str
    fix: str = ""
    command: str = ""


def bad(code: str, cause: str, fix: str, command: str) -> Finding:
    """Something without which play suffers."""
    return Finding(code, "bad", cause, fix, command)


def warning(code: str, cause: str, fix: str, command: str) -> Finding:
    """Something that may spoil an evening."""
    return Finding(code, "warning", cause, fix, command)


class Unseen(Exception):
    """The check cannot tell, and nothing is wrong for that; the text is one sentence why."""


def always(system: System) -> bool:
    """Of a check that is of use at every table."""
    del system
    return True


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that is looked at.

    Attributes:
        name: such as `smart-card-service`.
        about: what is fine where nothing is found, a few words.
        codes: all that it may find, `bad` or `warning`.
        look: tells what it finds, the most important first; it changes nothing, and raises
            `Unseen` where it cannot tell.
        applies: whether it is of use at this table, such as one with a reader of that kind.
    """

    name: str
    about: str
    codes: tuple[str, ...]
    look: Callable[[System], Iterable[Finding]]
    applies: Callable[[System], bool] = always


@dataclass(frozen=True, slots=True)
class Report:
    """All that was found.

    Attributes:
        user: who asked: whose rights were tried.
        findings: by severity, and within it in order of consequence.
        left_out: the names of the checks that are of no use at this table.
    """

    user: str
    findings: tuple[Finding, ...]
    left_out: tuple[str, ...] = ()

    def of(self, *severities: Severity) -> Sequence[Finding]:
        """The findings of these severities."""
        return [finding for finding in self.findings if finding.severity in severities]

    @property
    def status(self) -> int:
        """The exit status: 1 where something is bad, else 0."""
        return int(bool(self.of("bad")))
