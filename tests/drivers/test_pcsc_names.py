"""Reader names as makers and systems write them, and who sits where."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.drivers.pcsc.names import (
    FIRST_SEATS,
    MOST_SEATS,
    ReaderName,
    Seat,
    assign,
    chosen,
    parse,
)

ACR122 = "ACS ACR122U PICC Interface"


@pytest.mark.parametrize(
    ("pcsc_name", "parts"),
    [
        ("ACS ACR122U PICC Interface 00 00", (ACR122, None, None, 0, 0)),
        ("ACS ACR122U 00 00", ("ACS ACR122U", None, None, 0, 0)),
        ("ACS ACR122U (A02014090501) 00 01", ("ACS ACR122U", None, "A02014090501", 0, 1)),
        ("ACS ACR122U PICC Interface 0", (ACR122, None, None, 0, None)),
        ("ACS ACR122U PICC Interface", (ACR122, None, None, None, None)),
        ("ACS ACR 38U-CCID 00 00", ("ACS ACR 38U-CCID", None, None, 0, 0)),
        (
            "ACS ACR1252 Dual Reader [ACR1252 Dual Reader PICC] 00 00",
            ("ACS ACR1252 Dual Reader", "ACR1252 Dual Reader PICC", None, 0, 0),
        ),
        (
            "ACS ACR1252 CL Reader [ACR1252 Reader PICC] 02 00",
            ("ACS ACR1252 CL Reader", "ACR1252 Reader PICC", None, 2, 0),
        ),
        (
            "ACS ACR1252 1S CL Reader PICC 0",
            ("ACS ACR1252 1S CL Reader PICC", None, None, 0, None),
        ),
        ("ACS ACR1252 1S CL Reader(1)", ("ACS ACR1252 1S CL Reader", None, None, None, 0)),
        ("ACS ACR1252 1S CL Reader(2)", ("ACS ACR1252 1S CL Reader", None, None, None, 1)),
        ("ACS ACR1281 1S Dual Reader 00 02", ("ACS ACR1281 1S Dual Reader", None, None, 0, 2)),
        (
            "Identiv uTrust 3700 F CL Reader [uTrust 3700 F CL Reader] (55021921203314) 00 00",
            (
                "Identiv uTrust 3700 F CL Reader",
                "uTrust 3700 F CL Reader",
                "55021921203314",
                0,
                0,
            ),
        ),
        (
            "SCL3711 Reader and NFC Device 00 00",
            ("SCL3711 Reader and NFC Device", None, None, 0, 0),
        ),
        ("HID OMNIKEY 5427 CK (OK) 00 00", ("HID OMNIKEY 5427 CK", None, "OK", 0, 0)),
        (
            "Alcor Link AK9567 [Contactless Card Reader] 01 00",
            ("Alcor Link AK9567", "Contactless Card Reader", None, 1, 0),
        ),
        (
            "Microchip SEC1210 [CCID Interface] (34884770) 01 00",
            ("Microchip SEC1210", "CCID Interface", "34884770", 1, 0),
        ),
        ("Virtual PCD 0A 1F", ("Virtual PCD", None, None, 10, 31)),
        ("", ("", None, None, None, None)),
    ],
)
def test_a_name_is_taken_apart(pcsc_name, parts):
    assert parse(pcsc_name) == ReaderName(*parts)


@given(st.text(max_size=60))
def test_no_name_is_refused(pcsc_name):
    name = parse(pcsc_name)
    assert name.vendor in pcsc_name
    assert isinstance(name.is_contactless, bool)


@pytest.mark.parametrize(
    ("pcsc_name", "contactless"),
    [
        ("ACS ACR122U PICC Interface 00 00", True),
        ("ACS ACR122U 00 00", True),
        ("ACS ACR1252 Dual Reader [ACR1252 Dual Reader PICC] 00 00", True),
        ("ACS ACR1252 Dual Reader [ACR1252 Dual Reader SAM] 01 00", False),
        ("ACS ACR1252 1S CL Reader PICC 0", True),
        ("ACS ACR1252 1S CL Reader SAM 0", False),
        ("ACS ACR1252 1S CL Reader(1)", True),
        ("ACS ACR1252 1S CL Reader(2)", False),
        ("ACS ACR1281 Dual Reader ICC 0", False),
        ("ACS ACR1281 1S Dual Reader 00 00", False),
        ("ACS ACR1281 1S Dual Reader 00 01", True),
        ("ACS ACR1281 1S Dual Reader 00 02", False),
        ("Samsung NFC Reader 00 00", True),
        ("Alcor Link AK9567 [Contactless Card Reader] 01 00", True),
    ],
)
def test_slots_for_contact_cards_are_known_by_whole_words(pcsc_name, contactless):
    assert parse(pcsc_name).is_contactless is contactless


def test_readers_are_chosen_by_a_part_of_the_name_and_sorted():
    names = [
        "Identiv uTrust 3700 F CL Reader [uTrust 3700 F CL Reader] (55021921203314) 00 00",
        "ACS ACR122U PICC Interface 01 00",
        "ACS ACR122U PICC Interface 00 00",
        "ACS ACR122U PICC Interface 00 00",
        "ACS ACR1252 Dual Reader [ACR1252 Dual Reader SAM] 01 00",
    ]
    assert chosen(names, "") == (names[2], names[1], names[0])
    assert chosen(names, "acr122u") == (names[2], names[1])
    assert chosen(names, "SAM") == ()
    assert chosen(names, "OMNIKEY") == ()


def seated(*lists):
    """The seats after PC/SC has shown one list of readers after the other."""
    seats = FIRST_SEATS
    for names in lists:
        seats = assign(seats, sorted(names))
    return {seat.name: seat.pcsc_name if seat.present else None for seat in seats}


R0, R1, R2 = (f"{ACR122} 0{index} 00" for index in range(3))
SERIAL_A = "Identiv uTrust [CL] (A) 00 00"
SERIAL_B = "Identiv uTrust [CL] (B) 01 00"


def test_the_first_seat_is_there_from_the_start():
    assert seated() == {"pcsc-1": None}
    assert seated([]) == {"pcsc-1": None}


def test_readers_sit_down_in_the_order_of_their_names():
    assert seated([SERIAL_A, R1, R0]) == {"pcsc-1": R0, "pcsc-2": R1, "pcsc-3": SERIAL_A}


def test_a_seat_is_kept_for_a_vanished_reader():
    assert seated([R0, SERIAL_A], [SERIAL_A]) == {"pcsc-1": None, "pcsc-2": SERIAL_A}
    assert seated([R0, SERIAL_A], [SERIAL_A], [R0, SERIAL_A])["pcsc-1"] == R0


def test_another_index_is_the_same_reader():
    assert seated([R0], [], [R1]) == {"pcsc-1": R1}
    assert seated([R0], [R1]) == {"pcsc-1": R1}


def test_two_readers_of_one_name_keep_their_seats():
    assert seated([R0, R1], [R1, R0]) == {"pcsc-1": R0, "pcsc-2": R1}
    assert seated([R0, R1], [R1], [R1, R2]) == {"pcsc-1": R2, "pcsc-2": R1}
    assert seated([R0, R1], [R0], [R0, R2]) == {"pcsc-1": R0, "pcsc-2": R2}
    assert seated([R0, R1], [], [R1, R2]) == {"pcsc-1": R2, "pcsc-2": R1}


def test_another_serial_is_another_reader():
    moved_b = SERIAL_B.replace("01 00", "00 00")
    assert seated([SERIAL_A, SERIAL_B], [], [moved_b]) == {"pcsc-1": None, "pcsc-2": moved_b}
    assert seated([SERIAL_A], [SERIAL_B]) == {"pcsc-1": None, "pcsc-2": SERIAL_B}


def test_two_readers_with_one_serial_are_two():
    one, two = "ACS ACR122U (A02014090501) 00 00", "ACS ACR122U (A02014090501) 00 01"
    assert seated([one, two], [two]) == {"pcsc-1": None, "pcsc-2": two}


def test_a_slot_moves_to_the_same_slot():
    before = ["Dual [PICC] 00 00", "Dual [PICC] 00 01"]
    after = ["Dual [PICC] 01 01"]
    assert seated(before, [], after) == {"pcsc-1": None, "pcsc-2": "Dual [PICC] 01 01"}


def test_the_number_of_seats_is_bounded():
    many = [f"{ACR122} {index:02X} 00" for index in range(MOST_SEATS + 4)]
    assert len(seated(many)) == MOST_SEATS


names_shown = st.sets(
    st.builds(
        "{} {:02X} {:02X}".format,
        st.sampled_from([ACR122, "Dual [PICC]", "uTrust (A)", "uTrust (B)"]),
        st.integers(0, 2),
        st.integers(0, 1),
    )
)


@given(st.lists(names_shown, max_size=8))
def test_whatever_comes_and_goes(lists):
    seats = FIRST_SEATS
    for names in lists:
        before, seats = seats, assign(seats, sorted(names))
        here = [seat.pcsc_name for seat in seats if seat.present]
        assert len(here) == len(set(here))
        assert set(here) <= names
        assert set(here) == names or len(seats) == MOST_SEATS
        assert [seat.name for seat in seats] == [f"pcsc-{n}" for n in range(1, len(seats) + 1)]
        for old, new in zip(before, seats, strict=False):
            if old.pcsc_name in names:
                assert new == Seat(old.name, old.pcsc_name, present=True)
            if old.pcsc_name is not None:
                assert parse(new.pcsc_name).identity == parse(old.pcsc_name).identity
