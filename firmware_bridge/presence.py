"""From looks to what people mean: a tag was laid down, lifted, or lies there with another.

Pure, for the board and for drivers alike. It is told what each look saw, and of errors it
is told nothing: an error says nothing about a tag.

How many misses are a removal. A card that rests on a bad place is missed by 30 of 100 looks
at random. In a minute of 20 looks a second there are n = 1200 looks, and a run of k misses
begins at each with a probability of 0.7 * 0.3**k; so at least one such run is seen in
n * 0.7 * 0.3**k of all minutes. With k = 17 that is 1.08 in a million, with k = 18 it is 0.33.
So a tag has left after 18 looks in a row that saw nothing: 0.9 s at 20 looks a second, 6 s at
3. Fewer would do at fewer looks (16 at 3 a second), but never a second's worth of them: three
misses in a row come every 18 seconds there. Who wants to be told within a second has to look
18 times within it, as `Pn532` does while something changes. At more than 36 looks a second
half a second has to pass, which keeps the promise at any rate.

How a swap is told from two cards that take turns, of which a reader sees now one, now the other.
With two empty looks in a row between the old tag and the new one the old one was lifted, and the
new one counts at its second look, so that quick cards are not lost; otherwise it has to outlast
their turns. Where 30 of 100 looks are missed, two cards in turn may look like one such swap
before they are told as several. Two such swaps need longer runs of misses on both sides: the old one is
remembered, and coming back soon it tells on them. So a card that is laid again within
`RETURN_MS`, or without a gap of `GAP_LOOKS`, after another is "several".
"""

from firmware_bridge.milliseconds import since

MISSES = 18
GONE_MS = 500

SWAP_MS = 300
"""Two cards that take turns five times a second are away for 200 ms at most, so a card that
has lain in another's place for longer was swapped for it."""

LIFT_LOOKS = 2
"""Empty looks in a row between one tag and the next, after which the next need not wait for
`SWAP_MS`: between two cards that take turns there is nothing empty but what chance misses."""

GAP_LOOKS = 4
"""Empty looks in a row in which a hand has been there: what comes then is not what came back."""

RETURN_MS = 600
"""... unless it was away for less than this, while another lay in its place. Turns of 200 ms,
lengthened on both sides by `GAP_LOOKS` that missed at 20 looks a second, are no longer."""


class _Tag:
    """What is remembered of a UID that was seen lately."""

    def __init__(self, uid: bytes, now_ms: int, *, lifted: bool) -> None:
        self.uid = uid
        self.lifted = lifted  # whether the told one had been lifted before this one came
        self.looks = 0  # how many saw it
        self.passed = 0  # how many saw others instead, since the last that saw it
        self.seen_ms = now_ms


class Presence:
    """One antenna's field: which tag is believed to lie there.

    Args:
        looks: how many in succession have to give the same UID before it is believed: 2, or 1
            where the source has checked its check byte (BCC).
        misses: how many looks in a row have to see nothing before a tag has left.
    """

    def __init__(self, looks: int = 2, misses: int = MISSES) -> None:
        self._looks = looks
        self._misses = misses
        self._tags: list[_Tag] = []
        self._told: bytes | None = None
        self._former: bytes | None = None  # the one in whose place the told one was laid
        self._several = False
        self._empty = 0  # looks in a row
        self._lifted = False  # enough of them in a row, since the last that saw the told tag
        self._alike = 0  # looks in a row that saw the same single UID; empty ones do not count
        self._single: bytes | None = None
        self._seen_ms = 0

    def seen(self, uids: tuple[bytes, ...], now_ms: int) -> list[tuple[str] | tuple[str, bytes]]:
        """What follows from a look that ended well.

        Args:
            uids: what lay there; empty for nothing.
            now_ms: when, in milliseconds; a counter that may wrap at 2**30.

        Returns:
            In order, `("on", uid)` for a tag that was laid down, `("off", uid)` for the one
            that was told and has left, `("several",)` once when there are two or more.
        """
        if not uids:
            return self._nothing(now_ms)
        if self._empty >= GAP_LOOKS and not self._several:
            self._tags = [tag for tag in self._tags if self._outlasts_gap(tag, now_ms)]
        self._lifted = self._told not in uids and (self._lifted or self._empty >= LIFT_LOOKS)
        self._empty = 0
        self._seen_ms = now_ms
        returned = self._remember(uids, now_ms)
        single = uids[0] if len(uids) == 1 else None
        self._alike = self._alike + 1 if single is not None and single == self._single else 1
        self._single = single
        believed = [tag for tag in self._tags if tag.looks >= self._looks]
        events: list[tuple[str] | tuple[str, bytes]] = []
        if self._told is not None and not self._remembers(self._told):
            events += self._leave()
        if len(believed) > 1:
            together = len([tag for tag in believed if tag.uid in uids]) > 1
            if (together or returned) and not self._several:
                self._several = True
                events.append(("several",))
        else:
            self._several = False
        if single is None or self._several or self._alike < self._looks or single == self._told:
            return events
        if self._told is not None and not self._swapped(self._told, single, now_ms):
            return events
        self._former = self._told
        events += self._leave()
        self._told = single
        self._lifted = False
        events.append(("on", single))
        return events

    def _nothing(self, now_ms: int) -> list[tuple[str] | tuple[str, bytes]]:
        self._empty = min(self._empty + 1, self._misses)
        if self._empty < self._misses or since(now_ms, self._seen_ms) < GONE_MS:
            return []
        self._tags = []
        self._several = False
        self._single = None
        return self._leave()

    def _remember(self, uids: tuple[bytes, ...], now_ms: int) -> bool:
        """Note what was seen: whether a believed tag came back from behind another one."""
        returned = False
        known = [tag.uid for tag in self._tags]
        self._tags += [_Tag(uid, now_ms, lifted=self._lifted) for uid in uids if uid not in known]
        for tag in self._tags:
            if tag.uid in uids:
                tag.looks += 1
                returned = returned or (tag.passed > 0 and tag.looks >= self._looks)
                tag.passed = 0
                tag.seen_ms = now_ms
            else:
                tag.passed += 1
        self._tags = [tag for tag in self._tags if tag.passed < self._misses]
        return returned

    def _remembers(self, uid: bytes) -> bool:
        return any(tag.uid == uid for tag in self._tags)

    def _outlasts_gap(self, tag: _Tag, now_ms: int) -> bool:
        if tag.uid == self._former:
            return since(now_ms, tag.seen_ms) < RETURN_MS
        return tag.uid == self._told

    def _swapped(self, old: bytes, new: bytes, now_ms: int) -> bool:
        """Whether the new tag came after the old one was lifted, or has lain there for longer."""
        for tag in self._tags:
            if tag.uid == new and tag.looks < self._looks:
                return False  # it was seen before a gap, too, and forgotten
            if tag.uid == new and tag.lifted and tag.looks >= 2 and self._alike >= 2:
                return True
        return all(
            tag.passed >= 2 and since(now_ms, tag.seen_ms) >= SWAP_MS
            for tag in self._tags
            if tag.uid == old
        )

    def _leave(self) -> list[tuple[str] | tuple[str, bytes]]:
        told, self._told = self._told, None
        return [] if told is None else [("off", told)]
