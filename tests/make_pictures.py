"""Takes the pictures of `docs/pictures` from the running service: `python -m tests.make_pictures`.

The pages are looked at with eyes, and the README shows one: these are the real ones.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.support.browser import chromium
from tests.support.service import TOKEN, Service, serving

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"
TV = {"width": 1280, "height": 720}
GAME = [
    ("reveal", {"card": "rings"}),
    ("reveal", {"card": "dots-eyes"}),
    ("reveal", {"card": "waves"}),
    ("stop", {}),
    ("reveal", {"card": "stars"}),
    ("stop", {}),
    ("reveal", {"card": "dots"}),
    ("reveal", {"card": "stripes"}),
    ("stop", {}),
    ("reveal", {"card": "stripes"}),
    ("reveal", {"card": "stars"}),
]


def play(service: Service) -> None:
    for verb, fields in GAME:
        service.do(verb, **fields)


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder), "--players", "Kari,Ola,Zosia") as service,
        chromium() as browser,
    ):
        play(service)
        page = browser.new_page(viewport=TV, reduced_motion="reduce")
        page.goto(service.url)
        page.screenshot(path=PICTURES / "scoreboard.png")
        page.goto(f"{service.url}/link/{TOKEN}?to=virtual")
        page.screenshot(path=PICTURES / "virtual-table.png", full_page=True)
        page.context.close()


if __name__ == "__main__":
    main()
