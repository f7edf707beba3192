"""The whole way, with nothing of our own in between: cards on the real pcscd's readers,
the service as a process, its record on the disk, and a real Chromium that shows it all.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from companion.cli import main
from hardware_sim.vicc import VirtualCard
from tests.support.pcscd import PcscDaemon, event_counter, running_pcscd, wait_for
from tests.support.service import Service, end, start

pytestmark = [
    pytest.mark.needs("pcscd"),
    pytest.mark.needs("chromium"),
    pytest.mark.timeout(240),
]

PLAYERS = ("Ann", "Bo")

# What is laid down, what the page then says, whose turn it is then, and who has which fish.
GAME = """
control/stop             | Not possible now, nothing changed    | Ann |                        |
tentacles/dots           | Ann: fish on dots                    | Ann | dots                   |
unknown                  | This tag is not known yet                 | Ann | dots                   |
control/stop             | Ann: stop                            | Bo  | dots                   |
tentacles/dots-tentacle  | Bo may take a fish on dots           | Bo  | dots                   |
player/1                 | Bo: fish on dots, taken from Ann     | Ann |                        | dots
tentacles/stars          | Ann: fish on stars                   | Ann | stars                  | dots
tentacles/rings          | Ann: fish on rings                   | Ann | rings stars            | dots
tentacles/rings-eyes     | Ann: the eyes take the fish on rings | Bo  | stars                  | dots
tentacles/stars-tentacle | Bo may take a fish on stars          | Bo  | stars                  | dots
control/stop             | Bo takes nothing                     | Ann | stars                  | dots
tentacles/waves          | Ann: fish on waves                   | Ann | stars waves            | dots
control/undo             | step taken back                       | Ann | stars                  | dots
tentacles/waves          | Ann: fish on waves                   | Ann | stars waves            | dots
tentacles/stripes        | Ann: fish on stripes                 | Ann | stars stripes waves    | dots
control/stop             | Ann: stop                            | Bo  | stars stripes waves    | dots
tentacles/octopus        | Bo: the octopus takes the fish       | Ann | stars stripes waves    |
tentacles/rings          | Ann: fish on rings                   | Ann | rings stars stripes waves |
tentacles/dots           | Ann wins                             | -   | dots rings stars stripes waves |
"""


@dataclass(frozen=True)
class Move:
    """A line of the table above."""

    thing: str
    says: str
    turn: str
    fish: tuple[tuple[str, ...], ...]


def moves() -> list[Move]:
    lines = [[part.strip() for part in line.split("|")] for line in GAME.strip().splitlines()]
    return [
        Move(thing, says, turn, (tuple(first.split()), tuple(second.split() if second else ())))
        for thing, says, turn, first, second in ((*line, "")[:5] for line in lines)
    ]


@dataclass
class Deck:
    """Tags with UIDs of their own: a copy of each card for each time that it is laid down."""

    uids: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        laid = Counter(move.thing for move in moves() if move.thing.startswith("tentacles/"))
        # The card that is taken back comes again as it is.
        laid["tentacles/waves"] = 1
        laid += Counter(["control/stop", "control/undo", "player/1", "player/2"])
        number = 0
        for component, count in laid.items():
            for _ in range(count):
                number += 1
                self.uids.setdefault(component, []).append(f"04{number:012X}")

    def write(self, path: Path) -> Path:
        rows = [f"{uid},{component}" for component, uids in self.uids.items() for uid in uids]
        path.write_text("\n".join(["uid,component", *rows]) + "\n")
        return path


@dataclass
class RealTable:
    """Hands that lay tags on the two readers, and eyes on the page."""

    daemon: PcscDaemon
    data: Path
    page: object
    service: Service
    deck: Deck
    used: Counter[str] = field(default_factory=Counter)

    def play(self, move: Move) -> None:
        """Lay the thing down, and lift it when the page shows what came of it."""
        cards = move.thing.startswith("tentacles/")
        reader = self.daemon.readers[0 if cards else 1]
        # Until the reader has seen the last one leave: it looks now and then only.
        wait_for(lambda: event_counter(reader.pcsc_name) % 2 == 0)
        with VirtualCard(self.uid(move.thing), port=reader.port):
            self.see(move)

    def uid(self, thing: str) -> str:
        if thing == "unknown":
            return "04A3C6CAE26180"
        copies = self.deck.uids[thing]
        copy = self.used[thing] % len(copies)
        self.used[thing] += 1
        return copies[copy]

    def see(self, move: Move) -> None:
        self.page.locator("#happened .told", has_text=move.says).wait_for()
        if move.turn == "-":
            self.page.locator("#banner.over", has_text=PLAYERS[0]).wait_for()
        else:
            self.page.locator("#banner h1", has_text=move.turn).wait_for()
        for seat, fish in enumerate(move.fish, start=1):
            full = self.page.locator(f".row.seat-{seat} .slot.full")
            for pattern in fish:
                self.page.locator(f"#slot-{seat}-{pattern}.full").wait_for()
            assert full.count() == len(fish)

    def see_readers(self, state: str) -> None:
        for number in (1, 2):
            self.page.locator(f"#reader-{number}.{state}").wait_for()

    def kill_pcscd(self) -> None:
        self.daemon.kill()
        self.see_readers("lost")
        self.daemon.start()
        self.see_readers("ready")

    def kill_service(self) -> None:
        port = self.service.port
        self.service.kill()
        end(self.service)
        self.page.locator("#offline").wait_for(state="visible")
        self.service = start_service(self.data, port)
        self.page.locator("#offline").wait_for(state="hidden")
        self.see_readers("ready")


def start_service(data: Path, port: int = 0) -> Service:
    return start(data, "--players", ",".join(PLAYERS), "--reader", "pcsc:", port=port)


@pytest.fixture
def table(tmp_path, page) -> Iterator[RealTable]:
    deck = Deck()
    tags = deck.write(tmp_path / "tags.csv")
    data = tmp_path / "data"
    assert main(["tags", "import", str(tags), "--data", str(data)]) == 0
    with running_pcscd(tmp_path / "pcscd", readers=2) as daemon:
        real = RealTable(daemon, data, page, start_service(data), deck)
        with contextlib.ExitStack() as stack:
            stack.callback(lambda: end(real.service))
            page.goto(real.service.url)
            real.see_readers("ready")
            yield real
    uids = [uid for copies in deck.uids.values() for uid in copies]
    assert not [uid for uid in uids if uid in page.content()]


@pytest.mark.parametrize("interruption", ["none", "pcscd", "service"])
def test_a_whole_game_is_played_with_cards_and_seen_on_the_page(table, interruption):
    script = moves()
    for number, move in enumerate(script):
        table.play(move)
        if number in (4, 9) and interruption == "pcscd":
            table.kill_pcscd()
        if number in (4, 9) and interruption == "service":
            table.kill_service()
    reply = table.service.get()
    assert (reply["over"], reply["winners"]) == (True, ["Ann"])


def test_a_card_that_lies_there_while_all_is_killed_is_one_read(table):
    script = moves()
    reader = table.daemon.readers[0]
    with VirtualCard(table.uid("tentacles/dots"), port=reader.port):
        table.see(script[1])
        table.kill_service()
        table.kill_pcscd()
        # Read once more the card would have been refused, and the page would say so.
        table.page.locator("#happened", has_text="The game goes on where it was").wait_for()
        table.play(script[2])
        table.play(script[3])
    assert table.service.get()["step"] == 2
