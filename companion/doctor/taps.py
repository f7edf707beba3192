"""What each reader did while one card was laid on all of them: pure, from what was heard."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from companion.check_talk import cause_and_fix
from companion.doctor.api import Severity
from companion.doctor.spelling import SENTENCES, quoted, relation
from companion.drivers.api import (
    DeviceBack,
    DeviceLost,
    Reading,
    SeveralTags,
    TagOff,
    TagOn,
    TagUnreadable,
)
from companion.uid import is_random

S = 1_000_000_000
HOLD_S = 3.0
"""So long the card lies on each reader."""

AGAIN_S = 1.5
"""A tag that comes back within this time had not been lifted: the reader lost it."""

SLOW_S = 0.5
MOST_TEXTS = 20
OURS = ("pcsc-", "pn532-", "bridge-")
"""Readers whose bytes come to us as the tag sent them."""


@dataclass
class _Seen:
    """What one reader did."""

    hardware: str = ""
    lost: str = ""
    texts: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    lying: str = ""
    first_ns: int | None = None
    off_ns: int = 0
    last: str = ""
    misses: int = 0
    several: int = 0
    losses: int = 0
    slowest_ns: int = 0
    done: bool = False
    beside: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What there is to say of one reader.

    Attributes:
        reader: its name.
        hardware: what it calls itself.
        code: `sound`, or what is odd.
        severity: as of the doctor's findings.
        cause: one sentence.
        fix: one sentence; empty where nothing is to be done.
        misses: so often it lost the card while that lay there.
        latency_ms: the longest way of a reading from the reader to the program.
        uid_end: the last two digits of what it gave; None where it gave nothing.
    """

    reader: str
    hardware: str
    code: str
    severity: Severity
    cause: str
    fix: str
    misses: int
    latency_ms: float
    uid_end: str | None

    def line(self) -> str:
        """For people, in one sentence or two."""
        return f"{self.reader}: {self.cause}{f' {self.fix}' if self.fix else ''}"


class Taps:
    """Listens to all readers. Not for several threads.

    Args:
        hold_s: how long the card lies on each reader.
    """

    def __init__(self, hold_s: float = HOLD_S) -> None:
        self._hold_ns = round(hold_s * S)
        self._seen: dict[str, _Seen] = {}

    def heard(self, reading: Reading, now_ns: int) -> None:
        """A reader told this, and it came at that moment."""
        if not isinstance(
            reading, TagOn | TagOff | SeveralTags | TagUnreadable | DeviceBack | DeviceLost
        ):
            return
        seen = self._seen.setdefault(reading.reader, _Seen())
        match reading:
            case DeviceBack(hardware=hardware):
                seen.hardware, seen.lost = hardware, ""
            case DeviceLost(reason=reason):
                seen.lost = str(reason)
                seen.losses += seen.hardware != ""
                seen.lying = ""
            case TagOn():
                self._laid(seen, reading, now_ns)
            case TagOff():
                seen.lying, seen.off_ns = "", now_ns
            case SeveralTags():
                seen.several += not seen.done
            case TagUnreadable(reason=reason):
                seen.first_ns = now_ns if seen.first_ns is None else seen.first_ns
                if len(seen.reasons) < MOST_TEXTS:
                    seen.reasons.append(str(reason))

    def _laid(self, seen: _Seen, tag: TagOn, now_ns: int) -> None:
        if seen.done:
            return
        if not tag.lay_there:
            seen.slowest_ns = max(seen.slowest_ns, now_ns - tag.at_ns)
        is_back = seen.off_ns > 0 and now_ns - seen.off_ns < AGAIN_S * S
        seen.misses += is_back and tag.uid == seen.last
        if seen.first_ns is None or not is_back:
            seen.first_ns = now_ns
        seen.lying = seen.last = tag.uid
        seen.beside |= {
            name
            for name, other in self._seen.items()
            if name != tag.reader and other.lying == tag.uid
        }
        if tag.uid not in seen.texts and len(seen.texts) < MOST_TEXTS:
            seen.texts.append(tag.uid)

    def look(self, now_ns: int) -> tuple[str, ...]:
        """The readers on which the card has lain for long enough since the last look."""
        ready = []
        for name, seen in self._seen.items():
            if seen.done or seen.first_ns is None:
                continue
            gone = not seen.lying and seen.off_ns and now_ns - seen.off_ns >= AGAIN_S * S
            if now_ns - seen.first_ns >= self._hold_ns or gone:
                seen.done = True
                ready.append(name)
        return tuple(ready)

    @property
    def readers(self) -> tuple[str, ...]:
        """All that were heard of, in their order, without those that feel a ship."""
        return tuple(name for name in self._seen if not name.endswith("/ship"))

    @property
    def missing(self) -> tuple[str, ...]:
        """Those that answer, and on which the card has not lain yet."""
        seen = ((name, self._seen[name]) for name in self.readers)
        return tuple(name for name, each in seen if not each.done and not each.lost)

    def end_of(self, reader: str) -> str:
        """The last two digits of what lies there; empty for nothing."""
        return self._seen[reader].lying[-2:]

    # --- what it comes to -------------------------------------------------------------

    def reference(self) -> str | None:
        """The UID that most readers gave; of several the one that can be believed most."""
        counts = Counter(text for name in self.readers for text in self._seen[name].texts)

        def trust(text: str) -> tuple[int, bool, bool]:
            ours = any(
                text in self._seen[name].texts and name.startswith(OURS) for name in self.readers
            )
            return counts[text], len(text) == 14 and text.startswith("04"), ours

        return max(counts, key=trust, default=None)

    def verdicts(self) -> Sequence[Verdict]:
        """One for each reader."""
        reference = self.reference()
        return tuple(self._verdict(name, self._seen[name], reference) for name in self.readers)

    def _verdict(self, name: str, seen: _Seen, reference: str | None) -> Verdict:
        code, severity, cause, fix = self._judged(seen, reference)
        return Verdict(
            reader=name,
            hardware=seen.hardware,
            code=code,
            severity=severity,
            cause=f"{cause}.",
            fix=f"{fix[0].upper()}{fix[1:]}." if fix else "",
            misses=seen.misses,
            latency_ms=round(seen.slowest_ns / 1e6, 1),
            uid_end=seen.texts[-1][-2:] if seen.texts else None,
        )

    def _judged(self, seen: _Seen, reference: str | None) -> tuple[str, Severity, str, str]:
        if seen.lost or seen.losses:
            cause, fix = cause_and_fix(seen.lost or "it was lost for a moment: see to its cable")
            return "lost", "bad", f"does not answer ({cause})", fix
        if not seen.texts and not seen.reasons:
            if seen.several:
                return _SEVERAL
            return (
                "silent",
                "bad",
                "saw no card",
                "lay the card flat on its middle, with no metal below; then look at its antenna",
            )
        odd = self._spelling(seen, reference)
        if odd is not None:
            return odd
        if seen.several:
            return _SEVERAL
        beside = sorted(seen.beside)
        if beside:
            return (
                "neighbour",
                "warning",
                f"saw the card while it lay on {', '.join(beside)}",
                "put the two readers further apart, a hand's breadth at least",
            )
        if seen.misses:
            times = "once" if seen.misses == 1 else f"{seen.misses} times"
            return (
                "trembles",
                "warning",
                f"lost the card {times} while it lay there",
                "take metal away from below it, and give it more power or a shorter cable",
            )
        if seen.slowest_ns > SLOW_S * S:
            return (
                "slow",
                "warning",
                f"needed {seen.slowest_ns / S:.1f} s to tell of a card",
                "see what else keeps this computer busy: companion doctor",
            )
        return "sound", "fine", "sees the card at once, and keeps it", ""

    def _spelling(
        self, seen: _Seen, reference: str | None
    ) -> tuple[str, Severity, str, str] | None:
        """What is odd about what it gave; None for nothing."""
        if len(seen.texts) > 1:
            if all(map(is_random, seen.texts)):
                return ("random", "warning", *SENTENCES["random"])
            return (
                "unsteady",
                "bad",
                f"gave {len(seen.texts)} different UIDs",
                "lay one card alone on it, and begin again; else it or its cable is faulty",
            )
        if reference is not None:
            told = [*seen.texts, *filter(None, map(quoted, seen.reasons))]
            found = [relation(reference, text) for text in told]
            odd = next((each for each in found if each not in ("same", "other")), None)
            if odd is not None:
                return (odd, "warning" if odd == "random" else "bad", *SENTENCES[odd])
            if seen.texts and "same" not in found:
                return ("other", "warning", *SENTENCES["other"])
        if seen.reasons and not seen.texts:
            cause = seen.reasons[-1].rstrip(".")
            return (
                "unreadable",
                "bad",
                f"gives no UID that can be used: {_without_uid(cause)}",
                "compare it with a reader that is sound",
            )
        return None


_SEVERAL: tuple[str, Severity, str, str] = (
    "several",
    "warning",
    "saw more than one card",
    "lay one card alone on it, and keep other cards a hand's breadth away",
)


def _without_uid(reason: str) -> str:
    text = quoted(reason)
    return reason if text is None else reason.replace(text, f"…{text[-2:]}")


def in_json(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """For programs."""
    return {
        "version": 1,
        "status": status(verdicts),
        "readers": [asdict(verdict) for verdict in verdicts],
    }


def status(verdicts: Sequence[Verdict]) -> int:
    """The exit status: 0 where no reader is bad, else 1; without any reader, 1."""
    return int(not verdicts or any(verdict.severity == "bad" for verdict in verdicts))
