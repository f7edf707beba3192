"""The steps of the wizard that look at readers and at the ship."""

from __future__ import annotations

import html
import re
import time
from urllib.parse import urlsplit

import pytest

from companion.drivers.api import Attitude

DRAFT = "game=octopus-alarm&player=Kari&shape=heart&player=Ola&shape=circle"
JSON = {"Accept": "application/json"}


@pytest.fixture
def helper(evening):
    return evening.client(helper=True)


def form(page):
    found = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', page)
    return {name: html.unescape(value) for name, value in found}


def hold(evening, x, y, z, *, after_s=0.0, seconds=1.2):
    """The ship's sensor tells this for so long from then on; nobody waits for it."""
    now_ns = time.monotonic_ns() + int(after_s * 1e9)
    for place in range(31):
        at_ns = now_ns + int(place / 30 * seconds * 1e9)
        evening.table.report(Attitude("ship", x + place % 2, y, z, at_ns))
    evening.table.settle()


def test_a_card_lights_the_lamp_of_its_reader_and_does_nothing_else(evening, helper):
    page = helper.get(f"/setup/readers?{DRAFT}").text
    assert "waits for a card" in page
    assert helper.post("/setup/readers/try", data=form(page)).status_code == 303
    evening.virtual.tap("tentacles/dots")
    page = helper.get(f"/setup/readers?{DRAFT}").text
    assert 'class="placed lit"' in page
    assert evening.table.snapshot.step == 0
    on = helper.post("/setup/readers/done", data=form(page))
    assert urlsplit(on.location).path == "/setup/ship"
    assert "player=Kari" in on.location
    evening.virtual.tap("tentacles/waves")
    assert evening.table.snapshot.step == 1


def test_a_reader_that_is_away_says_so_and_the_wizard_goes_on(evening, helper):
    evening.lose_reader("sim")
    page = helper.get(f"/setup/readers?{DRAFT}")
    assert page.status_code == 200
    assert 'class="placed lost"' in page.text
    assert "The reader is unplugged: plug it in again." in page.text
    on = helper.post("/setup/readers/done", data=form(page.text))
    assert urlsplit(on.location).path == "/setup/ship"


def test_a_reader_is_placed_at_once_and_for_ever(evening, helper):
    page = helper.get(f"/setup/readers?{DRAFT}").text
    assert (
        helper.post("/setup/readers/place", data={**form(page), "place": "sim|area-2"}).status_code
        == 303
    )
    assert evening.table.stations == evening.settings.now.stations == {"sim": "area-2"}
    assert "Area 2" in helper.get(f"/setup/readers?{DRAFT}").text
    answer = helper.post(
        "/setup/readers/place", data={**form(page), "place": "sim|"}, headers=JSON
    ).get_json()
    assert answer["ok"]
    assert "Anywhere" in answer["view"]
    assert evening.table.stations == {}


def test_who_stood_there_stands_anywhere(evening, helper):
    evening.settings.change({("stations",): {"pcsc-9": "reef", "pcsc-8": "play"}})
    page = helper.get(f"/setup/readers?{DRAFT}").text
    helper.post("/setup/readers/place", data={**form(page), "place": "sim|reef"})
    assert evening.table.stations == {"pcsc-8": "play", "sim": "reef"}


@pytest.mark.parametrize("place", ["sim|attic", "nobody|reef", "sim|seat-1", "", "sim"])
def test_a_place_that_is_none_is_refused(evening, helper, place):
    page = helper.get(f"/setup/readers?{DRAFT}").text
    response = helper.post("/setup/readers/place", data={**form(page), "place": place})
    assert response.status_code == 400
    assert evening.table.stations == {}


def test_the_ship_is_stood_up_and_laid_down(evening, helper):
    page = helper.get(f"/setup/ship?{DRAFT}").text
    assert "no sensor is heard" in page
    refused = helper.post("/setup/ship/stands", data=form(page), headers=JSON)
    assert refused.status_code == 409
    hold(evening, 20, -30, 998)
    page = helper.get(f"/setup/ship?{DRAFT}").text
    assert "at rest" in page
    stood = helper.post("/setup/ship/stands", data=form(page)).location
    page = helper.get(stood).text
    assert "lay it on its side" in page
    slanted = helper.post("/setup/ship/lies", data=form(page), headers=JSON)
    assert "only 0 degrees" in slanted.get_json()["error"]["message"]
    hold(evening, 990, 20, 30, after_s=2)
    lay = helper.post("/setup/ship/lies", data=form(page))
    assert lay.status_code == 303, lay.text
    page = helper.get(lay.location).text
    assert 'id="calibrated"' in page
    assert evening.table.thresholds.upright == pytest.approx((20, -30, 998), abs=2)
    assert evening.settings.now.ship == evening.table.thresholds


def test_a_sensor_without_gravity_is_named(evening, helper):
    hold(evening, 10, 10, 100)
    assert "does not feel gravity" in helper.get(f"/setup/ship?{DRAFT}").text


@pytest.mark.parametrize("up", ["", "1,2", "a,b,c", "1e9,0,0", "0,0,0", "nan,0,1000"])
def test_an_address_with_a_pose_that_is_none_begins_again(helper, up):
    page = helper.get(f"/setup/ship?{DRAFT}&up={up}").text
    assert "Stand the ship upright" in page
