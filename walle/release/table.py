"""The table: all that an app's devices should have, as one numbered, signed document.

The control plane writes it, every gateway answers check-ins from it. Its JSON form is in docs/protocol.md.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from securesystemslib.signer import Signer

from walle.protocol.documents import Assignment
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
    def make(cls, assignment: Assignment, signer: Signer) -> Self:
        """Signs an assignment with one holder of the assignments' role."""
        envelope = open_envelope("assignment", sign("assignment", assignment.to_dict(), [signer]))
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
    `envelope_size` (bytes) are those of the signed manifest to pull. While `paused`, nobody is offered the version
    and nobody who has it is offered another: the cohort keeps what it has.
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
    paused: bool = False

    def to_dict(self) -> dict[str, Any]:
        return {**self.__dict__, "salt": self.salt.hex()}

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Self:
        known = {name: value[name] for name in cls.__dataclass_fields__}
        return cls(**{**known, "salt": bytes.fromhex(value["salt"])})

    def predicate(self) -> Predicate:
        if not 0 <= self.share <= BUCKETS:
            raise DocumentMalformed(f"table: expected a share of 0 to {BUCKETS}, found {self.share}")
        return compile_rule(self.rule)


@dataclass(frozen=True)
class Bases:
    """Where a region pulls from: shared files from a CDN, exclusive ones from the paper's CEN."""

    shared: str
    exclusive: str


@dataclass(frozen=True)
class Table:
    """All releases of an app in order of precedence (newest first), what to remove, and where to pull from.

    `bases` maps a region to its base URLs, "" being every other region; `interval` is the number of seconds
    between two check-ins of a device; `removals` are retired tasks, which devices that have them give up.
    `assignments` holds the signed assignment of every entry and removal.
    """

    app: str
    number: int
    published: int
    interval: int
    bases: Mapping[str, Bases]
    entries: tuple[Entry, ...] = ()
    removals: tuple[str, ...] = ()
    assignments: tuple[SignedAssignment, ...] = ()

    def signed(self, signer: Signer, expires: int) -> Self:
        """This table with an assignment for each entry and removal, good until `expires` (Unix seconds)."""
        wanted = sorted({(entry.task, entry.manifest) for entry in self.entries})
        documents = [
            *(Assignment(self.app, task, "install", manifest, self.number, expires) for task, manifest in wanted),
            *(Assignment(self.app, task, "remove", None, self.number, expires) for task in self.removals),
        ]
        return replace(self, assignments=tuple(SignedAssignment.make(document, signer) for document in documents))

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
            "removals": list(self.removals),
            "assignments": [assignment.to_dict() for assignment in self.assignments],
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
                entries=tuple(Entry.from_dict(entry) for entry in value["entries"]),
                removals=tuple(value["removals"]),
                assignments=tuple(SignedAssignment.from_dict(assignment) for assignment in value["assignments"]),
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DocumentMalformed(f"table: {type(error).__name__} {error}") from error
