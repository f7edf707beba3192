"""The accelerometers' bytes, by the tables of their data sheets."""

from __future__ import annotations

import pytest

from firmware_bridge.accelerometer import (
    ACCELEROMETERS,
    ADXL345,
    LIS3DH,
    MPU6050,
    adxl345,
    lis3dh,
    mpu6050,
    rounded,
)

LIS3DH_TABLE = (
    # low and high byte, mg within +-4 g
    ("0000", 0),
    ("1000", 2),  # one digit, left-justified: the lowest four bits are none
    ("0F00", 0),
    ("F0FF", -2),
    ("401F", 1000),
    ("C0E0", -1000),
    ("F07F", 4094),
    ("0080", -4096),
)
ADXL345_TABLE = (
    ("0000", 0),
    ("0100", 4),
    ("FFFF", -4),
    ("0001", 1000),
    ("00FF", -1000),
    ("FF0F", 15996),
    ("00F0", -16000),
)
MPU6050_TABLE = (
    # high byte first
    ("0000", 0),
    ("0001", 0),
    ("0009", 1),
    ("FFF7", -1),
    ("4000", 1000),
    ("C000", -1000),
    ("7FFF", 2000),
    ("8000", -2000),
)
CASES = [
    (decode, bytes.fromhex(pair), mg)
    for decode, table in (
        (lis3dh, LIS3DH_TABLE),
        (adxl345, ADXL345_TABLE),
        (mpu6050, MPU6050_TABLE),
    )
    for pair, mg in table
]


@pytest.mark.parametrize(("decode", "pair", "mg"), CASES)
def test_a_pair_of_bytes_on_each_axis(decode, pair, mg):
    nothing = bytes(2)
    assert decode(pair + nothing + nothing) == (mg, 0, 0)
    assert decode(nothing + pair + nothing) == (0, mg, 0)
    assert decode(nothing + nothing + pair) == (0, 0, mg)


@pytest.mark.parametrize("decode", [lis3dh, adxl345, mpu6050])
@pytest.mark.parametrize("size", [0, 1, 5, 7, 12])
def test_another_number_of_bytes_is_refused(decode, size):
    with pytest.raises(ValueError, match=f"6 bytes, and not {size}"):
        decode(bytes(size))


@pytest.mark.parametrize(
    ("numerator", "denominator", "quotient"),
    [(7, 2, 4), (-7, 2, -3), (6, 4, 2), (5, 4, 1), (-5, 4, -1), (0, 3, 0)],
)
def test_rounded(numerator, denominator, quotient):
    assert rounded(numerator, denominator) == quotient


@pytest.mark.parametrize("kind", ACCELEROMETERS, ids=lambda kind: kind.name)
def test_registers_and_values_are_bytes(kind):
    register, identities = kind.identity
    written = [number for pair in kind.set_up for number in pair]
    assert all(0 <= number <= 0xFF for number in (register, *identities, *written, kind.first))
    assert all(0x08 <= address <= 0x77 for address in kind.addresses)


def test_no_two_kinds_share_an_address():
    addresses = [address for kind in ACCELEROMETERS for address in kind.addresses]
    assert len(set(addresses)) == len(addresses)


@pytest.mark.parametrize(
    ("kind", "register", "value", "meaning"),
    [
        (LIS3DH, 0x23, 0x98, "the decoding is for +-4 g in high resolution"),
        (ADXL345, 0x31, 0x0B, "the decoding is for full resolution"),
        (MPU6050, 0x1C, 0x00, "the decoding is for +-2 g"),
    ],
)
def test_the_set_up_is_the_one_that_is_decoded(kind, register, value, meaning):
    assert (register, value) in kind.set_up, meaning
