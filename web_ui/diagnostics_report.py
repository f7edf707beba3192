"""Diagnostics as a text that may be sent to others, and as JSON: no names, no UIDs, no cards."""

from __future__ import annotations

import platform
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from companion.diagnosis import Diagnosis, Finding, Screen
from companion.household import Remembered
from companion.instruments import Instruments
from companion.log_tail import without_secrets
from companion.passages import Passed, ReaderPassed
from companion.ship_trace import Trace
from companion.snapshot import Snapshot
from web_ui.diagnostics_words import LEFT_S, NAMES_OF_LINKS, machine_rows, sentence


def names_of(snapshot: Snapshot, remembered: Remembered) -> tuple[str, ...]:
    """What people of this table call themselves; none of it leaves the house."""
    devices = (device.player for device in remembered.devices.values())
    return tuple(
        dict.fromkeys((*snapshot.players, *remembered.names, *remembered.shapes, *devices))
    )


def trouble_of(passed: Passed, finding: Finding) -> str:
    """The driver's own sentence about the reader that is found to be away; else empty."""
    name = finding.facts.get("reader")
    if finding.link != "driver":
        return ""
    return next((reader.trouble for reader in passed.readers if reader.name == name), "")


def report(
    passed: Passed,
    diagnosis: Diagnosis,
    screens: Iterable[Screen],
    instruments: Instruments,
    names: Sequence[str],
) -> str:
    """The whole text, one fact a line."""
    lines = [
        "Tidetable, report of the diagnostics",
        f"Python {platform.python_version()}, {platform.system()} {platform.machine()}",
        f"written down for {_s(passed, passed.began_ns)}",
        "",
        sentence(diagnosis.verdict).text,
        str(trouble_of(passed, diagnosis.verdict)),
        "",
        *_chain(diagnosis),
        "",
        *_readers(passed, instruments),
        *_ships(passed),
        "",
        *_screens(passed, screens),
        "",
        *(f"{row.name}: {row.value}" for row in machine_rows(instruments.machine.now())),
        "",
        "Log, newest first:",
        *_log(instruments),
    ]
    return "\n".join(without_secrets(line, names) for line in lines) + "\n"


def _s(passed: Passed, at_ns: int) -> str:
    return f"{max(0, passed.now_ns - at_ns) / 1e9:.1f} s"


def _chain(diagnosis: Diagnosis) -> Iterator[str]:
    for state in diagnosis.links:
        last = "never" if state.passed_s is None else f"{state.passed_s:.1f} s ago"
        name = NAMES_OF_LINKS[state.link]()
        yield f"{name}: {state.finding.health} ({state.finding.code}), last passage {last}"


def _readers(passed: Passed, instruments: Instruments) -> Iterator[str]:
    for reader in passed.readers:
        state = {True: "answers", False: "lost", None: "not heard yet"}[reader.ready]
        yield (
            f"Reader {reader.name} ({instruments.bus_of(reader.name)}): {state} for "
            f"{_s(passed, reader.since_ns)}; {reader.hardware}; {reader.a_minute} readings a "
            f"minute, lost {reader.losses} times, {reader.errors} errors; last tag "
            f"{_last_tag(reader)}"
        )
        if reader.trouble:
            yield f"  {reader.trouble}"


def _last_tag(reader: ReaderPassed) -> str:
    if reader.last is None:
        return "never"
    return {True: "known", False: "unknown", None: "not looked up"}[reader.last.known]


def _ships(passed: Passed) -> Iterator[str]:
    for ship in passed.ships:
        limits = ship.thresholds
        yield (
            f"Ship {ship.reader}: {ship.tilt:.0f} degrees from upright, heard "
            f"{_s(passed, ship.heard_ns)} ago, at rest for {ship.rests_s:.1f} s; stands up to "
            f"{limits.upright_deg:g}, lies from {limits.capsized_deg:g} degrees, judged after "
            f"{limits.rest_s:g} s at rest"
        )


def _screens(passed: Passed, screens: Iterable[Screen]) -> Iterator[str]:
    for screen in screens:
        page = screen.page or "a program"
        if screen.left_ns is not None:
            yield f"Screen {page}: left {_s(passed, screen.left_ns)} ago"
            continue
        yield (
            f"Screen {page}: open for {_s(passed, screen.opened_ns)}, took something "
            f"{_s(passed, screen.sent_ns)} ago, {max(0, passed.revision - screen.revision)} views "
            "behind"
        )


def _log(instruments: Instruments) -> Iterator[str]:
    now_s = time.monotonic()
    for line in reversed(instruments.tail.lines()):
        yield f"{now_s - line.at_s:.0f} s ago {line.level}: {line.text}"


def as_json(
    passed: Passed,
    diagnosis: Diagnosis,
    screens: Iterable[Screen],
    instruments: Instruments,
    *,
    players: Sequence[str],
    names: Sequence[str],
) -> dict[str, Any]:
    """The same for programs. A player is the number of the seat, from 1."""
    verdict = diagnosis.verdict
    return {
        "verdict": {
            "link": verdict.link,
            "health": verdict.health,
            "code": verdict.code,
            "text": sentence(verdict).text,
        },
        "chain": [
            {
                "link": state.link,
                "health": state.finding.health,
                "code": state.finding.code,
                "text": sentence(state.finding).text,
                "last_s": _rounded(state.passed_s),
            }
            for state in diagnosis.links
        ],
        "readers": [_reader(passed, reader, instruments) for reader in passed.readers],
        "ships": [_ship(passed, ship) for ship in passed.ships],
        "screens": [
            _screen(passed, screen, players)
            for screen in screens
            if screen.left_ns is None or passed.now_ns - screen.left_ns < LEFT_S * 1e9
        ],
        "machine": asdict(instruments.machine.now()),
        "log": [
            {
                "age_s": _rounded(passed.now_ns / 1e9 - line.at_s),
                "level": line.level,
                "text": without_secrets(line.text, names),
            }
            for line in instruments.tail.lines()
        ],
    }


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(max(0.0, seconds), 2)


def _since(passed: Passed, at_ns: int) -> float | None:
    return _rounded((passed.now_ns - at_ns) / 1e9)


def _reader(passed: Passed, reader: ReaderPassed, instruments: Instruments) -> dict[str, Any]:
    last = reader.last
    return {
        "name": reader.name,
        "bus": instruments.bus_of(reader.name),
        "state": {True: "ready", False: "lost", None: "unknown"}[reader.ready],
        "since_s": _since(passed, reader.since_ns),
        "heard_s": _since(passed, reader.heard_ns),
        "hardware": reader.hardware,
        "trouble": str(reader.trouble),
        "readings_a_minute": reader.a_minute,
        "losses": reader.losses,
        "errors": reader.errors,
        "last_tag": None
        if last is None
        else {
            "age_s": _since(passed, last.at_ns),
            "known": last.known,
            "component": last.component or None,
            "uid_end": last.end or None,
        },
    }


def _ship(passed: Passed, ship: Trace) -> dict[str, Any]:
    limits = ship.thresholds
    return {
        "reader": ship.reader,
        "tilt_deg": ship.tilt,
        "heard_s": _since(passed, ship.heard_ns),
        "settled": ship.settled,
        "rests_s": _rounded(ship.rests_s),
        "thresholds": {
            "upright_deg": limits.upright_deg,
            "capsized_deg": limits.capsized_deg,
            "rest_s": limits.rest_s,
            "still_mg": limits.still_mg,
        },
        "trace": [[_rounded(ago_s), tilt] for ago_s, tilt in ship.points],
    }


def _screen(passed: Passed, screen: Screen, players: Sequence[str]) -> dict[str, Any]:
    return {
        "page": screen.page or None,
        "seat": players.index(screen.seat) + 1 if screen.seat in players else None,
        "open_s": _since(passed, screen.opened_ns),
        "sent_s": _since(passed, screen.sent_ns),
        "left_s": None if screen.left_ns is None else _since(passed, screen.left_ns),
        "revision": screen.revision,
        "behind": max(0, passed.revision - screen.revision),
    }
