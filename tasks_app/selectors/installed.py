"""Count the devices that have each version of a task: now where that is fast, from stored counts where it is not."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from operator import attrgetter
from typing import Final

from django.db.models import Count, Exists, OuterRef, Q

from devices_app.models import App, FleetCount, InstalledTask, Report
from devices_app.selectors.fleet import ONLINE_WITHIN
from kit.row_estimates import AFFORDABLE, cost_of
from tasks_app.models import Task, TaskVersion
from tasks_app.selectors.catalogue import versions_of
from walle.protocol.headers import short_hex

REPORTS_TELL: Final = timedelta(minutes=10)
"""How long a report tells what a device has installed; it has checked in meanwhile."""


@dataclass(frozen=True)
class InstalledVersion:
    """The number of devices that have one version, in all and by app; `version` is "" for manifests of no registered
    version.
    """

    version: str
    devices: int
    apps: list[dict[str, str | int]] = field(default_factory=list)


@dataclass(frozen=True)
class InstalledVersions:
    """The versions that devices have, by the number of devices. `counted_at` is None if they were counted now."""

    devices: int
    versions: list[InstalledVersion]
    counted_at: datetime | None


@dataclass(frozen=True)
class RemainingDevices:
    """Devices that still have a withdrawn version; of these, `offline` have not been heard of lately."""

    devices: int
    offline: int = 0


Row = tuple[str, str, str, int]
"""An app, a task, the short digest of a manifest, the number of devices."""


def installed_of(task: Task) -> InstalledVersions:
    """Count the devices that have each version of a task, without revoked devices."""
    rows, counted_at = count_installed([task.name])
    return _named(task, rows, counted_at)


def installed_on(app: App, version: TaskVersion) -> tuple[int, datetime | None]:
    """Return how many devices of an app have one version, and when they were counted; None: now."""
    manifest = short_hex(version.manifest_digest)
    rows, counted_at = count_installed([version.task.name], manifest)
    return sum(devices for slug, _, _, devices in rows if slug == app.slug), counted_at


def remaining_on(app: App, version: TaskVersion, *, since: datetime, now: datetime) -> RemainingDevices:
    """Count the devices of an app that still have a version which is withdrawn since a moment.

    A device has it no more once it has reported that it installed another version or removed the task; its next
    check-in only confirms that. Where this is not fast, the last counts of the fleet are used.
    """
    manifest = short_hex(version.manifest_digest)
    having = InstalledTask.objects.filter(
        task=version.task.name, manifest=manifest, device__app=app, device__revoked_at=None
    )
    if cost_of(having) > AFFORDABLE:
        return RemainingDevices(installed_on(app, version)[0])
    changed = Report.objects.filter(
        app=app,
        device=OuterRef("device__device"),
        task=version.task.name,
        outcome="success",
        received_at__gte=max(since, now - REPORTS_TELL),
        received_at__gt=OuterRef("since"),
    ).filter(Q(kind="remove") | Q(kind="install") & ~Q(manifest=version.manifest_digest))
    away = Q(device__last_seen__lt=now - max(ONLINE_WITHIN, 2 * timedelta(seconds=app.check_in_interval)))
    counts = having.filter(~Exists(changed)).aggregate(devices=Count("*"), offline=Count("pk", filter=away))
    return RemainingDevices(**counts)


def count_installed(tasks: Collection[str], manifest: str | None = None) -> tuple[list[Row], datetime | None]:
    """Count the devices that have some tasks, or one manifest of them, by app, task and manifest, and say when they
    were counted; None: now.

    An index leads to the devices that have the tasks, some 3 us each. Where the planner expects many of them, the last
    counts of the fleet are used (devices_app.services.census). Revoked devices are left out.
    """
    matching = InstalledTask.objects.filter(task__in=tasks, device__revoked_at=None)
    if manifest is not None:
        matching = matching.filter(manifest=manifest)
    if cost_of(matching) <= AFFORDABLE:
        return list(matching.values_list("device__app__slug", "task", "manifest").annotate(devices=Count("*"))), None
    found: list[Row] = []
    moments = []
    for app, rows, counted_at in FleetCount.objects.values_list("app__slug", "installed", "counted_at"):
        moments.append(counted_at)
        found += [
            (app, row["task"], row["manifest"], row["devices"])
            for row in rows
            if row["task"] in tasks and manifest in (None, row["manifest"])
        ]
    return found, min(moments, default=None)


def _named(task: Task, rows: Iterable[Row], counted_at: datetime | None) -> InstalledVersions:
    versions = {short_hex(digest): name for name, digest in versions_of(task).values_list("version", "manifest_digest")}
    sums: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for app, _, manifest, devices in rows:
        sums[versions.get(manifest, "")][app] += devices
    found = [
        InstalledVersion(
            version,
            sum(apps.values()),
            [{"app": app, "devices": devices} for app, devices in sorted(apps.items(), key=lambda item: -item[1])],
        )
        for version, apps in sums.items()
    ]
    found.sort(key=attrgetter("devices"), reverse=True)
    return InstalledVersions(sum(each.devices for each in found), found, counted_at)
