"""The table: the releases of an app that decide about its devices, as one numbered, signed document.

The control plane writes it, every gateway answers check-ins from it. Its JSON form is in docs/protocol.md.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final, Self

from walle.protocol.documents import Assignment, DocumentFields
from walle.protocol.errors import DocumentMalformed
from walle.protocol.headers import short_digest
from walle.protocol.kinds import DEVICE, kind_field
from walle.protocol.names import DIGEST_PATTERN, SLUG_PATTERN, TASK_NAME_PATTERN
from walle.protocol.signing import open_envelope, sign
from walle.protocol.signing_libraries import Signer
from walle.release.cohort import BUCKETS
from walle.release.rules import Predicate, compile_rule, needs
from walle.release.rules.reading import read_rule
from walle.release.rules.tree import All, Node

BASE_PATTERN: Final = re.compile(r"[!#-\[\]-~]{1,400}")
BASE_EXPECTED: Final = "an address in ASCII, without spaces, quotes and backslashes, of at most 400 characters"
_SALT: Final = re.compile(r"[0-9a-f]{32}")
_MODE: Final = re.compile("offer|hold|keep")
_LEFT_OUT: Final = frozenset(("kind", "interpreter", "defer_s"))
"""The members of an entry that are left out where they say nothing."""


Version = tuple[str, bytes]
"""A task and the short digest of one of its manifests, as in profiles."""


@dataclass(frozen=True)
class SignedAssignment:
    """A signed assignment in the parts that the offer header needs."""

    payload: bytes
    signature: bytes
    key_id: str

    @classmethod
    def make(cls, assignment: Assignment, signer: Signer) -> Self:
        """Sign an assignment with one key of the assignments' role."""
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
    def from_fields(cls, fields: DocumentFields) -> Self:
        return cls(_bytes(fields, "payload"), _bytes(fields, "signature"), fields.get("key_id", str))


class Mode(StrEnum):
    """What an entry does for the devices in its cohort.

    OFFER: devices should install its version. HOLD, while a release is paused: no offers, and its cohort keeps its
    versions, except for those that are withdrawn. KEEP, after a release ended before completion: devices with the
    version keep it, others are not concerned.
    """

    OFFER = "offer"
    HOLD = "hold"
    KEEP = "keep"


@dataclass(frozen=True)
class Entry:
    """One release as gateways see it: which devices are eligible, and which version they should have.

    `share` counts millionths of the eligible devices, from the lower end of the order that `salt` makes; `control`
    counts those at its upper end that are held back for comparison. `envelope_digest` (hex) and `envelope_size` (bytes)
    are those of the signed manifest to pull. `pace` bounds the offers per second of all gateways together. The
    exposures of an `observed` entry are logged. After `open_until` (Unix seconds) there are no offers until the next
    table. `kind` is the task's: only devices that know it are eligible. `interpreter` is the one that its bytecode is
    for: only devices that have it are eligible; None where the source is shipped. Devices may put the version off for
    `defer_s` seconds.
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
    mode: Mode = Mode.OFFER
    control: int = 0
    pace: int | None = None
    observed: bool = False
    open_until: int | None = None
    kind: str = DEVICE
    interpreter: str | None = None
    defer_s: int = 0

    def to_dict(self) -> dict[str, Any]:
        values = {name: value for name, value in self.__dict__.items() if name not in _LEFT_OUT}
        optional = {name: value for name in ("interpreter", "defer_s") if (value := getattr(self, name))}
        return {**values, "salt": self.salt.hex(), **kind_field(self.kind), **optional}

    @classmethod
    def from_fields(cls, fields: DocumentFields) -> Self:
        share = fields.number("share", 0, BUCKETS)
        return cls(
            release=fields.get("release", int),
            stage=fields.get("stage", int),
            task=fields.matching("task", TASK_NAME_PATTERN, "a task such as camera/digits"),
            manifest=fields.digest("manifest"),
            envelope_digest=fields.digest("envelope_digest"),
            envelope_size=fields.number("envelope_size", 0),
            exclusive=fields.get("exclusive", bool),
            rule=fields.get("rule", dict),
            share=share,
            salt=bytes.fromhex(fields.matching("salt", _SALT, "32 hexadecimal digits")),
            mode=Mode(fields.matching("mode", _MODE, "offer, hold or keep")),
            control=fields.number("control", 0, BUCKETS - share),
            pace=_optional(fields, "pace", 1),
            observed=fields.get("observed", bool),
            open_until=_optional(fields, "open_until", 0),
            kind=fields.kind_of_task(),
            interpreter=fields.interpreter(),
            defer_s=_optional(fields, "defer_s", 0) or 0,
        )

    def predicate(self) -> Predicate:
        """Return the predicate of the rule; raises RuleMalformed."""
        return compile_rule(self.rule)

    def condition(self) -> Node:
        """Return the condition for eligible devices: the rule, and what they need to run it. Raises RuleMalformed."""
        rule = read_rule(self.rule)
        needed = needs(self.kind, self.interpreter)
        return All((*map(read_rule, needed), rule)) if needed else rule


@dataclass(frozen=True)
class Bases:
    """The base URLs of a region: shared files from a CDN, exclusive ones from the paper's CEN."""

    shared: str
    exclusive: str

    @classmethod
    def from_fields(cls, fields: DocumentFields) -> Self:
        return cls(*(fields.matching(name, BASE_PATTERN, BASE_EXPECTED) for name in ("shared", "exclusive")))


@dataclass(frozen=True)
class Table:
    """All releases of an app in order of precedence (newest first), what to remove, and where to pull from.

    `bases` maps a region to its base URLs, "" being every other region; `interval` is the number of seconds
    between two check-ins of a device; `removals` are retired tasks, which devices that have them give up; `withdrawn`
    are (task, manifest) pairs that were rolled back, given up by devices about which no entry decides.
    `assignments` holds the signed assignment of every entry and removal.
    """

    app: str
    number: int
    published: int
    interval: int
    bases: Mapping[str, Bases]
    entries: tuple[Entry, ...] = ()
    removals: tuple[str, ...] = ()
    withdrawn: tuple[tuple[str, str], ...] = ()
    assignments: tuple[SignedAssignment, ...] = ()

    @property
    def withdrawn_versions(self) -> frozenset[Version]:
        return frozenset((task, short_digest(manifest)) for task, manifest in self.withdrawn)

    def signed(self, signer: Signer, expires: int) -> Self:
        """Return this table with an assignment for each entry and removal, valid until `expires` (Unix seconds)."""
        documents = [
            Assignment(self.app, task, "install" if manifest else "remove", manifest, self.number, expires)
            for task, manifest in sorted(self._targets(), key=str)
        ]
        return replace(self, assignments=tuple(SignedAssignment.make(document, signer) for document in documents))

    def by_target(self) -> Mapping[tuple[str, str | None], SignedAssignment]:
        """Return the assignments by task and manifest (None: the task's removal).

        Raises DocumentMalformed unless the table is sound: every check-in can be answered from it, and no device is
        told to install what it is told to remove.
        """
        read = [(Assignment.from_payload(signed.payload), signed) for signed in self.assignments]
        signed = {(assignment.task, assignment.manifest): signed for assignment, signed in read}
        if any((assignment.app, assignment.number) != (self.app, self.number) for assignment, _ in read):
            raise DocumentMalformed("table.assignments: expected those of this very table")
        if missing := self._targets() - signed.keys():
            raise DocumentMalformed(f"table.assignments: expected those of {sorted(map(str, missing))} too")
        spoken_of = {entry.task for entry in self.entries} | {task for task, _ in self.withdrawn}
        if both := spoken_of & set(self.removals):
            raise DocumentMalformed(f"table: expected {sorted(both)} to be released or removed, not both")
        if "" not in self.bases:
            raise DocumentMalformed('table.bases: expected those of every other region under ""')
        return signed

    def _targets(self) -> set[tuple[str, str | None]]:
        removed = {*self.removals, *(task for task, _ in self.withdrawn)}
        return {(entry.task, entry.manifest) for entry in self.entries} | {(task, None) for task in removed}

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
            "withdrawn": [list(pair) for pair in self.withdrawn],
            "assignments": [assignment.to_dict() for assignment in self.assignments],
        }

    @classmethod
    def from_payload(cls, payload: bytes) -> Self:
        """Read the payload of a verified envelope; raises DocumentMalformed."""
        fields = DocumentFields.document("table", payload)
        return cls(
            app=fields.matching("app", SLUG_PATTERN, "an app"),
            number=fields.number("number", 1),
            published=fields.get("published", int),
            interval=fields.number("interval", 1),
            bases={
                region: Bases.from_fields(DocumentFields(f"table.bases[{region}]", base))
                for region, base in fields.get("bases", dict).items()
            },
            entries=tuple(Entry.from_fields(entry) for entry in _each(fields, "entries")),
            removals=_tasks(fields, "removals"),
            withdrawn=_withdrawn(fields),
            assignments=tuple(SignedAssignment.from_fields(signed) for signed in _each(fields, "assignments")),
        )


def _each(fields: DocumentFields, name: str) -> list[DocumentFields]:
    return [DocumentFields(f"table.{name}[{position}]", value) for position, value in enumerate(fields.get(name, list))]


def _tasks(fields: DocumentFields, name: str) -> tuple[str, ...]:
    tasks = fields.get(name, list)
    if not all(isinstance(task, str) and TASK_NAME_PATTERN.fullmatch(task) for task in tasks):
        raise DocumentMalformed(f"table.{name}: expected tasks such as camera/digits")
    return tuple(tasks)


def _withdrawn(fields: DocumentFields) -> tuple[tuple[str, str], ...]:
    pairs = fields.get("withdrawn", list)
    if not all(isinstance(pair, list) and len(pair) == 2 and _is_withdrawn(*pair) for pair in pairs):
        raise DocumentMalformed("table.withdrawn: expected pairs of a task and the digest of a manifest")
    return tuple((task, manifest) for task, manifest in pairs)


def _is_withdrawn(task: object, manifest: object) -> bool:
    if not (isinstance(task, str) and isinstance(manifest, str)):
        return False
    return bool(TASK_NAME_PATTERN.fullmatch(task) and DIGEST_PATTERN.fullmatch(manifest))


def _optional(fields: DocumentFields, name: str, low: int) -> int | None:
    return None if fields.values.get(name) is None else fields.number(name, low)


def _bytes(fields: DocumentFields, name: str) -> bytes:
    try:
        return base64.b64decode(fields.get(name, str), validate=True)
    except ValueError as error:
        raise DocumentMalformed(f"{fields.kind}.{name}: expected Base64") from error
