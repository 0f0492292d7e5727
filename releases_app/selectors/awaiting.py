"""Find the devices that have installed a stream task's version, and on which its condition has not occurred yet.

They check in and report nothing, since the task has not run: no outcome, and not silent either. One that has installed
it and has not checked in during the silence timeout is told apart from them: it may wait, or may be broken.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db import connection
from django.db.models import Exists, OuterRef, Q

from devices_app.models import Device
from devices_app.selectors.interruptions import interruptions
from devices_app.selectors.joins import known_devices
from kit.sql import subquery
from releases_app.models import Exposure, Release
from walle.release.counted_time import counted_back

_OPEN = """
SELECT exposure.stage, exposure.vouched OR coalesce(exposure.first_seen < %(began)s, false),
    count(*) FILTER (WHERE device.last_seen > %(edge)s),
    count(*) FILTER (WHERE device.last_seen > %(edge)s IS NOT TRUE)
FROM releases_app_exposure exposure
LEFT JOIN {devices} device ON device.app_id = exposure.app_id AND device.device = exposure.device
WHERE exposure.release = %(release)s AND exposure.arm = 'treatment' AND exposure.installed_at IS NOT NULL
    AND exposure.outcome = '' GROUP BY 1, 2
"""


@dataclass(frozen=True)
class OpenDevices:
    """Counts of devices that have installed a version and have no outcome: those that check in, and the others."""

    awaiting: int = 0
    quiet: int = 0

    def __add__(self, other: "OpenDevices") -> "OpenDevices":
        return OpenDevices(self.awaiting + other.awaiting, self.quiet + other.quiet)


def condition_of(release: Release) -> tuple[str, ...]:
    """Return the ids of the condition that triggers the release's task; none for a task that runs by itself."""
    return tuple(release.baseline.get("trigger", ()))


def silence_edge(release: Release, now: datetime) -> datetime:
    """Return the moment since which a device must have been heard of, so as not to count as silent.

    Times in which no device could be heard do not count.
    """
    strategy = release.parsed_strategy
    lost = interruptions(release.began_at or now, now)
    return counted_back(now, strategy.silence_s, strategy.window, lost)


def open_devices(release: Release, *, now: datetime) -> Mapping[tuple[int, bool], OpenDevices]:
    """Count the devices that have installed a stream task's version and have no outcome yet.

    By the primary key of the stage in which they were selected, and whether they are established ones, which verdicts
    count. Empty for a task that no condition triggers.
    """
    if not condition_of(release):
        return {}
    parameters = {"release": release.pk, "began": release.began_at, "edge": silence_edge(release, now)}
    with connection.cursor() as cursor:
        cursor.execute(_OPEN.format(devices=subquery(known_devices())), parameters)
        return {(stage, established): OpenDevices(*counts) for stage, established, *counts in cursor.fetchall()}


def is_awaiting(release: Release, *, now: datetime) -> Q:
    """Return the condition for those exposures whose device awaits the trigger."""
    if not condition_of(release):
        return Q(pk__in=[])
    heard = Device.objects.filter(
        app=OuterRef("app"), device=OuterRef("device"), last_seen__gt=silence_edge(release, now)
    )
    return Q(Exists(heard), arm=Exposure.Arm.TREATMENT, outcome=Exposure.Outcome.OPEN, installed_at__isnull=False)
