"""The table: all that an app's devices should have, as one numbered, signed document.

The control plane writes it, every gateway answers check-ins from it. Its JSON form is in docs/protocol.md.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from walle.protocol.errors import DocumentMalformed
from walle.protocol.signing import open_envelope, sign
from walle.release.cohort import BUCKETS
from walle.release.rules import Predicate, compile_rule


@dataclass(frozen=True)
class SignedAssignment:
    """An assignment taken apart for the offer header."""

    payload: bytes
    signature: bytes
    key_id: str

    @classmethod
    def make(cls, document: Mapping[str, Any], signer: Any) -> Self:
        """Signs an assignment document (`Assignment.to_dict()`) with one signer of the assignments' role."""
        envelope = open_envelope("assignment", sign("assignment", document, [signer]))
        (signature,) = envelope.signatures.values()
        return cls(envelope.payload, bytes.fromhex(signature.signature), signature.keyid)

    def to_dict(self) -> dict[str, str]:
        return {
            "payload": base64.b64encode(self.payload).decode(),
            "signature": base64.b64encode(self.signature).decode(),
            "key_id": self.key_id,
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Self:
        return cls(base64.b64decode(value["payload"]), base64.b64decode(value["signature"]), value["key_id"])


@dataclass(frozen=True)
class Entry:
    """One release as gateways see it: who is eligible, and what they should have.

    `share` counts millionths of the eligible devices; `salt` makes their order; `envelope_digest` (hex) and
    `envelope_size` (bytes) are those of the signed manifest to pull.
    """

    release: int
    stage: int
    task: str
    manifest: str
    envelope_digest: str
    envelope_size: int
    exclusive: bool
    rule: Mapping[str, Any]
    share: int
    salt: bytes
    assignment: SignedAssignment

    def to_dict(self) -> dict[str, Any]:
        return {**self.__dict__, "salt": self.salt.hex(), "assignment": self.assignment.to_dict()}

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Self:
        known = {name: value[name] for name in cls.__dataclass_fields__}
        known["salt"] = bytes.fromhex(value["salt"])
        known["assignment"] = SignedAssignment.from_dict(value["assignment"])
        return cls(**known)

    def predicate(self) -> Predicate:
        if not 0 <= self.share <= BUCKETS:
            raise DocumentMalformed(f"table: expected a share of 0 to {BUCKETS}, found {self.share}")
        return compile_rule(self.rule)


@dataclass(frozen=True)
class Removal:
    """A retired task: devices that have it are told to remove it."""

    task: str
    assignment: SignedAssignment

    def to_dict(self) -> dict[str, Any]:
        return {"task": self.task, "assignment": self.assignment.to_dict()}

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Self:
        return cls(value["task"], SignedAssignment.from_dict(value["assignment"]))


@dataclass(frozen=True)
class Bases:
    """Where a region pulls from: shared files from a CDN, exclusive ones from the paper's CEN."""

    shared: str
    exclusive: str


@dataclass(frozen=True)
class Table:
    """All releases of an app in order of precedence (newest first), its removals, and where to pull from.

    `bases` maps a region to its base URLs, "" being every other region; `interval` is the number of seconds
    between two check-ins of a device.
    """

    app: str
    number: int
    published: int
    interval: int
    bases: Mapping[str, Bases]
    entries: tuple[Entry, ...] = ()
    removals: tuple[Removal, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {
            "type": "walle-table",
            "format": 1,
            "app": self.app,
            "number": self.number,
            "published": self.published,
            "interval": self.interval,
            "bases": {region: base.__dict__ for region, base in self.bases.items()},
            "entries": [entry.to_dict() for entry in self.entries],
            "removals": [removal.to_dict() for removal in self.removals],
        }

    @classmethod
    def from_payload(cls, payload: bytes) -> Self:
        """Reads the payload of a verified envelope; raises DocumentMalformed."""
        try:
            value = json.loads(payload)
            if (value["type"], value["format"]) != ("walle-table", 1):
                raise DocumentMalformed("table: expected type walle-table, format 1")
            return cls(
                app=value["app"],
                number=value["number"],
                published=value["published"],
                interval=value["interval"],
                bases={region: Bases(**base) for region, base in value["bases"].items()},
                entries=_read_all(Entry, value["entries"]),
                removals=_read_all(Removal, value["removals"]),
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DocumentMalformed(f"table: {type(error).__name__} {error}") from error


def _read_all(kind: Any, values: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(kind.from_dict(value) for value in values)
