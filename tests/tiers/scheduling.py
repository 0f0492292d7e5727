"""Which worker runs which tests: two thirds of the workers begin with what computes, the others with what waits."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

from tests.tiers.tier import Tier, commits, tier_of

COMPUTING = (Tier.DATABASE, Tier.PURE, Tier.PROCESSES)
WAITING = (Tier.PROCESSES, Tier.DATABASE, Tier.PURE)
WIDE = ("module", "package", "class")


def unit_of(item: pytest.Item) -> str:
    """What is run by one worker in a row: tests that share a server or the like, else a file, else one long test."""
    wide = _widest_fixture(item)
    if wide is not None:
        return f"{tier_of(item)} {wide}"
    if tier_of(item) is Tier.PROCESSES or commits(item):
        return f"{tier_of(item)} {item.nodeid}"
    return f"{tier_of(item)} {item.location[0]}"


def _widest_fixture(item: pytest.Item) -> str | None:
    """The package or module whose tests share a fixture with this one."""
    info = getattr(item, "_fixtureinfo", None)
    found = [defined[-1] for defined in info.name2fixturedefs.values()] if info else []
    scopes = {fixture.scope for fixture in found if fixture.baseid.startswith("tests/")}
    if "package" in scopes:
        return str(Path(item.location[0]).parts[:2])
    return item.location[0] if scopes & {"module", "class"} else None


def write_units(items: list[pytest.Item], path: Path, affected: Collection[str]) -> None:
    """Tell the scheduler, which sees names of tests only, the unit of each test.

    Those marked `slow` go first, then those in files that the present change can affect.
    """
    order = sorted(items, key=lambda one: (one.get_closest_marker("slow") is None, one.location[0] not in affected))
    path.write_text(json.dumps({item.nodeid: unit_of(item) for item in order}))


def worker_count(*, all_compute: bool) -> int:
    """One for each core, and as many again where some tests wait most of the time.

    Each worker collects all tests first, which takes it a quarter of a minute of CPU time, and has its own PostgreSQL.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores if all_compute else 2 * cores


class TierScheduling(LoadScopeScheduling):
    """xdist's scheduling by scope, with units for scopes, and tiers that workers prefer."""

    def __init__(self, config: pytest.Config, log: Any, units: Path) -> None:
        super().__init__(config, log)
        config.option.loadscopereorder = False
        self._path = units
        self._units: Mapping[str, str] = {}
        self._ranks: Mapping[str, int] = {}

    def schedule(self) -> None:
        if not self._units:
            self._units = json.loads(self._path.read_text())
            self._ranks = {unit: rank for rank, unit in enumerate(dict.fromkeys(self._units.values()))}
        super().schedule()

    def _split_scope(self, nodeid: str) -> str:
        return self._units[nodeid]

    def _assign_work_unit(self, node: WorkerController) -> None:
        tiers = self._preferred(node)
        best = min(self.workqueue, key=lambda unit: (tiers.index(Tier(unit.split()[0])), self._ranks[unit]))
        self.workqueue.move_to_end(best, last=False)
        super()._assign_work_unit(node)

    def _preferred(self, node: WorkerController) -> tuple[Tier, ...]:
        number = int(node.gateway.id.removeprefix("gw"))
        return COMPUTING if 3 * number < 2 * self.numnodes else WAITING

    def mark_test_complete(self, node: WorkerController, item_index: int, duration: float = 0) -> None:
        unit = self._split_scope(self.registered_collections[node][item_index])
        if sum(not done for done in self.assigned_work[node][unit].values()) > 1:
            super().mark_test_complete(node, item_index, duration)
            return
        # What is done is forgotten: it is counted after every test.
        del self.assigned_work[node][unit]
        self._reschedule(node)
