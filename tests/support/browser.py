"""A real Chromium, as fixtures."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.support.programs import find_program

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
LIMIT_MS = 45_000

PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser")
"""The first that is there is used. All draw pages alike, but the shell, which has no windows,
menus or extensions, takes half the time."""


@contextmanager
def chromium() -> Iterator[Any]:
    """A Chromium for the length of the block; a thread can have one at a time."""
    # Absent where the tests that need it are skipped.
    from playwright.sync_api import sync_playwright  # noqa: PLC0415

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=find_program(*PROGRAMS), args=ARGUMENTS
        )
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One Chromium for all tests; each opens pages of its own."""
    with chromium() as launched:
        yield launched


@pytest.fixture
def page(browser) -> Iterator[Any]:
    """A page of a context of its own, at the size of a TV, whose script errors fail the test."""
    context = browser.new_context(viewport={"width": 1920, "height": 1080})
    context.set_default_timeout(LIMIT_MS)
    errors: list[str] = []
    page = context.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    context.close()
    assert errors == []
