"""The parts of a serving process, started and stopped together: tables, tokens, plans, what it tells."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from walle.artifacts import ArtifactStore
from walle.protocol.errors import ProtocolError
from walle.protocol.signing import TrustedRoots
from walle.whitebox.serving.callers import CallerAuthentication, TokenCache
from walle.whitebox.serving.counts import ServingCounts
from walle.whitebox.serving.engine import PredictionEngine
from walle.whitebox.serving.heartbeat import BEAT_EVERY_S, Heartbeat
from walle.whitebox.serving.installation.folders import PlanFolders
from walle.whitebox.serving.installation.trust import HostTrust
from walle.whitebox.serving.isolation import IsolatedPlan
from walle.whitebox.serving.outcomes import OutcomeLog
from walle.whitebox.serving.plan_host import PlanHost, WantedPlan
from walle.whitebox.serving.ports import ControlPlaneAway, HostFigures, ServedApp, ServingPorts, ServingState
from walle.whitebox.serving.routing import Routes

log = logging.getLogger(__name__)

READ_EVERY_S: Final = 1.0
CANCEL_EVERY_S: Final = 0.1
AWAY_AFTER_S: Final = 5.0
"""After so many seconds without a reading the process says that it is impaired; it goes on serving."""


@dataclass(frozen=True)
class RoutedApp:
    """One app as it is served: its state, and the routes of its table."""

    state: ServedApp
    routes: Routes

    @property
    def number(self) -> int:
        return self.state.table.table.number


class ServingProcess:
    """One serving process. `name` names it among all; `folder` is where it keeps pipelines, `ahead` as in PlanHost."""

    def __init__(
        self,
        ports: ServingPorts,
        artifacts: ArtifactStore,
        engine: PredictionEngine,
        *,
        folder: Path,
        name: str,
        heartbeat: Heartbeat | None = None,
        isolated: Mapping[str, IsolatedPlan] | None = None,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
        ahead: bool = True,
    ) -> None:
        self.ports, self.engine, self.name = ports, engine, name
        self.clock, self.monotonic = clock, monotonic
        self.heartbeat = heartbeat or Heartbeat()
        self.counts = ServingCounts()
        self.outcomes = OutcomeLog(clock)
        self.authentication = CallerAuthentication(TokenCache(ports.tokens, clock, monotonic), clock)
        self.apps: dict[str, RoutedApp] = {}
        self.plans = PlanHost(
            artifacts,
            PlanFolders(folder),
            engine,
            tell=self.outcomes.installed,
            isolated=isolated or {},
            name=name,
            clock=clock,
            monotonic=monotonic,
            ahead=ahead,
        )
        self._trust = HostTrust(folder)
        self._state: ServingState | None = None
        self._read_at = float("-inf")
        self._started = clock()
        self._background: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Read the state, from this machine if the control plane is away, and begin to serve by it."""
        await self.engine.start()
        try:
            await self._refresh()
        except ControlPlaneAway as error:
            log.warning("starting by what was known last: %s", error)
            remembered = await self.ports.source.remembered()
            if remembered is not None:
                self._take(remembered)
        self._background = [
            asyncio.create_task(self._beat()),
            asyncio.create_task(self._follow()),
            asyncio.create_task(self.plans.run()),
            asyncio.create_task(self.outcomes.run(self.ports.sink, self.figures)),
        ]

    async def stop(self) -> None:
        while running := [task for task in self._background if not task.done()]:
            # Again, because wait_for of Python 3.11 forgets a cancellation that comes with what it waits for.
            for task in running:
                task.cancel()
            await asyncio.wait(running, timeout=CANCEL_EVERY_S)
        await self.plans.close()
        await self.outcomes.flush(self.ports.sink, self.figures())
        await self.engine.close()
        await self.ports.close()

    def problems(self) -> dict[str, str]:
        """Return what is impaired, by part: empty texts for parts that are not."""
        age = self.state_age()
        failed = [f"{manifest[:12]}: {each.problem[:200]}" for manifest, each in self.plans.failed.items()]
        return {
            "tables": "" if self._state is not None else "no tables have been read yet",
            "control_plane": "" if age < AWAY_AFTER_S else f"serving by what was read {age:.0f} s ago",
            "installing": f"{self.plans.waiting} versions are being installed" if self.plans.waiting else "",
            "failed": "; ".join(failed[:10]),
            "isolated": "; ".join(f"{plan[:12]}: {reason}" for plan, reason in list(self.plans.isolated.items())[:10]),
        }

    def state_age(self) -> float:
        """Return the seconds since the control plane was last read; infinite if it never was."""
        return self.monotonic() - self._read_at

    @property
    def is_ready(self) -> bool:
        """Whether it answers requests; what is impaired besides does not keep it from that."""
        return self._state is not None

    def figures(self) -> HostFigures:
        return HostFigures(
            host=self.name,
            started=self._started,
            at=self.clock(),
            installed=len(self.plans.loaded),
            isolated=self.plans.isolated,
            runtime=self.engine.statistics(),
        )

    async def _beat(self) -> None:
        while True:
            self.heartbeat.beat()
            await asyncio.sleep(BEAT_EVERY_S)

    async def _follow(self) -> None:
        """Follow the source for ever; while it is away, what was read last counts."""
        while True:
            try:
                await self.ports.source.wait(READ_EVERY_S)
                await self._refresh()
            except ControlPlaneAway as error:
                if self.state_age() < AWAY_AFTER_S:
                    log.warning("the control plane is away: %s", error)
                await asyncio.sleep(READ_EVERY_S)
            except Exception:
                # No error may end this loop: nothing would be installed any more until the process restarts.
                log.exception("the state could not be read or used")
                await asyncio.sleep(READ_EVERY_S)

    async def _refresh(self) -> None:
        changed = await self.ports.source.read(self._state.revision if self._state else None)
        self._read_at = self.monotonic()
        if changed is not None:
            self._take(changed)

    def _take(self, state: ServingState) -> None:
        """Serve by a state from now on."""
        self._state = state
        apps = {}
        for slug, app in state.apps.items():
            known = self.apps.get(slug)
            routes = known.routes if known and known.routes.table is app.table else Routes(app.table)
            apps[slug] = RoutedApp(app, routes)
        self.apps = apps
        wanted = {
            entry.manifest: WantedPlan(slug, entry) for slug, app in apps.items() for entry in app.routes.entries()
        }
        self.plans.want(wanted, self._roots(state))

    def _roots(self, state: ServingState) -> TrustedRoots | None:
        try:
            return self._trust.follow(state.roots)
        except (ProtocolError, OSError) as error:
            log.error("the chain of roots cannot be followed, nothing new is installed: %s", error)
            return None
