"""What pages load: named by its content, light, from nowhere else, and as it was published."""

from __future__ import annotations

import hashlib
import re

import pytest
from evening import TOKEN

from web_ui.assets import FOLDER, Assets


@pytest.mark.parametrize("path", ["/", "/nothing", f"/link/{TOKEN}", "/healthz", "/api/v1/table"])
def test_headers_of_every_answer(evening, path):
    headers = evening.client().get(path).headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cache-Control"] == "no-store"


def test_nothing_is_inline(evening):
    client = evening.client(helper=True)
    for path in ("/", "/virtual", "/nothing"):
        html = client.get(path).text
        assert not re.search(
            r"<style|\sstyle=|\son[a-z]+=|javascript:|<script(?![^>]*\ssrc=)", html
        )
        assert not re.search(r"https?://", html)


def test_static_files_are_kept_for_ever_and_named_by_their_content(evening):
    client = evening.client()
    html = client.get("/").text
    files = set(re.findall(r'"(/static/[^"#]+)', html))
    assert len(files) == 5
    for file in files:
        response = client.get(file)
        assert response.status_code == 200
        assert "immutable" in response.headers["Cache-Control"]
        digest = file.split("/")[2]
        assert hashlib.sha256(response.data).hexdigest().startswith(digest)
        assert client.get(file.replace(digest, "0" * 12)).status_code == 404
    assert client.get("/static/x/../../app.py").status_code == 404


def test_the_page_is_light(evening):
    evening.do("dots", "rings")
    client = evening.client(helper=True)
    packed = {"Accept-Encoding": "gzip"}
    html = client.get("/").data
    files = set(re.findall(rb'"(/static/[^"#]+)', html))
    sent = [client.get(file.decode(), headers=packed).data for file in files]
    # The page, its files and its stream.
    assert 1 + len(files) + 1 <= 8
    assert len(client.get("/", headers=packed).data) + sum(map(len, sent)) <= 40_000


def test_every_icon_that_is_named_is_drawn(evenings):
    drawn = set(re.findall(r'symbol id="([^"]+)"', Assets().find("icons.svg").body.decode()))
    evening = evenings()
    client = evening.client(helper=True)
    html = ""
    for command in ("dots", "rings", "octopus", "stars-eyes", "stars-tentacle", {"do": "stop"}):
        if command != {"do": "stop"} or evening.table.snapshot.standing.phase == "choose":
            evening.do(command)
        html += client.get("/virtual").text
    evening.virtual.unplug()
    html += client.get("/virtual").text
    assert set(re.findall(r"icons\.svg#([^\"]+)", html)) <= drawn
    source = "".join(path.read_text() for path in FOLDER.parent.rglob("*.py"))
    source += "".join(path.read_text() for path in FOLDER.parent.rglob("*.html"))
    assert set(re.findall(r"(?:Sentence|named|icon)\(\s*['\"]([a-z-]+)['\"][,)]", source)) <= drawn


def test_what_is_vendored_is_what_was_published():
    notes = (FOLDER / "vendor" / "VERSIONS.txt").read_text()
    expected = re.search(r"sha256: ([0-9a-f]{64})", notes)
    assert expected
    body = (FOLDER / "vendor" / "idiomorph.min.js").read_bytes()
    assert hashlib.sha256(body).hexdigest() == expected[1]
    assert (FOLDER / "vendor" / "idiomorph.LICENSE.txt").exists()


def test_another_file_is_another_version(tmp_path):
    (tmp_path / "a.js").write_text("1")
    first = Assets(tmp_path).version
    (tmp_path / "a.js").write_text("2")
    assert Assets(tmp_path).version != first
