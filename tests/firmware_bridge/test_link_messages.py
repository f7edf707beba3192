"""The bodies of messages: what is packed is what is unpacked, and noise is refused."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge import messages as m

PLACES = st.integers(0, 127)
TIMES = st.integers(0, 2**30 - 1)
UIDS = st.sampled_from([bytes.fromhex("82ACB95D"), bytes.fromhex("04A3C6CAE26180"), bytes(10)])
MG = st.integers(-16_000, 16_000)
SHORT_TEXT = st.text(max_size=20)


@given(PLACES, UIDS, TIMES, st.booleans())
def test_tags(place, uid, t_ms, lay_there):
    body = m.pack_tag_on(place, uid, t_ms, lay_there=lay_there)
    assert m.unpack_tag_on(body) == (place, uid, t_ms, lay_there)
    assert m.unpack_tag_off(m.pack_tag_off(place, uid, t_ms)) == (place, uid, t_ms)


@given(PLACES, SHORT_TEXT, TIMES, st.integers(1, 3), st.integers(1, 255))
def test_places(place, text, t_ms, button, rate_hz):
    assert m.unpack_place(m.pack_place(place, t_ms)) == (place, t_ms)
    assert m.unpack_unreadable(m.pack_unreadable(place, text, t_ms)) == (place, text, t_ms)
    assert m.unpack_button(m.pack_button(place, button, t_ms)) == (place, button, t_ms)
    assert m.unpack_signal(m.pack_signal(place, button)) == (place, button)
    assert m.unpack_sampling(m.pack_sampling(rate_hz)) == rate_hz


@given(MG, MG, MG, TIMES)
def test_attitude(x_mg, y_mg, z_mg, t_ms):
    body = m.pack_attitude(x_mg, y_mg, z_mg, t_ms)
    assert m.unpack_attitude(body) == (x_mg, y_mg, z_mg, t_ms)


@given(SHORT_TEXT, st.integers(0, 15), st.lists(st.text(max_size=4), max_size=8))
def test_hello(firmware, capabilities, places):
    body = m.pack_hello(firmware, capabilities, places)
    assert m.unpack_hello(body) == (firmware, capabilities, places)


def test_times_wrap_on_a_computer_whose_counter_goes_further():
    far_ms = 2**40 + 5
    assert m.unpack_place(m.pack_place(1, far_ms)) == (1, 5)
    assert m.unpack_button(m.pack_button(1, 2, far_ms)) == (1, 2, 5)
    assert m.unpack_attitude(m.pack_attitude(1, 2, 3, far_ms)) == (1, 2, 3, 5)


def test_what_is_too_much_is_cut_or_refused():
    assert m.unpack_attitude(m.pack_attitude(40_000, -40_000, 0, 5)) == (32767, -32768, 0, 5)
    assert m.unpack_overflow(m.pack_overflow(2**40)) == 2**32 - 1
    assert m.unpack_unreadable(m.pack_unreadable(1, "x" + "ø" * 60, 0))[1] == "x" + "ø" * 39
    with pytest.raises(ValueError, match="too long"):
        m.pack_hello("x" * 80, 0, ["y" * 80, "z" * 80])


UNPACKERS = [getattr(m, name) for name in dir(m) if name.startswith("unpack_")]


@pytest.mark.parametrize("unpack", UNPACKERS, ids=lambda unpack: unpack.__name__)
@given(body=st.binary(max_size=40))
def test_noise_gives_a_value_or_a_value_error(unpack, body):
    try:
        unpack(body)
    except ValueError:
        return


@pytest.mark.parametrize("unpack", UNPACKERS, ids=lambda unpack: unpack.__name__)
def test_an_empty_body_is_refused(unpack):
    with pytest.raises(ValueError):  # noqa: PT011 - each says its own words
        unpack(b"")


def test_the_document_has_every_kind_with_its_number():
    text = (Path(__file__).parents[2] / "docs" / "board-protocol.md").read_text(encoding="utf-8")
    told = dict(re.findall(r"^\| (0x[0-9A-F]{2}) \| ([A-Z_]+) \|", text, re.MULTILINE))
    source = (Path(m.__file__)).read_text(encoding="utf-8")
    kinds = dict(re.findall(r"^([A-Z_]+) = (0x[0-9A-F]{2})$", source, re.MULTILINE))
    del kinds["UNRELIABLE"], kinds["LAY_THERE"]
    assert {name: number for number, name in told.items()} == kinds
