"""Figures of the whole fleet, for people who watch it."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from devices_app.models import Device, InstalledTask, Report

ONLINE_WITHIN = timedelta(minutes=2)


@dataclass(frozen=True)
class FleetSummary:
    """How many devices are known and were seen lately, what they have installed, and what they reported."""

    known: int
    online: int
    installed: int
    runs: int
    failures: int


def fleet_summary(*, now: datetime) -> FleetSummary:
    """Counts as they stand; a device counts as online for two minutes after a check-in."""
    runs = Report.objects.filter(kind="run")
    return FleetSummary(
        known=Device.objects.count(),
        online=Device.objects.filter(last_seen__gte=now - ONLINE_WITHIN).count(),
        installed=InstalledTask.objects.count(),
        runs=runs.count(),
        failures=runs.filter(outcome="failure").count(),
    )
