"""The simulated tags: memory, what they answer, and the states of ISO/IEC 14443-3."""

import pytest

from hardware_sim.tags import (
    ACKNOWLEDGED,
    KEY_A,
    KEY_B,
    MAD_KEY,
    NTAG213,
    NTAG215,
    NTAG216,
    MifareClassic,
    State,
    Tag,
    Type2Tag,
    make_tag,
    ndef_user_bytes,
    ntag_memory,
    text_message,
)

UID = bytes.fromhex("04A8D862BC2B80")
SHORT_UID = bytes.fromhex("82ACB95D")
KEY = bytes.fromhex("FFFFFFFFFFFF")
NTAGS = [NTAG213, NTAG215, NTAG216]


def selected(tag):
    assert tag.request()
    tag.select()
    return tag


def ask(tag, command):
    reply = tag.exchange(bytes.fromhex(command))
    return reply.hex().upper() if isinstance(reply, bytes) else reply


@pytest.mark.parametrize(
    ("kind", "pages", "container", "version"),
    [
        (NTAG213, 45, "E1101200", "0004040201000F03"),
        (NTAG215, 135, "E1103E00", "0004040201001103"),
        (NTAG216, 231, "E1106D00", "0004040201001303"),
    ],
)
def test_kinds_of_ntag(kind, pages, container, version):
    tag = selected(Type2Tag(UID, kind))
    assert len(tag.memory) == pages * 4
    assert ask(tag, "3000") == "04A8D8FC62BC2B8075480000" + container
    assert ask(tag, "60") == version
    # The container counts in eights, and promises a little less than there is.
    assert 0 <= kind.user_bytes - int(container[4:6], 16) * 8 <= 16


@pytest.mark.parametrize("uid", ["04A8D862BC2B80", "04744822A61490", "04356612001589"])
def test_check_bytes_of_the_uid(uid):
    memory = ntag_memory(NTAG213, bytes.fromhex(uid), b"")
    check = 0x88
    for byte in memory[:4]:
        check ^= byte
    assert check == 0
    for byte in memory[4:9]:
        check ^= byte
    assert check == 0


def test_the_text_is_a_text_record():
    memory = Type2Tag(UID, text="test").memory
    assert memory[16:35].hex().upper() == "0103A00C34" + "030BD1010754" + "02656E74657374" + "FE"
    memory = Type2Tag(UID, NTAG216, text="test").memory
    assert memory[16:30].hex().upper() == "030BD1010754" + "02656E74657374" + "FE"


def test_the_text_is_the_uid_if_not_said_otherwise():
    assert b"\x02en04A8D862BC2B80\xfe" in Type2Tag(UID).memory


def test_long_texts():
    message = text_message("x" * 300)
    assert message[:8].hex().upper() == "C1010000012F5402"
    assert ndef_user_bytes(NTAG216, message)[:4] == b"\x03\xff\x01\x36"
    assert Type2Tag(UID, NTAG216, text="x" * 300).memory[16:20] == b"\x03\xff\x01\x36"
    with pytest.raises(ValueError, match="NTAG213 holds 144"):
        Type2Tag(UID, text="x" * 140)


@pytest.mark.parametrize("kind", NTAGS)
def test_reading_goes_round_behind_the_last_page(kind):
    tag = selected(Type2Tag(UID, kind))
    last = f"{kind.pages - 1:02X}"
    assert ask(tag, f"30{last}") == "00000000" + "04A8D8FC62BC2B8075480000"
    assert ask(tag, f"30{kind.pages:02X}") == 0


def test_reading_many_pages_at_once():
    tag = selected(Type2Tag(UID))
    assert ask(tag, "3A0001") == "04A8D8FC62BC2B80"
    assert len(ask(tag, "3A002C")) == 2 * 180
    assert ask(tag, "3A002D") == 0
    selected(tag)
    assert ask(tag, "3A0100") == 0


def test_writing():
    tag = selected(Type2Tag(UID))
    assert ask(tag, "A204DEADBEEF") == ACKNOWLEDGED
    assert ask(tag, "3004").startswith("DEADBEEF")


@pytest.mark.parametrize("page", ["00", "01", "2D"])
def test_pages_that_are_never_written(page):
    tag = selected(Type2Tag(UID))
    before = bytes(tag.memory)
    assert ask(tag, f"A2{page}00000000") == 0
    assert tag.memory == before


@pytest.mark.parametrize(
    ("kind", "lock", "locked", "open_page"),
    [
        (NTAG213, "A20200001000", "04", "05"),
        (NTAG213, "A20200000080", "0F", "0E"),
        (NTAG213, "A22801000000", "11", "12"),
        (NTAG215, "A28201000000", "1F", "20"),
        (NTAG216, "A2E202000000", "20", "1F"),
    ],
)
def test_locked_pages(kind, lock, locked, open_page):
    tag = selected(Type2Tag(UID, kind))
    assert ask(tag, lock) == ACKNOWLEDGED
    assert ask(tag, f"A2{open_page}01020304") == ACKNOWLEDGED
    assert ask(tag, f"A2{locked}01020304") == 0
    selected(tag)
    # A lock bit that was set stays set.
    assert ask(tag, lock[:4] + "00000000") == ACKNOWLEDGED
    assert ask(tag, f"A2{locked}01020304") == 0


def test_lock_bytes_leave_the_check_byte_beside_them():
    tag = selected(Type2Tag(UID))
    assert ask(tag, "A202FFFF0100") == ACKNOWLEDGED
    assert tag.memory[8:12].hex().upper() == "75480100"


def test_the_container_only_ever_gets_bits():
    tag = selected(Type2Tag(UID))
    assert ask(tag, "A203000000FF") == ACKNOWLEDGED
    assert tag.memory[12:16].hex().upper() == "E11012FF"


def test_password_and_signature():
    tag = selected(Type2Tag(UID, password=b"abcd"))
    assert ask(tag, "1B61626364") == "0000"
    assert len(ask(tag, "3C00")) == 64
    assert ask(tag, "1B00000000") == 0


@pytest.mark.parametrize(("command", "reply"), [("1A00", None), ("FF", 0), ("30", 0)])
def test_what_it_does_not_know_makes_it_idle(command, reply):
    tag = selected(Type2Tag(UID))
    assert ask(tag, command) == reply
    assert tag.state is State.IDLE
    assert ask(tag, "3000") is None
    assert ask(selected(tag), "3000") is not None


def test_states():
    tag = Type2Tag(UID)
    assert ask(tag, "3000") is None
    selected(tag)
    assert not tag.request()  # falls back to idle
    selected(tag)
    assert ask(tag, "5000") is None
    assert tag.state is State.HALTED
    assert not tag.request()
    assert not tag.request()
    tag.lose_field()
    assert tag.request()


@pytest.mark.parametrize(
    ("uid", "atqa", "sak"),
    [("82ACB95D", 0x0004, 8), ("04A8D862BC2B80", 0x0044, 0), ("04010203040506070809", 0x0084, 0)],
)
def test_sizes_of_uid(uid, atqa, sak):
    tag = make_tag(bytes.fromhex(uid))
    assert (tag.uid.hex().upper(), tag.atqa, tag.sak) == (uid, atqa, sak)


def test_no_other_size():
    with pytest.raises(ValueError, match="4, 7 or 10"):
        Tag(b"12345")


def test_a_tag_of_which_only_the_uid_is_read():
    tag = selected(Tag(UID, sak=0x20))
    assert ask(tag, "3000") is None


def test_kinds_by_name():
    assert make_tag(UID, "ntag215").kind is NTAG215
    assert make_tag(SHORT_UID, "ntag216", "hello").kind is NTAG216
    assert isinstance(make_tag(UID, "classic"), MifareClassic)
    with pytest.raises(ValueError, match="classic"):
        make_tag(UID, "felica")
    with pytest.raises(ValueError, match="NTAG"):
        make_tag(SHORT_UID, text="hello")


def test_classic_head_and_trailer():
    tag = selected(MifareClassic(SHORT_UID))
    assert len(tag.memory) == 1024
    assert tag.authenticate(0, KEY_A, KEY)
    assert ask(tag, "3000").startswith("82ACB95D" + "CA" + "08" + "0400")
    assert ask(tag, "3003") == "000000000000" + "FF078069" + "FFFFFFFFFFFF"


def test_classic_wants_a_key():
    tag = selected(MifareClassic(SHORT_UID, keys=[MAD_KEY]))
    assert ask(tag, "3000") == 4
    selected(tag)
    assert not tag.authenticate(0, KEY_A, KEY)
    assert tag.state is State.IDLE
    assert not tag.authenticate(0, KEY_A, MAD_KEY)
    selected(tag)
    assert tag.authenticate(0, KEY_A, MAD_KEY)
    assert tag.authenticate(0, KEY_B, KEY)
    assert tag.authenticate(4, KEY_A, KEY)
    assert ask(tag, "3000") == 4  # the other sector is closed again
    selected(tag)
    assert not tag.authenticate(64, KEY_A, KEY)


def test_classic_is_written():
    tag = selected(MifareClassic(SHORT_UID))
    assert tag.authenticate(4, KEY_A, KEY)
    data = bytes(range(16)).hex().upper()
    assert ask(tag, "A004" + data) == ACKNOWLEDGED
    assert ask(tag, "3004") == data
    tag.select()
    assert ask(tag, "3004") == 4


def test_a_classic_that_refuses_a_key_closes_what_was_open():
    tag = selected(MifareClassic(SHORT_UID))
    assert tag.authenticate(4, KEY_A, KEY)
    assert not tag.authenticate(64, KEY_A, KEY)
    assert ask(tag, "3004") == 4
