"""A cloud in memory, after python-tuf's repository simulator: its state is mutated directly by checks and tests, what
it signs is really signed. It is an ASGI application.

    repository = Repository()
    repository.publish("camera/digits", "1.0.0", {"main.py": b"..."})

`offers` may be replaced to offer something else than what is right, `mangle` and `rewrite` to spoil what is offered;
`blobs` may be overwritten to serve something else than what was signed; `hidden`, `status`, `failures`, `cut`, `cuts`
and `gates` make the server fail.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from walle.protocol import headers as wire
from walle.protocol.canonical import canonical_json
from walle.protocol.documents import Assignment, Manifest, Variant
from walle.protocol.keyed import DeviceKey, Keyring, OfferStamp
from walle.protocol.signing import make_root, open_envelope, sign
from walle.protocol.signing_libraries import CryptoSigner

PREFIX: Final = "/walle/v1"
FAR: Final = datetime(2100, 1, 1, tzinfo=UTC)


@dataclass
class Keys:
    """The signers of the three roles; replaced as a whole by a rotation."""

    root: CryptoSigner = field(default_factory=CryptoSigner.generate_ed25519)
    targets: CryptoSigner = field(default_factory=CryptoSigner.generate_ed25519)
    timestamp: CryptoSigner = field(default_factory=CryptoSigner.generate_ed25519)

    def holders(self) -> dict[str, list[CryptoSigner]]:
        return {"root": [self.root], "targets": [self.targets], "timestamp": [self.timestamp]}


@dataclass
class Published:
    """What a task is now. `manifest` None: it is to be removed."""

    manifest: Manifest | None
    envelope: bytes = b""
    version: str = ""


class RecordedRequest(NamedTuple):
    """A request that came; `at` is in seconds of a clock that never jumps."""

    path: str
    headers: dict[str, str]
    body: bytes
    at: float


class Gate:
    """Holds requests until it is opened; tells when the first has arrived."""

    def __init__(self) -> None:
        self.arrived, self.open = asyncio.Event(), asyncio.Event()


@dataclass
class ReferenceRepository:
    app: str = "shop"
    number: int = 1
    lifetime: float = 3600.0
    keys: Keys = field(default_factory=Keys)
    roots: dict[int, bytes] = field(default_factory=dict)
    tasks: dict[str, Published] = field(default_factory=dict)
    blobs: dict[str, bytes] = field(default_factory=dict)
    variants: dict[tuple[str, str], bytes] = field(default_factory=dict)
    """(device id, path) to the content of the exclusive file."""
    hidden: set[str] = field(default_factory=set)
    """Paths (or their ends) answered with 404."""
    status: int | None = None
    """Answers every request with this status."""
    failures: dict[str, tuple[int, dict[str, str]]] = field(default_factory=dict)
    """Beginning of a path to the status and headers with which it is answered."""
    gates: dict[str, Gate] = field(default_factory=dict)
    """Beginning of a path to what holds its requests; artifacts are held when half is sent."""
    cut: int | None = None
    """Breaks every artifact off after so many bytes."""
    cuts: list[int] = field(default_factory=list)
    """Breaks the next artifacts that are longer off, one after so many bytes each."""
    retry_after: int | None = None
    interval: int | None = None
    """Seconds between check-ins, as enrolment tells them."""
    ranges: bool = True
    future: bool = False
    """Whether headers, parameters and members of a later version of the protocol come along."""
    revoked: set[str] = field(default_factory=set)
    reports: list[dict[str, Any]] = field(default_factory=list)
    rejected: dict[str, str] = field(default_factory=dict)
    """Report ids refused for good, with the code."""
    poison: set[str] = field(default_factory=set)
    """Report ids for whose sake a whole batch is refused."""
    requests: list[RecordedRequest] = field(default_factory=list)
    served: list[tuple[str, int, int]] = field(default_factory=list)
    """Path, first byte and number of bytes of every part of a file that was sent."""
    malformed: list[str] = field(default_factory=list)
    """What was wrong with requests."""
    new_ids: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    backend: CryptoSigner = field(default_factory=CryptoSigner.generate_ed25519)
    mangle: Callable[[wire.Offer], wire.Offer] = lambda offer: offer
    rewrite: Callable[[str], str] = lambda text: text
    """Makes of the text of Walle-Offers what is sent."""
    restate: Callable[[str], str | None] = lambda text: text
    """The same for Walle-Variant."""
    clock: Callable[[], float] = time.time

    def __post_init__(self) -> None:
        self._credential_keys: tuple[DeviceKey, ...] = ()
        self.rotate_credential_key()
        self.roots[1] = make_root(1, FAR, self.keys.holders(), [self.keys.root])

    # -- what the cloud's people do

    def publish(self, task: str, version: str, files: Mapping[str, bytes], /, **more: Any) -> Manifest:
        """Makes a version of a task the current one. `more` replaces fields of the manifest; `exclusive` adds
        entries of exclusive files."""
        entries = [{"path": path, **self.put(data), "kind": "shared"} for path, data in sorted(files.items())]
        entries += [{"kind": "exclusive", **entry} for entry in more.pop("exclusive", [])]
        manifest = Manifest.from_payload(canonical_json(manifest_fields(task, version, entries) | more))
        return self.put_manifest(task, manifest, sign("manifest", manifest.payload, [self.keys.targets]))

    def put_manifest(self, task: str, manifest: Manifest, envelope: bytes) -> Manifest:
        """Makes an envelope the current one of a task, whatever it holds."""
        self.put(envelope)
        self.tasks[task] = Published(manifest, envelope, manifest.version)
        self.number += 1
        return manifest

    def remove(self, task: str) -> None:
        self.tasks[task] = Published(None)
        self.number += 1

    def rotate(self, *, expires: datetime = FAR) -> None:
        """New keys for every role; what is published is signed anew, the manifests' payloads stay."""
        old, self.keys = self.keys, Keys()
        version = len(self.roots) + 1
        self.roots[version] = make_root(version, expires, self.keys.holders(), [old.root, self.keys.root])
        for published in self.tasks.values():
            if published.manifest:
                published.envelope = sign("manifest", published.manifest.payload, [self.keys.targets])
                self.put(published.envelope)

    def rotate_credential_key(self) -> None:
        """A new key issues credentials; all older ones are retired."""
        known = self._credential_keys
        fresh = DeviceKey(f"k{len(known) + 1}", hashlib.sha256(b"%d" % len(known)).digest())
        self._credential_keys = (fresh, *(replace(key, accepted=False) for key in known))
        self.keyring = Keyring(self.app, self._credential_keys)

    def put(self, data: bytes) -> dict[str, Any]:
        digest = hashlib.sha256(data).hexdigest()
        self.blobs[digest] = data
        return {"digest": digest, "size": len(data)}

    # -- what the cloud answers

    def offers(self, device: str, profile: wire.Profile) -> list[wire.Offer]:
        """What this device should change, compared with its profile."""
        offers = []
        for task, published in self.tasks.items():
            wanted = published.manifest and wire.short_digest(published.manifest.digest)
            if profile.get(task) != wanted:
                offers.append(self.mangle(self.offer(device, task, "update" if task in profile else "install")))
        return offers

    def offer(self, device: str, task: str, action: str = "install") -> wire.Offer:
        published = self.tasks[task]
        payload = canonical_json(self.assignment(task).to_dict())
        offer = wire.Offer(
            task=task,
            action=action if published.manifest else "remove",  # type: ignore[arg-type]
            assignment=payload,
            **self.signature(payload),
            token=self.keyring.issue_offer_token(device, OfferStamp(1, 1, self.number, int(self.clock()) + 86400)),
        )
        return replace(offer, **self._addresses(device, published)) if published.manifest else offer

    def signature(self, payload: bytes, by: CryptoSigner | None = None) -> dict[str, Any]:
        """Signature and key id of an assignment's payload, as members of an offer."""
        signed = open_envelope("assignment", sign("assignment", payload, [by or self.keys.timestamp]))
        signature = next(iter(signed.signatures.values()))
        return {"signature": bytes.fromhex(signature.signature), "key_id": signature.keyid}

    def assignment(self, task: str) -> Assignment:
        manifest = self.tasks[task].manifest
        action = "install" if manifest else "remove"
        digest = manifest.digest if manifest else None
        return Assignment(self.app, task, action, digest, self.number, int(self.clock() + self.lifetime))  # type: ignore[arg-type]

    def _addresses(self, device: str, published: Published) -> dict[str, Any]:
        if published.manifest is None:
            return {}
        digest = hashlib.sha256(published.envelope).hexdigest()
        exclusive = any(entry.kind == "exclusive" for entry in published.manifest.files)
        return {
            "kind": "exclusive" if exclusive else "shared",
            "url": f"{PREFIX}/artifacts/{digest}",
            "digest": bytes.fromhex(digest),
            "size": len(published.envelope),
            "exclusive": f"{PREFIX}/exclusive/{device}.{published.manifest.digest}" if exclusive else None,
        }

    def variant(self, device: str, manifest: str, path: str) -> tuple[bytes, str | None] | None:
        """Content and statement header of a device's exclusive file."""
        data = self.variants.get((device, path))
        if data is None:
            return None
        digest = hashlib.sha256(data).hexdigest()
        statement = Variant(manifest, path, "key", digest, len(data))
        return data, self.restate(self.stated(statement))

    def stated(self, statement: Variant, by: CryptoSigner | None = None) -> str:
        """A signed variant statement as a header."""
        return wire.write_variant(sign("variant", statement.to_dict(), [by or self.keys.targets]))

    def statement(self, device: str, facts: dict[str, Any]) -> dict[str, Any]:
        """What the app's backend signs for a device."""
        document = {"type": "walle-facts", "format": 1, "app": self.app, "device": device, "facts": facts}
        signed = sign("facts", {**document, "expires": int(self.clock()) + 3600}, [self.backend])
        envelope: dict[str, Any] = json.loads(signed)
        return envelope

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            from walle.conformance.client.repository_http import answer

            await answer(self, scope, receive, send)

    def asked(self, path: str) -> list[RecordedRequest]:
        """The requests to a path, or below it."""
        whole = PREFIX + path
        return [request for request in self.requests if request.path == whole or request.path.startswith(f"{whole}/")]

    def seen(self, path: str) -> list[dict[str, str]]:
        """The request headers of the requests to a path."""
        return [request.headers for request in self.requests if request.path == PREFIX + path]


def manifest_fields(task: str, version: str, entries: list[dict[str, Any]]) -> dict[str, Any]:
    scenario, name = task.split("/")
    return {
        "type": "walle-manifest",
        "format": 1,
        "scenario": scenario,
        "task": name,
        "version": version,
        "commit": "0" * 40,
        "entry_point": "main:run",
        "inputs": {"x": {"type": "number"}},
        "outputs": {"y": {"type": "number"}},
        "metrics": {},
        "trigger": {"every_s": 3600},
        "limits": {"time_ms": 10000, "memory_mb": 512, "output_kb": 64},
        "requires": {},
        "files": entries,
    }
