"""Devices and their reports as rows, for tests of what shows them."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from devices_app.models import App, Device, InstalledTask, Report
from devices_app.services.intake import store_reports
from walle.gateway.ports import ReceivedReport
from walle.protocol import reports
from walle.protocol.keyed import OfferStamp

SEEN = datetime(2026, 5, 1, 11, tzinfo=UTC)
MANIFEST = "ab" * 32


def make_device(app: App, device: str, *tasks: str, trusted: dict[str, Any] | None = None, **facts: Any) -> Device:
    """A device that has these tasks installed."""
    row = Device.objects.create(
        app=app,
        device=device,
        facts={"app_version": "1.0.0", "os": "android", **facts},
        trusted=trusted or {},
        profile=dict.fromkeys(tasks, MANIFEST[:24]),
        first_seen=SEEN - timedelta(days=1),
        last_seen=SEEN,
        changed_at=SEEN - timedelta(days=1),
    )
    installed = [InstalledTask(device=row, task=task, manifest=MANIFEST[:24], since=SEEN) for task in tasks]
    InstalledTask.objects.bulk_create(installed)
    return row


def make_report(app: App, device: str, *, release: int | None = None, **fields: Any) -> Report:
    """A report as a gateway stores it; with a `release`, it counts as evidence."""
    said = {"task": "camera/digits", "version": "1.0.0", "manifest": MANIFEST, "kind": "run", "outcome": "success"}
    report = reports.Report(**{"id": str(uuid4()), "at": SEEN.timestamp(), **said, **fields})
    received = SEEN.timestamp() + 1
    offer = OfferStamp(release, 1, 7, int(received) + 60) if release else None
    store_reports([ReceivedReport(app.slug, device, report, offer, received)])
    return Report.objects.get(report_id=report.id)
