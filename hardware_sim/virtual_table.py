"""A table without hardware: a pile of virtual cards, tokens, and one reader beside them.

It is a driver like any other. Its world is physical: it knows where each card lies, and
nothing of the rules.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from random import Random

from companion.drivers.api import (
    Clock,
    DeviceBack,
    DeviceLost,
    Report,
    SeveralTags,
    SimulatedDriver,
    TagOff,
    TagOn,
    Turned,
)
from companion.said import say

HARDWARE = "Virtual reader"
MAKER_BYTE = "FE"
"""First byte of the UIDs made here: no maker of tags has it (ISO/IEC 7816-6)."""

UNKNOWN_UID = MAKER_BYTE + "FFFFFFFFFFFF"


class VirtualReader(SimulatedDriver):
    """The virtual table behind `sim:`; `sim:NAME` gives its reader another name."""

    def __init__(self, name: str, chance: Random | None = None) -> None:
        self.name = name or "sim"
        self._chance = chance or Random()  # noqa: S311 - cards, not secrets
        self._lock = threading.Lock()
        self._cards: dict[str, str] = {}
        self._tokens: dict[str, str] = {}
        self._order: list[str] = []
        self._report: Report | None = None
        self.plugged = True

    def lay_out(
        self,
        cards: Mapping[str, int],
        tokens: Sequence[str],
        enrolled: Mapping[str, str],
        turned: Callable[[], Turned],
        settle: Callable[[], object],
    ) -> None:
        """Put the things on the table (see `SimulatedDriver.lay_out`)."""
        uids: dict[str, list[str]] = {}
        for uid, component in enrolled.items():
            uids.setdefault(component, []).append(uid)
        self._cards = {}
        self._tokens = {}
        things = {**cards, **dict.fromkeys(tokens, 1)}
        for kind, (component, count) in enumerate(things.items()):
            made = [f"{MAKER_BYTE}{kind:04X}{copy:08X}" for copy in range(count)]
            for uid in [*uids.get(component, []), *made][:count]:
                if component in cards:
                    self._cards[uid] = component
                else:
                    self._tokens[component] = uid
        self._order = list(self._cards)
        self._chance.shuffle(self._order)
        self._turned = turned
        self._settle = settle

    def component(self, uid: str) -> str | None:
        """What a tag of this table is on (see `SimulatedDriver.component`)."""
        known = self._cards.get(uid)
        if known is not None:
            return known
        return next((token for token, other in self._tokens.items() if other == uid), None)

    def open(self, report: Report, clock: Clock) -> None:
        """Start to report (see `Driver.open`)."""
        self._report = report
        self._clock = clock
        report(DeviceBack(self.name, HARDWARE, clock()))

    def close(self) -> None:
        """Stop reporting."""
        self._report = None

    # The hands that move things

    def faces(self) -> Sequence[tuple[str, int]]:
        """Each kind of card, and how many of it lie face down."""
        down = Counter(self._cards[uid] for uid in self._face_down())
        return [(component, down[component]) for component in dict.fromkeys(self._cards.values())]

    def pile(self) -> int:
        """How many cards lie face down."""
        return len(self._face_down())

    def others(self) -> Sequence[str]:
        """The tokens that lie beside the pile."""
        return list(self._tokens)

    def turn_top(self) -> None:
        """Turn the top card of the pile and lay it on the reader.

        Raises:
            LookupError: the pile is empty, or the reader is unplugged.
        """
        down = self._face_down()
        if not down:
            raise LookupError("The pile is empty: shuffle all cards and confirm it.")
        if len(down) == 1:
            # The next pile is shuffled from all the cards, so it lies in another order.
            self._chance.shuffle(self._order)
        self._lay(down[0])

    def tap(self, component: str) -> None:
        """Lay a particular card or token on the reader, as a person looks it out.

        Raises:
            LookupError: there is no such thing, or the reader is unplugged.
        """
        if component in self._tokens:
            self._lay(self._tokens[component])
            return
        wanted = [uid for uid in self._face_down() if self._cards[uid] == component]
        wanted += [uid for uid, other in self._cards.items() if other == component]
        if not wanted:
            raise LookupError(f"There is no {component} on this table.")
        self._lay(wanted[0])

    def tap_unknown(self) -> None:
        """Lay a tag on the reader that is not enrolled."""
        self._lay(UNKNOWN_UID)

    def lay_two(self) -> None:
        """Lay two cards on the reader at once."""
        with self._lock:
            report = self._ready()
            report(SeveralTags(self.name, self._clock()))
        self._settle()

    def unplug(self) -> None:
        """Pull the reader's cable."""
        with self._lock:
            if self.plugged and self._report is not None:
                self.plugged = False
                reason = say("The reader is unplugged: plug it in again.")
                self._report(DeviceLost(self.name, reason, self._clock()))
        self._settle()

    def plug(self) -> None:
        """Plug the reader in again."""
        with self._lock:
            if not self.plugged and self._report is not None:
                self.plugged = True
                self._report(DeviceBack(self.name, HARDWARE, self._clock()))
        self._settle()

    def _lay(self, uid: str) -> None:
        with self._lock:
            report = self._ready()
            report(TagOn(self.name, uid, self._clock()))
            report(TagOff(self.name, uid, self._clock()))
        self._settle()

    def _ready(self) -> Report:
        if self._report is None or not self.plugged:
            raise LookupError("The reader is unplugged: plug it in again.")
        return self._report

    def _face_down(self) -> list[str]:
        turned = self._turned()
        room = Counter(self._cards.values())
        room.subtract(turned.counts)
        down = []
        for uid in self._order:
            component = self._cards[uid]
            if uid not in turned.uids and room[component] > 0:
                room[component] -= 1
                down.append(uid)
        return down
