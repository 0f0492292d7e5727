"""Counting runs by task and class of devices, in the transaction that stores their reports.

All gateways add to the same few rows, which stay locked until their transaction ends; they lock them in one order, and
after everything else that reports concern but the pulse of apps.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from django.db import connection

from devices_app.selectors.joins import claimed_facts
from kit.sql import subquery
from tasks_app.models import RunCount, Task
from tasks_app.selectors.runs import STEP
from walle.gateway.ports import ReceivedReport
from walle.protocol.names import split_task_name
from walle.release.run_classes import DeviceClass, device_class
from walle.release.run_tally import RunTally, tallied

_CLAIMED = """
SELECT app_id, device, facts ->> 'os', facts ->> 'performance' FROM {devices} known
JOIN unnest(%s::bigint[], %s::text[]) asked (app_id, device) USING (app_id, device)
"""
_SUM = """(
    SELECT array_agg(coalesce(old, 0) + coalesce(more, 0) ORDER BY place)
    FROM unnest(known.{name}, EXCLUDED.{name}) WITH ORDINALITY AS counts (old, more, place)
)"""
_ADDED = """known.{name} || (
    SELECT coalesce(jsonb_object_agg(key, value::bigint + coalesce((known.{name} ->> key)::bigint, 0)), '{{}}')
    FROM jsonb_each_text(EXCLUDED.{name})
)"""
_ADD: Final = f"""
INSERT INTO tasks_app_runcount AS known
    (task_id, at, app_id, os, performance, warm, runs, failed, shed, durations, memory, vm_ends, backends)
SELECT * FROM jsonb_to_recordset(%s::jsonb) told (
    task_id bigint, at timestamptz, app_id bigint, os text, performance text, warm boolean, runs bigint, failed bigint,
    shed bigint, durations bigint[], memory bigint[], vm_ends jsonb, backends jsonb
)
ORDER BY task_id, at, app_id, os, performance, warm
ON CONFLICT (task_id, at, app_id, os, performance, warm) DO UPDATE SET
    runs = known.runs + EXCLUDED.runs, failed = known.failed + EXCLUDED.failed,
    shed = known.shed + EXCLUDED.shed,
    durations = coalesce({_SUM.format(name="durations")}, '{{}}'),
    memory = coalesce({_SUM.format(name="memory")}, '{{}}'),
    vm_ends = {_ADDED.format(name="vm_ends")},
    backends = {_ADDED.format(name="backends")}
"""  # noqa: S608 - names of columns


class _Key(NamedTuple):
    """The columns that tell rows apart."""

    task_id: int
    at: datetime
    app_id: int
    os: str
    performance: str
    warm: bool


def take_reports(*, news: Sequence[tuple[int, ReceivedReport]], **_signal: Any) -> None:
    """Add the runs that new reports are about, each with its app's primary key, to the counts of their tasks.

    Runs of tasks that do not exist are left out, and those of devices that the registry does not know yet belong to the
    class that says nothing.
    """
    runs = [(app, item) for app, item in news if item.report.kind == "run"]
    tasks = _tasks({item.report.task for _, item in runs})
    runs = [(app, item) for app, item in runs if item.report.task in tasks]
    if not runs:
        return
    classes = _classes({(app, item.device) for app, item in runs})
    counted: dict[_Key, RunTally] = {}
    for app, item in runs:
        of = classes.get((app, item.device), DeviceClass())
        for warm, tally in tallied(item.report):
            key = _Key(tasks[item.report.task], _step(item.received), app, *of, warm)
            counted.setdefault(key, RunTally()).add(tally)
    _store(counted)


def delete_run_counts(*, before: datetime) -> int:
    """Delete what was counted before a time; how many rows."""
    deleted, _ = RunCount.objects.filter(at__lt=before).delete()
    return deleted


def _tasks(names: Iterable[str]) -> dict[str, int]:
    """The primary keys of those tasks that exist."""
    parts = [split_task_name(name) for name in names]
    rows = Task.objects.filter(
        scenario__slug__in={scenario for scenario, _ in parts}, slug__in={slug for _, slug in parts}
    )
    return {f"{scenario}/{slug}": key for key, scenario, slug in rows.values_list("pk", "scenario__slug", "slug")}


def _classes(devices: Iterable[tuple[int, str]]) -> dict[tuple[int, str], DeviceClass]:
    apps, names = zip(*devices, strict=True)
    with connection.cursor() as cursor:
        cursor.execute(_CLAIMED.format(devices=subquery(claimed_facts())), [list(apps), list(names)])
        return {
            (app, device): device_class({"os": system, "performance": performance})
            for app, device, system, performance in cursor.fetchall()
        }


def _step(received: float) -> datetime:
    length = STEP.total_seconds()
    return datetime.fromtimestamp(received // length * length, UTC)


def _store(counted: Mapping[_Key, RunTally]) -> None:
    rows = [{**key._asdict(), "at": key.at.isoformat(), **_columns(added)} for key, added in counted.items()]
    with connection.cursor() as cursor:
        cursor.execute(_ADD, [json.dumps(rows)])


def _columns(tally: RunTally) -> dict[str, Any]:
    return {
        "runs": tally.runs,
        "failed": tally.failed,
        "shed": tally.shed,
        "durations": _dense(tally.durations),
        "memory": _dense(tally.memory),
        "vm_ends": tally.vm_ends,
        "backends": tally.backends,
    }


def _dense(counts: Mapping[int, int]) -> list[int]:
    return [counts.get(bucket, 0) for bucket in range(max(counts, default=-1) + 1)]
