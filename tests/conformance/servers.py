"""A sound server for the checks: the real gateway over a simulated control plane, at the real time."""

from __future__ import annotations

import time
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from tests.gateway.simulator import GATEWAY_KEY, Clock, Cloud, make_gateway
from tests.gateway.tunnel.sinks import MemoryDictionaries, MemorySink
from tests.release.tables import entry
from tests.vectors import keys
from walle.artifacts import LocalStore
from walle.gateway.application import Gateway, GatewayApplication
from walle.gateway.tunnel.endpoint import TunnelEndpoint
from walle.protocol.canonical import canonical_json
from walle.protocol.signing import sign

__all__ = ["GATEWAY_KEY", "Shop"]
FILES = {"main.py": b"def run(inputs, context): return {'y': 1}\n", "default.json": b"{}"}
EXCLUSIVE = {"path": "prefs.json", "kind": "exclusive", "template": "{age_band}", "default": "default.json"}
RETIRED = "camera/retired"


class Shop:
    """The server of an app with three releases (one exclusive, one to half of the devices) and a retired task."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = LocalStore(folder / "artifacts")
        self.cloud = Cloud(removals=[RETIRED])
        self.gateway: Gateway = make_gateway(self.cloud, Clock(now=time.time()))
        self.features = MemorySink()
        self.tunnel = TunnelEndpoint(self.gateway, self.features, MemoryDictionaries())
        self.application = GatewayApplication(self.gateway, self.store, self.cloud, tunnel=self.tunnel)
        self.release("camera/digits", FILES)
        manifest = self.release("camera/prefs", FILES, [EXCLUSIVE])
        self.release("camera/half", FILES, share=500_000)
        self.cloud.add_variant(folder, manifest, "prefs.json", "young", b'{"for": "the young"}')
        self.main = sha256(FILES["main.py"]).hexdigest()
        self.cloud.publish()

    def release(
        self, task: str, files: Mapping[str, bytes], more: list[dict[str, Any]] | None = None, **changes: Any
    ) -> str:
        """Puts a version into the table; the digest of its manifest."""
        entries = [{"path": path, "kind": "shared", **self._put(data)} for path, data in sorted(files.items())]
        scenario, name = task.split("/")
        document = manifest_of(scenario, name, [*entries, *(more or [])])
        payload = canonical_json(document)
        envelope = self._put(sign("manifest", payload, [keys.signer("targets-1")]))
        self.cloud.entries.append(
            entry(
                task,
                release=len(self.cloud.entries) + 1,
                manifest=sha256(payload).hexdigest(),
                envelope_digest=envelope["digest"],
                envelope_size=envelope["size"],
                exclusive=bool(more),
                **changes,
            )
        )
        return sha256(payload).hexdigest()

    def statement(self) -> Any:
        """What the app's backend says of a young user."""
        return self.cloud.statement("user-7", {"age_band": "young"})

    def _put(self, data: bytes) -> dict[str, Any]:
        stored = self.store.put(data)
        return {"digest": stored.digest, "size": stored.size}


def manifest_of(scenario: str, task: str, files: list[dict[str, Any]]) -> dict[str, Any]:
    empty: dict[str, Any] = {"inputs": {}, "outputs": {}, "limits": {}, "requires": {}, "metrics": {}}
    named = {"type": "walle-manifest", "format": 1, "scenario": scenario, "task": task, "version": "1.0.0"}
    return {**named, **empty, "commit": "0" * 40, "entry_point": "main:run", "files": files}
