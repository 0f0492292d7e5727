"""Cohort vectors."""

from __future__ import annotations

import struct
from typing import Any
from zlib import crc32

SALTS = (bytes(range(16)), bytes(range(240, 256)), bytes.fromhex("9e3779b97f4a7c15f39cc0605cedc834"))
DEVICES = ("a", "device-1", "device-2", "0", "_-_", "Zm9vYmFyYmF6cXV4", "z" * 64)


def cohort() -> list[dict[str, Any]]:
    """Straight from the definition in docs/protocol.md, not from the code under test."""
    return [
        {"salt_hex": salt.hex(), "device": device, "bucket": _bucket(salt, device)}
        for salt in SALTS
        for device in DEVICES
    ]


def _bucket(salt: bytes, device: str) -> int:
    factor, offset = struct.unpack(">QQ", salt)
    point = crc32(device.encode("ascii"))
    number = (factor * point + offset) % 2**64
    return number // 2**32 * 1_000_000 // 2**32
