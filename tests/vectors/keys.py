"""The fixed Ed25519 keys of the vectors: good for tests, and for nothing else."""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from walle.protocol.signing import make_root
from walle.protocol.signing_libraries import CryptoSigner

NOW = 1_800_000_000
"""The moment at which the vectors are read, in Unix seconds."""
FAR = datetime(2100, 1, 1, tzinfo=UTC)
PAST = datetime(2027, 1, 1, tzinfo=UTC)


def seed_of(name: str) -> bytes:
    return sha256(f"walle test key {name}".encode()).digest()


def signer(name: str) -> CryptoSigner:
    """The key whose seed is the SHA-256 of `walle test key <name>`."""
    return CryptoSigner(Ed25519PrivateKey.from_private_bytes(seed_of(name)))


def describe(name: str) -> dict[str, str]:
    public: Any = signer(name).public_key
    return {"seed": seed_of(name).hex(), "public": public.keyval["public"], "key_id": public.keyid}


def root(version: int, generation: int, *signers: str, expires: datetime = FAR, roots: tuple[str, ...] = ()) -> bytes:
    """A root whose role keys are of one generation (`targets-1`, ...), signed by the named keys."""
    holders = {
        "root": [signer(name) for name in roots or (f"root-{generation}",)],
        "targets": [signer(f"targets-{generation}")],
        "timestamp": [signer(f"timestamp-{generation}")],
    }
    return make_root(version, expires, holders, [signer(name) for name in signers])
