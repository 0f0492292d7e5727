"""Store counts of the fleet, which take long for a large one."""

import time
from datetime import datetime, timedelta
from typing import Final

from devices_app.models import App, FleetCount
from devices_app.selectors.census import count_devices, count_installed

REST_FACTOR: Final = 30
"""The fleet is counted again after this multiple of the time that the last count took."""
_WHEN: Final = ("app", "counted_at", "took_s")


def keep_counts(*, now: datetime) -> list[str]:
    """Count the devices of all apps if that is due; return the slugs of the counted apps."""
    apps = dict(App.objects.values_list("pk", "slug"))
    if not _is_due(apps, now):
        return []
    started = time.perf_counter()
    devices, installed = count_devices(apps, now=now), count_installed(apps)
    took_s = time.perf_counter() - started
    rows = [
        FleetCount(app_id=app, **vars(devices[app]), installed=installed[app], counted_at=now, took_s=took_s)
        for app in sorted(apps)
    ]
    columns = [name.name for name in FleetCount._meta.concrete_fields if name.name not in ("id", "app")]
    FleetCount.objects.bulk_create(rows, update_conflicts=True, unique_fields=["app"], update_fields=columns)
    return sorted(apps.values())


def _is_due(apps: dict[int, str], now: datetime) -> bool:
    counts = {app: (counted_at, took_s) for app, counted_at, took_s in FleetCount.objects.values_list(*_WHEN)}
    if apps.keys() - counts.keys():
        return True
    return any(counted_at + timedelta(seconds=REST_FACTOR * took_s) <= now for counted_at, took_s in counts.values())
