"""Contribute releases to a device's history (devices_app.selectors.timeline)."""

from devices_app.models import Device
from devices_app.selectors.timeline import DeviceEvent, TimelinePosition
from releases_app.models import Exposure
from releases_app.models.exposures import ARMS


def exposures_of(device: Device) -> list[DeviceEvent]:
    """Return the releases that selected a device. Each does so once, so that these are few."""
    rows = Exposure.objects.filter(app=device.app_id, device=device.device, arm__in=ARMS)
    return [_event(row) for row in rows]


def _event(row: Exposure) -> DeviceEvent:
    kind = "held-back" if row.arm == Exposure.Arm.CONTROL else "offered" if row.offered_at else "drawn"
    details = {"stage": row.stage, "arm": row.arm, "bucket": row.bucket, "outcome": row.outcome or None}
    return DeviceEvent(
        TimelinePosition(row.offered_at or row.drawn_at, 1, row.pk), kind, row.task, None, row.release, details
    )
