"""A report for people, and for programs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from companion.doctor.api import Finding, Report

VERSION = 1
"""Of the shape of the JSON: docs/doctor.md."""

_STEERING = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def in_words(report: Report, *, verbose: bool = False) -> Iterator[str]:
    """The lines for a terminal."""
    yield from map(printable, _in_words(report, verbose=verbose))


def printable(text: str) -> str:
    """The text without signs that steer a terminal: programs and files may be called so."""
    return _STEERING.sub(lambda found: ascii(found[0])[1:-1], text)


def _in_words(report: Report, *, verbose: bool) -> Iterator[str]:
    yield f"Asked with the rights of {report.user}."
    for number, finding in enumerate(report.of("bad", "warning"), start=1):
        yield ""
        yield f"{number}. {finding.severity}: {finding.cause} [{finding.code}]"
        yield f"   {finding.fix}"
        yield f"   $ {finding.command}"
    unseen, fine = report.of("unseen"), report.of("fine")
    if unseen:
        yield ""
        yield "Could not be seen:"
        yield from (f"   {finding.code}: {finding.cause}" for finding in unseen)
    if fine:
        yield ""
        if verbose:
            yield "Fine:"
            yield from (f"   {finding.code}: {finding.cause}" for finding in fine)
        else:
            yield f"Fine: {', '.join(dict.fromkeys(finding.code for finding in fine))}."
    if verbose and report.left_out:
        yield f"Of no use at this table: {', '.join(report.left_out)}."
    yield ""
    yield _verdict(report)


def _verdict(report: Report) -> str:
    bad, warnings = len(report.of("bad")), len(report.of("warning"))
    if not bad and not warnings:
        return "Nothing is wrong, as far as this can be seen."
    said = "1 warning" if warnings == 1 else f"{warnings} warnings"
    return f"{bad} bad, {said}. Begin with the first."


def in_json(report: Report) -> dict[str, Any]:
    """The same for programs."""
    return {
        "version": VERSION,
        "user": report.user,
        "status": report.status,
        "findings": [asdict(finding) for finding in report.findings],
        "left_out": list(report.left_out),
    }


def from_json(text: str) -> Report:
    """A report of this version.

    Raises:
        ValueError: it is none.
    """
    told = json.loads(text)
    try:
        if told["version"] != VERSION:
            raise ValueError(f"The report is of version {told['version']}.")
        findings = tuple(Finding(**finding) for finding in told["findings"])
        return Report(told["user"], findings, tuple(told["left_out"]))
    except (KeyError, TypeError) as error:
        raise ValueError("This is no report of the doctor.") from error
