"""Cohort vectors."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

SALTS = (bytes(16), bytes(range(16)), b"\xff" * 16)
DEVICES = ("a", "device-1", "device-2", "0", "_-_", "Zm9vYmFyYmF6cXV4", "z" * 64)


def cohort() -> list[dict[str, Any]]:
    """Straight from the definition in docs/protocol.md, not from the code under test."""
    return [
        {"salt_hex": salt.hex(), "device": device, "bucket": _bucket(salt, device)}
        for salt in SALTS
        for device in DEVICES
    ]


def _bucket(salt: bytes, device: str) -> int:
    number = 0
    for byte in blake2b(device.encode("ascii"), digest_size=8, key=salt).digest():
        number = number * 256 + byte
    return number % 1_000_000
