"""How several tasks stand: the version that most devices have, how many have any, how runs went, for a list."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Count, Sum

from devices_app.models import FleetCount, InstalledTask
from kit.row_estimates import AFFORDABLE, cost_of
from tasks_app.models import RunCount, Task
from tasks_app.selectors.names import versions_with

LATELY: Final = timedelta(days=1)
Row = tuple[str, str, int]
"""A task, the short digest of a manifest, the number of devices."""


@dataclass(frozen=True)
class Standing:
    """`version` is the one that most devices have, "" if none has any; runs are those of about a day."""

    version: str = ""
    devices: int = 0
    runs: int = 0
    failed: int = 0


def standings(tasks: Sequence[Task], now: datetime) -> dict[int, Standing]:
    """Return how each of these tasks stands, by its key, with a constant number of queries.

    Where devices are many, they were counted at the last counts of the fleet (devices_app.services.census).
    """
    devices: dict[str, Counter[str]] = defaultdict(Counter)
    for name, manifest, count in _installed({task.name for task in tasks}):
        devices[name][manifest] += count
    most = {name: counts.most_common(1)[0][0] for name, counts in devices.items()}
    versions, runs = versions_with(set(most.values())), _runs(tasks, now)
    return {
        task.pk: Standing(
            versions.get(most.get(task.name, ""), ""), devices[task.name].total(), *runs.get(task.pk, (0, 0))
        )
        for task in tasks
    }


def _installed(names: set[str]) -> list[Row]:
    matching = InstalledTask.objects.filter(task__in=names, device__revoked_at=None)
    if cost_of(matching) <= AFFORDABLE:
        return list(matching.order_by().values_list("task", "manifest").annotate(devices=Count("*")))
    counted = FleetCount.objects.values_list("installed", flat=True)
    return [(row["task"], row["manifest"], row["devices"]) for rows in counted for row in rows if row["task"] in names]


def _runs(tasks: Sequence[Task], now: datetime) -> dict[int, tuple[int, int]]:
    counts = RunCount.objects.filter(task__in=[task.pk for task in tasks], at__gte=now - LATELY)
    sums = counts.order_by().values_list("task").annotate(Sum("runs"), Sum("failed"))
    return {task: (int(runs), int(failed)) for task, runs, failed in sums}
