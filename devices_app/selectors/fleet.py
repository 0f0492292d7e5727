"""Figures of the complete fleet, for people who watch it."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from devices_app.models import Device, InstalledTask, Report
from kit.row_estimates import estimate_count

ONLINE_WITHIN = timedelta(minutes=2)


@dataclass(frozen=True)
class FleetSummary:
    """The number of known devices and of those seen lately, what they have installed, and what they reported."""

    known: int
    online: int
    installed: int
    runs: int
    failures: int


def fleet_summary(*, now: datetime) -> FleetSummary:
    """Count the fleet as it is now, large tables as estimates.

    A device counts as online for two minutes after a check-in.
    """
    runs = Report.objects.order_by().filter(kind="run")
    return FleetSummary(
        known=estimate_count(Device.objects.order_by()),
        online=estimate_count(Device.objects.order_by().filter(last_seen__gte=now - ONLINE_WITHIN)),
        installed=estimate_count(InstalledTask.objects.order_by()),
        runs=estimate_count(runs),
        failures=estimate_count(runs.filter(outcome="failure")),
    )
