"""Enrolment by file: all of it or nothing, and every bad line named."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.cli import main
from companion.rules import GAMES
from companion.tags import (
    CONTROLS,
    TagsError,
    components,
    controls_of,
    pieces_of,
    read_csv,
    read_json,
    write_csv,
    write_json,
)

HEADER = "uid,component\n"


def read(body: str, enrolled=None):
    return read_csv((HEADER + body).encode(), enrolled or {})


def test_components_are_those_of_the_games_the_players_and_the_controls():
    known = components()
    assert {"tentacles/dots", "tentacles/waves-eyes", "tentacles/octopus"} <= set(known)
    assert {"player/1", "player/6", "control/stop", "control/undo"} <= set(known)
    assert {"control/pass", "control/last-chance", "control/mermaids"} <= set(known)


def test_every_game_has_the_control_tokens_that_mean_something_in_it():
    for game in GAMES:
        assert {"stop", "undo"} <= set(controls_of(game)) <= set(CONTROLS)
    assert "pass" in controls_of("sea-salt-paper")
    assert "pass" not in controls_of("tentacles")


@pytest.mark.parametrize(
    "written",
    ["04A3C6CAE26180", "04:a3:c6:ca:e2:61:80", " 0x04a3c6cae26180 ", "04-A3-C6-CA-E2-61-80"],
)
def test_every_spelling_of_a_uid_is_one_tag(written):
    assert read(f"{written},tentacles/dots").tags == {"04A3C6CAE26180": "tentacles/dots"}


def test_a_check_byte_is_cut_and_said(tmp_path):
    found = read("8B6566B931,tentacles/dots")
    assert found.tags == {"8B6566B9": "tentacles/dots"}
    assert found.notes == ("line 2: 8B6566B931 ends in its check byte; read as 8B6566B9",)


def test_columns_may_be_parted_as_spreadsheets_do_it_in_poland_and_norway():
    data = "\ufeffuid;component\r\n04A3C6CAE26180;tentacles/dots\r\n".encode()
    assert read_csv(data, {}).tags == {"04A3C6CAE26180": "tentacles/dots"}


def test_several_tags_of_one_face_are_several_cards():
    found = read("8B6566B9,tentacles/dots\n82ACB95D,tentacles/dots\n77E5EB59,player/1\n")
    assert pieces_of("tentacles", found.tags) == {"dots": 2}


BAD = [
    ("04A3C6CAE2618,tentacles/dots", "odd number of digits"),
    ("0x8804a3c6,tentacles/dots", "cuts 7-byte"),
    ("1432822573,tentacles/dots", "decimal"),
    ("08112233,tentacles/dots", "new UID at each tap"),
    ("04A3C6,tentacles/dots", "4, 7 or 10 bytes"),
    ("hello,tentacles/dots", "not hexadecimal"),
    (",tentacles/dots", "empty"),
    ("82ACB95D,tentacles/crab", "no component"),
    ("82ACB95D,player/7", "no component"),
    ("82ACB95D", "columns"),
    ("82ACB95D,tentacles/dots,red", "columns"),
]


@pytest.mark.parametrize(("line", "reason"), BAD)
def test_a_bad_line_is_named_with_its_number_and_reason(line, reason):
    with pytest.raises(TagsError, match=rf"line 3: .*{reason}"):
        read(f"8B6566B9,player/1\n{line}\n")


def test_all_bad_lines_are_named_at_once():
    with pytest.raises(TagsError) as refused:
        read("".join(f"{line}\n" for line, _ in BAD))
    lines = str(refused.value).splitlines()
    assert [line.split(":")[0] for line in lines[1:]] == [
        f"line {number}" for number in range(2, 2 + len(BAD))
    ]


def test_one_tag_twice_is_refused():
    with pytest.raises(TagsError, match="line 3: the tag 8B6566B9 stands in line 2"):
        read("8B6566B9,player/1\n8B:65:66:B9,player/2\n")


def test_a_tag_of_another_thing_must_be_removed_first():
    with pytest.raises(TagsError, match="companion tags remove 8B6566B9"):
        read("8B6566B9,player/1\n", {"8B6566B9": "player/2"})
    assert read("8B6566B9,player/1\n", {"8B6566B9": "player/1"}).tags


@pytest.mark.parametrize(
    "data", [b"", b"\xff\xfe", b"component,uid\n", b'uid,component\n"8B6566B9']
)
def test_what_is_no_such_file_is_refused(data):
    with pytest.raises(TagsError):
        read_csv(data, {})


@given(st.dictionaries(st.binary(min_size=7, max_size=7), st.sampled_from(components())))
def test_what_is_exported_can_be_imported(tags):
    spelt = {uid.hex().upper(): component for uid, component in tags.items()}
    assert read_csv(write_csv(spelt).encode(), {}).tags == spelt


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data):
    try:
        found = read_csv(HEADER.encode() + data, {})
    except TagsError:
        return
    assert set(found.tags.values()) <= set(components())


def test_the_command(tmp_path, capsys):
    file = tmp_path / "tags.csv"
    data = ["--data", str(tmp_path / "data")]
    file.write_text(HEADER + "8B6566B9,tentacles/dots\n04A3C6CAE26180,control/stop\n")
    assert main(["tags", "import", str(file), *data]) == 0
    assert main(["tags", "list", *data]) == 0
    assert "8B6566B9              tentacles/dots\n2 tags." in capsys.readouterr().out
    assert main(["tags", "remove", "8b:65:66:b9", *data]) == 0
    assert main(["tags", "remove", "8B6566B9", *data]) == 2
    assert "not enrolled" in capsys.readouterr().err
    assert main(["tags", "export", *data]) == 0
    assert capsys.readouterr().out == HEADER + "04A3C6CAE26180,control/stop\n"


def test_nothing_is_imported_in_part(tmp_path, capsys):
    file = tmp_path / "tags.csv"
    data = ["--data", str(tmp_path / "data")]
    file.write_text(HEADER + "8B6566B9,tentacles/dots\nbad,tentacles/dots\n")
    assert main(["tags", "import", str(file), *data]) == 2
    assert "line 3" in capsys.readouterr().err
    assert main(["tags", "export", *data]) == 0
    assert capsys.readouterr().out == HEADER


def test_json_says_the_same_as_csv():
    tags = {"04A3C6CAE26180": "tentacles/dots", "82ACB95D": "control/stop"}
    assert read_json(write_json(tags).encode(), {}).tags == tags
    assert read_csv(write_csv(tags).encode(), {}).tags == tags


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"tags": []}',
        '{"tags": {"82ACB95D": 1}}',
        '{"tags": {}, "more": {}}',
        '{"tags": {"82ACB95D": "tentacles/dots", "82ACB95D": "tentacles/rings"}}',
        '{"tags": {"82ACB95D": "no/such"}}',
        "[" * 5000,
    ],
)
def test_what_is_no_object_of_tags_is_refused(text):
    with pytest.raises(TagsError, match="Nothing was imported"):
        read_json(text.encode(), {})


def test_a_uid_that_looks_cut_is_taken_when_somebody_says_that_it_is_whole(tmp_path, capsys):
    row = "8804A3C6,tentacles/dots\n"
    with pytest.raises(TagsError, match="begins with 88"):
        read(row)
    assert read_csv((HEADER + row).encode(), {}, short=True).tags == {"8804A3C6": "tentacles/dots"}
    file = tmp_path / "tags.json"
    file.write_text(write_json({"8804A3C6": "tentacles/dots"}))
    where = ["--data", str(tmp_path / "data")]
    assert main(["tags", "import", str(file), *where]) == 2
    assert main(["tags", "import", str(file), "--short", *where]) == 0
    assert main(["tags", "remove", "88 04 A3 C6", *where]) == 0
    assert "removed" in capsys.readouterr().out
