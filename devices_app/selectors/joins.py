"""Queries that apps above join with their own rows, by the thousand, in SQL (kit.sql)."""

from collections.abc import Mapping

from django.db.models import QuerySet

from devices_app.models import App, Device, Report


def app_slugs() -> QuerySet[App, Mapping[str, object]]:
    """Return the apps: id, slug."""
    return App.objects.order_by().values("id", "slug")


def claimed_facts() -> QuerySet[Device, Mapping[str, object]]:
    """What the devices that the registry knows say of themselves: app_id, device, facts."""
    return Device.objects.order_by().values("app_id", "device", "facts")


def known_devices() -> QuerySet[Device, Mapping[str, object]]:
    """Return the registered devices: app_id, device, first_seen, vouched_at, last_seen, deferral, deferral_until."""
    return Device.objects.order_by().values(
        "app_id", "device", "first_seen", "vouched_at", "last_seen", "deferral", "deferral_until"
    )


def stored_reports() -> QuerySet[Report, Mapping[str, object]]:
    """Return the reports, with what they say of runs."""
    return Report.objects.order_by().values(
        "app_id", "device", "task", "version", "report_id", "kind", "outcome", "error_class", "reported_at",
        "received_at", "duration_ms", "metrics", "start", "runs",
    )  # fmt: skip
