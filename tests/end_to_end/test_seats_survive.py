"""A phone keeps its seat when the service is killed and started again."""

from __future__ import annotations

import re
import urllib.request
from http.cookiejar import CookieJar
from urllib.parse import urlencode

from tests.support.service import ANSWER_LIMIT_S, serving


class Phone:
    """A browser without a script, that keeps its cookies."""

    def __init__(self):
        self.open = urllib.request.build_opener(
            urllib.request.HTTPCookieProcessor(CookieJar())
        ).open

    def get(self, url):
        with self.open(url, timeout=ANSWER_LIMIT_S) as response:
            return response.url, response.read().decode()

    def post(self, url, **form):
        with self.open(url, urlencode(form).encode(), timeout=ANSWER_LIMIT_S) as response:
            return response.url, response.read().decode()


def test_kill_and_start_again(tmp_path):
    kari, ola = Phone(), Phone()
    with serving(tmp_path) as service:
        service.log.flush()
        service.log.seek(0)
        said = service.log.read()
        code = re.search(r"/join with the code ([A-Z0-9]{5})\b", said)[1]
        pin = re.search(r"/helper with the PIN ([0-9]{6})\b", said)[1]
        for phone, name in ((kari, "Kari"), (ola, "Ola")):
            url, page = phone.post(f"{service.url}/join", code=code, name=name)
            assert url.endswith("/play")
            assert name in page
        assert service.get()["scores"].keys() == {"Kari", "Ola"}
        service.do("reveal", card="dots")
        service.kill()
        port = service.port
    with serving(tmp_path, port=port) as service:
        for phone, name, turn in ((kari, "Kari", "yours"), (ola, "Ola", "theirs")):
            url, page = phone.get(f"{service.url}/play")
            assert url.endswith("/play")
            assert f"<h1><bdi>{name}</bdi></h1>" in page
            assert f'data-turn="{turn}"' in page
        form = dict(re.findall(r'name="(key|view|page)" value="([^"]*)"', kari.get(url)[1]))
        kari.post(f"{service.url}/touch", **form, action='{"do":"stop"}')
        assert service.get()["turn"] == "Ola"
        helper = Phone()
        assert helper.post(f"{service.url}/helper", pin=pin)[0].endswith(f":{port}/")
        assert 'href="/table"' in helper.get(service.url)[1]
