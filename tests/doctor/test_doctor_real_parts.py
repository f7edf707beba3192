"""The doctor at real parts: pcscd, a terminal, a port, a disk, the service, another user."""

from __future__ import annotations

import json
import os
import pty
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from companion.doctor import asking, here
from companion.doctor import system as system_module
from companion.doctor.checks import network, serial_ports, smart_cards, storage, telling
from companion.doctor.examination import examine
from companion.doctor.system import Probes
from companion.drivers.pcsc import results
from companion.telling.settings import Mqtt, Webhook
from tests.support import service
from tests.support.disks import small_disk
from tests.support.mosquitto import free_port, listening_to, mosquitto
from tests.support.nobody import NOBODY, as_nobody, copied_for_all, python_for_nobody
from tests.support.pcscd import SOCKET, pcscd
from tests.support.receiver import receiving
from tests.telling.conftest import authority

__all__ = ["authority", "pcscd"]


def codes(system, checks):
    """What these checks find wrong."""
    return [finding.code for finding in examine(system, checks).of("bad", "warning")]


def findings(system, checks, code):
    found = examine(system, checks).of("bad", "warning")
    return [finding for finding in found if finding.code == code]


# --- pcscd ------------------------------------------------------------------------------


@pytest.mark.needs("pcscd")
def test_pcscd_that_runs_hangs_and_is_gone(pcscd, tmp_path, monkeypatch):
    daemon = pcscd()
    system = here.this_system(data=tmp_path, readers=("pcsc:",))
    service_check = [check for check in smart_cards.CHECKS if check.name == "smart-card-service"]
    reader_check = [check for check in smart_cards.CHECKS if check.name == "reader"]
    answer = Probes().pcsc()
    assert (answer.code, answer.readers) == (0, tuple(r.pcsc_name for r in daemon.readers))
    assert codes(system, [*service_check, *reader_check]) == []
    assert codes(here.this_system(data=tmp_path, readers=("pcsc:Other",)), reader_check) == [
        "reader-not-meant"
    ]

    monkeypatch.setattr(system_module, "COMMAND_S", 0.3)
    daemon.freeze()
    assert codes(system, service_check) == ["pcscd-hangs"]
    daemon.thaw()

    daemon.stop()
    assert Probes().pcsc().code == results.NO_SERVICE
    assert codes(system, service_check) == ["pcscd-stopped"]


VERSION, ESTABLISH = 0x11, 0x01  # of pcsc-lite's messages


@contextmanager
def denying_service(*, version: int = 0):
    """What pcsc-lite's own client library meets where polkit denies: a context is refused.

    Args:
        version: what is said to the version that the library speaks; 0 where it is the same.
    """

    def serve():
        with listener, suppress(OSError):
            while True:
                client, _ = listener.accept()
                with client:
                    while len(head := client.recv(8, socket.MSG_WAITALL)) == 8:
                        size, kind = struct.unpack("=II", head)
                        body = client.recv(size, socket.MSG_WAITALL)
                        if kind == VERSION:
                            client.sendall(body[:8] + struct.pack("=I", version))
                            if version:
                                break  # the library leaves its end open
                        elif kind == ESTABLISH:
                            denial = struct.pack("=I", results.SECURITY_VIOLATION)
                            client.sendall(body[:8] + denial)

    SOCKET.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(SOCKET))
    listener.listen()
    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()
        SOCKET.unlink()


@pytest.mark.needs("pcscd")
def test_a_service_that_denies_is_told_from_one_that_is_away(tmp_path):
    system = here.this_system(data=tmp_path, readers=("pcsc:",))
    check = [check for check in smart_cards.CHECKS if check.name == "smart-card-service"]
    with denying_service():
        (finding,) = findings(system, check, "pcscd-denies")
    assert "0x8010006A" in finding.cause
    with denying_service(version=results.NO_SERVICE):
        assert codes(system, check) == ["pcscd-other-version"]
    assert codes(system, check) == ["pcscd-stopped"]


# --- ports ------------------------------------------------------------------------------


@contextmanager
def another_process(*descriptors: int):
    """One that has these open, until the end."""
    with subprocess.Popen(
        [sys.executable, "-c", "print('ready', flush=True); input()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        pass_fds=descriptors,
        text=True,
    ) as child:
        child.stdout.readline()
        yield child
        child.stdin.close()


def test_a_terminal_that_another_process_holds(tmp_path):
    controller, terminal = pty.openpty()
    name = os.ttyname(terminal)
    system = here.this_system(data=tmp_path, readers=(f"line:{name}",))
    held = [check for check in serial_ports.CHECKS if check.name == "port-to-itself"]
    assert codes(system, held) == [], "what the doctor itself has open is no other program"
    with another_process(terminal) as child:
        (finding,) = findings(system, held, "port-held")
        assert str(child.pid) in finding.cause
        assert "python" in finding.cause
        assert finding.command == f"sudo kill {child.pid}"
    os.close(terminal)
    os.close(controller)


def with_port(system, port):
    return replace(
        system,
        settings=replace(system.settings, config=replace(system.settings.config, port=port)),
    )


def test_a_port_that_another_process_has(tmp_path):
    check = network.CHECKS_OF_PORT
    with socket.create_server(("127.0.0.1", 0)) as listener:
        system = with_port(here.this_system(data=tmp_path), listener.getsockname()[1])
        system.probes.fetch = lambda url: None  # it would wait for an answer
        (finding,) = findings(system, check, "port-taken")
        assert f"(process {os.getpid()})" in finding.cause
        with another_process(listener.fileno()) as child:
            listener.close()
            (finding,) = findings(system, check, "port-taken")
            assert f"(process {child.pid})" in finding.cause
    assert codes(system, check) == []


# --- disks ------------------------------------------------------------------------------


@pytest.mark.needs("mount")
def test_a_disk_in_memory_that_is_full_or_cannot_be_written(tmp_path):
    folder = tmp_path / "a folder"
    with small_disk(folder):
        found = codes(here.this_system(data=folder / "data"), storage.CHECKS)
        assert found == ["data-in-memory", "disk-full"]
    with small_disk(folder, "1g", read_only=True):
        found = codes(here.this_system(data=folder), storage.CHECKS)
        assert found == ["data-read-only", "data-in-memory"]
    assert "data-read-only" not in codes(here.this_system(data=folder), storage.CHECKS)


def test_a_record_is_looked_at_without_a_trace(tmp_path):
    with service.serving(tmp_path) as running:
        running.stop()
    before = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    report = examine(here.this_system(data=tmp_path))
    assert {"record", "copies"} <= {finding.code for finding in report.of("fine")}
    assert {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == before


# --- the service ------------------------------------------------------------------------


def test_the_service_is_found_with_what_it_was_told_and_when_it_hangs(tmp_path, monkeypatch):
    monkeypatch.setattr(system_module, "FETCH_S", 0.5)
    check = network.CHECKS_OF_PORT
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with service.serving(tmp_path, "--reader", "sim:north", port=port) as running:
        system = here.this_system(data=tmp_path)
        assert system.readers() == ("sim:north",)
        assert system.settings.config.port == port
        assert here.service_pid(system.root, tmp_path) == running.process.pid
        assert codes(system, check) == []
        running.process.send_signal(signal.SIGSTOP)
        assert codes(system, check) == ["service-silent"]
        running.process.send_signal(signal.SIGCONT)
        running.stop()
    assert here.service_pid(Path("/"), tmp_path) is None
    assert codes(system, check) == []


# --- those who are told -----------------------------------------------------------------


def told(tmp_path, **sections):
    """A system whose settings name them, and the codes of what is wrong with them."""
    system = here.this_system(data=tmp_path)
    config = replace(system.settings.config, **sections)
    system = replace(system, settings=replace(system.settings, config=config))
    return codes(system, telling.CHECKS)


@pytest.mark.needs("mosquitto")
def test_a_broker_that_takes_us_refuses_us_and_is_gone(tmp_path, authority):
    passwords = tmp_path / "passwords"
    passwords.write_text("")
    words = ["mosquitto_passwd", "-b", str(passwords), "table", "open sesame"]
    subprocess.run(words, check=True, capture_output=True)
    passwords.chmod(0o644)
    lines = ("allow_anonymous false", f"password_file {passwords}")
    tls = (f"listener {(deep := free_port())} 127.0.0.1", f"certfile {authority}/right.pem")
    with mosquitto(tmp_path / "b", *lines, *tls, f"keyfile {authority}/right.key") as broker:
        right = Mqtt("127.0.0.1", broker.port, "table", "open sesame")
        with listening_to(broker.port, "table", "open sesame") as listener:
            assert told(tmp_path, mqtt=right) == []
            assert told(tmp_path, mqtt=replace(right, password="shut sesame")) == ["broker-refuses"]
            assert told(tmp_path, mqtt=replace(right, username=None, password=None)) == [
                "broker-refuses"
            ]
            safe = replace(right, port=deep, tls=True, ca=authority / "right.pem")
            assert told(tmp_path, mqtt=safe) == []
            assert told(tmp_path, mqtt=replace(safe, ca=None)) == ["broker-away"]
            assert listener.messages == [], "nothing is published"
    assert told(tmp_path, mqtt=right) == ["broker-away"]


def test_a_broker_that_never_answers_is_waited_for_not_long(tmp_path, monkeypatch):
    monkeypatch.setattr(system_module, "TELL_S", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        assert told(tmp_path, mqtt=Mqtt("127.0.0.1", port)) == ["broker-away"]
        assert told(tmp_path, webhook=Webhook(f"https://127.0.0.1:{port}/")) == ["webhook-away"]


def test_a_receiver_is_connected_to_and_nothing_is_posted(tmp_path, authority):
    with receiving(authority / "right.pem", authority / "right.key") as there:
        url = there.url.replace("http:", "https:")
        assert told(tmp_path, webhook=Webhook(url, ca=authority / "right.pem")) == []
        named = url.replace("127.0.0.1", "localhost")
        system = here.this_system(data=tmp_path)
        why = system.probes.receiver(Webhook(named, ca=authority / "right.pem"))
        assert "is not believed" in why
        assert "localhost" not in why, "where events go is told to nobody"
        assert there.came.empty()
    assert told(tmp_path, webhook=Webhook(there.url)) == ["webhook-away"]
    assert told(tmp_path, webhook=Webhook("http://no.such.host.invalid/")) == ["webhook-away"]


# --- whose rights -----------------------------------------------------------------------


@pytest.fixture
def open_folder():
    """One that everybody may look into; those of pytest are for their owner alone."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.mark.needs("nobody")
def test_root_asks_with_the_rights_of_the_service(open_folder, monkeypatch):
    monkeypatch.setattr(here, "service_user", lambda: NOBODY)
    monkeypatch.setattr(Probes, "checkout", copied_for_all(open_folder))
    monkeypatch.setattr(asking, "_program", lambda: (python_for_nobody(), "-m", "companion.cli"))
    data = open_folder / "data"
    data.mkdir(mode=0o700)
    report = asking.asked(here.this_system(data=data))
    assert report.user == "nobody"
    assert "data-not-writable" in [finding.code for finding in report.of("bad")]
    os.chown(data, NOBODY.pw_uid, NOBODY.pw_gid)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        # nobody cannot see whose it is, and root answers for him
        (data / "table.toml").write_text(f"port = {listener.getsockname()[1]}\n")
        (data / "table.toml").chmod(0o644)
        report = asking.asked(here.this_system(data=data))
    assert not [finding for finding in report.findings if finding.code == "data-not-writable"]
    assert "port-taken" in [finding.code for finding in report.of("bad")]


def test_where_the_service_cannot_be_asked_root_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(here, "service_user", lambda: NOBODY)
    monkeypatch.setattr(asking, "_program", lambda: ("false",))
    report = asking.asked(replace(here.this_system(data=tmp_path), user=here.User(0, "root")))
    assert report.user == "root"
    assert next(finding.code for finding in report.of("unseen")) == "service-user"


def test_somebody_else_is_told_what_was_not_tried(tmp_path, monkeypatch):
    monkeypatch.setattr(here, "service_user", lambda: NOBODY)
    report = asking.asked(replace(here.this_system(data=tmp_path), user=here.User(1000, "ann")))
    assert "sudo companion doctor" in report.of("unseen")[0].cause


@pytest.mark.needs("nobody")
def test_who_may_see_nothing_gets_a_report_all_the_same(open_folder, tmp_path):
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    tmp_path.chmod(0o700)
    done = as_nobody(
        *(python_for_nobody(), "-m", "companion.cli", "doctor", "--json", "--data", str(data)),
        sources=copied_for_all(open_folder),
    )
    told = json.loads(done.stdout)
    assert done.returncode == told["status"] == 1, done.stderr
    assert "data-not-writable" in [finding["code"] for finding in told["findings"]]
    assert "please report it" not in done.stdout
