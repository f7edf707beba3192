"""The file of the settings while the real service runs: by hand, by a page, and broken."""

from __future__ import annotations

import http.cookiejar
import re
import signal
import time
import tomllib
import urllib.parse
import urllib.request

from tests.support.service import ANSWER_LIMIT_S, TOKEN, refused, serving

BY_HAND = """# Our table
host = "localhost"

[ship]
rest_s = 2.0 # the ball of this ship is light
"""


class Helper:
    """A browser that holds the table's link."""

    def __init__(self, service):
        self.service = service
        cookies = http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(cookies))
        self.get(f"/link/{TOKEN}")

    def get(self, path, **form):
        data = urllib.parse.urlencode(form).encode() if form else None
        with self.opener.open(self.service.url + path, data, timeout=ANSWER_LIMIT_S) as answer:
            return answer.read().decode()

    def switch(self, name, value):
        (key,) = set(re.findall(r'name="key" value="([^"]+)"', self.get("/settings")))
        self.get("/settings", key=key, name=name, value=value)

    def until(self, path, part, *, there=True):
        """The page, as soon as it has this, or has it no more."""
        late = time.monotonic() + ANSWER_LIMIT_S
        while (part in (page := self.get(path))) is not there:
            assert time.monotonic() < late, (part, page)
        return page


def test_pages_and_hands_write_one_file_and_it_is_in_force(tmp_path):
    path = tmp_path / "table.toml"
    path.write_text(BY_HAND)
    with serving(tmp_path, "--host", "127.0.0.1") as service:
        helper = Helper(service)
        helper.switch("hints", "on")
        assert path.read_text() == f"{BY_HAND}\n[choices]\nhints = true\n"
        helper.until("/settings", 'id="switch-hints" class="switch on"')

        by_hand = path.read_text().replace("hints", "odds") + "[wifi]\nssid = 'kitchen'\n"
        path.write_text(by_hand)
        helper.until("/settings", 'id="switch-odds" class="switch on"')  # it looks by itself
        page = helper.until("/settings", "wifi.ssid takes effect at the next start.")
        assert 'id="switch-hints" class="switch off"' in page

        path.write_text(f"readers = ['sim:', 'line:{tmp_path}/port']\n{by_hand}")
        helper.until("/api/v1/table", '"line-1"')
        path.write_text(by_hand)
        assert '"sim"' in helper.until("/api/v1/table", '"line-1"', there=False)

        path.write_text(by_hand.replace("true", "maybe"))
        service.process.send_signal(signal.SIGHUP)
        page = helper.until("/settings", 'id="trouble"')
        assert "line 8, column 8: this is not TOML" in page
        assert 'id="switch-odds" class="switch on"' in page
        assert "The last good settings stay in force." in helper.get("/diagnostics")

        path.write_text(by_hand)
        helper.until("/settings", 'class="switch on"')
        assert service.stop() == 0
    assert service.said.count("The last good settings stay in force.") == 1
    assert service.said.count(f"host in {path} does not count: the command line wins.") == 1
    assert service.said.count("wifi.ssid takes effect at the next start.") == 1
    with serving(tmp_path, "--host", "127.0.0.1") as service:
        assert 'id="switch-odds" class="switch on"' in Helper(service).get("/settings")
        assert service.stop() == 0
    assert "goes on at step 0." in service.said
    assert "--new" not in service.said  # nothing was asked of a new game
    assert tomllib.loads(path.read_text())["ship"] == {"rest_s": 2.0}


def test_a_broken_file_is_refused_with_its_line(tmp_path):
    (tmp_path / "table.toml").write_text(BY_HAND.replace("2.0", "'two'"))
    said = refused("run", "--data", str(tmp_path), "--port", "0")
    assert said == (
        f"companion: {tmp_path}/table.toml, line 5, in [ship]: rest_s is a number such as 3.0, and "
        "not a text.\n"
    )
