"""Sticky, nested cohorts: a device keeps its bucket, so growing a share only ever adds devices."""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

BUCKETS: Final = 1_000_000
"""Shares are counted in millionths: a step resolves to 0.0001 %."""


class Cohort:
    """The order of devices in one release, given by its salt (16 bytes)."""

    __slots__ = ("_keyed",)

    def __init__(self, salt: bytes) -> None:
        self._keyed = blake2b(digest_size=8, key=salt)

    def bucket(self, device: bytes) -> int:
        """The bucket of a device (its id in ASCII) in 0..999999.

        BLAKE2b-64 keyed with the salt over the id, read big-endian, modulo one million. Vectors for other
        implementations: tests/vectors/cohort.json.
        """
        keyed = self._keyed.copy()
        keyed.update(device)
        return int.from_bytes(keyed.digest(), "big") % BUCKETS
