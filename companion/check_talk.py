"""What a self-test in the terminal hears and says: one driver, and a person who types."""

from __future__ import annotations

import queue
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, TextIO, TypeAlias

from companion.drivers.api import Clock, DeviceBack, DeviceLost, Reading, TagOff, TagOn
from companion.errors import PlainError
from companion.ship import S


class Line(NamedTuple):
    """What was typed; None when nobody will type any more."""

    text: str | None


State: TypeAlias = Literal["works", "fails", "not checked"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What came out of one step.

    Attributes:
        what: such as `a card on bridge-1/0`.
        state: whether it works.
        said: what was seen; where it fails, the one cause that is likely.
        fix: what to do where it fails.
    """

    what: str
    state: State
    said: str
    fix: str = ""


class Stopped(Exception):
    """The step ends here: nothing more can be said about it."""

    def __init__(self, state: State, said: str, fix: str = "") -> None:
        super().__init__(said)
        self.state, self.said, self.fix = state, said, fix


class NobodyTypes(PlainError, EOFError):
    """Whoever should press Enter is not there any more."""

    def __init__(self) -> None:
        super().__init__("Nobody can press Enter here: run this in a terminal.")


def cause_and_fix(reason: str) -> tuple[str, str]:
    """What drivers say of a lost reader has the cause before a colon, and what to do after it."""
    cause, _, fix = reason.partition(": ")
    return cause.removesuffix("."), fix.removesuffix(".") or "see that it has power"


class CheckTalk:
    """One walk through a driver's hardware: what was heard so far, and what was found.

    Args:
        clock: the one that the driver has.
        out: where to print.

    Attributes:
        heard: where the driver reports to.
        findings: in order.
        hardware: what each reader that answered calls itself.
        reasons: why readers do not answer.
        lying: the UID of the tag that lies on each reader.
        skipped: the last step was left out by a line that was typed.
    """

    def __init__(self, clock: Clock, out: TextIO) -> None:
        self.heard: queue.SimpleQueue[Reading | Line] = queue.SimpleQueue()
        self.findings: list[Finding] = []
        self.hardware: dict[str, str] = {}
        self.reasons: dict[str, str] = {}
        self.lying: dict[str, str] = {}
        self.skipped = False
        self.clock = clock
        self._out = out
        self._typed: deque[str] = deque()
        self._nobody = False  # types any more
        self._current = ""  # the reader whose step it is

    def read(self, lines: Iterable[str]) -> None:
        """Hand over what is typed, until nobody types any more."""
        for line in lines:
            self.heard.put(Line(line.strip()))
        self.heard.put(Line(None))

    def summary(self) -> None:
        """What works, what does not, and what was not checked."""
        for state, title in (
            ("works", "Works:"),
            ("fails", "Does not work:"),
            ("not checked", "Not checked:"),
        ):
            found = [finding for finding in self.findings if finding.state == state]
            if found:
                self.say(f"\n{title}")
            for finding in found:
                if state == "fails":
                    self.say(f"  {finding.what}\n    cause: {finding.said}")
                    self.say(f"    fix:   {finding.fix}")
                else:
                    self.say(f"  {finding.what}: {finding.said}")

    def step(self, what: str, do: Callable[[str], str], reader: str) -> None:
        """Do a step, which ends when its reader is lost, and keep what was found."""
        self._current = reader
        try:
            self.found(what, "works", do(reader))
        except Stopped as stopped:
            self.found(what, stopped.state, stopped.said, stopped.fix)
        self._current = ""

    def readings(
        self, limit_s: float, *, skips: bool = True, anew: bool = False
    ) -> Iterator[Reading]:
        """What is heard within this time.

        Args:
            limit_s: how long.
            skips: a line that is typed ends it, and `skipped` tells so.
            anew: the time begins anew with each reading.

        Raises:
            Stopped: the reader whose step it is was lost.
            NobodyTypes: a line may end it, and none will come any more.
        """
        self.skipped = False
        until_ns = self.clock() + round(limit_s * S)
        while (left_ns := until_ns - self.clock()) > 0:
            if self._current in self.reasons:
                raise Stopped("fails", *cause_and_fix(self.reasons[self._current]))
            if skips and self._typed:
                self._typed.popleft()
                self.skipped = True
                return
            if skips and self._nobody:
                raise NobodyTypes
            reading = self._next(left_ns / S)
            if reading is not None:
                if anew:
                    until_ns = self.clock() + round(limit_s * S)
                yield reading

    def ask(self, question: str) -> str:
        """What is typed.

        Raises:
            NobodyTypes: nothing will be any more.
        """
        self.say(question)
        while not self._typed:
            if self._nobody:
                raise NobodyTypes
            self._next(None)
        return self._typed.popleft()

    def _next(self, limit_s: float | None) -> Reading | None:
        """The next reading; None when a line came instead, or nothing within this time."""
        try:
            heard = self.heard.get(timeout=limit_s)
        except queue.Empty:
            return None
        if not isinstance(heard, Line):
            self._note(heard)
            return heard
        if heard.text is None:
            self._nobody = True
        else:
            self._typed.append(heard.text)
        return None

    def _note(self, reading: Reading) -> None:
        match reading:
            case DeviceBack(reader=reader, hardware=hardware):
                self.hardware[reader] = hardware
                self.reasons.pop(reader, None)
            case DeviceLost(reader=reader, reason=reason):
                self.reasons[reader] = reason
            case TagOn(reader=reader, uid=uid):
                self.lying[reader] = uid
            case TagOff(reader=reader):
                self.lying.pop(reader, None)

    def found(self, what: str, state: State, said: str, fix: str = "") -> None:
        """Keep what came out of a step."""
        self.findings.append(Finding(what, state, said, fix))

    def say(self, text: str) -> None:
        """Print a line."""
        self._out.write(f"{text}\n")
        self._out.flush()
