"""How others come to the table, on the pages: address, name, code, and the table's own Wi-Fi."""

from __future__ import annotations

import gzip
import re

import pytest
from evening import TOKEN
from test_joining import Door

from companion import service
from companion.network.nearby import Nearby
from companion.network.settings import Network, Wifi
from tests.support.whole import whole
from web_ui.joining_code import qr

HOME = Nearby(
    "http://192.168.1.7:8080",
    "http://tidetable-2.local:8080",
    ("http://10.0.0.3:8080",),
)
PASSWORD = "swordfish; \\ and 42"
WIFI = Wifi("The table", PASSWORD)
OWN = Nearby("http://10.42.0.1:8080", "http://tidetable.local:8080", wifi=WIFI)


def test_the_tv_shows_number_and_name_while_a_seat_is_missing(evening):
    door = Door(evening, nearby=lambda: HOME)
    shown = door.client().get("/").text
    assert "192.168.1.7:8080/join" in shown
    assert "tidetable-2.local:8080/join" in shown
    assert str(qr(f"http://192.168.1.7:8080/join/{door.code}")) in shown
    door.sit(seat="Ann")
    door.sit(seat="Bo")
    evening.do("dots")
    assert "192.168.1.7" not in door.client().get("/").text


def test_a_helper_sees_it_at_any_time(evening):
    door = Door(evening, nearby=lambda: HOME)
    door.sit(seat="Ann")
    door.sit(seat="Bo")
    evening.do("dots")
    helper = door.client()
    helper.get(f"/link/{TOKEN}")
    shown = helper.get("/table").text
    for part in ("192.168.1.7:8080/join", "tidetable-2.local:8080/join", "10.0.0.3:8080/join"):
        assert part in shown
    assert door.code in shown
    assert str(qr(f"http://192.168.1.7:8080/join/{door.code}")) in shown


def test_a_helper_is_told_where_nobody_reaches_the_table(evening):
    helper = Door(evening).client()
    helper.get(f"/link/{TOKEN}")
    assert "Other devices do not reach this table" in helper.get("/table").text


def test_who_was_let_in_can_show_the_code_to_the_next_and_a_stranger_cannot(evening):
    door = Door(evening, nearby=lambda: HOME)
    code = str(qr(f"http://192.168.1.7:8080/join/{door.code}"))
    assert code in door.client().get(f"/join/{door.code}").text
    stranger = door.client().get("/join").text
    assert code not in stranger
    assert door.code not in stranger


def test_the_tables_own_wifi_is_read_first(evening):
    door = Door(evening, nearby=lambda: OWN)
    shown = door.client().get("/").text
    codes = re.findall(r'<svg class="qr".*?</svg>', shown)
    join = str(qr(f"http://10.42.0.1:8080/join/{door.code}"))
    assert codes == [str(qr(WIFI.joining())), join]
    assert PASSWORD not in shown


def test_the_wifi_is_on_no_other_page_and_not_in_the_api(evening):
    door = Door(evening, nearby=lambda: OWN)
    helper, seat = door.client(), door.sit(seat="Ann")
    helper.get(f"/link/{TOKEN}")
    secret = str(qr(WIFI.joining()))
    paths = [rule.rule for rule in door.app.url_map.iter_rules() if "GET" in rule.methods]
    plain = [path for path in paths if "<" not in path and "stream" not in path and path != "/"]
    assert {"/table", "/join", "/play", "/settings", "/api/v1/table"} <= set(plain)
    for client in (helper, seat, door.client()):
        for path in [*plain, f"/join/{door.code}"]:
            shown = client.get(path, follow_redirects=False).get_data(as_text=True)
            assert secret not in shown, path
            assert PASSWORD not in shown, path
            assert "WIFI:" not in shown, path


@pytest.mark.parametrize("game", ["tentacles", "octopus-alarm", "sea-salt-paper"])
def test_the_tv_with_both_codes_is_still_light(tmp_path, monkeypatch, game):
    wifi = Wifi("A name of the longest sort, yes", "p" * 63)
    settings = {"host": "0.0.0.0", "network": Network(mdns=False), "wifi": wifi, "game": game}
    with whole(tmp_path, monkeypatch, **settings) as table:
        client, packed = table.client(), {"Accept-Encoding": "gzip"}
        page = client.get("/").data
        files = set(re.findall(rb'"(/static/[^"#]+)', page))
        sent = [client.get(file.decode(), headers=packed).data for file in files]
        if table.parts.nearby().address is not None:
            assert page.count(b'class="qr"') == 2
    assert 1 + len(files) + 1 <= 8
    assert len(gzip.compress(page)) + sum(map(len, sent)) <= 40_000


def test_the_service_shows_the_address_that_it_has(tmp_path, monkeypatch):
    found = [Nearby("http://192.168.1.7:8080")]

    class Fixed:
        now = property(lambda self: found[0])

        def use(self, network):
            pass

    class Still:
        def __init__(self, *_, **__):
            pass

        def __enter__(self):
            return Fixed()

        def __exit__(self, *_):
            pass

    monkeypatch.setattr(service, "present", Still)
    with whole(tmp_path, monkeypatch) as table:
        assert "192.168.1.7:8080/join" in table.client().get("/").text
        found[0] = Nearby("http://192.168.1.9:8080")
        table.parts.table.refresh()
        shown = table.client().get("/").text
        assert "192.168.1.9:8080/join" in shown
        assert "192.168.1.7" not in shown
