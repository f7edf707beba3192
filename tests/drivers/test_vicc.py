"""The virtual tag: its answers, its line protocol against a socket, and the program."""

import socket
import threading

import pytest

from hardware_sim import vicc
from hardware_sim.vicc import (
    NTAG213_ATR,
    ScriptError,
    ViccError,
    VirtualCard,
    Visit,
    ntag213_memory,
    parse_uid,
)
from hardware_sim.visits import parse_script

UID = "04A8D862BC2B80"
GET_UID = bytes.fromhex("FFCA000000")


class Reader:
    """vpcd's side of the line: one listening port."""

    def __init__(self):
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(5)
        self.port = self._listener.getsockname()[1]
        self.connection = None

    def accept(self):
        if self.connection is not None:
            self.connection.close()
        self.connection, _ = self._listener.accept()
        self.connection.settimeout(5)

    def send(self, body):
        self.connection.sendall(len(body).to_bytes(2, "big") + body)

    def ask(self, body):
        self.send(body)
        return self.receive()

    def receive(self):
        size = int.from_bytes(self._exactly(2), "big")
        return self._exactly(size)

    def _exactly(self, size):
        received = b""
        while len(received) < size:
            part = self.connection.recv(size - len(received))
            if not part:
                raise EOFError
            received += part
        return received

    def close(self):
        self._listener.close()
        if self.connection is not None:
            self.connection.close()


@pytest.fixture
def reader():
    reader = Reader()
    yield reader
    reader.close()


@pytest.fixture
def card(reader):
    with VirtualCard(UID, port=reader.port) as card:
        reader.accept()
        yield card


def test_atr_check_byte():
    check = 0
    for byte in NTAG213_ATR[1:]:
        check ^= byte
    assert check == 0


def test_memory_is_that_of_an_ntag213():
    memory = ntag213_memory(bytes.fromhex(UID))
    assert len(memory) == 45 * 4
    assert memory[:28].hex().upper() == ("04A8D8FC62BC2B8075480000E11012000103A00C340300FE00000000")
    assert memory[40 * 4 :].hex().upper() == "000000BD040000FF000500000000000000000000"


def test_memory_holds_144_user_bytes():
    assert ntag213_memory(bytes(7), b"x" * 144)[16:160] == b"x" * 144
    with pytest.raises(ValueError, match="144"):
        ntag213_memory(bytes(7), b"x" * 145)


@pytest.mark.parametrize(
    ("apdu", "answer"),
    [
        ("FFCA000000", UID + "9000"),
        ("FFB0000404", "0103A00C9000"),
        ("FFB0000010", "04A8D8FC62BC2B8075480000E11012009000"),
        ("FFB0002C10", "0000000004A8D8FC62BC2B80754800009000"),
        ("FFB0002D04", "6A82"),
        ("FFCA010000", "6A81"),
        ("00A4040000", "6A81"),
        ("FF", "6A81"),
    ],
)
def test_answers(apdu, answer):
    assert VirtualCard(UID).answer(bytes.fromhex(apdu)).hex().upper() == answer


@pytest.mark.parametrize("text", ["04A8D862BC2B80", "04:a8:d8:62:bc:2b:80", "04 A8 D8 62-BC2B80"])
def test_spellings_of_a_uid(text):
    assert parse_uid(text).hex().upper() == UID


@pytest.mark.parametrize("text", ["", "04A8D", "xyz", "0102030405", "04A8D862BC2B8"])
def test_what_is_no_uid(text):
    with pytest.raises(ValueError, match=r"hexadecimal|4, 7 or 10"):
        parse_uid(text)


def test_line_protocol(card, reader):
    assert reader.ask(b"\x04") == NTAG213_ATR
    for command in (b"\x01", b"\x02", b"\x00"):
        reader.send(command)
    assert reader.ask(GET_UID) == bytes.fromhex(UID) + b"\x90\x00"


def test_faults(card, reader):
    card.answer_wrongly(2)
    assert reader.ask(GET_UID) == b"\x63\x00"
    assert reader.ask(GET_UID) == b"\x63\x00"
    assert reader.ask(GET_UID)[-2:] == b"\x90\x00"
    card.mute()
    reader.send(GET_UID)
    assert reader.ask(b"\x04") == NTAG213_ATR  # the first answer since
    card.mute(on=False)
    assert reader.ask(GET_UID)[-2:] == b"\x90\x00"


def test_pulled_in_the_middle(card, reader):
    card.drop_in_next_apdu()
    reader.send(GET_UID)
    with pytest.raises(EOFError):
        reader.receive()


def test_a_slow_card_can_be_pulled(card, reader):
    card.answer_after(60)
    reader.send(GET_UID)
    card.remove()
    with pytest.raises((EOFError, ConnectionError)):
        reader.receive()


def test_it_lies_there_when_the_reader_comes_back(card, reader):
    reader.connection.close()
    reader.accept()
    assert reader.ask(b"\x04") == NTAG213_ATR


def test_swap_and_remove(card, reader):
    card.swap("8B6566B9")
    with pytest.raises((EOFError, ConnectionError)):
        reader.receive()
    reader.accept()
    assert reader.ask(GET_UID) == bytes.fromhex("8B6566B99000")
    assert card.uid == "8B6566B9"
    card.remove()
    card.remove()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("vicc-")]


def test_it_lies_on_one_reader_at_a_time(card):
    with pytest.raises(ViccError, match="already"):
        card.insert()


def test_script():
    script = "# a round\n04A8D862BC2B80\n\n8B6566B9 700  # short\n8b:65:66:b9 700 50\n"
    assert parse_script(script, 900) == (
        Visit(UID, 900, 600),
        Visit("8B6566B9", 700, 600),
        Visit("8B6566B9", 700, 50),
    )


def test_every_bad_line_is_named():
    script = "04A8D862BC2B80\n04A8\n8B6566B9 soon\n8B6566B9 1 2 3\n8B6566B9 0\n8B6566B9 -5\n"
    with pytest.raises(ScriptError) as caught:
        parse_script(script)
    lines = str(caught.value).splitlines()
    assert [line.partition(":")[0] for line in lines] == [f"line {n}" for n in range(2, 7)]


def closed_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return str(listener.getsockname()[1])


def test_a_closed_port_is_one_sentence(capsys):
    assert vicc.main(["--port", closed_port(), "--uid", UID]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "start pcscd" in told


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--uid", "04A8"], "--uid: '04A8' has 2 bytes"),
        (["--uid", UID, "--hold-ms", "0"], "cannot be held for 0 ms"),
        (["--script", "/nowhere/at.all"], "/nowhere/at.all cannot be read"),
    ],
)
def test_bad_arguments_are_told(arguments, words, reader, capsys):
    assert vicc.main(["--port", str(reader.port), *arguments]) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["--uid", UID, "--port", "70000"]])
def test_arguments_of_another_form_are_refused(arguments):
    with pytest.raises(SystemExit) as caught:
        vicc.main(arguments)
    assert caught.value.code == 2


def test_a_script_with_a_bad_line_lays_nothing(reader, tmp_path, capsys):
    script = tmp_path / "visits"
    script.write_text(f"{UID} 1 1\nnonsense\n")
    assert vicc.main(["--port", str(reader.port), "--script", str(script)]) == 2
    assert "line 2" in capsys.readouterr().err
    reader._listener.setblocking(False)
    with pytest.raises(BlockingIOError):
        reader.accept()


def test_a_script_lays_its_tags_in_order(reader, tmp_path, capsys):
    script = tmp_path / "visits"
    script.write_text(f"{UID} 1 1\n8B6566B9 1\n")
    assert vicc.main(["--port", str(reader.port), "--script", str(script)]) == 0
    assert capsys.readouterr().out.splitlines() == [f"{UID} for 1 ms", "8B6566B9 for 1 ms"]
    reader.accept()
    reader.accept()


@pytest.mark.needs("pcscd")
def test_the_program_on_the_real_pcscd(pcscd, opened, readings):
    daemon = pcscd()
    slot = daemon.readers[0]
    opened("00 00")
    readings.expect_back("pcsc-1", slot.pcsc_name)
    assert vicc.main(["--port", str(slot.port), "--uid", UID]) == 0
    readings.expect_on("pcsc-1", UID)
    readings.expect_off("pcsc-1", UID)
