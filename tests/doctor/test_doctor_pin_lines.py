"""What the kernel is asked about pins: the numbers and shapes of linux/gpio.h, and the answers."""

from __future__ import annotations

import struct

import pytest

from companion.doctor import pin_lines
from companion.doctor.pin_lines import Chip

READ, WRITE, GPIO = 2, 1, 0xB4


def request(direction: int, number: int, size: int) -> int:
    """The number of an ioctl, as asm-generic/ioctl.h puts it together."""
    return direction << 30 | size << 16 | GPIO << 8 | number


def test_the_requests_are_those_of_the_kernel():
    line = 32 + 32 + 4 + 4 + 8 + 10 * (4 + 4 + 8) + 4 * 4  # struct gpio_v2_line_info
    assert pin_lines._LINE.size == line
    assert request(READ, 0x01, 32 + 32 + 4) == pin_lines._CHIP_INFO
    assert request(READ | WRITE, 0x05, line) == pin_lines._LINE_INFO


@pytest.mark.parametrize(
    ("consumer", "flags", "user"),
    [(b"spi0 CS0", 1 | 8, "spi0 CS0"), (b"", 1, "the kernel"), (b"", 4, ""), (b"old", 4, "")],
)
def test_who_uses_a_line(monkeypatch, consumer, flags, user):
    def asked(device, number, data):
        assert (device, number) == ("/dev/gpiochip0", pin_lines._LINE_INFO)
        assert struct.unpack_from("=I", data, 64) == (17,), "the offset of the line"
        return struct.pack("=32s32sIIQ176x", b"GPIO17", consumer, 17, 0, flags)

    monkeypatch.setattr(pin_lines, "_asked", asked)
    assert pin_lines.user_of("/dev/gpiochip0", 17) == user


def test_the_chips_each_once(monkeypatch, tmp_path):
    for name in ("gpiochip10", "gpiochip0", "other"):
        (tmp_path / name).touch()
    (tmp_path / "gpiochip4").symlink_to("gpiochip0")
    monkeypatch.setattr(pin_lines, "DEVICES", tmp_path)
    answer = struct.pack("=32s32sI", b"gpiochip0", b"pinctrl-rp1", 54)
    monkeypatch.setattr(pin_lines, "_asked", lambda device, *_: answer)
    assert pin_lines.chips() == [
        Chip(str(tmp_path / name), "pinctrl-rp1", 54) for name in ("gpiochip0", "gpiochip10")
    ]


def test_what_is_no_chip_tells_nothing(tmp_path):
    assert pin_lines.user_of("/dev/null", 17) is None
    assert pin_lines.user_of(str(tmp_path / "away"), 17) is None
