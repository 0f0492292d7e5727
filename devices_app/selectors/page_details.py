"""What a page of devices shows beside their rows, read for all of them at once."""

from collections.abc import Sequence

from django.db.models import OuterRef, Subquery

from devices_app.models import Device, Report
from devices_app.versions import version_names


def versions_on(devices: Sequence[Device]) -> dict[tuple[str, str], str]:
    """Return the names of the versions that these devices have, by their task and their manifest's short digest."""
    return version_names({manifest for device in devices for manifest in device.profile.values()})


def last_reports(devices: Sequence[Device]) -> dict[int, Report]:
    """Return the newest report of each of these devices that has sent any, by the device's key."""
    newest = Report.objects.filter(app=OuterRef("app"), device=OuterRef("device")).order_by("-received_at", "-id")
    rows = Device.objects.filter(pk__in=[device.pk for device in devices])
    found = dict(rows.annotate(newest=Subquery(newest.values("pk")[:1])).values_list("pk", "newest"))
    columns = ("task", "version", "kind", "outcome", "error_class", "received_at")
    reports = Report.objects.only(*columns).in_bulk([report for report in found.values() if report is not None])
    return {device: reports[report] for device, report in found.items() if report in reports}
