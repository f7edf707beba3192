"""What diagnostics find, in short sentences, each with the icon that says the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from companion.diagnosis import BEHIND_S, STALLED_S, Finding, Health, Link, Screen
from companion.machine import Machine
from companion.passages import LastTag, Passed
from web_ui.games.face import Face
from web_ui.sentences import Sentence
from web_ui.views import Player
from web_ui.words import gettext, ngettext

LAMPS: Mapping[Health, str] = {
    "good": "lamp-good",
    "quiet": "lamp-quiet",
    "warning": "lamp-warning",
    "bad": "lamp-bad",
}
"""A lamp has a shape for each colour."""

NAMES_OF_LINKS: Mapping[Link, Callable[[], str]] = {
    "field": lambda: gettext("Field"),
    "driver": lambda: gettext("Reader"),
    "tags": lambda: gettext("Tags"),
    "engine": lambda: gettext("Rules"),
    "screens": lambda: gettext("Screens"),
}

_GIB = 1 << 30
_MIB = 1 << 20
LOW_DISK = 500 * _MIB
HOT_C = 80.0
WEAK_DBM = -75
LEFT_S = 300


@dataclass(frozen=True, slots=True)
class Row:
    """One fact: what it is, its value, and whether it is all right.

    Attributes:
        icon: a symbol of the sprite.
        name: what it is.
        value: in words.
        health: of it.
    """

    icon: str
    name: str
    value: str
    health: Health = "good"


def ago(seconds: float) -> str:
    """How long ago, such as `12 s ago`."""
    whole = round(seconds)
    if whole < 1:
        return gettext("now")
    return gettext("%(time)s ago") % {"time": lasting(seconds)}


def lasting(seconds: float) -> str:
    """A time, such as `12 s` or `3 min`; units are the same in all languages."""
    whole = round(seconds)
    if whole < 100:
        return f"{whole} s"
    minutes = round(seconds / 60)
    if minutes < 100:
        return f"{minutes} min"
    return f"{round(seconds / 3600)} h"


_SAID: Mapping[str, tuple[str, Callable[[], str]]] = {
    # The code of a finding: the icon and the words.
    "passes": ("lamp-good", lambda: gettext("Everything passes.")),
    "untried": (
        "tag",
        lambda: gettext("Everything answers. Lay any card on a reader to try the whole way."),
    ),
    "no-reader": ("reader", lambda: gettext("There is no reader: play by touch.")),
    "reader-lost": (
        "reader-lost",
        lambda: gettext("The reader %(reader)s has not been heard for %(time)s: check its cable."),
    ),
    "reader-never": (
        "reader-lost",
        lambda: gettext("The reader %(reader)s has not answered yet: check its cable."),
    ),
    "ship-silent": (
        "tilt",
        lambda: gettext(
            "The ship's sensor %(reader)s has told nothing for %(time)s: check its battery."
        ),
    ),
    "not-heard-yet": ("reader", lambda: gettext("No reader has answered yet.")),
    "no-tag-yet": ("tag", lambda: gettext("No tag was laid yet.")),
    "tag": ("tag", lambda: gettext("Last on %(reader)s.")),
    "field-several": (
        "tag-several",
        lambda: gettext("Several cards lie on the reader %(reader)s: one card at a time."),
    ),
    "field-unreadable": (
        "tag-unknown",
        lambda: gettext(
            "Something on the reader %(reader)s cannot be read: lift it, and lay it down again."
        ),
    ),
    "tag-known": ("tag", lambda: gettext("The tag is known.")),
    "tag-unknown": (
        "tag-unknown",
        lambda: gettext("Tags arrive, but this one (…%(end)s) is not enrolled."),
    ),
    "tags-failed": (
        "disk",
        lambda: gettext("The table of tags cannot be read: look at the disk."),
    ),
    "engine-stuck": (
        "rules",
        lambda: gettext(
            "The table has not moved for %(time)s: look at the disk, or start the service again."
        ),
    ),
    "engine-failed": (
        "rules",
        lambda: gettext("The table met an error %(time)s ago: the log says which."),
    ),
    "storage": (
        "disk",
        lambda: gettext("The disk does not take it, so nothing counts: make room on it."),
    ),
    "nothing-yet": ("rules", lambda: gettext("Nothing to decide yet.")),
    "done": ("rules", lambda: gettext("The last action was done.")),
    "refused": ("refused", lambda: gettext("The rules refused the last action.")),
    "notice": ("asked", lambda: gettext("The last reading did not count.")),
    "taken": ("touch", lambda: gettext("Taken; something more is needed.")),
    "screen-stalled": (
        "screen",
        lambda: gettext("A screen (%(page)s) has taken nothing for %(time)s: look at its Wi-Fi."),
    ),
    "screen-behind": (
        "screen",
        lambda: gettext(
            "A screen (%(page)s) does not show what happened %(time)s ago: load it again."
        ),
    ),
    "screen-left": (
        "screen",
        lambda: gettext("No screen shows the table: the last one (%(page)s) left %(time)s ago."),
    ),
    "no-screen": (
        "screen",
        lambda: gettext("No screen shows the table: open the scoreboard."),
    ),
}

_COUNTED: Mapping[str, tuple[str, Callable[[int], str]]] = {
    # The same for what is counted.
    "readers": (
        "reader-ok",
        lambda count: ngettext("%(num)d reader answers.", "%(num)d readers answer.", count),
    ),
    "screens": (
        "screen",
        lambda count: ngettext("%(num)d screen follows.", "%(num)d screens follow.", count),
    ),
}


def sentence(finding: Finding) -> Sentence:
    """What is found, for people."""
    facts = finding.facts
    count = int(facts.get("count", 0))
    if finding.code in _COUNTED:
        icon, counted = _COUNTED[finding.code]
        return Sentence(icon, counted(count), {}, {"num": count})
    icon, words = _SAID[finding.code]
    parts = {
        "time": lasting(float(facts.get("seconds", 0))),
        "end": str(facts.get("end", "")),
        "page": page_name(str(facts.get("page", ""))),
    }
    return Sentence(icon, words(), {"reader": str(facts.get("reader", ""))}, parts)


def tag_said(last: LastTag | None, face: Face) -> Sentence | None:
    """The tag that a reader told last; of a card only what everybody was told."""
    if last is None:
        return None
    if last.known is False:
        return Sentence("tag-unknown", gettext("unknown …%(end)s"), {}, {"end": last.end})
    kind, _, name = last.component.partition("/")
    if kind == "player":
        words = gettext("token of player %(number)s")
        return Sentence("tag", words, {}, {"number": name})
    if kind == "control":
        return Sentence("tag", gettext("token “%(name)s”"), {}, {"name": name})
    if name:
        return Sentence("card", "%(card)s", {}, {"card": face.component(name)})
    return Sentence("card", gettext("a card"))


def page_name(page: str) -> str:
    """What people call a page."""
    names = {
        "": gettext("a program"),
        "tv": gettext("Scoreboard"),
        "cards": gettext("Cards"),
        "virtual": gettext("Virtual table"),
        "phone": gettext("Phone"),
        "diagnostics": gettext("Diagnostics"),
        "enrol": gettext("Enrolment"),
        "setup/readers": gettext("Try the readers"),
        "setup/ship": gettext("The ship"),
    }
    return names.get(page, page)


@dataclass(frozen=True, slots=True)
class ScreenRow:
    """One client as the page shows it.

    Attributes:
        page: what people call the page.
        player: whose device it is; None for nobody's.
        sent: when it took something last.
        open_for: for how long it has been open; empty for one that left.
        version: how far it is.
        health: of it; `quiet` for one that left.
    """

    page: str
    player: Player | None
    sent: str
    open_for: str
    version: str
    health: Health


def screen_rows(
    screens: Iterable[Screen], passed: Passed, players: Mapping[str, Player]
) -> list[ScreenRow]:
    """Those that are open, and those that left within a few minutes."""
    rows = []
    for screen in screens:
        gone_s = None if screen.left_ns is None else (passed.now_ns - screen.left_ns) / 1e9
        if gone_s is not None and gone_s > LEFT_S:
            continue
        behind = passed.revision - screen.revision
        version, health = _how_far(screen, passed, behind)
        if gone_s is not None:
            version, health = gettext("left %(ago)s") % {"ago": ago(gone_s)}, "quiet"
        rows.append(
            ScreenRow(
                page=page_name(screen.page),
                player=players.get(screen.seat),
                sent=ago(max(0, passed.now_ns - screen.sent_ns) / 1e9),
                open_for="" if gone_s is not None else _open_for(screen, passed),
                version=version,
                health=health,
            )
        )
    return rows


def _open_for(screen: Screen, passed: Passed) -> str:
    return lasting(max(0, passed.now_ns - screen.opened_ns) / 1e9)


def _how_far(screen: Screen, passed: Passed, behind: int) -> tuple[str, Health]:
    if (passed.now_ns - screen.sent_ns) / 1e9 > STALLED_S:
        return gettext("takes nothing"), "bad"
    if behind > 0 and passed.revision and screen.revision:
        since_s = (passed.now_ns - (passed.published_ns or passed.now_ns)) / 1e9
        words = ngettext("%(num)d view behind", "%(num)d views behind", behind)
        return words % {"num": behind}, "bad" if since_s > BEHIND_S else "good"
    return gettext("newest view"), "good"


def machine_rows(machine: Machine) -> list[Row]:
    """What the computer tells of itself; what it does not tell is left out."""
    rows: list[Row] = []
    if machine.celsius is not None:
        hot = machine.celsius >= HOT_C
        rows.append(
            Row(
                "thermometer",
                gettext("Processor"),
                f"{machine.celsius:.0f} °C",
                "bad" if hot else "good",
            )
        )
    if machine.under_voltage is not None:
        said: tuple[str, Health] = {
            "now": (gettext("too little now: take a stronger supply"), "bad"),
            "earlier": (gettext("was too little earlier: take a stronger supply"), "warning"),
            "never": (gettext("good"), "good"),
        }[machine.under_voltage]  # type: ignore[assignment]
        rows.append(Row("service", gettext("Voltage"), *said))
    if machine.disk_free is not None:
        free = f"{machine.disk_free / _GIB:.1f} GB"
        low = machine.disk_free < LOW_DISK
        words = gettext("%(free)s free") % {"free": free}
        rows.append(Row("disk", gettext("Disk"), words, "bad" if low else "good"))
    rows += _clock_row(machine)
    if machine.wifi_dbm is not None:
        weak = machine.wifi_dbm < WEAK_DBM
        words = gettext("weak") if weak else gettext("good")
        value = f"{machine.wifi_dbm} dBm, {words}"
        rows.append(Row("wifi", gettext("Wi-Fi"), value, "warning" if weak else "good"))
    if machine.load is not None:
        processors = machine.processors or 1
        busy = machine.load > 2 * processors
        value = f"{machine.load:.1f} / {processors}"
        rows.append(Row("gauge", gettext("Load"), value, "warning" if busy else "good"))
    if machine.up_s is not None:
        rows.append(Row("again", gettext("Switched on"), ago(machine.up_s)))
    return rows


def _clock_row(machine: Machine) -> list[Row]:
    if machine.year_is_right is False:
        value = gettext("not set: days in the history are wrong")
        return [Row("clock", gettext("Clock"), value, "warning")]
    if machine.synchronised is None:
        return []
    if machine.synchronised:
        return [Row("clock", gettext("Clock"), gettext("set by the network"))]
    return [Row("clock", gettext("Clock"), gettext("not set by the network"), "quiet")]
