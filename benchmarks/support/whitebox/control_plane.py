"""A control plane in memory for one serving process: pipelines that are released to everybody, and one API token.

The serving process is the product's own: it verifies signed manifests, installs by digest, routes callers by its table.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Final

import uvicorn
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from securesystemslib.signer import CryptoSigner

from walle.artifacts import LocalStore
from walle.gateway.ports import AppState, GatewayState
from walle.protocol.documents import DocumentFields
from walle.protocol.keyed import DeviceKey, Keyring
from walle.protocol.signing import make_root, sign
from walle.release.cohort import BUCKETS
from walle.release.decision import CompiledTable
from walle.release.table import Bases, Entry, Table
from walle.whitebox.archive import DOCUMENT
from walle.whitebox.runtime.service import RuntimeSettings
from walle.whitebox.serving.application import ServingApplication
from walle.whitebox.serving.heartbeat import Heartbeat
from walle.whitebox.serving.installation.folders import PlanFolders
from walle.whitebox.serving.isolation import IsolatedPlan
from walle.whitebox.serving.ports import ServiceGrant, ServingOutcomes, ServingPorts, ServingState
from walle.whitebox.serving.process import ServingProcess
from walle.whitebox.serving.runtime_engine import RuntimeEngine, warm_up

APP: Final = "shop"
SCENARIO: Final = "bench"
TOKEN: Final = "wl_00000001_" + "a" * 64
AUTHORIZATION: Final = f"Bearer {TOKEN}"
PLANE: Final = "BENCH_PLANE"
"""The variable that names the folder of a serving process's control plane."""
_FILE: Final = "plane.json"


def address(pipeline: str) -> str:
    """Return the path at which predictions of a pipeline are asked for."""
    return f"/predict/v1/{APP}/{SCENARIO}/{pipeline}"


class ControlPlane:
    """Releases archives. All of it is in the folder: artifacts, and what the serving process keeps."""

    def __init__(self, folder: Path, engine: type[RuntimeEngine] = RuntimeEngine) -> None:
        self.folder = folder
        self._engine = engine
        self._store = LocalStore(folder / "artifacts")
        self._signer = CryptoSigner.generate_ed25519()
        self._entries: list[Entry] = []

    def save(self) -> None:
        """Write to the folder what other processes need to serve by it."""
        said = {
            "engine": f"{self._engine.__module__}:{self._engine.__qualname__}",
            "key": self._signer.private_bytes.decode(),
            "entries": [entry.to_dict() for entry in self._entries],
        }
        (self.folder / _FILE).write_text(json.dumps(said))

    @staticmethod
    def saved(folder: Path) -> ControlPlane:
        """Return the control plane that was saved in a folder."""
        said: dict[str, Any] = json.loads((folder / _FILE).read_bytes())
        plane = ControlPlane(folder, resolve_name(said["engine"]))
        key: Any = load_pem_private_key(said["key"].encode(), None)
        plane._signer = CryptoSigner(key)
        plane._entries = [Entry.from_fields(DocumentFields("entry", each)) for each in said["entries"]]
        return plane

    def release(self, pipeline: str, archive: Path, version: str = "1.0.0") -> None:
        """Release an archive to every caller."""
        paths = [archive / DOCUMENT, *sorted((archive / "parameters").iterdir())]
        files = {path.relative_to(archive).as_posix(): path.read_bytes() for path in paths}
        listed = [
            {"path": path, "kind": "shared", "digest": sha256(content).hexdigest(), "size": len(content)}
            for path, content in files.items()
        ]
        manifest = {
            "type": "walle-manifest", "format": 1, "kind": "pipeline", "scenario": SCENARIO, "task": pipeline,
            "version": version, "files": listed, "inputs": {}, "outputs": {}, "limits": {}, "requires": {},
        }  # fmt: skip
        payload = json.dumps(manifest).encode()
        envelope = sign("manifest", payload, [self._signer])
        for content in (*files.values(), envelope):
            self._store.put(content)
        number = len(self._entries) + 1
        self._entries.append(
            Entry(
                release=number,
                stage=1,
                task=f"{SCENARIO}/{pipeline}",
                manifest=sha256(payload).hexdigest(),
                envelope_digest=sha256(envelope).hexdigest(),
                envelope_size=len(envelope),
                exclusive=False,
                rule={"fact": "kind-pipeline", "equals": True},
                share=BUCKETS,
                salt=sha256(b"%d" % number).digest()[:16],
                kind="pipeline",
            )
        )

    def state(self) -> GatewayState:
        """Return the state that a serving process reads."""
        now = datetime.now(UTC)
        bases = {"": Bases("https://cdn.example/walle/v1", "https://shop.example/walle/v1")}
        table = Table(APP, 1, int(time.time()), 60, bases, tuple(self._entries))
        signed = table.signed(self._signer, int(time.time()) + 86_400)
        keyring = Keyring(APP, (DeviceKey("k1", bytes(32)),))
        nobody: frozenset[str] = frozenset()
        app = AppState(CompiledTable(signed, {}), b"", keyring, nobody, nobody, (), nobody, {})
        roles = {role: [self._signer] for role in ("root", "targets", "timestamp")}
        root = make_root(1, now + timedelta(days=1), roles, [self._signer])
        return GatewayState(1, {APP: app}, {1: root})

    def serve(self, listener: socket.socket, heartbeat: Heartbeat, isolated: Mapping[str, IsolatedPlan]) -> None:
        """Serve a socket until SIGTERM, as walleweb.serving does with the ports of the database."""
        folder = self.folder / "serving"
        ports = _Ports(self.state())
        engine = self._engine(PlanFolders(folder).parameters, heartbeat, RuntimeSettings())
        process = ServingProcess(
            ServingPorts(ports, ports, ports),
            self._store,
            engine,
            folder=folder,
            name="bench",
            heartbeat=heartbeat,
            isolated=isolated,
        )
        application: Any = ServingApplication(process)
        config = uvicorn.Config(
            application, loop="uvloop", http="httptools", ws="none", lifespan="on", access_log=False, log_config=None,
            proxy_headers=False, server_header=False, date_header=False, timeout_graceful_shutdown=2,
        )  # fmt: skip
        uvicorn.Server(config).run(sockets=[listener])


def load() -> Any:
    """Load the compiled kernels; return what serves a socket, for the control plane of the folder that PLANE names."""
    warm_up()
    return ControlPlane.saved(Path(os.environ[PLANE])).serve


@dataclass
class _Ports:
    """All ports of a serving process, over a state that does not change."""

    now: ServingState

    async def read(self, revision: int | None) -> ServingState | None:
        return None if revision == self.now.revision else self.now

    async def wait(self, timeout: float) -> None:
        await asyncio.sleep(timeout)

    async def remembered(self) -> ServingState | None:
        return None

    async def find(self, digest: str) -> ServiceGrant | None:
        right = digest == sha256(TOKEN.encode()).hexdigest()
        return ServiceGrant("wl_00000001", frozenset({APP})) if right else None

    async def record(self, outcomes: ServingOutcomes) -> None:
        pass

    async def close(self) -> None:
        pass


def release_all(plane: ControlPlane, folders: Sequence[Path], prefix: str) -> list[str]:
    """Release archives under the prefix and their place; return the names of the pipelines."""
    names = [f"{prefix}{place}" for place in range(len(folders))]
    for name, folder in zip(names, folders, strict=True):
        plane.release(name, folder)
    return names
