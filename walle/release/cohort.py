"""Sticky, nested cohorts: a device keeps its bucket, so growing a share only ever adds devices.

A device has one point in all releases; each release maps points to numbers by a function that its salt picks from a
strongly universal family (multiply-shift; Dietzfelbinger 1996, Thorup arXiv:1504.06804 section 3.3). So the numbers of
two devices in a release, and those of one device in two releases, are independent of each other, and a number costs one
multiplication however many releases there are. Vectors for other implementations:
walle/conformance/vectors/cohort.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar
from zlib import crc32

if TYPE_CHECKING:
    from numpy.typing import NDArray

Point = TypeVar("Point", int, "NDArray[Any]")
"""The point of one device, or of many as unsigned 64-bit integers; all functions accept both."""

BUCKETS: Final = 1_000_000
"""Shares are counted in millionths: a step resolves to 0.0001 %."""
SALT_BYTES: Final = 16
MASK: Final = (1 << 64) - 1


def device_point(device: str) -> int:
    """Return the point of a device in all releases: CRC-32 of its id in ASCII, which spreads similar ids well."""
    return crc32(device.encode())


def cohort_number(factor: int, offset: int, point: Point) -> Point:
    """Return the number of a device in one release, factor * point + offset mod 2^64; also for many points at once."""
    return factor * point + offset & MASK


class Cohort:
    """The order of devices in one release, given by its salt."""

    __slots__ = ("factor", "offset")

    def __init__(self, salt: bytes) -> None:
        """The salt is two big-endian 64-bit numbers, factor and offset; raises ValueError for any other length."""
        if len(salt) != SALT_BYTES:
            raise ValueError(f"expected a salt of {SALT_BYTES} bytes, found {len(salt)}")
        self.factor = int.from_bytes(salt[:8], "big")
        self.offset = int.from_bytes(salt[8:], "big")

    def bucket(self, point: int) -> int:
        """Return the bucket of a device in 0..999999: the upper half of factor * point + offset mod 2^64, scaled."""
        return ((cohort_number(self.factor, self.offset, point) >> 32) * BUCKETS) >> 32


def cohort_limit(share: int) -> int:
    """Return the limit below which numbers have a bucket below `share` (0..1000000)."""
    return -(-(share << 32) // BUCKETS) << 32
