"""Sticky, nested cohorts: a device keeps its bucket, so growing a share only ever adds devices."""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

BUCKETS: Final = 1_000_000
"""Shares are counted in millionths: a step resolves to 0.0001 %."""


def bucket(salt: bytes, device: str) -> int:
    """The bucket of a device in 0..999999 under a release's salt (16 bytes).

    BLAKE2b-64 keyed with the salt over the device id in ASCII, read big-endian, modulo one million. Vectors for
    other implementations: tests/vectors/cohort.json.
    """
    return int.from_bytes(blake2b(device.encode(), digest_size=8, key=salt).digest(), "big") % BUCKETS
