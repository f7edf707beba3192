"""Enrolment on the page of a helper, over a real table."""

from __future__ import annotations

import html
import io
import json
import re
import time

import pytest
from test_other_languages import Visitor, nothing_left

from companion.drivers.api import SeveralTags, TagOff, TagOn
from companion.enrolling.places import places_of
from companion.record.journal import Journal
from tests.support.pseudo import pseudo

__all__ = ["pseudo"]

SALT = "sea-salt-paper"
CARDS = [place.component for place in places_of(SALT).values() if place.part == "cards"]
UID = re.compile(r"04A3C6[0-9A-F]{8}")


def uid(number: int) -> str:
    return f"04A3C6{number:08X}"


class Helper:
    """Somebody with a phone who lays cards on the reader."""

    def __init__(self, evening):
        self.evening = evening
        self.client = evening.client(helper=True)
        self.now_ns = time.monotonic_ns()

    def get(self, path="/enrol"):
        response = self.client.get(path)
        assert response.status_code == 200, response.text
        return response.text

    def press(self, act, *, at=None, status=303):
        page = self.get()
        form = {
            "key": re.search(r'name="key" value="([^"]+)"', page)[1],
            "page": "enrol",
            "act": act,
            "at": at or (re.search(r'name="at" value="(\d+)"', page) or ["", ""])[1],
        }
        response = self.client.post("/enrol/act", data=form)
        assert response.status_code == status, response.text
        return response

    def lay(self, which, after_s=3.0):
        name = uid(which) if isinstance(which, int) else which
        self.now_ns += int(after_s * 1e9)
        self.evening.table.report(TagOn("sim", name, self.now_ns))
        self.evening.table.report(TagOff("sim", name, self.now_ns + 1000))
        self.evening.table.settle()

    @property
    def tags(self):
        return dict(self.evening.table.enrolled)

    def said(self):
        told = re.search(r'id="cue".*?<span>(.*?)</span></p>', self.get(), re.DOTALL)[1]
        return re.sub(r"<[^>]+>", "", told).strip()


@pytest.fixture
def helper(evening):
    return Helper(evening)


def test_the_page_is_for_helpers(evening):
    assert evening.client().get("/enrol").status_code == 401
    assert evening.client().get("/enrol/tags.csv").status_code == 401
    assert evening.client().post("/enrol/act", data={"act": f"begin:{SALT}"}).status_code == 401


def test_fifty_eight_cards_are_laid_one_by_one(helper):
    helper.press(f"begin:{SALT}")
    page = helper.get()
    assert "Now lay:" in page
    assert "<b>0/58</b>" in page
    for number in range(58):
        helper.lay(number)
    assert helper.tags == {uid(number): card for number, card in enumerate(CARDS)}
    page = helper.get()
    assert "<b>58/58</b>" in page
    assert "All of this has its tags!" in page
    assert 'data-sound="fanfare"' in page
    helper.press("end")
    assert "58 of 58" in helper.get()


def test_no_uid_is_on_any_page_but_the_end_of_one(helper):
    helper.press(f"begin:{SALT}")
    for number in (0xA1, 0xA1, 0xA2, 0xA3):
        helper.lay(number)
        pages = [helper.get(path) for path in ("/enrol", "/enrol/file", "/", "/api/v1/table")]
        assert not any(UID.search(page) for page in pages)
    assert "…A3" in helper.get()


def test_the_game_goes_on_untouched(helper):
    table = helper.evening.table
    helper.evening.do("dots")
    before = table.snapshot
    helper.press(f"begin:{SALT}")
    helper.lay(1)
    helper.evening.virtual.tap("tentacles/waves")
    assert (table.snapshot.step, table.snapshot.state) == (before.step, before.state)
    assert "do not count" in helper.get("/") or "does not count" in helper.get("/")
    helper.press("end")
    assert "does not count" not in helper.get("/")
    helper.evening.virtual.tap("tentacles/rings")
    assert table.snapshot.step == before.step + 1


def test_a_card_that_still_lies_there_when_enrolment_ends_is_no_tap(helper):
    table = helper.evening.table
    helper.press("begin:tentacles")
    card = next(name for name in helper.evening.virtual._cards)
    helper.now_ns += 10**9
    table.report(TagOn("sim", card, helper.now_ns))
    table.settle()
    helper.press("end")
    step = table.snapshot.step
    table.report(TagOn("sim", card, helper.now_ns + 5 * 10**9))
    assert table.settle().step == step
    table.report(TagOff("sim", card, helper.now_ns + 6 * 10**9))
    table.report(TagOn("sim", card, helper.now_ns + 9 * 10**9))
    assert table.settle().step == step + 1


def test_what_is_there_already_is_named_and_moved_or_taken_off(helper):
    helper.press(f"begin:{SALT}")
    helper.lay(1)
    helper.lay(1)
    assert helper.said().startswith("Already there")
    assert 'data-sound="buzz"' in helper.get()
    helper.press("move")
    assert helper.tags == {uid(1): CARDS[1]}
    helper.press("undo")
    assert helper.tags == {uid(1): CARDS[0]}
    helper.lay(1)
    helper.press("take-off")
    assert helper.tags == {}


def test_a_button_of_an_older_view_does_nothing(helper):
    helper.press(f"begin:{SALT}")
    helper.lay(1)
    number = re.search(r'name="at" value="(\d+)"', helper.get())[1]
    helper.lay(2)
    assert "laid meanwhile" in helper.press("undo", at=number, status=409).text
    assert len(helper.tags) == 2
    # The same button pressed twice takes one card back, not two.
    number = re.search(r'name="at" value="(\d+)"', helper.get())[1]
    helper.press("undo", at=number)
    helper.press("undo", at=number, status=409)
    assert len(helper.tags) == 1


def test_a_free_order_by_kind_and_a_colour_that_stays(helper):
    helper.press(f"begin:{SALT}")
    helper.press("free")
    helper.press("colour:yellow")
    for number, kind in enumerate(("crab", "boat", "crab", "lighthouse")):
        helper.lay(number)
        assert "What is this tag on?" in helper.get()
        button = re.search(rf'id="kind-salt-{kind}"[^>]* value="([^"]+)"', helper.get())[1]
        helper.press(button)
    assert list(helper.tags.values()) == sorted(
        f"{SALT}/{name}"
        for name in ("crab-yellow-1", "boat-yellow-1", "crab-yellow-2", "lighthouse-purple")
    )


def test_an_unknown_tag_is_offered_to_be_added(helper):
    assert "Add this card" not in helper.get("/")
    helper.lay(7)
    assert "Add this card" in helper.get("/")
    assert "Add this card" not in helper.evening.client().get("/").text
    helper.press("add:tentacles")
    assert "What is this tag on?" in helper.get()
    helper.press("choose:tentacles/dots")
    assert helper.tags == {uid(7): "tentacles/dots"}


def test_a_tag_that_looks_cut_is_taken_when_somebody_says_so(helper):
    helper.press(f"begin:{SALT}")
    helper.lay("8804A3C6")
    assert "begins with 88" in helper.said()
    assert helper.tags == {}
    helper.press("allow")
    assert helper.tags == {"8804A3C6": CARDS[0]}
    helper.lay("08112233")
    assert "makes up a new UID" in helper.said()


def test_tags_go_out_into_files_and_come_in_again(helper, evenings):
    helper.press(f"begin:{SALT}")
    for number in range(3):
        helper.lay(number)
    helper.lay("8804A3C6")
    helper.press("allow")
    as_csv = helper.client.get("/enrol/tags.csv")
    assert "attachment" in as_csv.headers["Content-Disposition"]
    as_json = helper.client.get("/enrol/tags.json")
    assert as_json.json == {"tags": helper.tags}
    for number, written in enumerate((as_csv.data, as_json.data)):
        other = Helper(evenings(folder=f"other-{number}"))
        key = re.search(r'name="key" value="([^"]+)"', other.get())[1]

        def bring(data, other=other, key=key, **more):
            sent = {"key": key, "file": (io.BytesIO(data), "tags"), **more}
            return other.client.post("/enrol/file", data=sent)

        refused = bring(written)
        assert refused.status_code == 400
        assert "begins with 88" in refused.text
        assert not UID.search(refused.text)
        assert "8804A3C6" not in refused.text
        assert other.tags == {}
        taken = bring(written, short="yes")
        assert "4 tags were taken in" in taken.text
        assert other.tags == helper.tags


@pytest.mark.parametrize(
    "data",
    [b"", b"\xff\xfe", b"uid,component\nxx,yy\n", b"{", b'{"tags": {"a": 1}}', b"[" * 9000],
)
def test_a_file_that_is_none_changes_nothing(helper, data):
    key = re.search(r'name="key" value="([^"]+)"', helper.get())[1]
    sent = {"key": key, "file": (io.BytesIO(data), "tags")}
    response = helper.client.post("/enrol/file", data=sent)
    assert response.status_code == 400
    assert 'id="faults"' in response.text
    assert helper.tags == {}


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"\xff\xfe", "zapisz go jako CSV w UTF-8"),
        (b"uid,component\n04A3C6CAE26180,xx\n", "wiersz 2: nie ma elementu"),
        (
            b"uid,component\n5567232D,tentacles/dots\n5567232D,tentacles/dots\n",
            "jest już w wierszu 2",
        ),
        (b"{", "to nie jest JSON"),
        (b"[1]", "plik musi być obiektem"),
    ],
)
def test_what_is_wrong_with_a_file_is_told_in_the_page_s_language(helper, data, why):
    key = re.search(r'name="key" value="([^"]+)"', helper.get())[1]
    helper.client.set_cookie("lang", "pl")
    sent = {"key": key, "file": (io.BytesIO(data), "tags")}
    text = html.unescape(helper.client.post("/enrol/file", data=sent).text)
    assert why in text
    assert not UID.search(text)
    assert "Nothing" not in text


def test_odd_spellings_come_in_as_one(helper):
    key = re.search(r'name="key" value="([^"]+)"', helper.get())[1]
    rows = [
        ("04:a3:c6:ca:e2:61:80", "tentacles/dots"),
        ("8B 65 66 B9 31", "tentacles/rings"),
        ("0x5567232D", "tentacles/waves"),
    ]
    data = json.dumps({"tags": dict(rows)}).encode()
    sent = {"key": key, "file": (io.BytesIO(data), "tags.json")}
    assert helper.client.post("/enrol/file", data=sent).status_code == 200
    assert set(helper.tags) == {"04A3C6CAE26180", "8B6566B9", "5567232D"}


def test_a_wrong_button_or_key_changes_nothing(helper):
    helper.press("dance", status=400)
    helper.press("undo", status=409)
    helper.press("begin:chess", status=422)
    helper.press(f"begin:{SALT}")
    helper.press("choose:tentacles/dots", status=422)
    assert helper.client.post("/enrol/act", data={"act": "end", "key": "x"}).status_code == 403
    assert helper.evening.table.snapshot.enrolment is not None


def test_every_button_of_the_page_is_known(helper):
    helper.press(f"begin:{SALT}")
    helper.press("free")
    helper.lay(1)
    from web_ui.enrol.pages import _ACTS  # noqa: PLC0415

    acts = re.findall(r'name="act" value="([a-z-]+)', helper.get())
    assert set(acts) <= _ACTS.keys()


def test_the_disk_says_no(helper, monkeypatch):
    helper.press(f"begin:{SALT}")
    import sqlite3  # noqa: PLC0415

    def full(*_):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(Journal, "change_tags", full)
    helper.lay(1)
    assert "did not take it" in helper.said()
    assert helper.tags == {}
    helper.press("end", status=503)
    monkeypatch.undo()
    helper.lay(1)
    assert helper.tags == {uid(1): CARDS[0]}


def test_enrolment_is_told_in_any_language(pseudo, evening):
    """Whatever happens while tags are put on things; see test_other_languages."""
    visitor, helper = Visitor(evening.app), Helper(evening)

    def see(act=None, tag=None):
        if act is not None:
            helper.press(act)
        if tag is not None:
            helper.lay(tag)
        visitor.get("/enrol")
        visitor.get("/")

    helper.lay(70)
    see()
    see("add:tentacles")
    see("choose:tentacles/dots")
    see("recount:tentacles/dots", 71)
    see("undo")
    see("skip")
    see("end")
    see(f"begin:{SALT}", 1)
    see(tag=1)
    see("take-off")
    see("undo")
    see(f"choose:{CARDS[0]}", 2)
    see("move") if "b-move" in helper.get() else see()
    see(f"recount:{CARDS[3]}", 3)
    see("free", 4)
    see(f"choose:{CARDS[9]}")
    see(tag="8804A3C6")
    see(tag="08112233")
    helper.evening.table.report(SeveralTags("sim", helper.now_ns))
    helper.evening.table.settle()
    see()
    see("check", 2)
    see("lay")
    see("end")
    see("begin:octopus-alarm", 300)
    see("choose:player/1", 301)
    visitor.get("/enrol/file")
    for game in (SALT, "tentacles", "octopus-alarm"):
        visitor.get(f"/tag-sheet?game={game}&part=cards&part=additions&part=tokens")
    nothing_left(visitor, 45)
