"""Keeps the versions that tables name ready on this host: installs and loads them, and gives them up afterwards.

A version is fetched, verified and loaded in a thread, one at a time; requests go on meanwhile. What is on the disk from
before a restart counts as ready, and is loaded when a request wants it or its turn comes. A version that cannot be
installed is told to the control plane, and tried again if that may help; it is not ready, so the one before it answers.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final, NamedTuple

from walle.artifacts import ArtifactError, ArtifactMissing, ArtifactStore
from walle.protocol.documents import Manifest
from walle.protocol.errors import ProtocolError
from walle.protocol.signing import TrustedRoots
from walle.release.table import Entry
from walle.whitebox.serving.engine import LoadedPlan, PlanDamaged, PlanRefused, PredictionEngine
from walle.whitebox.serving.installation.checks import MAX_ENVELOPE, PipelineRefused, check_manifest
from walle.whitebox.serving.installation.folders import PlanFolders
from walle.whitebox.serving.isolation import IsolatedPlan
from walle.whitebox.serving.ports import InstallationOutcome

log = logging.getLogger(__name__)

LOOK_EVERY_S: Final = 1.0
GRACE_S: Final = 60.0
"""How long a version that no table names any more stays loaded: requests and a quick return to it need not wait."""
KEPT_S: Final = 86_400.0
"""How long it stays on the disk."""
SHORTEST_BAR_S: Final = 0.1
SWEEP_S: Final = 3600.0
FIRST_PAUSE_S: Final = 1.0
LONGEST_PAUSE_S: Final = 300.0
_TRIED_AGAIN: Final = (ArtifactError, OSError, PlanDamaged)


class WantedPlan(NamedTuple):
    """A version that an app's table names."""

    app: str
    entry: Entry


@dataclass(frozen=True)
class FailedInstallation:
    """Why a version is not ready, how often it was tried, and when to try again (monotonic seconds)."""

    error_class: str
    problem: str
    attempts: int
    again_at: float


class PlanHost:
    """The versions on this host. `clock` returns Unix seconds, `monotonic` those of a clock that never jumps.

    `tell` receives what changes; `isolated` are the plans that must not run, by id. `name` names this process. Where
    plans are not loaded ahead, they are installed only, and loaded when somebody asks for them: so processes among
    which requests are divided by their pipeline divide the memory, too.
    """

    def __init__(
        self,
        artifacts: ArtifactStore,
        folders: PlanFolders,
        engine: PredictionEngine,
        *,
        tell: Callable[[InstallationOutcome], None],
        isolated: Mapping[str, IsolatedPlan],
        name: str,
        clock: Callable[[], float],
        monotonic: Callable[[], float],
        ahead: bool = True,
    ) -> None:
        self._ahead = ahead
        self._artifacts, self._folders, self._engine = artifacts, folders, engine
        self._tell, self._name = tell, name
        self._clock, self._monotonic = clock, monotonic
        self._isolated = dict(isolated)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="walle-plans")
        self._on_disk = set(folders.installed())
        self._wanted: dict[str, WantedPlan] = {}
        self._roots: TrustedRoots | None = None
        self._unwanted_since: dict[str, float] = {}
        self._loading: dict[str, asyncio.Task[LoadedPlan | None]] = {}
        self._changed = asyncio.Event()
        self._swept_at = monotonic()
        self.loaded: dict[str, LoadedPlan] = {}
        """The versions that are ready to predict, by manifest."""
        self.failed: dict[str, FailedInstallation] = {}

    def want(self, wanted: Mapping[str, WantedPlan], roots: TrustedRoots | None) -> None:
        """Have exactly these versions ready (by manifest), whose manifests these roots vouch for."""
        self._wanted, self._roots = dict(wanted), roots
        now = self._monotonic()
        here = self._on_disk | self.loaded.keys()
        self._unwanted_since = {each: self._unwanted_since.get(each, now) for each in here - wanted.keys()}
        self.failed = {manifest: failure for manifest, failure in self.failed.items() if manifest in wanted}
        self._changed.set()

    @property
    def waiting(self) -> int:
        """The number of versions that are neither as ready as they are made ahead, nor given up."""
        return sum(1 for manifest in self._wanted if not self._is_prepared(manifest) and manifest not in self.failed)

    @property
    def isolated(self) -> dict[str, str]:
        """Return why plans must not run now, by id."""
        now = self._clock()
        return {plan: each.reason for plan, each in self._isolated.items() if each.until > now}

    def is_ready(self, manifest: str) -> bool:
        """Return whether a version can answer, perhaps after it was loaded."""
        if self._isolated and (isolated := self._isolated.get(manifest)) and isolated.until > self._clock():
            return False
        return manifest in self.loaded or (manifest in self._on_disk and manifest not in self.failed)

    def has(self, manifest: str) -> bool:
        """Return whether a version is here, even if it must not run."""
        return manifest in self.loaded or manifest in self._on_disk

    async def plan(self, manifest: str) -> LoadedPlan | None:
        """Return a version that is ready, loading it if need be; None if that fails."""
        return self.loaded.get(manifest) or await asyncio.shield(self._load(manifest))

    def bar(self, manifest: str, reason: str, seconds: float) -> None:
        """Keep a version from answering for so many seconds."""
        self._isolated[manifest] = IsolatedPlan(reason, self._clock() + max(seconds, SHORTEST_BAR_S))

    async def run(self) -> None:
        """Install, load and give up versions, for ever."""
        while True:
            self._changed.clear()
            for manifest in [each for each in self._wanted if self._is_due(each)]:
                await asyncio.shield(self._load(manifest) if self._ahead else self._fetch(manifest))
            await self._give_up()
            try:
                async with asyncio.timeout(LOOK_EVERY_S):
                    await self._changed.wait()
            except TimeoutError:
                continue

    async def close(self) -> None:
        await asyncio.gather(*self._loading.values(), return_exceptions=True)
        self._thread.shutdown(wait=True, cancel_futures=True)

    def _is_prepared(self, manifest: str) -> bool:
        return manifest in self.loaded or (not self._ahead and manifest in self._on_disk)

    def _is_due(self, manifest: str) -> bool:
        if self._is_prepared(manifest):
            return False
        failure = self.failed.get(manifest)
        return failure is None or failure.again_at <= self._monotonic()

    def _load(self, manifest: str) -> asyncio.Task[LoadedPlan | None]:
        task = self._loading.get(manifest)
        if task is None:
            task = self._loading[manifest] = asyncio.create_task(self._make_ready(manifest))
        return task

    async def _fetch(self, manifest: str) -> None:
        """Install a version without loading it."""
        try:
            found = await asyncio.get_running_loop().run_in_executor(self._thread, self._install, manifest)
        except Exception as error:
            self._fail(manifest, error)
            return
        self._on_disk.add(manifest)
        self.failed.pop(manifest, None)
        self._told(manifest, found.version, "", "")

    async def _make_ready(self, manifest: str) -> LoadedPlan | None:
        loop = asyncio.get_running_loop()
        try:
            plan = await loop.run_in_executor(self._thread, self._install_and_load, manifest)
        except Exception as error:
            self._fail(manifest, error)
            return None
        finally:
            del self._loading[manifest]
        self._on_disk.add(manifest)
        self.loaded[manifest] = plan
        self.failed.pop(manifest, None)
        self._told(manifest, plan.version, "", "")
        return plan

    def _install_and_load(self, digest: str) -> LoadedPlan:
        """Return a version, ready to predict. Blocks; raises what installing and loading may."""
        if digest not in self._folders.installed():
            self._install(digest)
        try:
            return self._load_installed(digest)
        except (PlanDamaged, OSError) as error:
            log.warning("the files of %s are damaged, they are fetched again: %s", digest, error)
            self._folders.repair(digest)
        self._install(digest)
        return self._load_installed(digest)

    def _load_installed(self, digest: str) -> LoadedPlan:
        manifest = self._folders.manifest(digest)
        settings = manifest.values.get("serving")
        settings = settings if isinstance(settings, dict) else {}
        try:
            classes, columns = self._engine.load(
                digest, self._folders.paths(manifest), settings, self._folders.compiled(digest)
            )
        except PlanRefused:
            self._folders.remove(digest)
            raise
        return LoadedPlan(digest, manifest.name, manifest.version, tuple(classes), tuple(columns))

    def _install(self, digest: str) -> Manifest:
        wanted, roots = self._wanted.get(digest), self._roots
        if wanted is None or roots is None:
            raise ArtifactMissing(digest)
        envelope = _read_envelope(self._artifacts, wanted.entry)
        manifest = check_manifest(envelope, wanted.entry, roots)
        self._folders.install(envelope, manifest, self._artifacts.open)
        return manifest

    def _fail(self, manifest: str, error: Exception) -> None:
        before = self.failed.get(manifest)
        attempts = before.attempts + 1 if before else 1
        pause = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2.0 ** min(attempts - 1, 16))
        again = isinstance(error, _TRIED_AGAIN)
        error_class, problem = _described(error)
        again_at = self._monotonic() + (pause if again else float("inf"))
        self.failed[manifest] = FailedInstallation(error_class, problem, attempts, again_at)
        known = isinstance(error, (ProtocolError, PipelineRefused, PlanRefused, *_TRIED_AGAIN))
        log.error("%s is not ready: %s", manifest, problem, exc_info=None if known else error)
        if before is None or before.problem != problem:
            self._told(manifest, "", error_class, problem)

    def _told(self, manifest: str, version: str, error_class: str, problem: str) -> None:
        wanted = self._wanted.get(manifest)
        if wanted is None:
            return
        entry = wanted.entry
        self._tell(
            InstallationOutcome(
                app=wanted.app,
                task=entry.task,
                release=entry.release,
                stage=entry.stage,
                manifest=manifest,
                version=version,
                host=self._name,
                ready=not problem,
                error_class=error_class,
                problem=problem,
                at=self._clock(),
            )
        )

    async def _give_up(self) -> None:
        now, loop = self._monotonic(), asyncio.get_running_loop()
        for manifest, since in list(self._unwanted_since.items()):
            if now - since > GRACE_S and manifest in self.loaded:
                del self.loaded[manifest]
                await loop.run_in_executor(self._thread, self._engine.unload, manifest)
            if now - since > KEPT_S:
                self._on_disk.discard(manifest)
                del self._unwanted_since[manifest]
                await loop.run_in_executor(self._thread, self._folders.remove, manifest)
        if now - self._swept_at > SWEEP_S:
            self._swept_at = now
            await loop.run_in_executor(self._thread, self._folders.sweep, self._clock(), SWEEP_S)


def _read_envelope(artifacts: ArtifactStore, entry: Entry) -> bytes:
    if entry.envelope_size > MAX_ENVELOPE:
        raise PipelineRefused("too-large", f"expected a manifest of at most {MAX_ENVELOPE} bytes")
    with artifacts.open(entry.envelope_digest) as file:
        envelope = file.read(entry.envelope_size + 1)
    if hashlib.sha256(envelope).hexdigest() != entry.envelope_digest:
        raise PipelineRefused("digest-mismatch", "the signed manifest is not the one that the table names")
    return envelope


def _described(error: Exception) -> tuple[str, str]:
    code = getattr(error, "code", None)
    return code if isinstance(code, str) else type(error).__name__, str(error)[:2000] or type(error).__name__
