"""Count the devices that have each version of a task: now where that is fast, from stored counts where it is not."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from operator import attrgetter
from typing import Final

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from devices_app.models import App, Device, FleetCount, InstalledTask, Report
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
class DevicesHaving:
    """Devices of an app that have one version; of these, `offline` have not been heard of lately.

    `counted_at` is None if they were counted now.
    """

    devices: int
    offline: int = 0
    counted_at: datetime | None = None


Row = tuple[str, str, str, int]
"""An app, a task, the short digest of a manifest, the number of devices."""


def installed_of(task: Task) -> InstalledVersions:
    """Count the devices that have each version of a task, without revoked devices."""
    rows, counted_at = count_installed([task.name])
    return _named(task, rows, counted_at)


def devices_having(app: App, version: TaskVersion, *, now: datetime, since: datetime | None = None) -> DevicesHaving:
    """Count the devices of an app that have a version now: by their last check-ins, and what they reported after these.

    A device has it no more once it has reported that it installed another version or removed the task, after `since`
    if that is given; its next check-in only confirms that. Where this is not fast, the last counts of the fleet are
    used.
    """
    manifest, told_since = short_hex(version.manifest_digest), now - REPORTS_TELL
    having = InstalledTask.objects.filter(
        task=version.task.name, manifest=manifest, device__app=app, device__revoked_at=None
    )
    told = Report.objects.filter(app=app, task=version.task.name, outcome="success", received_at__gte=told_since)
    installed = told.filter(kind="install", manifest=version.manifest_digest)
    if cost_of(having) > AFFORDABLE or cost_of(installed) > AFFORDABLE:
        return _counted_last(app, version, manifest)
    changed = told.filter(
        _another(version), device=OuterRef("device__device"), received_at__gt=OuterRef("since")
    ).filter(received_at__gte=since or told_since)
    away = Q(device__last_seen__lt=now - max(ONLINE_WITHIN, 2 * timedelta(seconds=app.check_in_interval)))
    counts = having.filter(~Exists(changed)).aggregate(devices=Count("*"), offline=Count("pk", filter=away))
    return DevicesHaving(counts["devices"] + _just_installed(app, version, told), counts["offline"])


def _just_installed(app: App, version: TaskVersion, told: QuerySet[Report]) -> int:
    """Count the devices that reported the installation after their last check-in, and nothing else since."""
    theirs = told.filter(device=OuterRef("device"), received_at__gt=OuterRef("received_at"))
    device = Device.objects.filter(app=app, device=OuterRef("device"), revoked_at=None)
    has_it = InstalledTask.objects.filter(task=version.task.name, manifest=short_hex(version.manifest_digest))
    fresh = told.filter(
        ~Exists(theirs.filter(_another(version))),
        Exists(device.filter(~Exists(has_it.filter(device=OuterRef("pk"))), last_seen__lte=OuterRef("received_at"))),
        kind="install",
        manifest=version.manifest_digest,
    )
    return fresh.order_by().values("device").distinct().count()


def _another(version: TaskVersion) -> Q:
    """Return which reports say that a device has this version of the task no more."""
    return Q(kind="remove") | Q(kind="install") & ~Q(manifest=version.manifest_digest)


def _counted_last(app: App, version: TaskVersion, manifest: str) -> DevicesHaving:
    rows, counted_at = count_installed([version.task.name], manifest)
    return DevicesHaving(sum(devices for slug, _, _, devices in rows if slug == app.slug), counted_at=counted_at)


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
