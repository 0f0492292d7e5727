"""A cloud in memory, modelled on python-tuf's repository simulator, as an ASGI application.

Checks and tests change its state directly; its signatures are real.

    repository = ReferenceRepository()
    repository.publish("camera/digits", "1.0.0", {"main.py": b"..."})

`offers` may be replaced to make other offers, `mangle` and `rewrite` to damage them; `blobs` may be overwritten to
serve content other than the signed one; `hidden`, `status`, `failures`, `cut`, `cuts` and `gates` make the server fail.
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

from walle.conformance.client.repository_tunnel import SimulatedTunnels
from walle.protocol import headers as wire
from walle.protocol import tunnel_frames
from walle.protocol.canonical import canonical_json
from walle.protocol.documents import Assignment, Manifest, Variant
from walle.protocol.keyed import DeviceKey, Keyring, OfferStamp
from walle.protocol.signing import make_root, open_envelope, sign
from walle.protocol.signing_libraries import CryptoSigner

PREFIX: Final = "/walle/v1"
FAR: Final = datetime(2100, 1, 1, tzinfo=UTC)


@dataclass
class Keys:
    """The signers of the three roles; a rotation replaces all of them."""

    root: CryptoSigner = field(default_factory=CryptoSigner.generate_ed25519)
    targets: CryptoSigner = field(default_factory=CryptoSigner.generate_ed25519)
    timestamp: CryptoSigner = field(default_factory=CryptoSigner.generate_ed25519)

    def holders(self) -> dict[str, list[CryptoSigner]]:
        return {"root": [self.root], "targets": [self.targets], "timestamp": [self.timestamp]}


@dataclass
class Published:
    """The current version of a task; without a `manifest`, the task is to be removed."""

    manifest: Manifest | None
    envelope: bytes = b""
    version: str = ""


class RecordedRequest(NamedTuple):
    """A received request; `at` is in seconds of a clock that never jumps."""

    path: str
    headers: dict[str, str]
    body: bytes
    at: float


class Gate:
    """Blocks requests until it is opened; `arrived` is set when there is one."""

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
    """The content of exclusive files by device id and path."""
    hidden: set[str] = field(default_factory=set)
    """Paths, or their ends, that are answered with 404."""
    status: int | None = None
    """If set, every request is answered with this status."""
    failures: dict[str, tuple[int, dict[str, str]]] = field(default_factory=dict)
    """Status and headers of the answers to paths that begin like this."""
    gates: dict[str, Gate] = field(default_factory=dict)
    """Gates of the requests to paths that begin like this; artifacts wait at them when half is sent."""
    cut: int | None = None
    """If set, every artifact is cut off after this many bytes."""
    cuts: list[int] = field(default_factory=list)
    """The next artifacts longer than these numbers of bytes are cut off after them, one each."""
    retry_after: int | None = None
    interval: int | None = None
    """The seconds between check-ins in the answer to an enrolment."""
    ranges: bool = True
    future: bool = False
    """Whether answers have headers, parameters and members of a later version of the protocol."""
    revoked: set[str] = field(default_factory=set)
    reports: list[dict[str, Any]] = field(default_factory=list)
    rejected: dict[str, str] = field(default_factory=dict)
    """The codes of report ids that are rejected."""
    poison: set[str] = field(default_factory=set)
    """Report ids that cause a whole batch to be refused."""
    tunnels: SimulatedTunnels | None = None
    """The tunnels of devices; None for a cloud without them."""
    requests: list[RecordedRequest] = field(default_factory=list)
    served: list[tuple[str, int, int]] = field(default_factory=list)
    """Path, first byte and number of bytes of every part of a file that was sent."""
    malformed: list[str] = field(default_factory=list)
    """The errors in requests."""
    new_ids: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    backend: CryptoSigner = field(default_factory=CryptoSigner.generate_ed25519)
    mangle: Callable[[wire.Offer], wire.Offer] = lambda offer: offer
    rewrite: Callable[[str], str] = lambda text: text
    """Changes the text of Walle-Offers before it is sent."""
    restate: Callable[[str], str | None] = lambda text: text
    """Changes the text of Walle-Variant before it is sent, or removes it with None."""
    clock: Callable[[], float] = time.time

    def __post_init__(self) -> None:
        self._credential_keys: tuple[DeviceKey, ...] = ()
        self.rotate_credential_key()
        self.roots[1] = make_root(1, FAR, self.keys.holders(), [self.keys.root])

    # -- what the cloud's people do

    def publish(self, task: str, version: str, files: Mapping[str, bytes], /, **more: Any) -> Manifest:
        """Make a version of a task the current one.

        `more` replaces fields of the manifest; `exclusive` adds entries of exclusive files.
        """
        entries = [{"path": path, **self.put(data), "kind": "shared"} for path, data in sorted(files.items())]
        entries += [{"kind": "exclusive", **entry} for entry in more.pop("exclusive", [])]
        manifest = Manifest.from_payload(canonical_json(manifest_fields(task, version, entries) | more))
        return self.put_manifest(task, manifest, sign("manifest", manifest.payload, [self.keys.targets]))

    def put_manifest(self, task: str, manifest: Manifest, envelope: bytes) -> Manifest:
        """Make an envelope the current one of a task, whatever its content is."""
        self.put(envelope)
        self.tasks[task] = Published(manifest, envelope, manifest.version)
        self.number += 1
        return manifest

    def remove(self, task: str) -> None:
        self.tasks[task] = Published(None)
        self.number += 1

    def rotate(self, *, expires: datetime = FAR) -> None:
        """Replace the keys of all roles; envelopes are signed again, the manifests' payloads stay."""
        old, self.keys = self.keys, Keys()
        version = len(self.roots) + 1
        self.roots[version] = make_root(version, expires, self.keys.holders(), [old.root, self.keys.root])
        for published in self.tasks.values():
            if published.manifest:
                published.envelope = sign("manifest", published.manifest.payload, [self.keys.targets])
                self.put(published.envelope)

    def rotate_credential_key(self) -> None:
        """Issue credentials with a new key and retire all older ones."""
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
        """Return the offers for this device with this profile."""
        offers = []
        for task, published in self.tasks.items():
            expected = published.manifest and wire.short_digest(published.manifest.digest)
            if profile.get(task) != expected:
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
        """Return signature and key id of an assignment's payload, as members of an offer."""
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
        """Return content and statement header of a device's exclusive file; None if there is none."""
        data = self.variants.get((device, path))
        if data is None:
            return None
        digest = hashlib.sha256(data).hexdigest()
        statement = Variant(manifest, path, "key", digest, len(data))
        return data, self.restate(self.stated(statement))

    def stated(self, statement: Variant, by: CryptoSigner | None = None) -> str:
        """Return a signed variant statement as a header."""
        return wire.write_variant(sign("variant", statement.to_dict(), [by or self.keys.targets]))

    def statement(self, device: str, facts: dict[str, Any]) -> dict[str, Any]:
        """Return a statement of facts that the app's backend signed for a device."""
        document = {"type": "walle-facts", "format": 1, "app": self.app, "device": device, "facts": facts}
        signed = sign("facts", {**document, "expires": int(self.clock()) + 3600}, [self.backend])
        envelope: dict[str, Any] = json.loads(signed)
        return envelope

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            from walle.conformance.client.repository_http import answer

            await answer(self, scope, receive, send)
        elif scope["type"] == "websocket" and self.tunnels is not None and scope["path"] == tunnel_frames.PATH:
            await self.tunnels.serve(self, scope, receive, send)

    def requests_to(self, path: str) -> list[RecordedRequest]:
        """Return the requests to a path, or below it."""
        full_path = PREFIX + path
        return [request for request in self.requests if f"{request.path}/".startswith(f"{full_path}/")]

    def seen(self, path: str) -> list[dict[str, str]]:
        """Return the headers of the requests to a path."""
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
