"""The event streams and the server: framing, places, slow clients, the end."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import resource
import socket
import threading
import time
from contextlib import closing, contextmanager

import pytest
from evening import HOSTILE_NAMES, TOKEN, serving
from hypothesis import given
from hypothesis import strategies as st

from tests.support.waiting import until
from web_ui import Server, create_app, listen
from web_ui.app import STREAM_SPARE
from web_ui.server import SPARE_THREADS, connection_limit
from web_ui.sse import frame
from web_ui.streams import HEARTBEAT_S, Streams

PATIENCE_S = 30


class Listener:
    """A client of one stream that reads as a browser does (WHATWG HTML, section 9.2)."""

    def __init__(self, port, path="/stream", headers=None):
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
        self._connection.request("GET", path, headers=headers or {})
        self.response = self._connection.getresponse()

    def next(self):
        """The next event as name, data and id; None at the end of the stream."""
        name, data, event_id = "message", [], ""
        while line := self.response.readline():
            text = line.decode().rstrip("\n")
            assert "\r" not in text
            if not text:
                if data:
                    return name, "\n".join(data), event_id
                continue
            field, _, value = text.partition(": ")
            if field == "event":
                name = value
            elif field == "data":
                data.append(value)
            elif field == "id":
                event_id = value
            else:
                assert field == "retry"
        return None

    def wait_for(self, wanted):
        while (event := self.next()) is not None:
            if event[0] == wanted:
                return event
        pytest.fail(f"the stream ended before {wanted}")

    def close(self):
        self._connection.close()
        self.response.close()


@contextmanager
def listening(*arguments, **options):
    listener = Listener(*arguments, **options)
    try:
        yield listener
    finally:
        listener.close()


def parsed(body: bytes):
    """One frame by the standard's grammar: lines end at CR LF, CR or LF."""
    lines = re.split("\r\n|\r|\n", body.decode())
    assert lines[-2:] == ["", ""]
    assert "" not in lines[:-2]
    data = [line[6:] for line in lines if line.startswith("data: ")]
    assert len(data) == len([line for line in lines if line and not line.startswith("event: ")])
    return "\n".join(data)


@given(st.text(st.sampled_from("a:\r\n\0\u2028\ud800") | st.characters()))
def test_any_text_stays_in_its_frame(text):
    whole = text.encode("utf-8", "replace").decode()
    assert parsed(frame("view", text)) == re.sub("\r\n|\r", "\n", whole)


def test_a_line_separator_of_unicode_is_no_line_end():
    assert parsed(frame("view", "a\u2028b\x0bc\x85d")) == "a\u2028b\x0bc\x85d"


def test_a_page_stream_carries_the_page_at_once_and_at_each_change(evenings):
    evening = evenings(HOSTILE_NAMES)
    with serving(evening.app) as server, listening(server.port) as listener:
        assert listener.response.getheader("Content-Type").startswith("text/event-stream")
        assert listener.response.getheader("X-Accel-Buffering") == "no"
        assert listener.next()[0] == "hello"
        name, html, event_id = listener.next()
        snapshot = evening.table.snapshot
        assert (name, event_id) == ("view", f"{snapshot.epoch}.{snapshot.revision}")
        page = evening.client().get("/").text
        assert re.sub(r"\s+", " ", html).strip() in re.sub(r"\s+", " ", page)
        evening.do("dots", {"do": "stop"}, "rings")
        while "fish on rings" not in html:
            name, html, event_id = listener.next()
            assert name == "view"
        assert event_id.endswith(f".{evening.table.snapshot.revision}")


def test_what_is_seen_is_not_sent_again(evening):
    version = f"{evening.table.snapshot.epoch}.{evening.table.snapshot.revision}"
    with serving(evening.app) as server:
        with listening(server.port, f"/stream?seen={version}") as listener:
            assert [listener.next()[0] for _ in range(2)] == ["hello", "same"]
            evening.do("dots")
            assert listener.next()[0] == "view"
        for old in (version.replace(".", "x."), version, "", "%0d%0adata:"):
            with listening(server.port, f"/stream?seen={old}") as listener:
                assert [listener.next()[0] for _ in range(2)] == ["hello", "view"]


def test_a_heartbeat_comes_when_nothing_happens(evening):
    with serving(evening.app) as server, listening(server.port) as listener:
        listener.wait_for("view")
        began_s = time.monotonic()
        assert listener.next()[0] == "heartbeat"
        assert HEARTBEAT_S - 0.5 < time.monotonic() - began_s < 2 * HEARTBEAT_S


def test_the_role_decides_what_a_stream_shows(evening):
    evening.do("dots")
    cookie = evening.client().get(f"/link/{TOKEN}").headers["Set-Cookie"].split(";")[0]
    with serving(evening.app) as server:
        with listening(server.port) as listener:
            assert "<form" not in listener.wait_for("view")[1]
        with listening(server.port, headers={"Cookie": cookie}) as listener:
            assert "<form" in listener.wait_for("view")[1]
        with listening(server.port, "/stream?page=virtual", headers={"Cookie": cookie}) as listener:
            assert "v-top" in listener.wait_for("view")[1]
        with listening(server.port, "/stream?page=other") as listener:
            assert listener.response.status == 404


def test_the_api_stream_carries_the_table(evenings):
    evening = evenings(HOSTILE_NAMES)
    with serving(evening.app) as server, listening(server.port, "/api/v1/table/stream") as listener:
        assert listener.next()[0] == "hello"
        name, data, event_id = listener.next()
        assert name == "table"
        table = json.loads(data)
        assert event_id == f"{table['epoch']}.{table['revision']}"
        assert table == evening.client().get("/api/v1/table").get_json()
        assert list(table["scores"]) == list(HOSTILE_NAMES)
        evening.do("dots")
        assert json.loads(listener.wait_for("table")[1])["step"] == 1


def test_the_oldest_stream_makes_room(evening):
    app = create_app(evening.table, token=TOKEN, stream_limit=3)
    with serving(app) as server:
        listeners = [Listener(server.port) for _ in range(5)]
        for listener in listeners:
            assert listener.next()[0] == "hello"
        for listener in listeners[:2]:
            listener.wait_for("evicted")
            assert listener.next() is None
        evening.do("dots")
        for listener in listeners[2:]:
            while "fish on dots" not in listener.wait_for("view")[1]:
                pass
        for listener in listeners:
            listener.close()


def test_places_are_given_back(evening):
    streams = Streams(limit=2, spare=1)
    first, second = streams.admit(), streams.admit()
    third = streams.admit()
    assert first.evicted
    assert not second.evicted
    # The evicted one is still on its way out, and there is one spare place only.
    assert streams.admit() is None
    streams.leave(first)
    assert streams.count == 2
    fourth = streams.admit()
    assert second.evicted
    for ticket in (second, third, fourth):
        streams.leave(ticket)
    assert streams.count == 0
    streams.close()
    assert streams.admit() is None


def test_who_opens_too_many_makes_room_for_the_others():
    streams = Streams(limit=4, spare=10)
    tv, phone = streams.admit(address="192.168.0.2"), streams.admit(address="192.168.0.3")
    flood = [streams.admit(address="192.168.0.66") for _ in range(6)]
    assert [ticket.evicted for ticket in flood] == [True] * 4 + [False] * 2
    late = streams.admit(address="192.168.0.4")
    assert [ticket.evicted for ticket in (*flood[4:], tv, phone, late)] == [
        True,
        *[False] * 4,
    ]


def test_a_head_request_takes_no_place(evening):
    app = create_app(evening.table, token=TOKEN, stream_limit=1)
    client = app.test_client()
    for _ in range(5):
        assert client.head("/stream").status_code == 200
    assert app.extensions["tidetable"].streams.count == 0


def test_a_client_that_goes_away_gives_its_place_back_soon(evening):
    streams = evening.app.extensions["tidetable"].streams
    with serving(evening.app) as server:
        listeners = [Listener(server.port) for _ in range(4)]
        for listener in listeners:
            listener.wait_for("view")
        assert streams.count == 4
        for listener in listeners:
            listener.close()
        until(lambda: streams.count == 0)


def test_a_slow_client_skips_and_nothing_queues(evening):
    """It reads nothing while much more is shown than the network's own buffers hold."""
    largest_view_bytes = 20_000
    with (
        serving(evening.app) as server,
        listening(server.port) as quick,
        closing(socket.socket()) as slow,
    ):
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.settimeout(PATIENCE_S)
        slow.connect(("127.0.0.1", server.port))
        slow.sendall(b"GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
        quick.wait_for("view")
        # Soon enough for a busy computer, too: who takes nothing for long is hung up on.
        for _ in range(40):
            evening.lose_reader()
            quick.wait_for("view")
            evening.find_reader()
            quick.wait_for("view")
        queued = [channel.total_outbufs_len for channel in server._server.active_channels.values()]
        assert 0 < max(queued) < largest_view_bytes
        evening.do("stars")
        received = b""
        while b"fish on stars" not in received[-60_000:]:
            received += slow.recv(65536)


def test_the_server_ends_within_a_second_with_streams_open(evening):
    server = Server(evening.app, listen("127.0.0.1", 0))
    thread = threading.Thread(target=server.run)
    thread.start()
    listeners = [Listener(server.port) for _ in range(8)]
    for listener in listeners:
        listener.wait_for("view")
    began_s = time.monotonic()
    server.close()
    thread.join(PATIENCE_S)
    assert time.monotonic() - began_s < 3
    for listener in listeners:
        assert listener.next() is None
        listener.close()
    again = Server(evening.app, listen("127.0.0.1", server.port))
    again.close()


def test_streams_end_with_the_table(evening):
    with serving(evening.app) as server, listening(server.port) as listener:
        listener.wait_for("view")
        evening.table.close()
        assert listener.next() is None


def test_a_taken_port_is_an_error_at_once(evening):
    with serving(evening.app) as server, pytest.raises(OSError, match="in use"):
        Server(evening.app, listen("127.0.0.1", server.port))


@pytest.mark.parametrize(
    ("request_bytes", "status", "code"),
    [
        (b"nonsense\r\n\r\n", 400, "bad-command"),
        (b"POST /api/v1/actions HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n", 413, "too-large"),
        (b"POST /touch HTTP/1.1\r\nContent-Length: x\r\n\r\n", 400, "bad-command"),
        (b"GET / HTTP/1.1\r\nA: " + b"x" * 40_000 + b"\r\n\r\n", 413, "too-large"),
        (b"GET /%ff%00 HTTP/1.1\r\nHost: x\r\n\r\n", 404, None),
        (b"GET / HTTP/1.1\r\nHost: [\r\n\r\n", None, None),
    ],
)
def test_what_is_no_proper_request_is_answered_all_the_same(evening, request_bytes, status, code):
    with serving(evening.app) as server:
        with socket.create_connection(("127.0.0.1", server.port), PATIENCE_S) as client:
            client.sendall(request_bytes)
            answer = http.client.HTTPResponse(client)
            answer.begin()
            body = answer.read()
        assert answer.status < 500
        if status is not None:
            assert answer.status == status
        if code is not None:
            assert json.loads(body)["error"]["code"] == code
        with listening(server.port) as listener:
            listener.wait_for("view")


def test_a_page_is_rendered_once_for_all_who_see_the_same(evening, monkeypatch):
    rendered = []
    views = evening.app.extensions["tidetable"].views
    render = type(views)._render
    monkeypatch.setattr(
        type(views),
        "_render",
        lambda self, page, scene: (
            rendered.append(scene.snapshot.revision) or render(self, page, scene)
        ),
    )
    with serving(evening.app) as server:
        listeners = [Listener(server.port) for _ in range(6)]
        for listener in listeners:
            listener.wait_for("view")
        evening.do("dots")
        for listener in listeners:
            while "fish on dots" not in listener.wait_for("view")[1]:
                pass
            listener.close()
    assert len(rendered) == len(set(rendered))


def test_what_strangers_name_is_not_kept(evening):
    views = evening.app.extensions["tidetable"].views
    with serving(evening.app) as server:
        for number in range(5):
            with listening(server.port, f"/stream?page=tv&topic={number}") as listener:
                listener.wait_for("view")
    assert len(views._rendered) == 1


def test_a_client_that_closes_its_half_gets_the_answer(evening):
    with serving(evening.app) as server:
        for _ in range(30):
            with socket.create_connection(("127.0.0.1", server.port), PATIENCE_S) as client:
                client.sendall(b"GET /api/v1/table HTTP/1.1\r\nHost: x\r\n\r\n")
                client.shutdown(socket.SHUT_WR)
                answer = http.client.HTTPResponse(client)
                answer.begin()
                assert json.loads(answer.read())["ok"]


def test_clients_that_ask_much_and_read_nothing_stop_nobody(evening):
    """More of them than there are threads, each with more answers than the kernel takes."""
    app = create_app(evening.table, token=TOKEN, stream_limit=2)
    sheet = re.search(r"/static/[^\"]*table.css", app.test_client().get("/").text).group()
    asked = f"GET {sheet} HTTP/1.1\r\nHost: x\r\n\r\n".encode() * 300
    with serving(app) as server, contextlib.ExitStack() as stack:
        for _ in range(2 + STREAM_SPARE + SPARE_THREADS + 2):
            client = stack.enter_context(socket.socket())
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            client.connect(("127.0.0.1", server.port))
            client.sendall(asked)
        other = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_S)
        other.request("GET", "/healthz")
        assert other.getresponse().status == 200
        other.close()


def test_a_large_body_is_refused_in_words(evening):
    with serving(evening.app) as server:
        client = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_S)
        client.request(
            "POST",
            "/api/v1/actions",
            b"x" * 1_000_000,
            {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"},
        )
        answer = client.getresponse()
        assert (answer.status, json.loads(answer.read())["error"]["code"]) == (413, "too-large")
        client.close()


@pytest.mark.parametrize(
    ("soft", "hard", "raised", "limit"),
    [
        (1024, 1_048_576, 2100, 2000),
        (1024, 1024, 1024, 924),
        (1024, resource.RLIM_INFINITY, 2100, 2000),
        (20_000, 20_000, None, 2000),
        (resource.RLIM_INFINITY, resource.RLIM_INFINITY, None, 2000),
    ],
)
def test_there_are_files_for_all_connections(mocker, soft, hard, raised, limit):
    """With more connections than files the server spins and answers nobody."""
    mocker.patch("resource.getrlimit", return_value=(soft, hard))
    set_limit = mocker.patch("resource.setrlimit")
    assert connection_limit() == limit
    assert [call.args[1][0] for call in set_limit.call_args_list] == ([raised] if raised else [])


def test_a_fault_in_the_loop_takes_the_pages_from_nobody(evening, monkeypatch, caplog):
    with serving(evening.app) as server:
        loop = server._server.asyncore.loop
        faults = [OSError("planted"), ValueError("planted")]

        def faulty(**options):
            if faults:
                raise faults.pop()
            loop(**options)

        monkeypatch.setattr(server._server.asyncore, "loop", faulty)
        for _ in range(3):
            client = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_S)
            client.request("GET", "/healthz")
            assert client.getresponse().status == 200
            client.close()
        assert faults == []
    assert caplog.text.count("goes on after a fault") == 2


VIEWERS = 100


def test_a_hundred_viewers_all_see_every_state_that_stands(evening):
    """None misses an update: after each action each of them comes to show it."""
    with serving(evening.app) as server:
        viewers = [Listener(server.port) for _ in range(VIEWERS)]
        for card in ("dots", "rings", "stars", "stripes"):
            evening.do(card)
            revision = evening.table.snapshot.revision
            for viewer in viewers:
                while int(viewer.wait_for("view")[2].rpartition(".")[2]) < revision:
                    pass
        assert evening.app.extensions["tidetable"].streams.count == VIEWERS
        for viewer in viewers:
            viewer.close()
