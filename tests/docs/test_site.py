"""The documentation as a site: it builds, leads nowhere wrong, and fetches nothing from elsewhere."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from companion.doctor import examination
from tests.docs import make_http_api

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SIZES = {"desktop": (1280, 900), "phone": (390, 844)}


def build(config: Path, site: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", config, "-d", site],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    done = build(ROOT / "mkdocs.yml", folder)
    assert done.returncode == 0, done.stderr
    return folder


def test_every_page_of_docs_is_in_the_site(site):
    pages = {path.relative_to(DOCS).with_suffix("") for path in DOCS.rglob("*.md")}
    built = {path.relative_to(site).with_suffix("") for path in site.rglob("*.html")}
    assert built == {*pages, Path("404")}
    assert len(pages) > 25


def test_a_link_that_leads_nowhere_and_a_page_without_a_place_are_failures(tmp_path):
    shutil.copytree(DOCS, tmp_path / "docs")
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    page = tmp_path / "docs" / "glossary.md"
    page.write_text(page.read_text() + "\n[lost](nowhere.md) [deep](doctor.md#nowhere)\n")
    (tmp_path / "docs" / "orphan.md").write_text("# Nobody leads here\n")
    done = build(tmp_path / "mkdocs.yml", tmp_path / "site")
    assert done.returncode != 0
    for words in ("'nowhere.md'", "'#nowhere'", "orphan.md"):
        assert words in done.stdout + done.stderr


@pytest.mark.parametrize(("page", "least"), [("README.md", 10), ("CHANGELOG.md", 3)])
def test_pages_beside_the_site_lead_to_what_is_there(page, least):
    text = (ROOT / page).read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)\s]+)\)", text)
    assert len(targets) > least
    for target in targets:
        parts = urlsplit(target)
        path = ROOT / unquote(parts.path)
        assert parts.scheme or path.exists(), target
        assert not parts.fragment or parts.fragment in anchors(path), target


def test_files_that_pages_name_are_there():
    houses = "companion|docs|firmware_bridge|hardware_sim|releasing|tests|web_ui"
    named = {
        (page.name, path)
        for page in (ROOT / "README.md", *DOCS.rglob("*.md"))
        for path in re.findall(rf"`((?:{houses})/[^`\s]*)`", page.read_text(encoding="utf-8"))
    }
    assert len(named) > 100
    assert sorted(each for each in named if not any(ROOT.glob(each[1]))) == []


def anchors(page):
    """Those of its headings."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]


@pytest.mark.needs("chromium")
def test_pages_fit_are_searched_and_fetch_nothing_from_elsewhere(site, browser):
    """Read from the disk, as where there is no network."""
    context = browser.new_context()
    asked, faults = [], []
    page = context.new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: faults.append(str(error)))
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    broken = """[...document.querySelectorAll('td:first-child code')].map(code =>
        /^\\w+$/.test(code.innerText) && code.getClientRects().length > 1 ? code.innerText : '')"""
    for size, (width, height) in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        for path in sorted(site.rglob("*.html")):
            if path.name == "404.html":
                continue  # its links are those of a server
            page.goto(path.as_uri())
            if page.evaluate(wide) > 0:
                faults.append(f"{path.name} scrolls sideways on a {size}")
            names = [name for name in page.evaluate(broken) if name]
            faults += [f"{name} of {path.name} is cut in two on a {size}" for name in names]
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto((site / "index.html").as_uri())
    link = page.locator(".md-typeset td > a").first
    assert "underline" in link.evaluate("link => getComputedStyle(link).textDecorationLine")
    page.locator(".md-search__input").click()  # from here on it is made ready
    page.locator(".md-search-result__meta", has_text="Type to start").wait_for(state="attached")
    page.locator(".md-search__input").press_sequentially("polkit")
    page.locator(".md-search-result__item").first.wait_for()
    context.close()
    assert faults == []
    assert [url for url in asked if not url.startswith(("file:", "data:", "about:"))] == []


def test_the_routes_of_the_api_are_those_that_it_describes():
    page = make_http_api.PAGE.read_text(encoding="utf-8")
    assert page == make_http_api.renewed(page), "type: python -m tests.docs.make_http_api"
    assert "POST /api/v1/actions" in page
    assert "| `undo` | body | Take back so many actions. |" in page


def test_every_finding_of_the_doctor_has_its_symptom():
    text = (DOCS / "troubleshooting.md").read_text(encoding="utf-8")
    codes = {code for check in examination.CHECKS for code in check.codes}
    assert len(codes) > 50
    assert sorted(code for code in codes if f"`{code}`" not in text) == []
