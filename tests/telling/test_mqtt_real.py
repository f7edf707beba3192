"""A table and a real broker: what stays there, what comes and goes, and what goes wrong."""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
import struct
import subprocess
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from told_games import told_by

from companion.match import Setup
from companion.rules.tentacles_words import Reveal, Stop
from companion.telling import broker as broker_module
from companion.telling.settings import Mqtt
from companion.telling.settings import Webhook as NoWebhook
from tests.support.mosquitto import LIMIT_S, Mosquitto, free_port, listening_to, mosquitto
from tests.support.service import serving
from tests.support.tables import API
from tests.support.waiting import until

pytestmark = pytest.mark.needs("mosquitto")


@pytest.fixture(scope="module")
def broker(tmp_path_factory):
    with mosquitto(tmp_path_factory.mktemp("broker")) as one:
        yield one


@pytest.fixture(autouse=True)
def _soon(monkeypatch):
    monkeypatch.setattr(broker_module, "FIRST_WAIT_S", 0.05)
    monkeypatch.setattr(broker_module, "LONGEST_WAIT_S", 0.1)


def to(broker, **more):
    return Mqtt(host="127.0.0.1", port=broker.port, **more)


def on(topic, **wanted):
    """A message on a topic that ends so, in whose JSON these are."""

    def is_it(message):
        if not message[0].endswith(f"/{topic}"):
            return False
        body = json.loads(message[1]) if wanted and message[1] else {}
        return all(body.get(key) == value for key, value in wanted.items())

    return is_it


def last_kept(port, table):
    """What the broker keeps of a table, for somebody who comes later."""
    with listening_to(port) as late:
        # A message of one's own comes after all that was kept.
        late.client.publish(f"probe/{table}", "all", qos=1)
        late.wait(lambda message: message[0] == f"probe/{table}")
        return {topic: text for topic, text, kept, _ in late.messages if table in topic and kept}


def test_who_comes_later_is_told_how_the_table_stands(tmp_path, broker):
    with told_by(tmp_path, to(broker)) as (table, _):
        its = table.snapshot.table
        with listening_to(broker.port) as listener:
            table.act(Reveal("dots"), source=API)
            listener.wait(on("state", table=its, step=1))
            kept = last_kept(broker.port, its)
    assert kept.keys() == {
        f"tidetable/{its}/availability",
        f"tidetable/{its}/state",
        f"homeassistant/device/tidetable-{its}/config",
    }
    assert kept[f"tidetable/{its}/availability"] == "online"
    state = json.loads(kept[f"tidetable/{its}/state"])
    assert state["turn"] == "Ann"
    assert state["players"][0]["score"] == 1


def test_events_come_once_in_order_and_are_not_kept(tmp_path, broker):
    with (
        listening_to(broker.port) as listener,
        told_by(tmp_path, to(broker)) as (table, _),
    ):
        its = table.snapshot.table
        for action in (Reveal("dots"), Stop(), Reveal("rings")):
            table.act(action, source=API)
        listener.wait(on("event", table=its, event_type="score", player="Bo"))
        events = [
            (json.loads(text), kept, qos)
            for topic, text, kept, qos in listener.messages
            if topic == f"tidetable/{its}/event"
        ]
    assert [(event["event_type"]) for event, *_ in events] == [
        *("game-begun", "shown", "happened", "score", "happened", "turn"),
        *("shown", "happened", "score"),
    ]
    assert {(kept, qos) for _, kept, qos in events} == {(False, 0)}
    assert len({event["id"] for event, *_ in events}) == len(events)
    assert f"tidetable/{its}/event" not in last_kept(broker.port, its)


def test_a_clean_stop_says_goodbye_and_leaves_no_thread(tmp_path, broker):
    with listening_to(broker.port) as listener:
        before = set(threading.enumerate())
        with told_by(tmp_path, to(broker)) as (table, _):
            its = table.snapshot.table
            listener.wait(on(f"{its}/state"))
            began = set(threading.enumerate()) - before
            assert {thread.name for thread in began} == {"table", "telling", "mqtt"}
        listener.wait(lambda message: message[:2] == (f"tidetable/{its}/availability", "offline"))
        assert not any(thread.is_alive() for thread in began)


def test_the_last_act_is_told_before_the_goodbye(tmp_path, broker):
    with listening_to(broker.port) as listener:
        with told_by(tmp_path, to(broker)) as (table, _):
            its = table.snapshot.table
            listener.wait(on(f"{its}/state"))
            table.act(Reveal("dots"), source=API)
        listener.wait(lambda message: message[:2] == (f"tidetable/{its}/availability", "offline"))
        listener.wait(on("state", table=its, step=1))


def test_a_service_follows_its_file_and_when_killed_is_told_offline_by_its_will(tmp_path, broker):
    settings = tmp_path / "table.toml"
    settings.write_text(f'[mqtt]\nhost = "127.0.0.1"\nport = {broker.port}\n')
    with (
        listening_to(broker.port) as listener,
        serving(tmp_path / "data", "--config", str(settings)) as service,
    ):
        its = service.get()["table"]
        where = f"tidetable/{its}/availability"
        listener.wait(lambda message: message[:2] == (where, "online"))
        service.do("reveal", card="dots")
        listener.wait(on("state", table=its, step=1))
        with settings.open("a") as file:
            file.write('prefix = "elsewhere"\n')
        listener.wait(lambda message: message[:2] == (where, ""))  # taken back
        where = f"elsewhere/{its}/availability"
        listener.wait(lambda message: message[:2] == (where, "online"))
        service.kill()
        listener.wait(lambda message: message[:2] == (where, "offline"))
        assert last_kept(broker.port, its)[where] == "offline"


def test_a_broker_that_was_killed_is_told_again_when_it_is_back(tmp_path, caplog):
    with (
        mosquitto(tmp_path / "broker") as broker,
        told_by(tmp_path / "table", to(broker)) as (table, _),
    ):
        its = table.snapshot.table
        with listening_to(broker.port) as listener:
            listener.wait(on(f"{its}/state"))
        broker.kill()
        # The table goes on meanwhile, and nothing waits for the broker.
        for action in (Reveal("dots"), Stop(), Reveal("rings")):
            assert table.act(action, source=API).code is None
        broker.start()
        with listening_to(broker.port) as listener:
            listener.wait(on("state", table=its, step=3))
            listener.wait(on(f"{its}/availability"))
    said = [record.getMessage() for record in caplog.records if "MQTT" in record.getMessage()]
    assert len(said) == len(set(said)) <= 3


def test_a_broker_that_is_away_at_the_start_is_found_when_it_comes(tmp_path, caplog):
    broker = Mosquitto(tmp_path / "broker")
    try:
        with told_by(tmp_path / "table", to(broker)) as (table, _):
            until(lambda: "nothing answers" in caplog.text)
            its = table.snapshot.table
            broker.start()
            with listening_to(broker.port) as listener:
                listener.wait(on("state", table=its))
    finally:
        broker.kill()
    assert caplog.text.count("nothing answers") == 1
    assert f"nothing answers at 127.0.0.1:{broker.port}: start the broker" in caplog.text


def test_what_happened_while_the_broker_was_away_is_no_news_any_more(tmp_path):
    broker = Mosquitto(tmp_path / "broker")
    try:
        with told_by(tmp_path / "table", to(broker)) as (table, teller):
            teller._broker._clock = Later(teller._broker._clock)
            table.act(Reveal("dots"), source=API)
            until(lambda: len(teller._broker._events) > 3)
            teller._broker._clock.by_s = 11
            broker.start()
            with listening_to(broker.port) as listener:
                its = table.snapshot.table
                listener.wait(on("state", table=its, step=1))
                table.act(Stop(), source=API)
                first = listener.wait(on("event"))
    finally:
        broker.kill()
    assert json.loads(first[1])["step"] == 2


class Later:
    """A clock that a test puts forward."""

    def __init__(self, clock):
        self.clock = clock
        self.by_s = 0.0

    def __call__(self):
        return self.clock() + self.by_s


def test_while_a_broker_is_stuck_only_the_newest_state_waits(tmp_path):
    with (
        mosquitto(tmp_path / "broker") as broker,
        listening_to(broker.port) as listener,
        told_by(tmp_path / "table", to(broker)) as (table, teller),
    ):
        its = table.snapshot.table
        listener.wait(on(f"{its}/state"))
        os.kill(broker._process.pid, signal.SIGSTOP)
        try:
            for _ in range(150):
                table.act(Reveal("dots"), source=API)
                table.undo(1, source=API)
            until(lambda: len(teller._broker._events) == broker_module.MOST_EVENTS)
        finally:
            os.kill(broker._process.pid, signal.SIGCONT)
        listener.wait(on("state", table=its, revision=table.snapshot.revision))
        states = [message for message in listener.messages if message[0].endswith(f"{its}/state")]
    assert len(states) < 10


# Signing in


def test_a_password_is_asked_for(tmp_path, caplog):
    passwords = tmp_path / "passwords"
    passwords.write_text("")
    subprocess.run(
        ["mosquitto_passwd", "-b", str(passwords), "table", "open sesame"],
        check=True,
        capture_output=True,
    )
    passwords.chmod(0o644)
    secret = tmp_path / "secret"
    secret.write_text("open sesame\n")
    with mosquitto(tmp_path / "broker", "allow_anonymous false", f"password_file {passwords}") as b:
        for wrong, who in (
            (to(b), "a client without a user"),
            (to(b, username="gertrud", password="shut sesame"), "the user and the password"),
        ):
            with told_by(tmp_path / who, wrong):
                until(lambda who=who: f"refuses {who}: set username" in caplog.text)
        for number, right in enumerate(
            (
                to(b, username="table", password="open sesame"),
                to(b, username="table", password_file=secret),
            )
        ):
            with told_by(tmp_path / f"{number}", right) as (table, _):
                its = table.snapshot.table
                with listening_to(b.port, "table", "open sesame") as listener:
                    listener.wait(on("state", table=its))
        missing = to(b, username="table", password_file=tmp_path / "none")
        with told_by(tmp_path / "missing", missing):
            until(lambda: "password_file" in caplog.text)
    assert "sesame" not in caplog.text
    assert "gertrud" not in caplog.text
    assert all(caplog.text.count(f"refuses {who}") == 1 for who in ("a client", "the user"))


def test_tls_with_an_authority_of_ones_own(tmp_path, authority, caplog):
    plain = Mosquitto(tmp_path / "plain")
    lines = (
        "allow_anonymous true",
        f"certfile {authority}/right.pem",
        f"keyfile {authority}/right.key",
        # For those who listen in this test.
        f"listener {(inside := free_port())} 127.0.0.1",
    )
    plain.start()
    try:
        with mosquitto(tmp_path / "broker", *lines) as b:
            right = to(b, tls=True, ca=authority / "right.pem")
            with told_by(tmp_path / "right", right) as (table, _):
                its = table.snapshot.table
                with listening_to(inside) as listener:
                    listener.wait(on("state", table=its))
                    table.act(Reveal("dots"), source=API)
                    listener.wait(on("state", table=its, step=1))
            for number, (wrong, said) in enumerate(
                (
                    (replace(right, ca=authority / "other.pem"), "is not believed"),
                    (replace(right, ca=None), "is not believed"),
                    (replace(right, host="localhost"), "is not believed"),
                    (replace(right, ca=tmp_path / "none.pem"), "cannot be used"),
                    (replace(right, tls=False, ca=None), "tls = true"),
                    (replace(right, port=plain.port), "does not speak TLS"),
                    (replace(right, host="no.such.host.invalid"), "nobody here knows"),
                )
            ):
                caplog.clear()
                with told_by(tmp_path / f"{number}", wrong):
                    until(lambda said=said: said in caplog.text)
                assert caplog.text.count("MQTT") == 1, caplog.text
    finally:
        plain.kill()


def test_a_handshake_that_fails_leaves_no_socket_open(tmp_path):
    files, tried = [], threading.Semaphore(0)
    with socket.create_server(("127.0.0.1", 0)) as server:

        def reset():
            for _ in range(8):
                with server.accept()[0] as its:
                    its.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    its.recv(10)
                files.append(len(list(Path("/proc/self/fd").iterdir())))
                tried.release()

        thread = threading.Thread(target=reset)
        thread.start()
        gc.disable()  # it would close them, some time
        try:
            settings = Mqtt("127.0.0.1", server.getsockname()[1], tls=True)
            with told_by(tmp_path, settings):
                assert all(tried.acquire(timeout=LIMIT_S) for _ in range(8))
        finally:
            gc.enable()
        thread.join()
    assert files[-1] - files[1] < 4


# Home Assistant


def description(listener, its):
    message = listener.wait(
        lambda message: message[0] == f"homeassistant/device/tidetable-{its}/config"
    )
    return json.loads(message[1])


def test_home_assistant_is_told_again_when_it_has_started(tmp_path, broker):
    with (
        listening_to(broker.port) as listener,
        told_by(tmp_path, to(broker)) as (table, _),
    ):
        its = table.snapshot.table
        first = description(listener, its)
        listener.wait(on("state", table=its))
        seen = len(listener.messages)
        listener.client.publish("homeassistant/status", "offline")
        listener.client.publish("homeassistant/status", "online")
        again = listener.wait(lambda message: message[0].startswith("homeassistant/device"), seen)
        listener.wait(on("state", table=its), seen)
    assert json.loads(again[1]) == first
    configs = [each for each in listener.messages if each[0].startswith("homeassistant/device")]
    assert len([each for each in configs if its in each[0]]) == 2


def test_another_game_takes_the_entities_of_empty_seats_away(tmp_path, broker):
    four = Setup("octopus-alarm", ("Ann", "Bo", "Cy", "Dee"))
    with (
        listening_to(broker.port) as listener,
        told_by(tmp_path, to(broker, prefix="home/sea"), setup=four) as (table, _),
    ):
        its = table.snapshot.table
        components = description(listener, its)["components"]
        assert components["score_4"]["name"] == "Score of Dee"
        listener.wait(on("state", table=its))
        seen = len(listener.messages)
        table.new_game(Setup("tentacles", ("Ann", "Eva")), source=API, instead=True)
        listener.wait(on("state", table=its, game_name="tentacles"), seen)
        new = json.loads(
            listener.wait(lambda each: each[0].startswith("homeassistant/device"), seen)[1]
        )
    assert new["components"]["score_2"]["name"] == "Score of Eva"
    assert new["components"]["score_2"]["unique_id"] == components["score_2"]["unique_id"]
    assert new["components"]["score_4"] == {"platform": "sensor"}
    assert new["state_topic"] == f"home/sea/{its}/state"


def test_without_discovery_home_assistant_is_not_told(tmp_path, broker):
    with (
        listening_to(broker.port) as listener,
        told_by(tmp_path, to(broker, discovery=False)) as (table, _),
    ):
        its = table.snapshot.table
        table.act(Reveal("dots"), source=API)
        listener.wait(on("state", table=its, step=1))
        assert last_kept(broker.port, its).keys() == {
            f"tidetable/{its}/{topic}" for topic in ("state", "availability")
        }


# Other settings, while it runs


def test_what_is_not_wanted_any_more_is_taken_back(tmp_path, broker):
    with told_by(tmp_path, to(broker)) as (table, teller):
        its = table.snapshot.table
        with listening_to(broker.port) as listener:
            listener.wait(on("state", table=its))
            seen = len(listener.messages)
            teller.use(to(broker, prefix="elsewhere", names=False), NoWebhook())
            where = f"elsewhere/{its}/state"
            state = json.loads(listener.wait(lambda message: message[0] == where, seen)[1])
            assert state["turn"] == "Player 1"
            kept = last_kept(broker.port, its)
            assert f"tidetable/{its}/state" not in kept
            assert "Ann" not in json.dumps(kept)
            same = teller._broker
            teller.use(to(broker, prefix="elsewhere", names=False), NoWebhook())
            assert teller._broker is same
            teller.use(Mqtt(), NoWebhook())
            assert last_kept(broker.port, its) == {}
            teller.use(to(broker), NoWebhook())
            seen = len(listener.messages)
            table.act(Reveal("dots"), source=API)
            listener.wait(on("state", table=its, step=1), seen)
            event = listener.wait(on("event", table=its), seen)
            assert json.loads(event[1])["event_type"] == "shown"
