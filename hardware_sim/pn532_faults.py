"""What can be wrong with a PN532 and its line, on command."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields

GARBAGE = (
    bytes.fromhex("988098801E66"),  # a wrong baud rate
    bytes.fromhex("003FDFFFE9AF"),  # bits shifted and inverted
    bytes.fromhex("0000FF20E0"),  # the head of a frame that never came
)

MEANINGS = {
    "drop": "percent of bytes that get lost, both ways",
    "duplicate": "percent of bytes that come twice, both ways",
    "garble": "percent of bytes with a bit turned, both ways",
    "delay": "milliseconds that each frame of the chip comes later",
    "half": "percent of the chip's frames that end in the middle",
    "tail": "percent of the chip's frames whose first half is lost",
    "garbage": "percent of the chip's frames with garbage before them",
    "glue": "ACK and answer come in one piece",
    "no_first_ack": "the first command after the power came is not heard",
    "miss": "percent of looks that find nothing",
    "silent": "a look that finds nothing is never answered, instead of with 0 targets",
    "brown_out": "after so many commands the power fails: asleep, all forgotten",
    "reboot": "after so many commands it starts anew: awake, all forgotten",
    "deaf": "after so many looks no look is answered until the next SAMConfiguration",
}


@dataclass(frozen=True, slots=True)
class Faults:
    """Which faults there are, in any combination; `MEANINGS` says what each is."""

    drop: float = 0.0
    duplicate: float = 0.0
    garble: float = 0.0
    delay: int = 0
    half: float = 0.0
    tail: float = 0.0
    garbage: float = 0.0
    glue: bool = False
    no_first_ack: bool = False
    miss: float = 0.0
    silent: bool = False
    brown_out: int = 0
    reboot: int = 0
    deaf: int = 0


NO_FAULTS = Faults()


def parse_faults(texts: Iterable[str]) -> Faults:
    """The faults of texts such as `drop=5`, `glue` or `no-first-ack`.

    Raises:
        ValueError: an unknown fault, or a number where none belongs or none where one does.
    """
    kinds = {each.name: each.type for each in fields(Faults)}
    chosen: dict[str, float | bool] = {}
    for text in texts:
        word, equals, value = text.partition("=")
        name = word.replace("-", "_")
        kind = kinds.get(name)
        if kind is None:
            known = ", ".join(name.replace("_", "-") for name in kinds)
            raise ValueError(f"{word!r} is no fault; there are {known}")
        if kind == "bool":
            if equals:
                raise ValueError(f"{word} takes no number")
            chosen[name] = True
            continue
        try:
            number = float(value) if kind == "float" else int(value)
        except ValueError:
            raise ValueError(f"{word} takes a number, such as {word}=5") from None
        if not 0 <= number <= (100 if kind == "float" else 1_000_000):
            raise ValueError(f"{word} cannot be {value}: it is {MEANINGS[name]}")
        chosen[name] = number
    return Faults(**chosen)  # type: ignore[arg-type]  # the loop made each of its field's kind


class BadLine:
    """What a faulty line makes of bytes.

    Args:
        chance: gives numbers from 0 to below 1.
    """

    def __init__(self, chance: Callable[[], float]) -> None:
        self._chance = chance

    def happens(self, percent: float) -> bool:
        """Whether something happens this time that happens so often."""
        return percent > 0 and self._chance() * 100 < percent

    def frame(self, data: bytes, faults: Faults) -> bytes:
        """What arrives of a frame of the chip."""
        if self.happens(faults.half):
            data = data[: len(data) // 2]
        elif self.happens(faults.tail):
            data = data[len(data) // 2 :]
        if self.happens(faults.garbage):
            data = GARBAGE[int(self._chance() * len(GARBAGE))] + data
        return self.bytes(data, faults)

    def bytes(self, data: bytes, faults: Faults) -> bytes:
        """What arrives of bytes, in either direction."""
        if not (faults.drop or faults.duplicate or faults.garble):
            return data
        arrived = bytearray()
        for byte in data:
            if self.happens(faults.drop):
                continue
            turned = 1 << int(self._chance() * 8) if self.happens(faults.garble) else 0
            times = 2 if self.happens(faults.duplicate) else 1
            arrived += times * (byte ^ turned).to_bytes()
        return bytes(arrived)
