"""Takes the pictures of `docs/pictures` from the running service: `python -m tests.make_pictures`.

The pages are looked at with eyes, and the documents show them: these are the real ones.
"""

from __future__ import annotations

import base64
import json
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

from companion.codec import action_to_json
from companion.match import Match, Setup
from companion.rules.api import Leave
from companion.rules.sea_salt_paper.words import LastChance, Mermaids
from tests.support.browser import chromium
from tests.support.service import TOKEN, Service, serving

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"
PLAYERS = ("Kari", "Ola", "Zosia")
TV = {"width": 1280, "height": 720}
PI = {"width": 800, "height": 480}
PHONE = {"width": 390, "height": 844}
GAMES: Mapping[str, tuple[int, int]] = {
    # Seed and number of actions of a game that shows something.
    "tentacles": (3, 11),
    "octopus-alarm": (3, 24),
    "sea-salt-paper": (5, 42),
}
NEVER = (Leave, LastChance, Mermaids)
BLIND = {"greys": "achromatopsia", "deuteranopia": "deuteranopia"}
HELPERS = ("/setup", "/enrol", "/diagnostics", "/history", "/correct", "/settings")


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    shots: dict[str, list[bytes]] = {}
    with chromium() as browser:
        for game in GAMES:
            with evening(game) as (service, turn):
                for kind, shot in pictures_of(browser, service, game, turn):
                    shots.setdefault(kind, []).append(shot)
        for kind, taken in shots.items():
            sheet(browser, PICTURES / f"{kind}.jpg", taken)


def mid_game(game: str) -> Match:
    """A game that chance has played so far."""
    seed, steps = GAMES[game]
    match = Match.start(Setup(game, PLAYERS, seed=seed))
    chance = Random(seed)
    while match.step < steps:
        legal = match.game.legal(match.state)
        match = match.do(chance.choice([each for each in legal if not isinstance(each, NEVER)]))
    return match


@contextmanager
def evening(game: str) -> Iterator[tuple[Service, str]]:
    """A service in the middle of a game, and who is in turn."""
    match = mid_game(game)
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder), "--game", game, "--players", ",".join(PLAYERS)) as service,
    ):
        for past in reversed(list(match.back())):
            assert past.action is not None
            status, reply = service.post(json.loads(json.dumps(action_to_json(past.action))))
            assert status == 200, reply
        yield service, match.game.standing(match.state).turn or PLAYERS[0]


def pictures_of(
    browser: Any, service: Service, game: str, turn: str
) -> Iterator[tuple[str, bytes]]:
    """Each picture with the name of the sheet that it belongs to; the TV's are files of their own."""
    page = opened(browser, TV)
    page.goto(service.url)
    page.wait_for_load_state("load")
    name = "scoreboard" if game == "tentacles" else game
    page.screenshot(path=PICTURES / f"{name}.png")
    for kind, sight in BLIND.items():
        session = page.context.new_cdp_session(page)
        session.send("Emulation.setEmulatedVisionDeficiency", {"type": sight})
        yield kind, page.screenshot()
    page.context.close()
    page = opened(browser, PI)
    page.goto(service.url)
    page.wait_for_load_state("load")
    yield "small-display", page.screenshot()
    page.context.close()
    for player in (turn, next(each for each in PLAYERS if each != turn)):
        page = opened(browser, PHONE)
        sit(page, service, player)
        yield "phones", page.screenshot()
        page.context.close()
    page = opened(browser, TV)
    page.goto(f"{service.url}/link/{TOKEN}")
    page.goto(f"{service.url}/virtual")
    page.wait_for_load_state("load")
    yield "virtual-tables", page.screenshot()
    if game == "tentacles":
        page.set_viewport_size(PHONE)
        for address in HELPERS:
            page.goto(service.url + address)
            page.wait_for_load_state("load")
            yield "helpers", page.screenshot()
    page.context.close()


def opened(browser: Any, size: Mapping[str, int]) -> Any:
    return browser.new_context(viewport=size, reduced_motion="reduce").new_page()


def sit(page: Any, service: Service, player: str) -> None:
    """Join as people do, but for the code, which is read off the scoreboard's address."""
    helper = page.context.browser.new_context()
    helper.request.get(f"{service.url}/link/{TOKEN}", max_redirects=0)
    shown = helper.request.get(f"{service.url}/settings").text()
    helper.close()
    found = re.search(r'id="join-code">(\w+)<', shown)
    assert found is not None
    form = {"code": found[1], "seat": player}
    page.context.request.post(f"{service.url}/join", form=form)
    page.goto(f"{service.url}/play")
    page.wait_for_load_state("load")


def sheet(browser: Any, path: Path, shots: Sequence[bytes]) -> None:
    """Several pictures side by side in one file."""
    images = "".join(
        f'<img src="data:image/png;base64,{base64.b64encode(shot).decode()}">' for shot in shots
    )
    page = browser.new_page(viewport={"width": 1800, "height": 10})
    page.set_content(
        "<style>body{margin:0;background:#02141d;display:grid;gap:12px;padding:12px;width:max-content;"
        f"grid-template-columns:repeat({min(len(shots), 6)},auto)}}img{{height:480px}}</style>{images}"
    )
    page.wait_for_load_state("load")
    page.locator("body").screenshot(path=path, type="jpeg", quality=82)
    page.context.close()


if __name__ == "__main__":
    main()
