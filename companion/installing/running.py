"""The service as systemd runs it: started anew after a change, and back where it does not start."""

from __future__ import annotations

import hashlib
import shutil
from dataclasses import dataclass

from companion.installing.choices import Choices, chosen_before, write_down
from companion.installing.files import UNIT_NAME
from companion.installing.program import CURRENT, before, current, point
from companion.installing.step import Step
from companion.installing.system import PROGRAM, InstallError, System
from companion.installing.system_files import RELOAD

SAYS_WHY = f"sudo journalctl --unit {UNIT_NAME}"
LAST_LINES = ("journalctl", "--unit", UNIT_NAME, "--lines=12", "--output=cat", "--no-pager")


@dataclass(frozen=True)
class Chosen(Step):
    """The folder of the program, with what was chosen. It goes last, and takes the ledger along.

    Attributes:
        choices: what was chosen.
    """

    choices: Choices

    def doing(self) -> str:
        """What it will do."""
        return f"write down in {PROGRAM} what was chosen"

    def undoing(self) -> str:
        """What undoing it will do."""
        return f"remove {PROGRAM}"

    def is_done(self, system: System) -> bool:
        """Whether the last installation chose the same."""
        return chosen_before(system) == self.choices

    def is_undone(self, system: System) -> bool:
        """Whether there is no such folder."""
        return not system.at(PROGRAM).exists()

    def do(self, system: System) -> None:
        """Write it down."""
        write_down(system, self.choices)

    def undo(self, system: System) -> None:
        """Remove it."""
        shutil.rmtree(system.at(PROGRAM))


@dataclass(frozen=True)
class Started(Step):
    """The service, running with this unit and the release in use.

    Attributes:
        unit: the text of its unit.
        before: a step before this one after which it has to be started anew.
    """

    unit: str
    before: Step | None = None

    def doing(self) -> str:
        """What it will do."""
        return "start the service anew, and wait until its page answers"

    def undoing(self) -> str:
        """What undoing it will do."""
        return "stop the service"

    def is_done(self, system: System) -> bool:
        """Whether it runs as it is installed; without systemd nobody can start it."""
        if not system.runs_systemd:
            return True
        if self.before is not None and not self.before.is_done(system):
            return False
        return system.is_active(UNIT_NAME) and system.ledger().get("started") == self._key(system)

    def is_undone(self, system: System) -> bool:
        """Whether it does not run."""
        return not system.runs_systemd or not system.is_active(UNIT_NAME)

    def do(self, system: System) -> None:
        """Start it; where a new release does not start, the one before goes on.

        Where that does not start either, or this one did before, it is not for the release, such
        as where its port is taken: then the release stays, since the data may be its own by now.
        """
        if self._starts(system):
            system.write_down(started=self._key(system))
            return
        earlier, now = before(system), current(system)
        has_started = system.ledger().get("started") == self._key(system)
        if earlier is None or now is None or earlier == now or has_started:
            raise InstallError(f"The service does not start (see above, and {SAYS_WHY}).")
        point(system, earlier)
        if not self._starts(system):
            point(system, now)
            raise InstallError(
                f"The service does not start (see above, and {SAYS_WHY}), and not with the "
                "release before either, so the new one is kept."
            )
        system.write_down(before=system.ledger().get("earlier"))
        raise InstallError(
            f"The new release does not start (see above, and {SAYS_WHY}); the one before runs "
            "again."
        )

    def go_back(self, system: System) -> None:
        """Let the release before be in use, and start it; the same once more goes forth again.

        Raises:
            InstallError: there is none, or it does not start.
        """
        earlier, now = before(system), current(system)
        if earlier is None or now is None or earlier == now:
            raise InstallError("No release before this one is kept here, so there is no way back.")
        system.say(f"let {CURRENT} lead to {earlier}, and start the service anew")
        system.write_down(before=now.name)
        point(system, earlier)
        if not system.runs_systemd:
            return
        if not self._starts(system):
            raise InstallError(
                f"The release before does not start (see above, and {SAYS_WHY}): the same command "
                "once more goes forth again."
            )
        system.write_down(started=self._key(system))

    def undo(self, system: System) -> None:
        """Stop it."""
        system.must("systemctl", "stop", UNIT_NAME)

    def _starts(self, system: System) -> bool:
        system.must(*RELOAD)
        system.run("systemctl", "reset-failed", UNIT_NAME)
        if system.run("systemctl", "restart", UNIT_NAME).status == 0:
            return True
        system.say(system.run(*LAST_LINES).output.rstrip())
        return False

    def _key(self, system: System) -> str:
        return hashlib.sha256(f"{current(system)}\n{self.unit}".encode()).hexdigest()[:12]
