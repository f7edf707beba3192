"""A table and a program that is posted to: in order, signed, tried again, and never in the way."""

from __future__ import annotations

import hashlib
import hmac
import json
import socket
import threading
from contextlib import suppress
from datetime import UTC, datetime

import pytest
from told_games import told_by

from companion.rules.tentacles_words import Reveal, Stop
from companion.telling import webhook
from companion.telling.settings import Mqtt, Webhook
from tests.support.receiver import LIMIT_S, receiving
from tests.support.tables import API
from tests.support.waiting import until

SECRET = "shared with the receiver"


@pytest.fixture(autouse=True)
def _soon(monkeypatch):
    monkeypatch.setattr(webhook, "FIRST_WAIT_S", 0.02)
    monkeypatch.setattr(webhook, "LONGEST_WAIT_S", 0.05)


@pytest.fixture
def receiver():
    with receiving() as one:
        yield one


def test_each_event_is_posted_in_order_and_signed(tmp_path, receiver):
    with told_by(tmp_path, webhook=Webhook(receiver.url, SECRET)) as (table, _):
        table.act(Reveal("dots"), source=API)
        table.act(Stop(), source=API)
        for kind in ("game-begun", "shown", "happened", "score", "happened", "turn"):
            path, headers, raw = receiver.came.get(timeout=LIMIT_S)
            event = json.loads(raw)
            assert event["event_type"] == kind
            assert path == "/hook?key=K3y"
            assert headers["Content-Type"] == "application/json"
            assert headers["Tidetable-Event"] == event["id"]
            signed = headers["Tidetable-Timestamp"].encode() + b"." + raw
            digest = hmac.new(SECRET.encode(), signed, hashlib.sha256).hexdigest()
            assert headers["Tidetable-Signature"] == f"sha256={digest}"
            assert abs(int(headers["Tidetable-Timestamp"]) - datetime.now(UTC).timestamp()) < 60


def test_without_a_secret_nothing_is_signed_and_without_names_nobody_named(tmp_path, receiver):
    with told_by(tmp_path, webhook=Webhook(receiver.url, names=False)):
        _, headers, event = receiver.next()
    assert "Tidetable-Signature" not in headers
    assert event["players"] == ["Player 1", "Player 2"]


@pytest.mark.parametrize("status", [500, 503, 429, 408])
def test_what_a_receiver_cannot_take_now_comes_again_and_in_order(
    tmp_path, receiver, caplog, status
):
    caplog.set_level("INFO")
    for _ in range(3):
        receiver.answers.put((status, {"Retry-After": "1"} if status == 429 else {}))
    with told_by(tmp_path, webhook=Webhook(receiver.url)) as (table, _):
        table.act(Reveal("dots"), source=API)
        assert receiver.kinds(7) == [*4 * ["game-begun"], "shown", "happened", "score"]
        until(lambda: "takes events again" in caplog.text)
    assert caplog.text.count(f"answers {status}") == 1
    assert "K3y" not in caplog.text


@pytest.mark.parametrize(
    ("status", "said"), [(400, "refuses"), (401, "refuses"), (404, "refuses"), (302, "elsewhere")]
)
def test_what_a_receiver_does_not_want_is_given_up_and_the_next_one_comes(
    tmp_path, receiver, caplog, status, said
):
    for _ in range(2):
        receiver.answers.put((status, {"Location": receiver.url}))
    with told_by(tmp_path, webhook=Webhook(receiver.url, SECRET)) as (table, _):
        table.act(Reveal("dots"), source=API)
        assert receiver.kinds(4) == ["game-begun", "shown", "happened", "score"]
    assert receiver.came.empty()  # nor was it carried to where the answer pointed
    assert caplog.text.count(said) == 1
    assert SECRET not in caplog.text
    assert "K3y" not in caplog.text


def test_a_receiver_that_does_not_answer_matters_to_nobody(tmp_path, receiver):
    receiver.go_on.clear()
    before = set(threading.enumerate())
    with told_by(tmp_path, webhook=Webhook(receiver.url)) as (table, _):
        receiver.next()
        for _ in range(50):
            assert table.act(Reveal("dots"), source=API).code is None
            assert table.undo(1, source=API).code is None
    names = [thread.name for thread in threading.enumerate()]
    assert "webhook" not in names
    assert "telling" not in names
    receiver.go_on.set()
    until(lambda: set(threading.enumerate()) <= before)


def test_of_too_many_the_oldest_are_given_up(tmp_path, receiver, monkeypatch, caplog):
    monkeypatch.setattr(webhook, "MOST_EVENTS", 5)
    receiver.go_on.clear()
    with told_by(tmp_path, webhook=Webhook(receiver.url)) as (table, teller):
        assert receiver.kinds(1) == ["game-begun"]
        for _ in range(10):
            table.act(Reveal("dots"), source=API)
            table.undo(1, source=API)
        last = table.act(Reveal("rings"), source=API).snapshot.revision
        until(lambda: teller._told.revision == last)
        assert len(teller._poster._events) == 5
        receiver.go_on.set()
        events = [receiver.next()[2] for _ in range(5)]
    assert [event["event_type"] for event in events] == [
        *("taken-back", "score", "shown", "happened", "score"),
    ]
    assert {event["revision"] for event in events[2:]} == {last}
    assert caplog.text.count("too slow") == 1


def test_an_old_event_is_given_up(tmp_path, receiver, monkeypatch):
    monkeypatch.setattr(webhook, "KEPT_S", -1.0)
    with told_by(tmp_path, webhook=Webhook(receiver.url)) as (table, teller):
        table.act(Reveal("dots"), source=API)
        until(lambda: not teller._poster._events)
    assert receiver.came.empty()


def test_a_receiver_that_is_not_there_is_named_once_without_its_address(tmp_path, caplog):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/secret-path"
        with told_by(tmp_path, webhook=Webhook(url)) as (table, _):
            until(lambda: "cannot be reached" in caplog.text)
            table.act(Reveal("dots"), source=API)
    assert caplog.text.count("cannot be reached") == 1
    assert "secret-path" not in caplog.text


def test_what_answers_something_else_is_named(tmp_path, caplog):
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer():
            with server.accept()[0] as its:
                its.recv(4096)
                its.sendall(b"220 mail.example ESMTP\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        with told_by(tmp_path, webhook=Webhook(f"http://127.0.0.1:{server.getsockname()[1]}/")):
            until(lambda: "no HTTP" in caplog.text)
        thread.join()


def test_a_receiver_that_answers_drop_by_drop_is_not_heard_to_the_end(
    tmp_path, monkeypatch, caplog
):
    monkeypatch.setattr(webhook, "ANSWER_S", 0.2)
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def drip():
            with server.accept()[0] as its, suppress(OSError):
                while not over.wait(0.05):
                    its.sendall(b"H")

        thread = threading.Thread(target=drip)
        thread.start()
        with told_by(tmp_path, webhook=Webhook(f"http://127.0.0.1:{server.getsockname()[1]}/")):
            until(lambda: "cannot be reached" in caplog.text)
        over.set()
        thread.join()


def test_https_with_an_authority_of_ones_own(tmp_path, authority, caplog):
    with receiving(authority / "right.pem", authority / "right.key") as receiver:
        url = receiver.url.replace("http:", "https:")
        for number, (wrong, said) in enumerate(
            (
                (Webhook(url), "is not believed"),
                (Webhook(url, ca=authority / "other.pem"), "is not believed"),
                (Webhook(url, ca=tmp_path / "none.pem"), "cannot be used"),
            )
        ):
            caplog.clear()
            with told_by(tmp_path / f"{number}", webhook=wrong):
                until(lambda said=said: said in caplog.text)
            assert caplog.text.count("Webhook:") == 1
        with told_by(tmp_path / "right", webhook=Webhook(url, ca=authority / "right.pem")):
            assert receiver.kinds(1) == ["game-begun"]


def test_another_address_is_used_from_now_on(tmp_path, receiver):
    with told_by(tmp_path, webhook=Webhook()) as (table, teller):
        table.act(Reveal("dots"), source=API)
        until(lambda: teller._told.step == 1)
        teller.use(Mqtt(), Webhook(receiver.url))
        table.act(Stop(), source=API)
        assert receiver.kinds(2) == ["happened", "turn"]
        teller.use(Mqtt(), Webhook())
        table.act(Reveal("rings"), source=API)
    assert receiver.came.empty()
