"""Signatures and the chain of trust.

Documents are signed in DSSE envelopes (secure-systems-lab/dsse, protocol version 1) with Ed25519. The trusted root,
which is TUF root metadata (TUF specification 1.0, section 4.3) handled by python-tuf, says who may sign what: its role
`targets` signs manifests and variants, its role `timestamp` signs assignments and tables. Roots form a chain: each is
signed by a threshold of its own keys and of its predecessor's, so that a device that missed any number of rotations can
follow the chain from its root to the newest.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, Literal

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from walle.protocol.canonical import canonical_json
from walle.protocol.documents import payload_type
from walle.protocol.errors import DocumentMalformed, Expired, Outdated, Unsigned, WrongSignature
from walle.protocol.signing_libraries import (
    DeserializationError,
    DownloadError,
    Envelope,
    Metadata,
    RepositoryError,
    Root,
    Signature,
    Signer,
)

Role = Literal["targets", "timestamp"]
MANIFESTS: Final[Role] = "targets"
ASSIGNMENTS: Final[Role] = "timestamp"
SIGNING_ROLE: Final[Mapping[str, Role]] = {
    "manifest": MANIFESTS,
    "variant": MANIFESTS,
    "assignment": ASSIGNMENTS,
    "table": ASSIGNMENTS,
}


def sign(kind: str, document: Mapping[str, Any] | bytes, signers: Iterable[Signer]) -> bytes:
    """Return the envelope (JSON bytes) of a document of the given kind, signed by each signer."""
    payload = document if isinstance(document, bytes) else canonical_json(document)
    envelope = Envelope(payload, payload_type(kind), {})
    for signer in signers:
        envelope.sign(signer)
    return canonical_json(envelope.to_dict())


def detached(kind: str, payload: bytes, key_id: str, signature: bytes) -> bytes:
    """Rebuild the envelope of a document whose payload and only signature were sent separately, as in a header."""
    signatures = {key_id: Signature(key_id, signature.hex())}
    return canonical_json(Envelope(payload, payload_type(kind), signatures).to_dict())


def open_envelope(kind: str, envelope: bytes) -> Envelope:
    """Parse an envelope and check that it announces the expected kind; nothing is verified yet."""
    try:
        parsed = Envelope.from_dict(json.loads(envelope))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise Unsigned(f"{kind}: expected a DSSE envelope") from error
    if parsed.payload_type != payload_type(kind):
        raise Unsigned(f"expected payload type {payload_type(kind)}, found {parsed.payload_type}")
    if not parsed.signatures:
        raise Unsigned(f"{kind}: the envelope carries no signature")
    return parsed


class TrustedRoots:
    """The newest trusted root and the rules for replacing it (TUF specification 5.3)."""

    def __init__(self, root: bytes) -> None:
        """Trust `root` (TUF root metadata, JSON) on first use: it ships with the app."""
        self._metadata = _parse_root(root)
        self.data = root
        _check(self._metadata.signed, self._metadata)

    @property
    def version(self) -> int:
        return self._metadata.signed.version

    @property
    def expires(self) -> datetime:
        return self._metadata.signed.expires

    def update(self, root: bytes) -> None:
        """Accept the next root if both the present one and the next one itself vouch for it; raise otherwise."""
        successor = _parse_root(root)
        if successor.signed.version != self.version + 1:
            raise Outdated(f"expected root version {self.version + 1}, found {successor.signed.version}")
        _check(self._metadata.signed, successor)
        _check(successor.signed, successor)
        self._metadata, self.data = successor, root

    def check_expiry(self, now: datetime) -> None:
        if self._metadata.signed.is_expired(now):
            raise Expired(f"the trusted root {self.version} expired at {self.expires.isoformat()}")

    def verify(self, kind: str, envelope: bytes) -> bytes:
        """Return the payload of an envelope signed by enough keys of the kind's role."""
        parsed = open_envelope(kind, envelope)
        role = SIGNING_ROLE[kind]
        try:
            self._metadata.signed.verify_delegate(role, parsed.pae(), parsed.signatures)
        except (RepositoryError, ValueError) as error:
            raise WrongSignature(f"{kind}: not signed by the keys that root {self.version} names for {role}") from error
        return parsed.payload


def make_root(
    version: int, expires: datetime, holders: Mapping[str, Sequence[Signer]], signers: Iterable[Signer]
) -> bytes:
    """Create a root that gives each role (root, targets, timestamp) the keys of its holders, any one of which suffices.

    `signers` must include a holder of the predecessor's root role besides one of this root's own.
    """
    root = Root(version=version, expires=expires.replace(microsecond=0), consistent_snapshot=True)
    for role, role_holders in holders.items():
        for holder in role_holders:
            root.add_key(holder.public_key, role)
            if role == ASSIGNMENTS:
                root.add_key(holder.public_key, "snapshot")
    metadata: Metadata[Root] = Metadata(root)
    for signer in signers:
        metadata.sign(signer, append=True)
    return metadata.to_bytes()


def _parse_root(data: bytes) -> Metadata[Root]:
    try:
        metadata: Metadata[Root] = Metadata.from_bytes(data)
    except (DeserializationError, DownloadError) as error:
        raise DocumentMalformed("root: expected TUF root metadata") from error
    if not isinstance(metadata.signed, Root):
        raise DocumentMalformed(f"root: expected TUF root metadata, found {metadata.signed.type}")
    return metadata


def _check(authority: Root, subject: Metadata[Root]) -> None:
    try:
        authority.verify_delegate("root", subject.signed_bytes, subject.signatures)
    except (RepositoryError, ValueError) as error:
        raise WrongSignature(
            f"root {subject.signed.version} is not signed by the root keys of {authority.version}"
        ) from error


def verify_with_key(kind: str, envelope: bytes, public_keys: Iterable[bytes]) -> bytes:
    """Return the payload of an envelope signed by any one of some raw Ed25519 keys (32 bytes each), outside the chain.

    It serves the statements of an app's own backend, whose key is registered with the app and is not in the root.
    """
    parsed = open_envelope(kind, envelope)
    for public_key in public_keys:
        for signature in parsed.signatures.values():
            try:
                Ed25519PublicKey.from_public_bytes(public_key).verify(bytes.fromhex(signature.signature), parsed.pae())
            except (InvalidSignature, ValueError):
                continue
            return parsed.payload
    raise WrongSignature(f"{kind}: not signed by a registered key")


def utc(timestamp: float) -> datetime:
    """Return Unix seconds as an aware UTC time."""
    return datetime.fromtimestamp(timestamp, tz=UTC)
