"""Enrolment in the real service, which is killed in the middle of it."""

from __future__ import annotations

import re
import socket
import threading
import urllib.parse
import urllib.request
from contextlib import contextmanager
from http.cookiejar import CookieJar

from support.service import ANSWER_LIMIT_S, TOKEN, serving

CARDS = 58
BEAT_S = 0.02
UNUSABLE = "08112233"
"""It makes up another UID at each tap, so it is enrolled in no case."""


def uid(number: int) -> str:
    return f"04A3C6{number:08X}"


class Board:
    """A board of plain lines behind a socket; somebody lays one card after the other on it."""

    def __init__(self):
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._wire = None
        self.laid = 0

    def answer(self):
        """Wait until the service has opened the port."""
        self._hang_up()
        self._listener.settimeout(ANSWER_LIMIT_S)
        self._wire, _ = self._listener.accept()

    def lay(self, name):
        self._wire.sendall(f"1 {name} on\n1 {name} off\n".encode())

    def lay_next(self):
        self.laid += 1
        self.lay(uid(self.laid))

    def _hang_up(self):
        if self._wire is not None:
            self._wire.close()

    def close(self):
        self._hang_up()
        self._listener.close()


@contextmanager
def a_board():
    board = Board()
    try:
        yield board
    finally:
        board.close()


class Phone:
    """The phone of somebody who helps."""

    def __init__(self, url):
        self._url = url
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        self._get(f"/link/{TOKEN}")

    def _get(self, path, data=None):
        with self._opener.open(self._url + path, data, timeout=ANSWER_LIMIT_S) as response:
            return response.read().decode()

    def page(self):
        return self._get("/enrol")

    def press(self, act):
        fields = dict(re.findall(r'name="(key|page|at)" value="([^"]*)"', self.page()))
        self._get("/enrol/act", urllib.parse.urlencode({**fields, "act": act}).encode())

    def done(self):
        return int(re.search(r"<b>(\d+)/58</b>", self.page())[1])

    def until(self, count):
        """Wait until so many are shown as done; it fails by the limit of the test."""
        pause = threading.Event()
        while (done := self.done()) < count:
            pause.wait(BEAT_S)
        return done

    def enrolled(self):
        return dict(re.findall(r'"([0-9A-F]{14})": "([^"]+)"', self._get("/enrol/tags.json")))


def begin_to_lay(board, phone, name):
    """What a board tells first lay there already: it says so, and then all counts."""
    board.answer()
    pause = threading.Event()
    while not re.search("lay it down again|makes up a new UID", phone.page()):
        board.lay(name)
        pause.wait(BEAT_S)


def test_a_killed_service_goes_on_with_the_card_that_it_was_at(tmp_path):
    with a_board() as board:
        reader = ["--reader", f"line:socket://127.0.0.1:{board.port}"]
        with serving(tmp_path, *reader) as service:
            phone = Phone(service.url)
            phone.press("begin:sea-salt-paper")
            begin_to_lay(board, phone, UNUSABLE)
            for number in range(1, 31):
                board.lay_next()
                phone.until(number)
            # Five come faster than anybody looks; then the plug is pulled.
            for _ in range(5):
                board.lay_next()
            shown = phone.done()
            service.kill()
        with serving(tmp_path, *reader) as service:
            phone = Phone(service.url)
            assert "Enrolment goes on where it was" in phone.page()
            done = phone.done()
            assert shown <= done <= 35
            stands = phone.enrolled()
            assert sorted(stands) == [uid(number) for number in range(1, done + 1)]
            # Each was put where it was asked for, and none twice.
            assert len(set(stands.values())) == done
            phone.press("undo")
            assert phone.done() == done - 1
            begin_to_lay(board, phone, UNUSABLE)
            board.laid = done - 1
            while board.laid < CARDS:
                board.lay_next()
            assert phone.until(CARDS) == CARDS
            assert len(set(phone.enrolled().values())) == CARDS
