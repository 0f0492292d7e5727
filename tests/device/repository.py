"""A cloud in memory, after python-tuf's repository simulator: its state is mutated directly by tests, what it
signs is really signed, and it is served over real HTTP.

    repository = Repository()
    repository.publish("camera/digits", "1.0.0", {"main.py": b"..."})
    with serve(repository) as address: ...

`repository.offers` may be replaced to offer something else than what is right; `blobs` may be overwritten to serve
something else than what was signed; `hidden`, `status` and `cut` make the server fail.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import uvicorn
from securesystemslib.signer import CryptoSigner

from tests.support.waiting import wait_for
from walle.protocol import headers as wire
from walle.protocol.canonical import canonical_json
from walle.protocol.documents import Assignment, Manifest, Variant
from walle.protocol.keyed import DeviceKey, Keyring, OfferStamp
from walle.protocol.signing import make_root, open_envelope, sign

PREFIX = "/walle/v1"
FAR = datetime(2100, 1, 1, tzinfo=UTC)


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


@dataclass
class Repository:
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
    cut: int | None = None
    """Breaks every artifact off after so many bytes."""
    retry_after: int | None = None
    ranges: bool = True
    revoked: set[str] = field(default_factory=set)
    reports: list[dict[str, Any]] = field(default_factory=list)
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    rejected: dict[str, str] = field(default_factory=dict)
    """Report ids refused for good, with the code."""
    new_ids: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    backend: CryptoSigner = field(default_factory=CryptoSigner.generate_ed25519)
    mangle: Callable[[wire.Offer], wire.Offer] = lambda offer: offer
    clock: Callable[[], float] = time.time

    def __post_init__(self) -> None:
        self.rotate_credential_key()
        self.roots[1] = make_root(1, FAR, self.keys.holders(), [self.keys.root])

    # -- what the cloud's people do

    def publish(self, task: str, version: str, files: dict[str, bytes], /, **more: Any) -> Manifest:
        """Makes a version of a task the current one. `more` replaces fields of the manifest; `exclusive` adds
        entries of exclusive files."""
        entries = [{"path": path, **self.put(data), "kind": "shared"} for path, data in sorted(files.items())]
        entries += [{"kind": "exclusive", **entry} for entry in more.pop("exclusive", [])]
        manifest = Manifest.from_payload(canonical_json(manifest_fields(task, version, entries) | more))
        envelope = sign("manifest", manifest.payload, [self.keys.targets])
        self.put(envelope)
        self.tasks[task] = Published(manifest, envelope, version)
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
        known = getattr(self, "_credential_keys", ())
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
        assignment = self.assignment(task)
        signed = open_envelope("assignment", sign("assignment", assignment.to_dict(), [self.keys.timestamp]))
        signature = next(iter(signed.signatures.values()))
        token = self.keyring.issue_offer_token(device, OfferStamp(1, 1, self.number, int(self.clock()) + 86400))
        offer = wire.Offer(
            task=task,
            action=action if published.manifest else "remove",  # type: ignore[arg-type]
            assignment=signed.payload,
            signature=bytes.fromhex(signature.signature),
            key_id=signature.keyid,
            token=token,
        )
        return replace(offer, **self._addresses(device, published)) if published.manifest else offer

    def assignment(self, task: str) -> Assignment:
        manifest = self.tasks[task].manifest
        action = "install" if manifest else "remove"
        digest = manifest.digest if manifest else None
        return Assignment(self.app, task, action, digest, self.number, int(self.clock() + self.lifetime))  # type: ignore[arg-type]

    def _addresses(self, device: str, published: Published) -> dict[str, Any]:
        digest = hashlib.sha256(published.envelope).hexdigest()
        assert published.manifest
        exclusive = any(entry.kind == "exclusive" for entry in published.manifest.files)
        return {
            "url": f"{PREFIX}/artifacts/{digest}",
            "digest": bytes.fromhex(digest),
            "size": len(published.envelope),
            "exclusive": f"{PREFIX}/exclusive/{device}.{published.manifest.digest}" if exclusive else None,
        }

    def variant(self, device: str, manifest: str, path: str) -> tuple[bytes, str] | None:
        """Content and statement header of a device's exclusive file."""
        data = self.variants.get((device, path))
        if data is None:
            return None
        digest = hashlib.sha256(data).hexdigest()
        statement = Variant(manifest, path, "key", digest, len(data)).to_dict()
        return data, wire.write_variant(sign("variant", statement, [self.keys.targets]))

    def statement(self, device: str, facts: dict[str, Any]) -> dict[str, Any]:
        """What the app's backend signs for a device."""
        document = {"type": "walle-facts", "format": 1, "app": self.app, "device": device, "facts": facts}
        signed = sign("facts", {**document, "expires": int(self.clock()) + 3600}, [self.backend])
        envelope: dict[str, Any] = json.loads(signed)
        return envelope

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            from tests.device.repository_http import answer

            await answer(self, scope, receive, send)

    def seen(self, path: str) -> list[dict[str, str]]:
        """The request headers of the requests to a path."""
        return [headers for seen, headers in self.requests if seen == PREFIX + path]


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


@contextlib.contextmanager
def serve(app: Any) -> Iterator[str]:
    """Serves an ASGI application on a free loopback port, in a thread; gives its address."""
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", lifespan="off", timeout_keep_alive=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        wait_for(lambda: server.started)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(timeout=10)


def days(count: float) -> timedelta:
    return timedelta(days=count)
