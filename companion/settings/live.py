"""The settings in force: what is changed while the service runs, by hand or on a page.

The file is looked at twice a second, and at once on SIGHUP. A change takes effect when the file
was the same twice, so that an editor may write it in two goes. What may change while the
service runs is in force then, and whoever asked for it is told; the rest is told as "at the
next start". A file that breaks meanwhile changes nothing: the last good settings stay.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Generic, Self, TypeVar

from companion.errors import course_of
from companion.said import say
from companion.settings.reading import load, look_at, usable
from companion.settings.sections import ConfigError, every_key, keys_of
from companion.settings.writing import Changes, write

log = logging.getLogger(__name__)

C = TypeVar("C")
LOOK_S = 0.5
"""A change that was seen twice takes effect: within a second."""


class LiveSettings(Generic[C]):
    """Settings, by the class of all of them. Its methods may be called by any thread.

    Args:
        start: what is in force at the start.
        path: the file; it need not be there. None keeps changes for this run alone.
        put: makes settings of what a file says; what the command line says wins there.
        file: what the file says at the start.
    """

    def __init__(
        self,
        start: C,
        path: Path | None = None,
        put: Callable[[Mapping[str, Any]], C] | None = None,
        file: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        self._kind: type[C] = type(start)
        self._put: Callable[[Mapping[str, Any]], C] = put or (lambda file: self._kind(**file))
        self._now = self._told = start
        self._start = start
        self._path = path
        self._file = file
        self._lock = threading.RLock()
        self._followers: list[tuple[str, Callable[[Any], None]]] = []
        self._trouble = ""
        self._seen = self._stamp()
        # It may have changed since it was read, so it is read once more.
        self._taken: tuple[int, ...] | None = None if self._seen is None else ()
        self._awake = threading.Event()
        self._ending = False
        self._thread = threading.Thread(target=self._run, name="settings", daemon=True)

    @property
    def now(self) -> C:
        """What is in force."""
        return self._now

    @property
    def file(self) -> Mapping[str, Any]:
        """What the file alone said when it was read last."""
        return self._file

    @property
    def path(self) -> Path | None:
        """The file, which need not be there; None without one."""
        return self._path

    @property
    def trouble(self) -> str:
        """Why the file cannot be used as it is now; empty where it can."""
        return self._trouble

    @property
    def waiting(self) -> tuple[str, ...]:
        """The keys that take effect at the next start, such as `port`."""
        return _differing(self._told, self._now)

    @property
    def outvoted(self) -> tuple[str, ...]:
        """The keys of the file that do not count, since the command line says otherwise."""
        return tuple(
            key.name
            for key in keys_of(self._kind)
            if key.name in self._file
            and not _says(self._file[key.name], getattr(self._told, key.name))
        )

    def subscribe(self, section: str, follow: Callable[[Any], None]) -> None:
        """Tell of each change of a section, or of a key of the top.

        Args:
            section: such as `mqtt`, or `seats`.
            follow: takes what is in force now (`now.mqtt`); called by whichever thread made the
                change, one change after the other, so it should not wait for long.
        """
        if section not in {key.name for key in keys_of(self._kind)}:
            raise LookupError(f"there is no section {section!r}")
        with self._lock:
            self._followers.append((section, follow))

    def change(self, changes: Changes) -> None:
        """Write a change into the file; it takes effect as if somebody had written it by hand.

        Args:
            changes: what to write, by place, such as `{("ship", "rest_s"): 2.0}`; None takes a
                key away.

        Raises:
            NotWritten: nothing has changed.
        """
        with self._lock:
            if self._path is None:
                self._take(_changed(self._told, changes))
                return
            write(self._kind, self._path, changes, self._judge)
            self.look(twice=False)

    def _judge(self, text: str) -> tuple[str, ...]:
        """What a file with this text would not come into force for."""
        if self._path is None:
            return ()
        try:
            self._put(usable(look_at(self._kind, self._path, text)))
        except ConfigError as fault:
            return (str(fault),)
        return ()

    def look(self, *, twice: bool = True) -> None:
        """See whether the file has changed.

        Args:
            twice: only a change that was there the last time, too, takes effect.
        """
        with self._lock:
            stamp = self._stamp()
            stable, self._seen = stamp == self._seen, stamp
            if stamp == self._taken or self._path is None or (twice and not stable):
                return
            self._taken = stamp
            if stamp is None:
                self._doubt(
                    say("The settings %(file)s are not there any more.", file=f"{self._path}")
                )
                return
            try:
                file = load(self._kind, self._path)
                found = self._put(file)
            except ConfigError as fault:
                self._doubt(str(fault))
                return
            if self._trouble:
                self._trouble = ""
                log.info("The settings in %s are good again.", self._path)
            before, self._file = self.outvoted, file
            self._take(found)
            self._tell_outvoted(before)

    def start(self) -> None:
        """Begin to look at the file."""
        self._tell_outvoted()
        if self._path is not None:
            self._thread.start()

    def wake(self) -> None:
        """Look at once, for SIGHUP: also where the file seems to be as it was."""
        self._awake.set()

    def close(self) -> None:
        """Look no more."""
        self._ending = True
        self._awake.set()
        if self._thread.is_alive():
            self._thread.join()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self) -> None:
        while True:
            told = self._awake.wait(LOOK_S)
            self._awake.clear()
            if self._ending:
                return
            if told:
                with self._lock:
                    self._taken = ()
            try:
                self.look(twice=not told)
            except Exception as error:  # noqa: BLE001 - a file that nobody thought of must not end this
                log.error("The settings could not be looked at: %s", course_of(error))  # noqa: TRY400

    def _tell_outvoted(self, before: tuple[str, ...] = ()) -> None:
        for key in self.outvoted:
            if key not in before:
                log.info("%s in %s does not count: the command line wins.", key, self._path)

    def _stamp(self) -> tuple[int, ...] | None:
        if self._path is None:
            return None
        try:
            found = os.stat(self._path)  # noqa: PTH116 - as short as the call is
        except OSError:
            return None
        # Who gives the right to read it changes nothing but that time of the last change.
        return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino

    def _doubt(self, fault: str) -> None:
        if fault != self._trouble:
            log.warning("%s The last good settings stay in force.", fault)
        self._trouble = fault

    def _take(self, told: C) -> None:
        """Put in force what may be, say what waits, and tell those who follow."""
        waited, before = self.waiting, self._now
        self._told = told
        self._now = self._in_force(told)
        for path in self.waiting:
            if path not in waited:
                log.info("%s takes effect at the next start.", path)
        for section, follow in tuple(self._followers):
            value = getattr(self._now, section)
            if value != getattr(before, section):
                try:
                    follow(value)
                except Exception as error:  # noqa: BLE001 - one room must not keep the others out
                    log.error("%s could not take its change: %s", section, course_of(error))  # noqa: TRY400

    def _in_force(self, told: C) -> C:
        """The settings with what is live of these, and the rest as at the start."""
        live: dict[str, Any] = {}
        for key in keys_of(self._kind):
            new, old = getattr(told, key.name), getattr(self._start, key.name)
            if not key.opens:
                live[key.name] = new if key.live else old
                continue
            try:
                live[key.name] = replace(
                    old, **{each.name: getattr(new, each.name) for each in key.inside if each.live}
                )
            except ValueError:  # what is new does not go with what waits for the next start
                live[key.name] = getattr(self._now, key.name)
        unwritten = {
            entry.name: getattr(self._start, entry.name)
            for entry in fields(self._kind)  # type: ignore[arg-type]
            if entry.name not in live
        }
        return self._kind(**live, **unwritten)


def _says(file: object, told: object) -> bool:
    """Whether what is told is what the file says; of a table the file may say a part."""
    if isinstance(file, Mapping) and isinstance(told, Mapping):
        return all(told.get(name) == value for name, value in file.items())
    return file == told


def _differing(told: object, now: object) -> tuple[str, ...]:
    """The paths of the keys in which they differ."""
    return tuple(
        key.path for key in every_key(type(told)) if key.value_in(told) != key.value_in(now)
    )


def _changed(settings: Any, changes: Changes) -> Any:  # noqa: ANN401 - of any class
    """The settings with these changes, where there is no file."""
    for (name, *inside), value in changes.items():
        held = getattr(settings, name)
        if not inside:
            fresh = value
        elif isinstance(held, Mapping):
            kept = {key: each for key, each in held.items() if key != inside[0]}
            fresh = kept if value is None else {**kept, inside[0]: value}
        else:
            usual = getattr(type(held)(), inside[0])
            fresh = replace(held, **{inside[0]: usual if value is None else value})
        if fresh is None:
            fresh = getattr(type(settings)(), name)
        settings = replace(settings, **{name: fresh})
    return settings
