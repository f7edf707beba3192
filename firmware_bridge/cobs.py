"""COBS, consistent overhead byte stuffing: any bytes, told without a zero byte.

A zero byte can then mark the end of a frame, and a receiver that comes in the middle is in
step again after the next one. (Cheshire and Baker, "Consistent Overhead Byte Stuffing",
IEEE/ACM Transactions on Networking 7, 1999.)
"""


def encode(data: bytes) -> bytes:
    """Stuff the bytes: at most one byte longer for each 254 begun, and free of zeros."""
    out = bytearray()
    blocks = data.split(b"\x00")
    last = len(blocks) - 1
    for index, block in enumerate(blocks):
        start = 0
        while len(block) - start >= 254:
            out.append(255)
            out += block[start : start + 254]
            start += 254
        # A full block says nothing of a zero after it, so at the end it needs no successor.
        if start == 0 or start < len(block) or index < last:
            out.append(len(block) - start + 1)
            out += block[start:]
    return bytes(out)


def decode(data: bytes) -> bytes:
    """Take the stuffing out again.

    Raises:
        ValueError: no encoder gives these bytes: one is zero, or the end is missing.
    """
    out = bytearray()
    start = 0
    length = len(data)
    while start < length:
        code = data[start]
        end = start + code
        if code == 0 or end > length:
            raise ValueError("these bytes are not COBS")
        out += data[start + 1 : end]
        if code < 255 and end < length:
            out.append(0)
        start = end
    return bytes(out)
