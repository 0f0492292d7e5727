"""A control plane in memory for serving processes, and an engine whose plans are a few lines: no compiler is loaded.

site = Site(tmp_path)
site.release("1.0.0", bias=0.25)         # signed, stored by digest, named by the table of the app shop
async with site.serving() as client:     # the application in process
    ...
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx

from tests.gateway.simulator import Clock, Cloud
from tests.release.tables import entry
from tests.vectors import keys
from walle.artifacts import LocalStore
from walle.gateway.ports import PortUnavailable
from walle.protocol.signing import sign
from walle.release.table import Entry
from walle.whitebox.serving.application import ServingApplication, ServingLimits
from walle.whitebox.serving.engine import PlanDamaged, PlanRefused, RecordAnswer
from walle.whitebox.serving.heartbeat import Heartbeat
from walle.whitebox.serving.isolation import IsolatedPlan
from walle.whitebox.serving.ports import ControlPlaneAway, ServiceGrant, ServingOutcomes, ServingPorts, ServingState
from walle.whitebox.serving.problems import RecordProblem, refused_records
from walle.whitebox.serving.process import ServingProcess

TOKEN = "wl_00000001_" + "a" * 64
BANK_TOKEN = "wl_00000002_" + "b" * 64
ADDRESS = "/predict/v1/shop/reviews/mood"


@dataclass
class LengthEngine:
    """Predicts the share of a text's length, of a hundred characters, plus the bias in the plan's file."""

    plans: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    unloaded: list[str] = field(default_factory=list)
    broken: dict[str, Exception] = field(default_factory=dict)
    heartbeat: Heartbeat = field(default_factory=Heartbeat)

    async def start(self) -> None:
        pass

    def load(
        self, plan: str, files: Mapping[str, Path], settings: Mapping[str, Any], kept: Path
    ) -> tuple[Sequence[str], Sequence[str]]:
        for path, file in files.items():
            if path.startswith("parameters/") and sha256(file.read_bytes()).hexdigest() != file.stem:
                raise PlanDamaged(f"{path} is corrupt")
        said = json.loads(files["pipeline.json"].read_bytes())
        if "bias" not in said:
            raise PlanRefused("archive-malformed", "expected a bias")
        self.plans[plan] = said
        return ("bad", "good"), ("text",)

    def unload(self, plan: str) -> None:
        self.unloaded.append(plan)
        del self.plans[plan]

    async def predict(self, plan: str, record: Any) -> RecordAnswer:
        if plan in self.broken:
            raise self.broken[plan]
        self.heartbeat.begin(plan.encode())
        try:
            found = self._predict(plan, 0, record)
        finally:
            self.heartbeat.end()
        if isinstance(found, RecordProblem):
            raise refused_records((found,))
        return found

    async def predict_batch(self, plan: str, records: Sequence[Any]) -> Sequence[RecordAnswer | RecordProblem]:
        await asyncio.sleep(0)
        return [self._predict(plan, index, record) for index, record in enumerate(records)]

    def _predict(self, plan: str, index: int, record: Any) -> RecordAnswer | RecordProblem:
        text = record.get("text") if isinstance(record, dict) else None
        if not isinstance(text, str):
            return RecordProblem(index, "text", "a text")
        if text == "loop":
            while True:
                pass
        if text == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        good = min(1.0, len(text) / 100 + self.plans[plan]["bias"])
        return RecordAnswer("good" if good > 0.5 else "bad", (1 - good, good), None, None)

    def statistics(self) -> Mapping[str, Any]:
        return {"plans": len(self.plans)}

    async def close(self) -> None:
        pass


class SimulatedPorts:
    """All ports of a serving process, over the control plane of gateways' tests."""

    def __init__(self, cloud: Cloud) -> None:
        self.cloud = cloud
        self.remembers: ServingState | None = None
        self.tokens = {
            sha256(TOKEN.encode()).hexdigest(): ServiceGrant("wl_00000001", frozenset({"shop"})),
            sha256(BANK_TOKEN.encode()).hexdigest(): ServiceGrant("wl_00000002", frozenset({"bank"})),
        }
        self.asked: list[str] = []
        self.told: list[ServingOutcomes] = []

    async def read(self, revision: int | None) -> ServingState | None:
        try:
            return await self.cloud.read(revision)
        except PortUnavailable as error:
            raise ControlPlaneAway(str(error)) from error

    async def wait(self, timeout: float) -> None:
        with contextlib.suppress(TimeoutError):
            await self.cloud.wait(timeout)

    async def remembered(self) -> ServingState | None:
        return self.remembers

    async def find(self, digest: str) -> ServiceGrant | None:
        self.asked.append(digest)
        self._check_up()
        return self.tokens.get(digest)

    async def record(self, outcomes: ServingOutcomes) -> None:
        self._check_up()
        self.told.append(outcomes)

    async def close(self) -> None:
        pass

    def _check_up(self) -> None:
        if self.cloud.down:
            raise ControlPlaneAway("down")


class Site:
    """A control plane, an artifact store, and serving processes over the same folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cloud, self.clock = Cloud(), Clock()
        self.store = LocalStore(folder / "artifacts")
        self.ports = SimulatedPorts(self.cloud)
        self.engine = LengthEngine()
        self.isolated: dict[str, IsolatedPlan] = {}
        self.limits = ServingLimits()
        self.ahead = True
        self.process: ServingProcess | None = None

    def version(self, version: str, *, task: str = "reviews/mood", signer: str = "targets-1", **changes: Any) -> Entry:
        """Store a version, and return an entry that offers it to everybody; `bias` goes into its file."""
        weights = changes.pop("weights", b"\0" * 64)
        document = {"bias": changes.pop("bias")} if "bias" in changes else {}
        files = changes.pop("files", None)
        if files is None:
            files = {f"parameters/{sha256(weights).hexdigest()}.bin": weights}
            files["pipeline.json"] = json.dumps(document).encode()
        manifest = changes.pop("manifest_document", None) or self.manifest(version, task, files)
        payload = json.dumps(manifest).encode()
        envelope = sign("manifest", payload, [keys.signer(signer)])
        for content in (*files.values(), envelope):
            self.store.put(content)
        about = {"manifest": sha256(payload).hexdigest(), "envelope_digest": sha256(envelope).hexdigest()}
        values = {
            "kind": "pipeline",
            "rule": {"fact": "kind-pipeline", "equals": True},
            "envelope_size": len(envelope),
            **about,
            **changes,
        }
        return entry(task, version, **values)

    def manifest(self, version: str, task: str, files: Mapping[str, bytes]) -> dict[str, Any]:
        scenario, name = task.split("/")
        listed = [
            {"path": path, "kind": "shared", "digest": sha256(content).hexdigest(), "size": len(content)}
            for path, content in files.items()
        ]
        return {
            "type": "walle-manifest",
            "format": 1,
            "scenario": scenario,
            "task": name,
            "version": version,
            "kind": "pipeline",
            "files": listed,
            "inputs": {},
            "outputs": {},
            "limits": {},
            "requires": {},
        }

    def release(self, version: str, **changes: Any) -> Entry:
        """Publish a version as the newest release of the app shop."""
        released = self.version(version, release=len(self.cloud.entries) + 1, **changes)
        self.cloud.entries.insert(0, released)
        self.cloud.publish()
        return released

    def make_process(self) -> ServingProcess:
        ports = ServingPorts(self.ports, self.ports, self.ports)
        return ServingProcess(
            ports,
            self.store,
            self.engine,
            folder=self.folder / "serving",
            name="host-1",
            isolated=self.isolated,
            ahead=self.ahead,
            clock=lambda: self.clock.now,
            monotonic=lambda: self.clock.monotonic,
        )

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[httpx.AsyncClient]:
        """A client of the application in process, as a business service; everything that can be loaded is."""
        self.process = self.make_process()
        await self.process.start()
        if not self.cloud.down:
            await self.settled()
        transport = httpx.ASGITransport(ServingApplication(self.process, self.limits))
        headers = {"authorization": f"Bearer {TOKEN}"}
        try:
            async with httpx.AsyncClient(transport=transport, base_url="http://serving", headers=headers) as client:
                yield client
        finally:
            await self.process.stop()

    async def settled(self) -> None:
        """Wait until every version that the table names is loaded or has failed."""
        assert self.process is not None
        process = self.process
        async with asyncio.timeout(10):
            while process.plans.waiting or process._state is not self.cloud.state:
                await asyncio.sleep(0.005)
