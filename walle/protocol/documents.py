"""The signed documents: manifests, assignments, variants, tables and facts statements.

A document is verified as bytes and parsed afterwards; its digest is the SHA-256 of exactly those bytes. Fields that
this version does not know stay in the payload and are ignored, so that an old device accepts the documents of a newer
cloud (python-tuf ADR 0008).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import NoneType
from typing import Any, Final, Literal, Self

from walle.protocol import interpreters
from walle.protocol.canonical import CanonicalError, canonical_json
from walle.protocol.errors import DocumentMalformed
from walle.protocol.kinds import DEVICE, EXPECTED
from walle.protocol.names import SLUG_PATTERN, InvalidNameError, check_bundle_path

MAX_FACTS_BYTES: Final = 1024
"""The most bytes of trusted facts as canonical JSON: every request carries them inside the credential."""

Action = Literal["install", "remove"]


def payload_type(kind: str) -> str:
    """Return the DSSE payload type of a kind of document, such as `application/vnd.walle.manifest+json`."""
    return f"application/vnd.walle.{kind}+json"


class DocumentFields:
    """Reads typed fields of one parsed JSON object; errors name the field, and the document by its `kind`."""

    def __init__(self, kind: str, values: object) -> None:
        if not isinstance(values, dict):
            raise DocumentMalformed(f"{kind}: expected a JSON object")
        self.kind = kind
        self.values: dict[str, Any] = values

    @classmethod
    def document(cls, kind: str, payload: bytes) -> Self:
        """Return the fields of a document, after a check of its type and format."""
        try:
            fields = cls(kind, json.loads(payload))
        except (UnicodeDecodeError, ValueError, RecursionError) as error:
            raise DocumentMalformed(f"{kind}: expected a JSON object") from error
        if fields.values.get("type") != f"walle-{kind}":
            raise DocumentMalformed(f"{kind}: expected type walle-{kind}, found {fields.values.get('type')!r}")
        version = fields.values.get("format")
        if not isinstance(version, int) or version is True or version != 1:
            raise DocumentMalformed(f"{kind}: expected format 1, found {version!r}")
        return fields

    def get(self, name: str, expected: type | tuple[type, ...]) -> Any:
        value = self.values.get(name)
        if not isinstance(value, expected) or (isinstance(value, bool) and expected is not bool):
            raise DocumentMalformed(f"{self.kind}.{name}: expected {_type_names(expected)}, found {value!r}")
        return value

    def number(self, name: str, low: int, high: int | None = None) -> int:
        """Return an integer of at least `low`, and at most `high` if that is given."""
        value = int(self.get(name, int))
        if value < low or (high is not None and value > high):
            limits = f"at least {low}" if high is None else f"{low} to {high}"
            raise DocumentMalformed(f"{self.kind}.{name}: expected {limits}, found {value}")
        return value

    def matching(self, name: str, pattern: re.Pattern[str], expected: str) -> str:
        value = str(self.get(name, str))
        if not pattern.fullmatch(value):
            raise DocumentMalformed(f"{self.kind}.{name}: expected {expected}, found {value[:100]!r}")
        return value

    def kind_of_task(self) -> str:
        """Return the member `kind`, which is omitted for `device`."""
        return self.matching("kind", SLUG_PATTERN, EXPECTED) if "kind" in self.values else DEVICE

    def interpreter(self) -> str | None:
        """The member `interpreter`, which is left out where Python's source is shipped."""
        if "interpreter" not in self.values:
            return None
        return self.matching("interpreter", SLUG_PATTERN, interpreters.EXPECTED)

    def digest(self, name: str) -> str:
        value = self.values.get(name)
        if not is_digest(value):
            raise DocumentMalformed(f"{self.kind}.{name}: expected 64 hexadecimal digits, found {value!r}")
        return str(value)


def _type_names(expected: type | tuple[type, ...]) -> str:
    types = expected if isinstance(expected, tuple) else (expected,)
    return " or ".join("null" if t is type(None) else t.__name__ for t in types)


def is_digest(value: object) -> bool:
    """Return whether a value is a SHA-256 in 64 lowercase hexadecimal digits."""
    return isinstance(value, str) and len(value) == 64 and not value.strip("0123456789abcdef")


@dataclass(frozen=True)
class FileEntry:
    """One file of a bundle: shared ones by digest and size, exclusive ones by template (see task-format.md)."""

    path: str
    kind: Literal["shared", "exclusive"]
    digest: str | None = None
    size: int | None = None
    template: str | None = None
    default: str | None = None

    @classmethod
    def from_dict(cls, entry: object) -> Self:
        if not isinstance(entry, dict) or not isinstance(entry.get("path"), str):
            raise DocumentMalformed("manifest.files: expected objects with a path")
        path = entry["path"]
        if entry.get("kind") == "shared":
            size = entry.get("size")
            if not is_digest(entry.get("digest")) or not isinstance(size, int) or isinstance(size, bool) or size < 0:
                raise DocumentMalformed(f"manifest.files[{path}]: expected a digest and a size")
            return cls(path, "shared", digest=entry["digest"], size=size)
        default = entry.get("default")
        if entry.get("kind") == "exclusive" and isinstance(entry.get("template"), str):
            if not isinstance(default, (str, NoneType)):
                raise DocumentMalformed(f"manifest.files[{path}].default: expected a path, found {default!r}")
            return cls(path, "exclusive", template=entry["template"], default=default)
        raise DocumentMalformed(f"manifest.files[{path}]: expected kind shared, or exclusive with a template")


@dataclass(frozen=True)
class Manifest:
    """The immutable description of one task version: its requirements, its inputs and outputs, and its files.

    `interpreter` is the one whose bytecode its files are; None if they are source.
    """

    payload: bytes
    scenario: str
    task: str
    version: str
    kind: str
    interpreter: str | None
    files: tuple[FileEntry, ...]
    values: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The task's full name, `scenario/task`."""
        return f"{self.scenario}/{self.task}"

    @cached_property
    def digest(self) -> str:
        return hashlib.sha256(self.payload).hexdigest()

    @property
    def keeps_vm(self) -> bool:
        """Whether the task asks for its VM to stay after a run (docs/task-format.md, `[vm]`)."""
        vm = self.values.get("vm")
        return isinstance(vm, Mapping) and vm.get("keep") is True

    @property
    def trigger_ids(self) -> tuple[str, ...]:
        """The ids of the condition that triggers the task (docs/task-format.md, `trigger.on`); none for other tasks."""
        trigger = self.values.get("trigger")
        ids = trigger.get("on") if isinstance(trigger, Mapping) else None
        return tuple(ids) if isinstance(ids, list) and all(isinstance(each, str) for each in ids) else ()

    def check_paths(self) -> None:
        """Check that every path stays inside the bundle, stands once, and is no folder of another. Raises
        DocumentMalformed.
        """
        paths = [entry.path for entry in self.files]
        try:
            for path in paths:
                check_bundle_path(path)
        except InvalidNameError as error:
            raise DocumentMalformed(f"manifest.files: {error}") from error
        folders = {path[:end] for path in paths for end in range(len(path)) if path[end] == "/"}
        if len(set(paths)) != len(paths) or folders.intersection(paths):
            raise DocumentMalformed("manifest.files: expected every path once, and no file where a folder must be")

    @classmethod
    def from_payload(cls, payload: bytes) -> Self:
        fields = DocumentFields.document("manifest", payload)
        for name in ("inputs", "outputs", "limits", "requires"):
            fields.get(name, dict)
        return cls(
            payload=payload,
            scenario=fields.get("scenario", str),
            task=fields.get("task", str),
            version=fields.get("version", str),
            kind=fields.kind_of_task(),
            interpreter=_interpreter_of(fields),
            files=tuple(FileEntry.from_dict(entry) for entry in fields.get("files", list)),
            values=fields.values,
        )


def _interpreter_of(manifest: DocumentFields) -> str | None:
    if "bytecode" not in manifest.values:
        return None
    bytecode = DocumentFields("manifest.bytecode", manifest.values["bytecode"])
    bytecode.digest("source")
    return bytecode.matching("interpreter", SLUG_PATTERN, interpreters.EXPECTED)


@dataclass(frozen=True)
class Assignment:
    """The manifest assigned to a task of an app, or its removal. Signed once per published table.

    `number` is that of the table it belongs to; `expires` is in Unix seconds.
    """

    app: str
    task: str
    action: Action
    manifest: str | None
    number: int
    expires: int

    def to_dict(self) -> dict[str, Any]:
        return {"type": "walle-assignment", "format": 1, **self.__dict__}

    @classmethod
    def from_payload(cls, payload: bytes) -> Self:
        fields = DocumentFields.document("assignment", payload)
        action = fields.get("action", str)
        if action not in ("install", "remove"):
            raise DocumentMalformed(f"assignment.action: expected install or remove, found {action!r}")
        return cls(
            app=fields.get("app", str),
            task=fields.get("task", str),
            action=action,
            manifest=fields.digest("manifest") if action == "install" else None,
            number=fields.get("number", int),
            expires=fields.get("expires", int),
        )


@dataclass(frozen=True)
class Variant:
    """Binds the content of an exclusive file to a manifest, a path and a variant key."""

    manifest: str
    path: str
    key: str
    digest: str
    size: int

    def to_dict(self) -> dict[str, Any]:
        return {"type": "walle-variant", "format": 1, **self.__dict__}

    @classmethod
    def from_payload(cls, payload: bytes) -> Self:
        fields = DocumentFields.document("variant", payload)
        return cls(
            manifest=fields.digest("manifest"),
            path=fields.get("path", str),
            key=fields.get("key", str),
            digest=fields.digest("digest"),
            size=fields.get("size", int),
        )


@dataclass(frozen=True)
class FactsStatement:
    """The facts about a user or device that an app's own backend vouches for.

    Facts are JSON scalars: text without NUL, finite numbers, booleans; MAX_FACTS_BYTES in all.
    """

    app: str
    device: str
    facts: Mapping[str, Any]
    expires: int

    def to_dict(self) -> dict[str, Any]:
        return {"type": "walle-facts", "format": 1, **self.__dict__}

    @classmethod
    def from_payload(cls, payload: bytes) -> Self:
        fields = DocumentFields.document("facts", payload)
        facts = fields.get("facts", dict)
        check_facts(facts)
        return cls(fields.get("app", str), fields.get("device", str), facts, fields.get("expires", int))


def check_facts(facts: Mapping[str, Any]) -> None:
    """Raise DocumentMalformed unless a credential can carry these facts about a user."""
    for name, value in facts.items():
        if not isinstance(value, (str, int, float, bool)) or "\0" in f"{name}{value}":
            raise DocumentMalformed(f"facts.facts.{name}: expected text without NUL, a number or a boolean")
    try:
        size = len(canonical_json(facts))
    except CanonicalError as error:
        raise DocumentMalformed(f"facts.facts: {error}") from error
    if size > MAX_FACTS_BYTES:
        raise DocumentMalformed(f"facts.facts: expected at most {MAX_FACTS_BYTES} bytes, found {size}")
