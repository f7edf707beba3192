"""`companion kiosk`: waits for the table, shows it, and starts a browser that ended again."""

from __future__ import annotations

import http.server
import os
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

from companion import kiosk

BROWSER = """\
#!/bin/sh
printf '%s\\n' "$HOME" "$@" >>"$TOLD/arguments"
echo started >"$TOLD/pipe"
[ -z "$TOLD_STAYS" ] || exec sleep 60
"""


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"the table")

    def log_message(self, *told):
        pass


@pytest.fixture
def served():
    """The port of a page that answers."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_port
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A program that writes down how it was started."""
    (tmp_path / "browser").write_text(BROWSER)
    (tmp_path / "browser").chmod(0o755)
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setenv("TOLD", str(tmp_path))
    monkeypatch.setenv("TOLD_STAYS", "")
    (tmp_path / "run").mkdir()
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path / "run"))
    monkeypatch.setattr(kiosk, "REST_S", 0)
    monkeypatch.setattr(kiosk, "LOOK_S", 0.01)
    return tmp_path / "browser"


@contextmanager
def showing(program, port):
    """Runs the kiosk beside the test, and ends it; waits for a start of the browser."""
    stopped = threading.Event()
    thread = threading.Thread(
        target=kiosk.show, args=(port, stopped), kwargs={"alone": False, "browser": str(program)}
    )
    thread.start()
    yield (program.parent / "pipe").read_text
    stopped.set()
    thread.join(10)
    assert not thread.is_alive()
    assert list((program.parent / "run").iterdir()) == []


def test_a_browser_that_ends_is_started_again_with_a_new_profile(program, served):
    with showing(program, served) as wait_for_start:
        wait_for_start()
        wait_for_start()
    told = (program.parent / "arguments").read_text().splitlines()
    profiles = {line for line in told if line.startswith("--user-data-dir=")}
    assert len(profiles) >= 2
    assert f"http://127.0.0.1:{served}/?kiosk" in told
    assert told[0].startswith(f"{program.parent}/run/")


def test_a_browser_that_runs_is_ended_with_the_kiosk(program, served, monkeypatch):
    monkeypatch.setenv("TOLD_STAYS", "yes")
    with showing(program, served) as wait_for_start:
        wait_for_start()


def test_it_waits_until_the_table_answers(monkeypatch):
    asked = []

    def refuses(address, timeout):
        asked.append(address)
        if len(asked) < 3:
            raise OSError
        return open(__file__)  # noqa: PTH123 - something to close

    monkeypatch.setattr("urllib.request.urlopen", refuses)
    monkeypatch.setattr(kiosk, "LOOK_S", 0)
    assert kiosk.wait_until_served(lambda: "http://127.0.0.1:1", threading.Event())
    assert len(asked) == 3


def test_it_may_be_stopped_while_it_waits(monkeypatch):
    stopped = threading.Event()

    def refuses(address, timeout):
        stopped.set()
        raise OSError

    monkeypatch.setattr("urllib.request.urlopen", refuses)
    assert kiosk.wait_until_served(lambda: "http://127.0.0.1:1", stopped) is None


def test_the_display_follows_the_service_to_another_port(program, served, monkeypatch):
    """The browser runs on until the service says another address; while it restarts it says none."""
    monkeypatch.setenv("TOLD_STAYS", "yes")
    told = program.parent / "address"
    monkeypatch.setattr(kiosk, "ADDRESS", told)
    told.write_text(f"http://127.0.0.1:{served}\n")
    with showing(program, None) as wait_for_start:
        wait_for_start()
        told.unlink()
        told.write_text(f"http://localhost:{served}\n")
        wait_for_start()
    pages = [
        line
        for line in (program.parent / "arguments").read_text().splitlines()
        if line.endswith("/?kiosk")
    ]
    assert pages == [f"http://{name}:{served}/?kiosk" for name in ("127.0.0.1", "localhost")]


def test_without_a_service_that_says_so_it_is_the_usual_port(program, monkeypatch):
    monkeypatch.setattr(kiosk, "ADDRESS", program.parent / "none")
    asked = []
    stopped = threading.Event()

    def refuses(address, timeout):
        asked.append(address)
        stopped.set()
        raise OSError

    monkeypatch.setattr("urllib.request.urlopen", refuses)
    kiosk.show(None, stopped, alone=False, browser=str(program))
    assert asked == ["http://127.0.0.1:8080"]


@pytest.mark.parametrize(
    "flag",
    [
        "--kiosk",
        "--no-first-run",
        "--hide-crash-restore-bubble",
        "--autoplay-policy=no-user-gesture-required",
    ],
)
def test_nothing_stands_before_the_board_and_it_sounds(flag):
    assert flag in kiosk.command_line("chromium", "http://x/", Path("/p"), alone=False)


def test_without_a_desktop_cage_is_one(monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    line = kiosk.command_line("chromium", "http://x/", Path("/p"), alone=True)
    assert list(line[:5]) == ["/usr/bin/cage", "-d", "-s", "--", "chromium"]
    assert "--ozone-platform=wayland" in line


@pytest.mark.parametrize(("alone", "runtime"), [(True, "/run/k"), (False, "/run/user/1000")])
def test_a_desktop_keeps_its_sockets_and_a_tv_has_no_keyboard(alone, runtime):
    told = kiosk.environment(Path("/run/k"), {"XDG_RUNTIME_DIR": "/run/user/1000"}, alone=alone)
    assert told["XDG_RUNTIME_DIR"] == runtime
    assert told["WLR_LIBINPUT_NO_DEVICES"] == "1"


@pytest.mark.parametrize(("alone", "missing"), [(False, "chromium"), (True, "cage")])
def test_what_is_missing_is_a_command_to_type(monkeypatch, alone, missing):
    monkeypatch.setattr("shutil.which", lambda name: None if name.startswith(missing) else name)
    with pytest.raises(kiosk.NoDisplay, match=f"apt-get install {missing}"):
        kiosk.command_line(kiosk.found_browser(), "http://x/", Path("/p"), alone=alone)


def test_raspberry_pi_oss_older_name_is_found(monkeypatch):
    names = {"chromium-browser": "/usr/bin/chromium-browser"}
    monkeypatch.setattr("shutil.which", names.get)
    assert kiosk.found_browser() == "/usr/bin/chromium-browser"
