"""An emulated device that implements the protocol and nothing else.

It enrols, checks in, verifies roots, assignments and manifests, pretends to install and to run, and reports. Its store
is one small file, written when something changes and at the end; unsent reports are lost if the emulator is killed.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import httpx

from walle.device.emulator.faults import FaultProfile
from walle.device.emulator.full import EmulationContext
from walle.device.emulator.light_tunnel import LightTunnel
from walle.device.emulator.population import Person
from walle.device.emulator.vms import PretendedVms
from walle.device.errors import Refusal, RequirementUnmet
from walle.device.link import reports
from walle.device.link.backoff import CheckInPacer
from walle.device.link.checkins import CheckIns
from walle.device.link.cloud import CloudClient
from walle.device.link.offers import OfferOutcome
from walle.device.link.profile import HeaderWriter
from walle.device.link.sending import ReportSender
from walle.device.notices import Notice
from walle.device.storage.disk import Disk
from walle.device.storage.state import Credential, DeviceState, Installation, TaskState
from walle.device.tunnel.dictionaries import TaskDictionaries
from walle.device.updates.downloader import Downloader
from walle.device.updates.moments import Moments, deferral_header, put_off
from walle.device.updates.verify import Sizes, check_assignment, check_manifest, check_root
from walle.protocol.documents import Assignment, Manifest
from walle.protocol.errors import ProtocolError
from walle.protocol.headers import Offer
from walle.protocol.reports import Report
from walle.protocol.signing import TrustedRoots

_MAX_QUEUED: Final = 200
_ROOTS_FRESH_S: Final = 10.0


class LightMemory:
    """The state and the queued reports of one device, in one file."""

    def __init__(self, path: Path) -> None:
        self._path, self._disk = path, Disk(sync=False)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        stored = json.loads(path.read_bytes()) if path.exists() else {}
        self.state = DeviceState.from_dict(stored) if stored else DeviceState()
        self.kept = set(stored.get("kept", []))
        """The manifests of the tasks whose VMs are kept."""
        self._queue = {str(report["id"]): dict(report) for report in self.state.pending}

    def save(self, state: DeviceState | None = None) -> None:
        self.state = replace(state or self.state, pending=tuple(self._queue.values()))
        stored = {**self.state.to_dict(), "kept": sorted(self.kept)}
        self._disk.write(self._path, json.dumps(stored).encode(), step="light")

    def save_credential(self, credential: Credential) -> None:
        self.save(replace(self.state, credential=credential))

    def put(self, report: Report) -> None:
        self._queue[report.id] = report.to_dict()
        if len(self._queue) > _MAX_QUEUED:
            del self._queue[next(iter(self._queue))]

    def __len__(self) -> int:
        return len(self._queue)

    def batch(self, limit: int) -> list[dict[str, Any]]:
        return list(self._queue.values())[:limit]

    def acknowledge(self, ids: Iterable[str]) -> None:
        for report_id in ids:
            self._queue.pop(report_id, None)


class SharedRoots(TrustedRoots):
    """Verifies an envelope once, however many devices received it."""

    def __init__(self, root: bytes) -> None:
        super().__init__(root)
        self._payloads: dict[tuple[str, bytes], bytes] = {}

    def update(self, root: bytes) -> None:
        super().update(root)
        self._payloads.clear()

    def verify(self, kind: str, envelope: bytes) -> bytes:
        known = self._payloads.get((kind, envelope))
        if known is None:
            known = self._payloads[kind, envelope] = super().verify(kind, envelope)
        return known


class SharedDocuments:
    """Roots, manifests and assignments, fetched and verified once for all light devices; so are `dictionaries`.

    Manifests and dictionaries are kept in `folder`.
    """

    def __init__(self, cloud: CloudClient, initial: bytes | None, folder: Path) -> None:
        self._cloud, self._initial, self._folder, self._disk = cloud, initial, folder, Disk(sync=False)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.dictionaries = TaskDictionaries(
            folder / "dictionaries",
            self._disk,
            download=partial(Downloader, cloud.client, randomness=random.random),
            resolve=cloud.url,
        )
        self._roots: SharedRoots | None = None
        self._fresh_until = 0.0
        self._manifests: dict[str, Manifest] = {}
        self._lock = asyncio.Lock()

    async def refresh(self) -> TrustedRoots:
        """Return the newest root, at most _ROOTS_FRESH_S seconds old."""
        async with self._lock:
            if self._roots is None:
                self._roots = SharedRoots(self._initial or await self._cloud.root(1) or b"")
            if time.monotonic() > self._fresh_until:
                while successor := await self._cloud.root(self._roots.version + 1):
                    self._roots.update(successor)
                self._fresh_until = time.monotonic() + _ROOTS_FRESH_S
            return self._roots

    async def manifest(self, offer: Offer, assignment: Assignment, roots: TrustedRoots) -> Manifest:
        digest = str(assignment.manifest)
        async with self._lock:
            if digest not in self._manifests:
                response = await self._cloud.client.get(self._cloud.url(str(offer.url)))
                response.raise_for_status()
                manifest = self._manifests[digest] = check_manifest(response.content, assignment, roots, Sizes())
                self._disk.write(self._folder / f"{digest}.json", manifest.payload, step="manifest")
        return self._manifests[digest]

    def known(self, digest: str) -> Manifest | None:
        """Return a manifest that was fetched before, by this process or an earlier one."""
        path = self._folder / f"{digest}.json"
        if digest not in self._manifests and path.exists():
            self._manifests[digest] = Manifest.from_payload(path.read_bytes())
        return self._manifests.get(digest)


class LightUpdater:
    """Records installations without downloading any files."""

    def __init__(self, person: Person, memory: LightMemory, documents: SharedDocuments, moments: Moments) -> None:
        self._facts, self._memory, self._documents, self._moments = person.facts, memory, documents, moments

    async def apply(self, offer: Offer, roots: TrustedRoots) -> OfferOutcome:
        try:
            return await self._apply(offer, roots)
        except httpx.HTTPError as error:
            return OfferOutcome(offer.task, "postponed", code="unreachable", detail=str(error))
        except (ProtocolError, Refusal) as error:
            return OfferOutcome(offer.task, "refused", code=error.code, detail=str(error))

    async def _apply(self, offer: Offer, roots: TrustedRoots) -> OfferOutcome:
        now = time.time()
        check_root(roots, now)
        state = self._memory.state
        app = self._facts.app
        assignment = check_assignment(offer, roots, app=app, highest=state.highest.get(app, 0), now=now)
        state = state.with_number(app, assignment.number)
        installed = state.task(offer.task).current
        if assignment.action == "remove":
            if installed is not None:
                self._memory.put(reports.about(installed, "remove", at=now, offer_token=offer.token))
            self._memory.save(state.without_task(offer.task))
            return OfferOutcome(offer.task, "removed")
        if (not_now := self._moments.present()) and (
            later := put_off(state, offer.task, str(assignment.manifest), offer.defer_s, now)
        ):
            self._memory.save(state.with_put_off(offer.task, later))
            return OfferOutcome(offer.task, "put-off", code=not_now.reason, detail="the emulator was asked to")
        manifest = await self._documents.manifest(offer, assignment, roots)
        if manifest.interpreter not in (None, self._facts.interpreter):
            raise RequirementUnmet(f"{manifest.name} {manifest.version}: bytecode for {manifest.interpreter}")
        digest, number = manifest.digest, assignment.number
        new = Installation(offer.task, manifest.version, digest, digest[:32], number, offer.token, now)
        self._memory.put(reports.about(new, "install", at=now, duration_ms=1000 * (time.time() - now)))
        if installed is not None:
            self._memory.kept.discard(installed.manifest)
        if manifest.keeps_vm:
            self._memory.kept.add(digest)
        self._memory.save(state.with_task(offer.task, TaskState(current=new)))
        return OfferOutcome(offer.task, "installed", version=new.version)


class LightDevice:
    """One device. `live` runs it until `stop`; `condition` is its present state."""

    def __init__(
        self, person: Person, folder: Path, context: EmulationContext, faults: FaultProfile, documents: SharedDocuments
    ) -> None:
        self.person, self._faults, self._context = person, faults, context
        self._documents = documents
        self.condition = "waiting"
        self._memory = LightMemory(folder / f"{person.name}.json")
        self._rng = random.Random(person.seed)  # noqa: S311
        self._vms = PretendedVms(context.vms, random.Random(f"vms:{person.seed}"))  # noqa: S311
        headers = HeaderWriter(person.facts)
        moments = Moments(time.monotonic, context.habits.of(person, time.time))
        self._check_ins = CheckIns(
            self._memory,
            context.cloud,
            documents,
            LightUpdater(person, self._memory, documents, moments),
            enrolment=context.enrolment,
            headers=headers,
            pacer=CheckInPacer(interval=context.interval, randomness=self._rng.random),
            monotonic=time.monotonic,
            on_notice=self._on_notice,
            deferral=lambda: deferral_header(moments, self._memory.state, time.time()),
        )
        self._sender = ReportSender(
            self._memory,
            context.cloud,
            lambda: headers.headers(self._memory.state),
            CheckInPacer(interval=context.interval, randomness=self._rng.random),
            monotonic=time.monotonic,
            on_notice=self._on_notice,
        )
        self._tunnel = self._make_tunnel(headers)
        self._next_run = 0.0
        self._stopped = asyncio.Event()

    async def live(self, start_after: float) -> None:
        """Run the device until it is stopped or silent."""
        await self._pause(start_after)
        self.condition = "working"
        async with asyncio.TaskGroup() as group:
            if self._tunnel is not None and not self._stopped.is_set():
                group.create_task(self._tunnel.live())
            await self._live()
            if self._tunnel is not None:
                self._tunnel.stop()
        self._memory.save()

    async def _live(self) -> None:
        while not self._stopped.is_set():
            try:
                await self._check_ins.turn()
                if self._tunnel is not None:
                    self._tunnel.service.wake.up()
                self._pretend_to_run()
                await self._sender.turn()
                # Read after sending: however long that took, the next check-in is due at its time.
                wait = self._check_ins.wait()
            except Exception as error:
                wait = self._context.interval
                self._on_notice(Notice("error", f"{type(error).__name__}: {error}"))
            await self._check_ins.wake.wait(wait)

    def stop(self) -> None:
        self._stopped.set()
        self._check_ins.wake.up()

    def installed(self) -> dict[str, str]:
        return {name: task.current.version for name, task in self._memory.state.tasks.items() if task.current}

    def unsent(self) -> int:
        return len(self._memory)

    def uploaded(self) -> int:
        return self._tunnel.service.counts()["features"] if self._tunnel is not None else 0

    def _make_tunnel(self, headers: HeaderWriter) -> LightTunnel | None:
        connector = self._context.tunnels.of(self.person)
        if connector is None:
            return None
        return LightTunnel(
            connector,
            self._check_ins,
            headers,
            lambda: self._memory.state,
            self._documents.dictionaries,
            rng=self._rng,
            on_notice=self._on_notice,
        )

    def _pretend_to_run(self) -> None:
        if time.monotonic() < self._next_run:
            return
        self._next_run = time.monotonic() + self._context.interval
        for task in self._memory.state.tasks.values():
            if task.current is not None and not self._stopped.is_set():
                self._pretend(task.current)

    def _pretend(self, installed: Installation) -> None:
        error = self._faults.outcome(installed.task, installed.version)
        start, vm_end, extra_ms = self._vms.start(installed, kept=installed.manifest in self._memory.kept)
        duration_ms = 5 + 10 * self._rng.random() + extra_ms
        report = reports.about(installed, "run", at=time.time(), duration_ms=duration_ms)
        report = replace(report, start=start, vm_end=vm_end)
        if error is not None:
            self._vms.fail(installed.task)
            report = reports.failed(report, error, "as the emulator was asked")
        self._memory.put(report)
        manifest = self._documents.known(installed.manifest) if self._tunnel is not None and error is None else None
        if self._tunnel is not None and manifest is not None:
            self._tunnel.pretend(installed, manifest)
        data = {"task": installed.task, "version": installed.version, "code": error}
        self._on_notice(Notice("ran" if error is None else "failed", f"{installed.task}: {error or 'ran'}", data))

    def _on_notice(self, notice: Notice) -> None:
        self._context.on_notice(notice)
        if notice.name == "installed" and self._faults.falls_silent(notice.data["task"], notice.data["version"]):
            self.condition = "silent"
            self.stop()

    async def _pause(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._stopped.wait()
        except TimeoutError:
            return
