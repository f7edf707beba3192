"""A reader that somebody has made: a file to which another program adds a UID for each tap."""

import threading
from pathlib import Path

from companion.drivers.api import DeviceBack, Driver, TagOff, TagOn


class Doorbell(Driver):
    def __init__(self, path):
        self.path = Path(path)
        self._over = threading.Event()
        self._thread = None

    def open(self, report, clock):
        self._thread = threading.Thread(target=self._watch, args=(report, clock))
        self._thread.start()

    def close(self):
        self._over.set()
        self._thread.join()

    def _watch(self, report, clock):
        report(DeviceBack("doorbell", "Doorbell", clock()))
        told = 0
        while not self._over.wait(0.01):
            uids = self.path.read_text().split() if self.path.exists() else []
            for uid in uids[told:]:
                report(TagOn("doorbell", uid, clock()))
                report(TagOff("doorbell", uid, clock()))
            told = len(uids)
