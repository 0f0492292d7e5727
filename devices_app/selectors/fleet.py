"""Figures of the whole fleet, for people who watch it."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from accounts_app.planner import about
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
    """Counts as they stand, of large tables about; a device counts as online for two minutes after a check-in."""
    runs = Report.objects.order_by().filter(kind="run")
    return FleetSummary(
        known=about(Device.objects.order_by()),
        online=about(Device.objects.order_by().filter(last_seen__gte=now - ONLINE_WITHIN)),
        installed=about(InstalledTask.objects.order_by()),
        runs=about(runs),
        failures=about(runs.filter(outcome="failure")),
    )
