"""The page, the report and the JSON of the diagnostics, with a fault planted in each link."""

from __future__ import annotations

import json
import logging
import sys
import time
from pathlib import Path

import pytest
from evening import HOSTILE_NAMES, TOKEN, serving
from test_http_api import conforms
from test_streams import listening

from companion.diagnosis import Finding
from companion.drivers.api import Attitude, DeviceBack, DeviceLost, TagOn, TagUnreadable
from companion.household import Household
from companion.instruments import Instruments
from companion.log_tail import listening as log_listening
from companion.machine import Machine
from companion.ship import Thresholds
from companion.ship_trace import Trace
from hardware_sim.virtual_table import UNKNOWN_UID
from web_ui import create_app
from web_ui.diagnostics_trace import HIGH, WIDE, drawn
from web_ui.diagnostics_words import _COUNTED, _SAID, ago, lasting, machine_rows, sentence

PAGE, REPORT, API = "/diagnostics", "/diagnostics/report.txt", "/api/v1/diagnostics"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
S = 1_000_000_000


def told(evening):
    return conforms(evening.app.test_client().get(API, headers=BEARER), API, "get")


def link(body, name):
    return next(each for each in body["chain"] if each["link"] == name)


def report(evening, reading):
    evening.table.report(reading)
    evening.table.settle()


@pytest.fixture
def watched(evening):
    """With a scoreboard open, as a family has it."""
    with serving(evening.app) as server, listening(server.port, "/stream?page=tv") as board:
        board.next()
        board.next()
        yield evening


# Who may look


@pytest.mark.parametrize("path", [PAGE, REPORT, API])
def test_helpers_alone_may_look(evening, path):
    assert evening.client().get(path).status_code == 401
    assert evening.client(helper=True).get(path).status_code == 200


def test_a_reader_is_started_again_by_a_form_of_our_own_alone(evening):
    asked = []
    app = create_app(
        evening.table,
        token=TOKEN,
        instruments=Instruments(
            evening.table.passages, restart=lambda reader: not asked.append(reader)
        ),
    )
    client = app.test_client()
    client.get(f"/link/{TOKEN}")
    assert client.post("/diagnostics/restart", data={"reader": "sim"}).status_code == 403
    key = app.extensions["tidetable"].link.form_key
    form = {"reader": "sim", "key": key, "page": "diagnostics"}
    answer = client.post("/diagnostics/restart", data=form)
    assert (answer.status_code, answer.location) == (303, PAGE)
    assert asked == ["sim"]
    assert evening.client().post("/diagnostics/restart", data=form).status_code == 401


def test_a_reader_that_is_not_there_cannot_be_started_again(evening):
    client = evening.client(helper=True)
    key = evening.app.extensions["tidetable"].link.form_key
    form = {"reader": "none", "key": key, "page": "diagnostics"}
    assert client.post("/diagnostics/restart", data=form).status_code == 404


# Where it is stuck


def test_everything_passes(watched):
    watched.virtual.tap("tentacles/dots")
    body = told(watched)
    assert body["verdict"]["code"] == "passes"
    assert {each["health"] for each in body["chain"]} == {"good"}
    assert all(each["last_s"] < 60 for each in body["chain"])
    page = watched.client(helper=True).get(PAGE).text
    assert "Everything passes." in page
    assert page.count('class="link good"') == 5


def test_a_lost_reader_is_named_with_its_time_and_its_cure(watched):
    watched.virtual.unplug()
    body = told(watched)
    assert (body["verdict"]["link"], body["verdict"]["code"]) == ("driver", "reader-lost")
    assert "The reader sim has not been heard for" in body["verdict"]["text"]
    page = watched.client(helper=True).get(PAGE).text
    assert "The reader is unplugged: plug it in again." in page
    assert "goes on by touch" in page
    watched.virtual.plug()
    assert link(told(watched), "driver")["health"] == "good"


def test_a_card_that_cannot_be_read_is_a_matter_of_the_field(watched):
    report(watched, TagUnreadable("sim", "it gives no UID", 0))
    assert told(watched)["verdict"]["code"] == "field-unreadable"
    watched.virtual.lay_two()
    assert told(watched)["verdict"]["code"] == "field-several"


def test_an_unknown_tag_stops_at_the_table_of_tags(watched):
    watched.virtual.tap_unknown()
    body = told(watched)
    assert body["verdict"]["text"] == "Tags arrive, but this one (…FF) is not enrolled."
    page = watched.client(helper=True).get(PAGE).text
    assert 'name="act" value="add:tentacles"' in page
    assert link(body, "driver")["health"] == "good"
    assert body["readers"][0]["last_tag"]["uid_end"] == "FF"
    assert UNKNOWN_UID not in json.dumps(body)


def test_a_table_of_tags_that_fails_is_named(watched, monkeypatch):
    def fail(uid):
        raise OSError

    interpreter = watched.table._authority._interpreter
    monkeypatch.setattr(interpreter, "_look_up", watched.table.passages.watched(fail))
    report(watched, TagOn("sim", UNKNOWN_UID, time.monotonic_ns()))
    body = told(watched)
    assert link(body, "tags")["code"] == "tags-failed"
    assert body["verdict"]["link"] == "engine"
    assert link(body, "engine")["code"] == "engine-failed"


def test_a_refusal_is_no_fault(watched):
    watched.virtual.tap("control/stop")
    body = told(watched)
    assert body["verdict"]["code"] == "passes"
    assert link(body, "engine")["text"] == "The rules refused the last action."


def test_a_screen_that_left_is_missed(evening):
    evening.virtual.tap("tentacles/dots")
    assert told(evening)["verdict"]["code"] == "no-screen"
    assert 'id="b-board"' in evening.client(helper=True).get(PAGE).text
    with serving(evening.app) as server, listening(server.port, "/stream?page=tv") as board:
        board.next()
        board.next()
        body = told(evening)
        assert body["verdict"]["code"] == "passes"
        (screen,) = body["screens"]
        assert (screen["page"], screen["behind"], screen["left_s"]) == ("tv", 0, None)
    streams = evening.app.extensions["tidetable"].streams
    deadline_s = time.monotonic() + 20
    while streams.count and time.monotonic() < deadline_s:
        evening.table.refresh()
    body = told(evening)
    assert body["verdict"]["code"] == "screen-left"
    assert body["screens"][0]["left_s"] is not None


def test_a_screen_takes_each_view_and_says_so(evening):
    with serving(evening.app) as server, listening(server.port, "/stream?page=tv") as board:
        board.next()
        board.next()
        evening.do("dots")
        board.next()
        (screen,) = evening.app.extensions["tidetable"].streams.screens()
        assert screen.revision == evening.table.snapshot.revision


# Secrets


@pytest.mark.parametrize("players", [("Annika", "Bogdan"), HOSTILE_NAMES])
def test_report_and_json_tell_no_names_and_no_uids(evenings, players):
    evening = evenings(players)
    household = Household()
    household.remember(("Grandmother",))
    with log_listening() as tail:
        app = create_app(
            evening.table,
            token=TOKEN,
            household=household,
            instruments=Instruments(evening.table.passages, tail),
        )
        logging.getLogger("x").warning("%s sat beside Grandmother", players[0])
        evening.virtual.tap("tentacles/dots")
        evening.virtual.tap_unknown()
        client = app.test_client()
        texts = [client.get(path, headers=BEARER).text for path in (REPORT, API)]
    for text in texts:
        assert "FEFF" not in text
        assert TOKEN not in text
        assert "Grandmother" not in text
        assert not [name for name in players if len(name) > 3 and name in text]
    assert "WARNING: unknown tag …FF on sim" in texts[0]
    assert "dots" not in texts[0]


def test_the_report_is_a_file_to_keep(evening):
    response = evening.client(helper=True).get(REPORT)
    assert response.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert response.headers["Content-Disposition"] == 'attachment; filename="tidetable-report.txt"'
    for words in ("Reader sim", "Field: quiet", "Log, newest first:", "Python 3"):
        assert words in response.text


# The page


def test_all_names_on_the_page_are_text(evenings):
    evening = evenings(HOSTILE_NAMES)
    report(evening, DeviceLost("<script>", "<script>alert(2)</script>", 0))
    page = evening.client(helper=True).get(PAGE).text
    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page


def test_the_page_is_drawn_anew_twice_a_second_and_nothing_piles_up(evening):
    views = evening.app.extensions["tidetable"].views
    with (
        serving(evening.app) as server,
        listening(server.port, "/stream?page=diagnostics", BEARER) as board,
    ):
        assert board.next()[0] == "hello"
        first = board.next()
        assert first[0] == "view"
        assert board.next()[0] == "view"
        assert board.next()[0] == "view"
    assert len(views._rendered) <= 2


def test_the_ship_is_drawn_with_its_thresholds(evening):
    report(evening, DeviceBack("ship", "LIS3DH", 0))
    began_ns = time.monotonic_ns() - 5 * S
    for tick in range(50):
        felt = (0, 0, 1000) if tick < 10 else (900, 0, 400)
        evening.table.report(Attitude("ship", *felt, began_ns + tick * S // 10))
    evening.table.settle()
    page = evening.client(helper=True).get(PAGE).text
    for words in ("<polyline", "45°", "30°", "lies", "settled", 'class="settled"'):
        assert words in page
    (ship,) = told(evening)["ships"]
    assert ship["tilt_deg"] == 66.0
    assert ship["settled"]
    assert ship["thresholds"]["capsized_deg"] == 45


def test_a_trace_stays_inside_its_drawing_and_silence_parts_it():
    points = ((19.9, 0.0), (19.0, 180.0), (10.0, 45.0), (0.0, 30.0))
    drawing = drawn(Trace("ship", points, (3.0,), 0.0, 30.0, 0, Thresholds()), 0)
    assert len(drawing.lines) == 3
    pairs = [pair.split(",") for line in drawing.lines for pair in line.split()]
    assert all(0 <= float(x) <= WIDE and 0 <= float(y) <= HIGH for x, y in pairs)
    assert float(pairs[2][1]) == drawing.capsized_y
    assert drawing.marks == (WIDE * 0.85,)


def test_each_finding_has_words_and_each_word_a_finding(evening):
    source = Path(sys.modules[Finding.__module__].__file__).read_text()
    with evening.app.test_request_context("/"):
        for code in (*_SAID, *_COUNTED):
            assert f'"{code}"' in source or code.startswith(("field-", "done", "refused"))
            facts = {"reader": "r", "seconds": 12, "count": 2, "end": "77", "page": "tv"}
            text = sentence(Finding("field", "bad", code, facts)).text
            assert text.endswith(".")
            assert "%" not in text


def test_times_are_short(evening):
    with evening.app.test_request_context("/"):
        assert (ago(0.2), ago(12.4), ago(150)) == ("now", "12 s ago", "2 min ago")
    assert lasting(3 * 3600) == "3 h"


def test_what_is_wrong_with_the_computer_is_marked(evening):
    bad = Machine(
        celsius=84.0,
        under_voltage="now",
        disk_free=1000,
        year_is_right=False,
        wifi_dbm=-82,
        load=9.0,
        processors=2,
    )
    good = Machine(
        celsius=50.0,
        under_voltage="never",
        disk_free=1 << 34,
        year_is_right=True,
        synchronised=True,
        wifi_dbm=-50,
        load=0.1,
        processors=4,
        up_s=60.0,
    )
    with evening.app.test_request_context("/"):
        assert {row.health for row in machine_rows(bad)} == {"bad", "warning"}
        assert len(machine_rows(bad)) == 6
        assert {row.health for row in machine_rows(good)} == {"good"}
        assert machine_rows(Machine()) == []
