"""Accelerometers that a ship can carry: how each is set up, and what its bytes say.

Pure: the registers are read and written by `firmware_bridge.sensors`, which is handed a
bus. All three measure along three axes, and at rest they feel gravity alone.
"""

import struct

TYPE_CHECKING = False  # MicroPython has no `typing`
if TYPE_CHECKING:
    from collections.abc import Callable

AXES_BYTES = 6
"""What one look at a sensor gives: two bytes for each of x, y and z."""


class Accelerometer:
    """One kind of sensor on an I2C bus.

    Attributes:
        name: as the settings of a board spell it.
        addresses: where it may answer: with its address pin low, and high.
        identity: the register that tells what it is, and the values that are right there.
        set_up: registers and values to write, in this order. A sensor that lost its power
            has forgotten them, so they are also what to compare with.
        first: the register where six bytes of measurement begin, read in one go.
        decode: from those bytes to x, y and z in thousandths of g.
    """

    def __init__(
        self,
        name: str,
        *,
        addresses: tuple[int, int],
        identity: tuple[int, tuple[int, ...]],
        set_up: tuple[tuple[int, int], ...],
        first: int,
        decode: "Callable[[bytes], tuple[int, int, int]]",
    ) -> None:
        self.name = name
        self.addresses = addresses
        self.identity = identity
        self.set_up = set_up
        self.first = first
        self.decode = decode


def rounded(numerator: int, denominator: int) -> int:
    """The nearest whole number to a quotient, halves upwards; the denominator is positive."""
    return (2 * numerator + denominator) // (2 * denominator)


def lis3dh(data: bytes) -> tuple[int, int, int]:
    """What an LIS3DH says within +-4 g: 12 bits, left-justified in two bytes, low byte first.

    A digit is 2 mg (data sheet LIS3DH, table 4).

    Raises:
        ValueError: not six bytes.
    """
    x, y, z = _three(data, "<hhh")
    return (x >> 4) * 2, (y >> 4) * 2, (z >> 4) * 2


def adxl345(data: bytes) -> tuple[int, int, int]:
    """What an ADXL345 says in full resolution: 13 bits, sign-extended, low byte first.

    256 digits are one g in every range (data sheet ADXL345, table 1).

    Raises:
        ValueError: not six bytes.
    """
    x, y, z = _three(data, "<hhh")
    return rounded(x * 1000, 256), rounded(y * 1000, 256), rounded(z * 1000, 256)


def mpu6050(data: bytes) -> tuple[int, int, int]:
    """What an MPU-6050 says within +-2 g: 16 bits, high byte first.

    16384 digits are one g (data sheet MPU-6050, 6.2).

    Raises:
        ValueError: not six bytes.
    """
    x, y, z = _three(data, ">hhh")
    return rounded(x * 1000, 16384), rounded(y * 1000, 16384), rounded(z * 1000, 16384)


def _three(data: bytes, layout: str) -> tuple[int, int, int]:
    if len(data) != AXES_BYTES:
        raise ValueError(f"A look at the sensor gives {AXES_BYTES} bytes, and not {len(data)}.")
    x, y, z = struct.unpack(layout, data)
    return x, y, z


LIS3DH = Accelerometer(
    "lis3dh",
    addresses=(0x18, 0x19),
    identity=(0x0F, (0x33,)),
    set_up=(
        (0x20, 0x57),  # CTRL_REG1: 100 Hz, all three axes
        (0x23, 0x98),  # CTRL_REG4: whole samples only, +-4 g, high resolution
    ),
    first=0x80 | 0x28,  # OUT_X_L, the highest bit asks for one register after the other
    decode=lis3dh,
)

ADXL345 = Accelerometer(
    "adxl345",
    addresses=(0x53, 0x1D),
    identity=(0x00, (0xE5,)),
    set_up=(
        (0x2C, 0x0A),  # BW_RATE: 100 Hz
        (0x31, 0x0B),  # DATA_FORMAT: full resolution, +-16 g
        (0x2D, 0x08),  # POWER_CTL: measure
    ),
    first=0x32,  # DATAX0
    decode=adxl345,
)

MPU6050 = Accelerometer(
    "mpu6050",
    addresses=(0x68, 0x69),
    # Boards that are sold under this name carry its later sisters as well.
    identity=(0x75, (0x68, 0x70, 0x71, 0x72, 0x98)),
    set_up=(
        (0x6B, 0x01),  # PWR_MGMT_1: awake, clocked by the gyroscope
        (0x1A, 0x03),  # CONFIG: low pass at 44 Hz
        (0x1C, 0x00),  # ACCEL_CONFIG: +-2 g
    ),
    first=0x3B,  # ACCEL_XOUT_H
    decode=mpu6050,
)

ACCELEROMETERS = (LIS3DH, ADXL345, MPU6050)
