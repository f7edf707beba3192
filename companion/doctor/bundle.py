"""One file for those who are asked for help: all that explains a fault, and nobody's secrets.

It is a ZIP archive of plain texts, so that everybody can read it before it is sent. What people
of the table are called, UIDs of tags, hidden cards, codes, tokens and passwords are left out: each
text is made without them, and then goes through a mask that knows all of them from the record.
"""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import re
import stat
import tomllib
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

from companion.asked_for import write_whole
from companion.config import Config
from companion.data_folder import JOURNAL
from companion.doctor import telling
from companion.doctor.api import Report
from companion.doctor.known import Known, known_of
from companion.doctor.running import NotAsked, running
from companion.doctor.system import System
from companion.doctor.telling import printable
from companion.errors import PlainError
from companion.installing.files import UNIT_NAME
from companion.log_file import FOLDER, NAME
from companion.masking import Mask
from companion.record import reading
from companion.record.export import exported, to_line
from companion.record.reading import RecordedGame, reading_without_a_trace
from companion.settings.reading import text_of
from companion.settings.sections import every_key

REPORT = "/diagnostics/report.txt"
MOST_LINES = 300
MOST_GAMES = 50
MOST_OF_A_LOG = 1_000_000
"""Bytes of each file of the log."""

KERNEL = re.compile(
    r"usb|tty|nfc|pn533|cp210|ch34|ftdi|cdc_acm|serial|voltage|throttl|mmc|gpio|spi|i2c|ext4"
    r"|i/o error|out of memory|oom|watchdog|wlan|brcm|read-only",
    re.IGNORECASE,
)
"""What the kernel says of readers, of power and of the disk."""

_LOG = re.compile(rf"{re.escape(NAME)}(\.\d+)?")
_ADDRESS = re.compile(r'://[^\s"]*')

READ_ME = """\
Tidetable, what was found on this computer by: companion doctor --bundle

Everything here is plain text: read it before you send it. Left out are the names of players,
the UIDs of tags, cards that not everybody has seen, codes, tokens and passwords, and how this
computer and its network are called. Players are called player-1, player-2 and so on.

doctor.txt, doctor.json   what the doctor found
versions.txt              of the program, of what it is made of, of the system
settings.txt              what the settings say
diagnostics.txt           what the running service says of its chain from tag to screen
log/                      the log that the service keeps
service.txt               what systemd says of the service
kernel.txt                what the kernel said of USB, serial ports, power and disk
games.txt                 how many games are in the record, and how they went on
game.jsonl                the newest game, as everybody at the table saw it (docs/journal.md)
files.txt                 the files in the data folder and their sizes
"""


class CannotWrite(PlainError):
    """The file cannot be written."""


def write(path: Path, system: System, report: Report) -> int:
    """Write the file.

    Args:
        path: of the file; one that is there is replaced.
        system: what was examined.
        report: of the doctor.

    Returns:
        Its size in bytes.

    Raises:
        CannotWrite: the disk does not take it, or the folder is not there.
    """
    data = made(system, report)
    try:
        write_whole(path, data, _give)
    except OSError as error:
        raise CannotWrite(f"The file {path} cannot be written ({error.strerror}).") from None
    return len(data)


def _give(path: Path) -> None:
    """With sudo it is written by root, and sent by whoever typed it."""
    with suppress(KeyError, ValueError, PermissionError):
        os.chown(path, int(os.environ["SUDO_UID"]), int(os.environ["SUDO_GID"]))


def made(system: System, report: Report) -> bytes:
    """The archive."""
    known = known_of(system)
    mask = known.mask()
    parts: list[tuple[str, Callable[[], str]]] = [
        ("READ-ME.txt", lambda: READ_ME),
        ("doctor.txt", lambda: mask.lines("\n".join(telling.in_words(report, verbose=True)))),
        ("doctor.json", lambda: _json(mask.value(telling.in_json(report)))),
        ("versions.txt", lambda: mask.lines("\n".join(_versions(system)))),
        ("settings.txt", lambda: mask.lines("\n".join(_settings(system)))),
        ("diagnostics.txt", lambda: mask.lines(_diagnostics(system, known))),
        *_logs(system, known, mask),
        ("service.txt", lambda: mask.lines("\n".join(_service(system, known)))),
        ("kernel.txt", lambda: mask.lines("\n".join(_kernel(system)))),
        ("games.txt", lambda: mask.lines("\n".join(_games(system)))),
        ("game.jsonl", lambda: _game(system, mask)),
        ("files.txt", lambda: mask.lines("\n".join(_files(system.data)))),
    ]
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, make in parts:
            told = _tried(make)
            if not name.endswith((".json", ".jsonl")):  # which have such signs as numbers anyway
                told = "".join(f"{printable(line)}\n" for line in told.splitlines())
            archive.writestr(f"tidetable/{name}", told.encode(errors="backslashreplace"))
    return whole.getvalue()


def _tried(make: Callable[[], str]) -> str:
    try:
        return make()
    except Exception as error:  # noqa: BLE001 - whatever is damaged, the rest is told
        # Its own text may quote what it was about.
        return f"This could not be read ({type(error).__name__}).\n"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


# --- the parts -------------------------------------------------------------------------


def _versions(system: System) -> Iterator[str]:
    probes = system.probes
    yield f"Tidetable {probes.version('tidetable')}"
    yield f"Python {probes.python}, SQLite {probes.sqlite}"
    for line in (system.text("/etc/os-release") or "").splitlines():
        if line.startswith("PRETTY_NAME="):
            yield line.partition("=")[2].strip('"')
    yield system.run(["uname", "-srm"]).out.strip()
    yield (system.text("/proc/device-tree/model") or "").strip("\0\n")
    yield ""
    installed = {
        str(each.metadata["Name"]): each.version
        for each in metadata.distributions()
        if each.metadata["Name"]
    }
    yield from (f"{name} {installed[name]}" for name in sorted(installed, key=str.casefold))


def _settings(system: System) -> Iterator[str]:
    """Each key that is set; of what is no key, and of what is secret, that it is there."""
    file = system.settings.file
    yield "No file of settings." if file is None else "From a file:"
    for trouble in system.settings.troubles:
        yield f"It cannot be used: {trouble}"
    config = system.settings.config
    yield f"readers in force: {', '.join(system.readers())}"
    if config is not None:
        yield f"host {config.host}, port {config.port}"
    if file is None:
        return
    table = tomllib.loads(text_of(file))
    known = {key.path: key for key in every_key(Config)}
    for path, value in _leaves(table):
        key = known.get(path) or known.get(path.partition(".")[0])
        if key is None:
            yield f"{path.partition('.')[0]}: no key of ours"
        elif key.secret or key.name in ("players", "starter", "username", "ssid"):
            yield f"{path} = (left out)"
        else:
            shown = json.dumps(value, ensure_ascii=False, default=str)
            yield f"{path} = {_ADDRESS.sub('://…', shown)}"


def _leaves(table: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, object]]:
    for name, value in table.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", value


def _diagnostics(system: System, known: Known) -> str:
    try:
        service = running(system, known.token)
        return "The service does not run.\n" if service is None else service.text(REPORT)
    except NotAsked as why:
        return f"{why}\n"


def _logs(system: System, known: Known, mask: Mask) -> Iterator[tuple[str, Callable[[], str]]]:
    folder = system.data / FOLDER
    with suppress(OSError):
        for path in sorted(folder.iterdir()):
            if not _LOG.fullmatch(path.name):  # the name of another file may be anybody's
                continue
            if known.whole:
                yield f"log/{path.name}", partial(_masked, path, mask)
            else:
                yield f"log/{path.name}", lambda: NOT_SAFE


def _masked(path: Path, mask: Mask) -> str:
    """The end of a log, from the beginning of a line on.

    Raises:
        OSError: it is no ordinary file, or cannot be read.
    """
    # With sudo root reads here what the service's user wrote: a link would lead him elsewhere,
    # and a pipe would keep him waiting.
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with open(handle, "rb") as file:  # noqa: PTH123 - as it was opened
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "it is no ordinary file")
        size = file.seek(0, os.SEEK_END)
        file.seek(max(size - MOST_OF_A_LOG, 0))
        data = file.read(MOST_OF_A_LOG)
    if size <= MOST_OF_A_LOG:
        return mask.lines(data.decode(errors="replace"))
    told = mask.lines(data.partition(b"\n")[2].decode(errors="replace"))
    return f"(Of {size} bytes the last are told.)\n{told}"


NOT_SAFE = (
    "Left out: the record could not be read, so nobody knows which names are in here. Type it "
    "with sudo.\n"
)


def _service(system: System, known: Known) -> Iterator[str]:
    keys = "ActiveState,SubState,Result,NRestarts,ExecMainStatus,StatusText,MemoryCurrent"
    yield system.run(["systemctl", "show", UNIT_NAME, f"--property={keys}", "--no-pager"]).out
    yield ""
    if not known.whole:
        yield NOT_SAFE
        return
    words = ["journalctl", "-u", UNIT_NAME, "-n", str(MOST_LINES), "-o", "short-monotonic"]
    yield from _without_start(system.run([*words, "--no-hostname", "--no-pager"]).out)


def _kernel(system: System) -> Iterator[str]:
    said = system.run(
        ["journalctl", "-k", "-b", "-o", "short-monotonic", "--no-hostname", "--no-pager"]
    )
    text = said.out if said.status == 0 else system.run(["dmesg"]).out
    lines = [line for line in text.splitlines() if KERNEL.search(line)]
    if not lines:
        yield "It said nothing of these, or it may be read with sudo alone."
    yield from (re.sub(r"(SerialNumber: )\S+", r"\1…", line) for line in lines[-MOST_LINES:])


def _without_start(text: str) -> Iterator[str]:
    """Without what the service prints at its start, which may be of an earlier record."""
    for line in text.splitlines():
        told = re.sub(
            r"(Touch buttons|Virtual table|From other devices)(.*?): .*", r"\1\2: …", line
        )
        yield re.sub(r"(The game of \S+ with ).*?( is over| goes on)", r"\1…\2", told)


def _games(system: System) -> Iterator[str]:
    with reading_without_a_trace(system.data / JOURNAL) as connection:
        found = list(reading.games(connection))
        yield f"{len(found)} games"
        for game in found[-MOST_GAMES:]:
            entries, notes = (
                connection.execute(
                    f"SELECT count(*) FROM {table} WHERE game = ?",  # noqa: S608 - two words
                    (game.id,),
                ).fetchone()[0]
                for table in ("entry", "note")
            )
            yield (
                f"{game.number}: {game.rules}, {len(game.setup.players)} players, begun by "
                f"{game.program} with rules {game.rules_version}; {entries} entries, {notes} notes"
            )


def _game(system: System, mask: Mask) -> str:
    """The newest game without secrets, and with numbers for players; it can be replayed."""
    with reading_without_a_trace(system.data / JOURNAL) as connection:
        game = reading.newest_game(connection)
        if game is None:
            return ""
        lines = [json.loads(line) for line in exported(connection, game, secrets=False)][:-1]
    numbered = partial(_numbered, numbers=_numbers(game))
    written = [to_line(mask.value(numbered(line))) for line in lines]
    digest = hashlib.sha256(b"".join(written)).hexdigest()
    return b"".join([*written, to_line({"end": len(written) - 1, "sha256": digest})]).decode()


def _numbers(game: RecordedGame) -> Mapping[str, str]:
    return {name: f"player-{n}" for n, name in enumerate(game.setup.players, start=1)}


def _numbered(value: Any, numbers: Mapping[str, str]) -> Any:  # noqa: ANN401 - JSON
    match value:
        case str():
            return numbers.get(value, value)
        case Mapping():
            return {numbers.get(key, key): _numbered(of, numbers) for key, of in value.items()}
        case list():
            return [_numbered(each, numbers) for each in value]
    return value


def _files(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*"))[:1000]:
        with suppress(OSError):
            facts = path.lstat()
            kind = "folder" if path.is_dir() else f"{facts.st_size} bytes"
            yield f"{path.relative_to(folder)}: {kind}, mode {facts.st_mode & 0o777:o}"
