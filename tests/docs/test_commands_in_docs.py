"""Every command of the README and of docs/ is run here, or stands below with the reason why not."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from hardware_sim.board.simulated_board import NoMicroPython, find_micropython
from tests.docs.blocks import ROOT, Block, blocks, blocks_of, pages
from tests.support.service import TOKEN, serving

DATA = ".local/share/tidetable"
"""The data folder in a home."""

PORT = "127.0.0.1:8080"
LIMIT_S = 60

PART = "needs the part itself; its words are read by tests/test_hardware_docs.py"
HANDS = "needs hands at a reader; tests/doctor plays them"
INSTALLED = "changes the computer; .ci/bare-debian does it in one of its own"
BROKER = "sets up a broker; tests/telling runs one with the same lines"
FETCHES = "fetches from the network"
LONG = "takes minutes"
ITSELF = "is what runs this test; tests/test_run_script.py shows it"
NOT_RUN = {
    r"sudo .*": INSTALLED,
    r"\./run (un)?install(?!.*--dry-run).*": INSTALLED,
    r"(systemctl|journalctl) .*": "needs the installed service",
    r"companion check-board (pcsc:|pn532:/dev|bridge:serial).*": PART,
    r"companion calibrate .*": PART,
    r"\.venv/bin/mpremote .*|rm -rf firmware_bridge/__pycache__": PART,
    r"(companion|\./run) doctor --tap": HANDS,
    r"mosquitto_sub .*|printf .* sudo tee .*": BROKER,
    r"ping .*|avahi-resolve .*": "asks the network; tests/network does it",
    r"git pull|\.venv/bin/pip install .*": FETCHES,
    r"\.venv/bin/python -m tests\.benchmarks.*": LONG,
    r"(sudo )?\.ci/.*|\./run (test|package|docs).*": ITSELF,
    r"companion .*\bpebbles.*": "needs the game of that page; tests/fourth_game plays it",
}
SHORTER = {r"--games (\d{3,})": "--games 2"}
"""The same with less of it."""

STATUSES = {
    r"(companion|\./run) doctor.*": (0, 1),  # whatever is wrong with this computer
    r"companion check-board .*": (2,),  # nobody is at the terminal to answer
    r"companion restore before-version-3": (2,),  # there was no upgrade
}
SERVES = r"\./run|(\./run|companion) run( .*)?|companion sim .*"
OWN_OUTPUT = {"docs/keeping.md": "the copies of another table"}
"""Pages whose block of output is only an example."""

RUN = '#!/bin/sh\n[ $# -gt 0 ] || set -- run\nexec companion "$@"\n'
"""In the place of ./run, which would make a .venv; what it adds has tests of its own."""


def reason(command: str) -> str | None:
    return next((why for shape, why in NOT_RUN.items() if re.fullmatch(shape, command)), None)


def all_commands() -> list[tuple[str, str]]:
    found = [
        (block.page, one)
        for page in pages()
        for block in blocks(page)
        if block.kind == "sh"
        for one in block.commands()
    ]
    return list(dict.fromkeys(found))


class Typist:
    """Types commands in a new folder, as somebody who has just read a page."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder = folder
        self.port = 0
        self.stack = ExitStack()
        self.table = self.stack.enter_context(ExitStack())
        programs = folder / ".venv" / "bin"
        programs.mkdir(parents=True)
        python = f"#!/bin/sh\nexec {shlex.quote(sys.executable)}"
        for path, text in (
            (programs / "python", f'{python} "$@"\n'),
            (programs / "companion", f'{python} -m companion.cli "$@"\n'),
            (folder / "run", RUN),
        ):
            path.write_text(text)
            path.chmod(0o755)
        self.environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith("XDG_")},
            "HOME": str(home),
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
        }

    def written(self, command: str) -> str:
        """As it is typed here: ports that are free, a folder of the test's own, less of it."""
        for shape, instead in SHORTER.items():
            command = re.sub(shape, instead, command)
        command = command.replace("/tmp/", f"{self.folder}/").replace("TOKEN", TOKEN)
        return command.replace(PORT, f"127.0.0.1:{self.port}")

    def type(self, command: str) -> str:
        """What it said, when it ended as it should.

        Raises:
            AssertionError: it did not, and this is what it said.
        """
        if command.startswith("export "):
            name, _, value = command.removeprefix("export ").partition("=")
            shown = f"printf %s {value}"
            self.environment[name] = self._done(shown).stdout
            return ""
        if re.fullmatch(SERVES, command):
            if " sim " in command:
                return self.stack.enter_context(self.serving(command))
            self.table.close()  # as people do before they start another one
            return self.table.enter_context(self.serving(command))
        done = self._done(self.written(command))
        statuses = next(
            (many for shape, many in STATUSES.items() if re.fullmatch(shape, command)), (0,)
        )
        said = done.stdout + done.stderr
        assert done.returncode in statuses, f"{command}\n{said}"
        assert "Traceback" not in said, said
        return said

    def _done(self, command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["/bin/sh", "-c", command],
            check=False,
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
        )

    @contextmanager
    def serving(self, command: str) -> Iterator[str]:
        """It serves until it is ended, and ends well."""
        words = self.written(command)
        table = " sim " not in f" {words} "
        if table:
            words = f"{'./run run' if words == './run' else words} --port 0"
        with subprocess.Popen(
            ["/bin/sh", "-c", f"exec {words}"],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as process:
            yield from self._until_ended(process, table=table)

    def _until_ended(self, process: subprocess.Popen[str], *, table: bool) -> Iterator[str]:
        watchdog = threading.Timer(LIMIT_S, process.kill)
        watchdog.start()
        said = []
        for line in process.stdout:
            said.append(line)
            if not table or line.startswith("ready "):
                break
        yield "".join(said)
        process.send_signal(signal.SIGTERM)
        rest = process.stdout.read()
        status = process.wait(LIMIT_S)
        watchdog.cancel()
        assert status in (0, -signal.SIGTERM if not table else 0), "".join(said) + rest


@pytest.fixture(scope="module")
def household(tmp_path_factory):
    """A home in which a little was played."""
    home = tmp_path_factory.mktemp("home")
    data = home / DATA
    data.mkdir(parents=True)
    with serving(data, "--new", "--players", "Ann,Bo") as service:
        service.do("reveal", card="dots")
        service.do("stop")
        service.do("reveal", card="rings")
        service.stop()
    return home


@pytest.fixture
def typist(household, tmp_path):
    home = tmp_path / "home"
    shutil.copytree(household, home)
    (tmp_path / "here").mkdir()
    typist = Typist(tmp_path / "here", home)
    with typist.stack:
        yield typist


@pytest.fixture
def service(household, tmp_path):
    """A table that goes on with that game, for what speaks to one."""
    data = tmp_path / "data of the service"
    shutil.copytree(household / DATA, data)
    with serving(data) as service:
        yield service


def matches(shown: str, said: str) -> list[str]:
    """The lines that were shown and not said; an ellipsis stands for whatever differs."""
    lines = [re.sub(r"127\.0\.0\.1:\d+", PORT, line.strip()) for line in said.splitlines()]
    shapes = {
        line: ".*".join(map(re.escape, line.strip().split("…"))) for line in shown.splitlines()
    }
    return [
        line
        for line, shape in shapes.items()
        if not any(re.fullmatch(shape, each) for each in lines)
    ]


def lacking(shown: object, told: object) -> bool:
    """Whether what a page shows of an answer is not what was told; revisions differ."""
    if isinstance(shown, dict) and isinstance(told, dict):
        return any(
            lacking(value, told.get(key)) for key, value in shown.items() if key != "revision"
        )
    return shown != told


def runnable(page: str) -> list[Block]:
    return [b for b in blocks(page) if b.kind == "sh" and not all(map(reason, b.commands()))]


def parts(page: str) -> list[pytest.MarkDecorator]:
    said = " ".join(one for block in runnable(page) for one in block.commands())
    needed = {"curl ": "curl", "sim board": "micropython"}
    return [pytest.mark.needs(part) for words, part in needed.items() if words in said]


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=parts(page)) for page in pages() if runnable(page)]
)
def test_the_commands_of_a_page_do_what_it_says(typist, page, request):
    everything = list(blocks(page))
    for number, block in enumerate(everything):
        if block.kind != "sh":
            continue
        said = ""
        for command in block.commands():
            if reason(command):
                continue
            if "curl " in command:
                typist.port = request.getfixturevalue("service").port
            files(typist, everything[:number], command)
            said += typist.type(command)
        follows = everything[number + 1 : number + 2]
        for output in follows:
            if output.section != block.section or page in OWN_OUTPUT or not said:
                continue
            if output.kind == "text":
                assert matches(output.text, said) == [], said
            if output.kind == "json" and "curl" in block.text:
                answer = next(line for line in said.splitlines() if line.startswith("{"))
                assert not lacking(json.loads(output.text), json.loads(answer)), answer


def files(typist: Typist, above: list[Block], command: str) -> None:
    """A file that a command reads is the newest block of its kind above it."""
    for kind in ("csv", "toml"):
        for name in re.findall(rf"import ([\w-]+\.{kind})", command):
            text = next(block.text for block in reversed(above) if block.kind == kind)
            (typist.folder / name).write_text(text)


def test_each_reason_is_that_of_a_command():
    """A reason that nobody needs would hide the next command that looks like it."""
    written = [command for _, command in all_commands()]
    assert [
        shape for shape in NOT_RUN if not any(re.fullmatch(shape, one) for one in written)
    ] == []
    assert len(written) > 60
    assert sum(reason(one) is None for one in written) > 30


def test_no_code_is_without_a_fence_and_no_fence_without_a_kind():
    found = [block for page in pages() for block in blocks(page)]
    commands = [b for b in found if b.kind in ("", "bash", "shell", "console")]
    assert [
        (b.page, b.line) for b in commands if re.search(r"(?m)^(\$ |\./run|companion )", b.text)
    ] == []


def test_a_planted_block_is_seen():
    text = "# A\n\n1. so:\n\n   ```sh\n   companion fly \\\n     high # now\n   ```\n\n```text\nup\n```\n"
    command, output = blocks_of("a.md", text)
    assert (command.commands(), command.section, output.section) == (["companion fly high"], 1, 1)
    assert reason("companion fly high") is None
    assert matches("up …\n", "up there\n") == []
    assert matches("up\n", "down\n") == ["up"]
    with pytest.raises(ValueError, match="without a fence"):
        list(blocks_of("a.md", "# A\n\n    companion fly\n"))


def test_a_command_that_fails_is_a_failure(typist):
    with pytest.raises(AssertionError, match="fly"):
        typist.type("companion fly")


def test_the_simulated_board_is_not_started_before_its_micropython_is_added(monkeypatch, tmp_path):
    """`./run` does not add it; what is said where it is missing is what the pages say."""
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoMicroPython) as missing:
        find_micropython()
    add = f".venv/bin/{str(missing.value).rpartition(' -m ')[2]}"
    starts, added = 0, set()
    for page, command in all_commands():
        if command == add:
            added.add(page)
        elif command.startswith("companion sim board"):
            starts += 1
            assert page in added, page
    assert starts >= 2
