"""How several tasks stand: the version that most devices have, how many have any, how runs went, for a list."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Sum

from tasks_app.models import RunCount, Task
from tasks_app.selectors.installed import count_installed
from tasks_app.selectors.names import versions_with

LATELY: Final = timedelta(days=1)


@dataclass(frozen=True)
class Standing:
    """`version` is the registered one that most devices have, "" if none has any; `devices` have whatever version."""

    version: str
    devices: int
    runs: int
    failed: int


def standings(tasks: Sequence[Task], now: datetime) -> dict[int, Standing]:
    """Return how each of these tasks stands, by its key, with as many queries however many tasks there are."""
    devices: Counter[str] = Counter()
    by_version: dict[str, Counter[str]] = defaultdict(Counter)
    rows, _ = count_installed({task.name for task in tasks})
    versions = versions_with({manifest for _, _, manifest, _ in rows})
    for _, name, manifest, count in rows:
        devices[name] += count
        if (name, manifest) in versions:
            by_version[name][versions[name, manifest]] += count
    runs = _runs(tasks, now)
    return {
        task.pk: Standing(
            next((version for version, _ in by_version[task.name].most_common(1)), ""),
            devices[task.name],
            *runs.get(task.pk, (0, 0)),
        )
        for task in tasks
    }


def _runs(tasks: Sequence[Task], now: datetime) -> dict[int, tuple[int, int]]:
    """Return how many runs of each task there were in about the last day, and how many of them failed."""
    counts = RunCount.objects.filter(task__in=[task.pk for task in tasks], at__gte=now - LATELY)
    sums = counts.order_by().values_list("task").annotate(Sum("runs"), Sum("failed"))
    return {task: (int(runs), int(failed)) for task, runs, failed in sums}
