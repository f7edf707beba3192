"""The service as a process: how it starts, refuses, is killed, goes on and ends."""

from __future__ import annotations

import os
import random
import re
import shlex
import socket
import sqlite3
import subprocess
import threading
import time
import urllib.request
from contextlib import closing, suppress
from http.client import HTTPException
from pathlib import Path

import pytest

from companion.cli import main
from firmware_bridge.messages import SAMPLING, TAG_ON, pack_tag_on
from tests.support.board_end import BoardEnd, Served, board_ms
from tests.support.service import TOKEN, command, end, refused, serving, start


def test_it_starts_plays_and_ends(tmp_path):
    with serving(tmp_path, "--players", "Ann,Bo,Cy", "--starter", "Bo") as service:
        assert service.get()["turn"] == "Bo"
        reply = service.do("reveal", card="dots")
        assert reply["scores"] == {"Ann": 0, "Bo": 1, "Cy": 0}
        assert service.stop() == 0


def test_sigterm_ends_it_within_three_seconds_with_streams_open(tmp_path):
    with serving(tmp_path) as service:
        streams = [
            urllib.request.urlopen(f"{service.url}/api/v1/table/stream", timeout=30)
            for _ in range(5)
        ]
        for stream in streams:
            assert stream.readline()
        before = time.monotonic()
        assert service.stop() == 0
        assert time.monotonic() - before < 6
        for stream in streams:
            stream.close()


def test_a_game_in_the_folder_goes_on_unless_a_new_one_is_wanted(tmp_path):
    with serving(tmp_path) as service:
        service.do("reveal", card="dots")
        first = service.get()
        service.stop()
    with serving(tmp_path) as service:
        again = service.get()
        assert (again["game_id"], again["step"]) == (first["game_id"], 1)
        service.stop()
    with serving(tmp_path, "--players", "X,Y") as service:
        assert service.get()["game_id"] == first["game_id"]
        service.stop()
    assert "with Ann, Bo goes on at step 1" in service.said
    with serving(tmp_path, "--new", "--players", "X,Y") as service:
        new = service.get()
        assert new["game_id"] != first["game_id"]
        assert (new["table"], new["step"], list(new["scores"])) == (first["table"], 0, ["X", "Y"])


def test_killed_at_any_moment_it_has_all_that_was_acknowledged_and_nothing_twice(tmp_path):
    """Cards are posted without a pause, each under an id, while the process is killed."""
    chance = random.Random(5)
    acknowledged: list[str] = []
    unsure: str | None = None
    number = 0
    options = ["--set", "pattern=20", "--set", "eyes=0"]
    for life in range(12):
        service = start(tmp_path, *options)
        try:
            step = service.get()["step"]
            assert step in (len(acknowledged), len(acknowledged) + (unsure is not None)), life
            if unsure is not None:
                status, reply = service.post({"do": "reveal", "card": "dots", "id": unsure})
                assert status == 200
                assert reply.get("repeated", False) == (step == len(acknowledged) + 1)
                acknowledged.append(unsure)
                unsure = None
            threading.Timer(chance.uniform(0, 0.02), service.process.kill).start()
            while len(acknowledged) < 20:
                number += 1
                unsure = f"card-{number}"
                try:
                    status, reply = service.post({"do": "reveal", "card": "dots", "id": unsure})
                except (OSError, HTTPException):
                    break
                assert status == 200
                assert reply["step"] == len(acknowledged) + 1
                acknowledged.append(unsure)
                unsure = None
            service.process.wait(30)
        finally:
            end(service)
        if len(acknowledged) >= 20:
            break
    with serving(tmp_path) as service:
        assert service.get()["step"] in (
            len(acknowledged),
            len(acknowledged) + (unsure is not None),
        )
    assert acknowledged


def test_a_second_service_is_refused_and_told_who_holds_the_folder(tmp_path):
    with serving(tmp_path) as service:
        said = refused("run", "--data", str(tmp_path), "--port", "0")
        assert str(service.process.pid) in said
        assert service.url in said
        assert len(said.strip().splitlines()) == 1
        assert service.get()["ok"]


def test_a_port_that_is_taken_is_refused(tmp_path):
    with serving(tmp_path) as service:
        service.do("reveal", card="dots")
        service.stop()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = refused("run", "--data", str(tmp_path), "--port", str(port))
        refused("run", "--data", str(tmp_path), "--port", str(port), "--new")
    with serving(tmp_path) as service:
        assert service.get()["step"] == 1
    assert f"Port {port}" in said
    assert "--port" in said
    assert len(said.strip().splitlines()) == 1


@pytest.mark.parametrize("where", ["a-file", "a-file/below", "/proc/nowhere"])
def test_a_folder_that_cannot_be_written_is_refused(tmp_path, where):
    (tmp_path / "a-file").write_text("in the way")
    said = refused("run", "--data", str(tmp_path / where), "--port", "0")
    assert "--data" in said
    assert len(said.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["--game", "chess"], "no game 'chess'"),
        (["--players", "Ann"], "2 to 6 players"),
        (["--players", "Ann,Ann"], "one name"),
        (["--starter", "Zoe"], "Zoe"),
        (["--set", "octopus=many"], "octopus"),
        (["--set", "octopus"], "KEY=VALUE"),
        (["--set", "ink=1"], "ink"),
        (["--reader", "abacus:"], "abacus:"),
        (["--reader", "sim:", "--reader", "sim:"], "twice"),
        (["--token", ""], "token"),
        (["--config", "no-such.toml"], "no-such.toml"),
        (["--host", "no.such.host.invalid"], "no.such.host.invalid"),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(tmp_path, words, part):
    said = refused("run", "--data", str(tmp_path), "--port", "0", *words)
    assert part in said
    assert len(said.strip().splitlines()) == 1


def test_an_unknown_key_in_the_configuration_is_refused(tmp_path):
    config = tmp_path / "table.toml"
    config.write_text("colour = 'blue'\n")
    assert "'colour'" in refused("run", "--config", str(config))


def test_everything_can_come_from_a_file(tmp_path):
    config = tmp_path / "table.toml"
    config.write_text("players = ['Ola', 'Kari']\nstarter = 'Kari'\nset = { octopus = 1 }\n")
    with serving(tmp_path / "data", "--config", str(config)) as service:
        table = service.get()
        assert (table["turn"], table["state"]["pile"]) == ("Kari", 41)


def test_the_deck_in_play_is_what_is_enrolled(tmp_path):
    faces = ["dots", "dots", "rings", "stars", "stripes", "waves", "octopus"]
    rows = [f"0400000000{number:04X},tentacles/{face}" for number, face in enumerate(faces)]
    (tmp_path / "tags.csv").write_text("\n".join(["uid,component", *rows]) + "\n")
    assert main(["tags", "import", str(tmp_path / "tags.csv"), "--data", str(tmp_path)]) == 0
    with serving(tmp_path) as service:
        assert service.get()["state"]["pile"] == 7
        service.do("reveal", card="dots")
        status, reply = service.post({"do": "reveal", "card": "dots-eyes"})
        assert (status, reply["error"]["code"]) == (409, "card-not-available")


def test_a_tap_that_the_board_may_forget_outlives_a_kill(tmp_path):
    """Eight cards are told, and the process is killed when the first acknowledgement comes."""
    faces = ["dots"] * 8 + ["rings", "stars", "stripes", "waves", "octopus"]
    cards = [f"0400000000{number:04X}" for number in range(len(faces))]
    rows = [f"{uid},tentacles/{face}" for uid, face in zip(cards, faces, strict=True)]
    (tmp_path / "tags.csv").write_text("\n".join(["uid,component", *rows]) + "\n")
    assert main(["tags", "import", str(tmp_path / "tags.csv"), "--data", str(tmp_path)]) == 0
    board = BoardEnd()
    try:
        wire = board.plug(Served())
        reader = ["--reader", f"bridge:socket://127.0.0.1:{wire.port}"]
        with serving(tmp_path, *reader) as service:
            board.next(SAMPLING)  # it is greeted
            with board._lock:  # in one go, as after a cable that was pulled
                for uid in cards[:8]:
                    body = pack_tag_on(0, bytes.fromhex(uid), board_ms())
                    board.link.send(TAG_ON, body, board_ms())
            limit_s = time.monotonic() + 20
            while board.link.waiting == 8:
                assert time.monotonic() < limit_s, "the host acknowledges nothing"
            service.kill()
            acknowledged = 8 - board.link.waiting
    finally:
        board.stop()
    with serving(tmp_path) as service:
        assert 0 < acknowledged <= service.get()["step"]


def test_a_deck_that_is_enrolled_in_part_is_refused_with_what_is_missing(tmp_path):
    (tmp_path / "tags.csv").write_text("uid,component\n8B6566B9,tentacles/dots\n")
    assert main(["tags", "import", str(tmp_path / "tags.csv"), "--data", str(tmp_path)]) == 0
    said = refused("run", "--data", str(tmp_path), "--port", "0")
    assert "enrolled" in said
    assert "rings, stars, stripes or waves" in said
    with serving(tmp_path, "--set", "octopus=3") as service:
        assert service.get()["state"]["pile"] == 43
    # A game that goes on is not disturbed by what is enrolled meanwhile.
    with serving(tmp_path) as service:
        assert service.get()["state"]["pile"] == 43


ROOT = Path(__file__).parent.parent.parent
NAMES = [
    "<script>alert(1)</script>",
    "N" * 200,
    "Car\rriage\nreturn",
    "🐙🎣",
    "'; DROP TABLE entry; --",
    "\u202egnirts",
]


@pytest.mark.parametrize("name", NAMES)
def test_any_name_makes_a_safe_page(tmp_path, name):
    with serving(tmp_path, "--players", f"{name},Bo") as service:
        assert list(service.get()["scores"])[1] == "Bo"
        reply = service.do("reveal", card="dots")
        assert reply["ok"]
        with urllib.request.urlopen(service.url, timeout=30) as response:
            page = response.read().decode()
        assert "<script>alert" not in page


def test_the_link_outlives_a_restart(tmp_path):
    with serving(tmp_path) as service:
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        opener.open(f"{service.url}/link/{TOKEN}", timeout=30).close()
        port = service.port
        service.kill()
    with serving(tmp_path, port=port) as service:
        with opener.open(service.url, timeout=30) as response:
            page = response.read().decode()
        assert 'action="/touch"' in page


def test_without_pyscard_it_starts_and_says_so(tmp_path):
    hidden = tmp_path / "hidden"
    (hidden / "smartcard").mkdir(parents=True)
    (hidden / "smartcard" / "__init__.py").write_text("raise ImportError('not installed')\n")
    path = os.pathsep.join([str(hidden), str(ROOT)])
    with serving(
        tmp_path / "data", "--reader", "pcsc:", "--reader", "sim:", environment={"PYTHONPATH": path}
    ) as service:
        missing, virtual = service.get()["readers"]
        assert (missing["name"], missing["state"]) == ("pcsc:", "lost")
        assert "pyscard" in missing["trouble"]
        assert virtual["state"] == "ready"
        assert service.do("reveal", card="dots")["ok"]
        service.stop()
    assert "pyscard" in service.said


def test_the_printed_link_opens_whatever_the_token_is_made_of(tmp_path):
    with serving(tmp_path, "--token", "a/b?c#d%25+&") as service:
        said = os.pread(service.log.fileno(), 10_000, 0).decode()
        (link,) = re.findall("Touch buttons on this device: (.*)", said)
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        with opener.open(link, timeout=30) as response:
            assert 'action="/touch"' in response.read().decode()


def test_sigterm_ends_it_in_time_though_another_program_keeps_the_record_locked(tmp_path):
    with serving(tmp_path) as service, closing(sqlite3.connect(tmp_path / "table.sqlite")) as other:
        other.execute("BEGIN IMMEDIATE")
        answers: list[int] = []

        def post():
            # Who comes when all is over finds nobody to connect to.
            with suppress(OSError, HTTPException):
                answers.append(service.post({"do": "reveal", "card": "dots"})[0])

        posters = [threading.Thread(target=post) for _ in range(4)]
        for poster in posters:
            poster.start()
        before = time.monotonic()
        assert service.stop() == 0
        assert time.monotonic() - before < 6
        for poster in posters:
            poster.join(5)
        assert set(answers) <= {503}
        other.rollback()
    with serving(tmp_path) as service:
        assert service.get()["step"] == 0


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ("play <&-", 0),
        ("play >&-", 2),
        ("run --port 0 >/dev/full", 2),
        ("config show >/dev/full", 2),
    ],
)
def test_a_closed_or_full_output_is_no_crash(tmp_path, words, status):
    companion = f"{shlex.join(command())} {words}"
    done = subprocess.run(
        ["/bin/sh", "-c", companion],
        env={**os.environ, "XDG_DATA_HOME": str(tmp_path), "PYTHONUNBUFFERED": ""},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, "Traceback" in done.stderr) == (status, False), done.stderr


@pytest.mark.parametrize("words", ["--help", "config show"])
def test_an_output_that_nobody_reads_any_more_is_no_crash(tmp_path, words):
    """As in `companion --help | head -1`, whose rest is only written at the end."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as nobody:
        done = subprocess.run(
            [*command(), *words.split()],
            env={**os.environ, "XDG_DATA_HOME": str(tmp_path), "PYTHONUNBUFFERED": ""},
            stdout=nobody,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_game_in_which_nothing_was_done_gives_way_to_other_players(tmp_path):
    with serving(tmp_path) as service:
        first = service.get()["game_id"]
    with serving(tmp_path, "--players", "Ann,Bo") as service:
        assert service.get()["game_id"] == first
    with serving(tmp_path, "--players", "Kari,Ola") as service:
        assert list(service.get()["scores"]) == ["Kari", "Ola"]
    with serving(tmp_path) as service:
        assert list(service.get()["scores"]) == ["Kari", "Ola"]


def test_a_game_in_which_nothing_was_done_gives_way_to_another_game(tmp_path):
    with serving(tmp_path):
        pass
    with serving(tmp_path, "--game", "sea-salt-paper") as service:
        assert service.get()["game"] == "sea-salt-paper"
    with serving(tmp_path) as service:
        assert service.get()["game"] == "sea-salt-paper"
        service.do("deal", cards=["crab-grey", "boat-black-1"])
    # Something was done: it goes on, whatever is asked of a new one.
    with serving(
        tmp_path, "--game", "octopus-alarm", "--set", "salt=1", "--starter", "X"
    ) as service:
        assert (service.get()["game"], service.get()["step"]) == ("sea-salt-paper", 1)


def test_nobody_else_on_the_machine_can_read_the_record(tmp_path):
    with serving(tmp_path) as service:
        service.do("reveal", card="dots")
        modes = {path.name: path.stat().st_mode & 0o077 for path in tmp_path.glob("table.sqlite*")}
    assert "table.sqlite" in modes
    assert set(modes.values()) == {0}


@pytest.mark.parametrize("words", [["run", "--port", "0"], ["tags", "import", "{tags}"]])
def test_a_full_disk_is_said_in_one_sentence(tmp_path, words):
    """A file-size limit stands in for the disk: SQLite meets the same failed write."""
    tags = tmp_path / "tags.csv"
    tags.write_text("uid,component\n8B6566B9,player/1\n")
    companion = shlex.join(
        [*command(*(word.format(tags=tags) for word in words)), "--data", str(tmp_path / "data")]
    )
    done = subprocess.run(
        ["/bin/sh", "-c", f"trap '' XFSZ; ulimit -f 1; exec {companion}"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_damaged_record_is_named_and_kept(tmp_path):
    with serving(tmp_path) as service:
        service.do("reveal", card="dots")
        service.stop()
    with closing(sqlite3.connect(tmp_path / "table.sqlite")) as record:
        record.execute("UPDATE game SET players = 'no list'")
        record.commit()
    with serving(tmp_path) as service:
        assert service.get()["step"] in (0, 1), "a copy goes on, or a new game begins"
        service.stop()
    assert "damaged" in service.said
    assert [path.name for path in tmp_path.rglob("*damaged*")], "it is set aside, not deleted"
