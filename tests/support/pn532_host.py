"""The host's end of a simulated PN532, with frames as a host writes them down."""

from hardware_sim.pn532_frames import ACK, FrameReader, encode

WAKE_UP = bytes.fromhex("55550000000000000000000000000000")
SAM_CONFIGURATION = bytes.fromhex("0000FF03FDD414011700")
GET_FIRMWARE_VERSION = bytes.fromhex("0000FF02FED4022A00")
FIRMWARE_VERSION = bytes.fromhex("0000FF06FAD50332010607E800")
LOOK_FOR_ONE = bytes.fromhex("0000FF04FCD44A0100E100")
LOOK_FOR_TWO = bytes.fromhex("0000FF04FCD44A0200E000")
NO_TARGET = bytes.fromhex("0000FF03FDD54B00E000")
CLASSIC_UID = bytes.fromhex("82ACB95D")
NTAG_UID = bytes.fromhex("04517CE1ED2580")
CLASSIC_FOUND = bytes.fromhex("0000FF0CF4D54B010100040804" + "82ACB95D" + "8A00")
NTAG_FOUND = bytes.fromhex("0000FF0FF1D54B010100440007" + "04517CE1ED2580" + "4F00")
BOTH_FOUND = bytes.fromhex(
    "0000FF18E8D54B020100440007" + "04517CE1ED2580" + "0200040804" + "82ACB95D" + "F800"
)


class Host:
    """One end of the line, with a clock of its own."""

    def __init__(self, chip):
        self.chip = chip
        self.now_ms = 1000

    def send(self, data):
        self.chip.feed(data, self.now_ms)
        return self.chip.output(self.now_ms)

    def wait(self, for_ms):
        self.now_ms += for_ms
        return self.chip.output(self.now_ms)

    def answer(self, data, within_ms=100):
        """What comes to a frame, without its ACK."""
        received = self.send(data) + self.wait(within_ms)
        assert received[: len(ACK)] == ACK
        return received[len(ACK) :]

    def ask(self, command, within_ms=100):
        """What comes to a command in hexadecimal, without code and frame."""
        body = bytes.fromhex(command)
        frames = FrameReader().feed(self.answer(encode(b"\xd4" + body), within_ms))
        assert [frame.body[:2] for frame in frames] == [bytes([0xD5, body[0] + 1])]
        return frames[0].body[2:].hex().upper()
