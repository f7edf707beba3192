"""For each code of the doctor: how a system gets the fault, and one that has it not.

A pair is (broken, healthy). Where a fault has several causes, it has several pairs.
"""

from __future__ import annotations

from collections.abc import Sequence

from tests.doctor.systems import Change, FakeSystem

Pairs = dict[str, Sequence[tuple[Change, Change]]]


def well(fake: FakeSystem) -> None:
    """Nothing is changed."""


def fact(**facts: object) -> Change:
    return lambda fake: fake.has(**facts)


def settings_bad(fake: FakeSystem) -> None:
    fake.trouble = "port is a number from 0 to 65535, and not 99999."


SETTINGS: Pairs = {"settings-bad": [(settings_bad, well)]}

POWER: Pairs = {
    "under-voltage-now": [(fact(under_voltage="now"), fact(under_voltage="earlier"))],
    "under-voltage-earlier": [(fact(under_voltage="earlier"), fact(under_voltage="never"))],
    "too-hot-now": [
        (fact(too_hot="now"), fact(too_hot="never")),
        (fact(celsius=83.0), fact(celsius=70.0)),
    ],
    "too-hot-earlier": [(fact(too_hot="earlier"), fact(too_hot="never"))],
    "clock-never-set": [(fact(year_is_right=False), fact(year_is_right=True))],
    "clock-unsynchronised": [(fact(synchronised=False), fact(synchronised=True))],
}

FAULTS: Pairs = {**SETTINGS, **POWER}
