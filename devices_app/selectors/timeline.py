"""The history of one device, newest first: check-ins, events of other apps, reports, its revocation."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from heapq import merge
from itertools import islice
from typing import Any, Final, NamedTuple, Self

from accounts_app.models import AuditEntry
from accounts_app.selectors import audit_of
from devices_app.models import Device, Report
from devices_app.selectors.newcomers import REINSTATED, REVOKED, FirstSeenRange
from kit.contributing import contributed_objects

KINDS: Final = (
    "registered",
    "checked-in",
    "offered",
    "held-back",
    "drawn",
    "installed",
    "install-failed",
    "ran",
    "run-failed",
    "removed",
    "remove-failed",
    "revoked",
    "reinstated",
)
_REPORTED: Final = {"install": ("installed", "install-failed"), "run": ("ran", "run-failed")}
_DONE_TO: Final = {"device.revoke": "revoked", "device.reinstate": "reinstated"}
_DONE_TO_NEWCOMERS: Final = {REVOKED: "revoked", REINSTATED: "reinstated"}


class TimelinePosition(NamedTuple):
    """The position of an event: its time, its stream (the kind of row it comes from) and the row's number in it."""

    at: datetime
    stream: int
    number: int

    def written(self) -> tuple[str, int, int]:
        return self.at.isoformat(), self.stream, self.number

    @classmethod
    def read(cls, at: str, stream: int, number: int) -> Self:
        """Return the position that `written` returned; raises ValueError or OverflowError."""
        moment = datetime.fromisoformat(at)
        if moment.tzinfo is None:
            raise ValueError("expected a time with its offset")
        return cls(moment.astimezone(UTC), stream, number)


@dataclass(frozen=True)
class DeviceEvent:
    """One event in the history of a device. `details` depend on its kind; times are the server's."""

    place: TimelinePosition
    kind: str
    task: str | None = None
    version: str | None = None
    release: int | None = None
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def at(self) -> datetime:
        return self.place.at


def timeline(
    device: Device, limit: int, *, before: TimelinePosition | None = None
) -> tuple[list[DeviceEvent], TimelinePosition | None]:
    """Return at most `limit` events before a position, and the position to continue before; None at the end.

    Each stream yields at most a page, in the order of its index, and the newest of all make the page.
    """
    streams = (_check_ins(device), _contributed(device), _reports(device, limit, before), _deeds(device))
    newest = merge(*streams, key=lambda event: event.place, reverse=True)
    left = (event for event in newest if before is None or event.place < before)
    found = list(islice(left, limit + 1))
    return found[:limit], found[limit - 1].place if len(found) > limit else None


def _check_ins(device: Device) -> list[DeviceEvent]:
    """Return the first and the last check-in; of those between, only changes are stored."""
    first, last = TimelinePosition(device.first_seen, 0, 0), TimelinePosition(device.last_seen, 0, 1)
    checked_in = DeviceEvent(last, "checked-in", details={"app_version": device.facts.get("app_version")})
    registered = DeviceEvent(first, "registered")
    return [checked_in, registered] if device.last_seen > device.first_seen else [registered]


def _contributed(device: Device) -> list[DeviceEvent]:
    """Return what other apps contribute to the history of the device."""
    events = (event for source in contributed_objects("timeline") for event in source(device))
    return sorted(events, key=lambda event: event.place, reverse=True)


def _reports(device: Device, limit: int, before: TimelinePosition | None) -> Iterator[DeviceEvent]:
    rows = Report.objects.filter(app=device.app_id, device=device.device)
    if before is not None:
        rows = rows.filter(received_at__lte=before.at)
    for row in rows.order_by("-received_at", "-id")[: limit + 1 + _AT_ONCE]:
        yield _report(row)


_AT_ONCE: Final = 200
"""The maximum number of a device's reports at one moment: as many as one request carries, more than once."""


def _report(row: Report) -> DeviceEvent:
    good, bad = _REPORTED.get(row.kind, ("removed", "remove-failed"))
    details: dict[str, Any] = {"report": str(row.report_id), "evidence": row.evidence}
    if row.outcome == "failure":
        details |= {"error_class": row.error_class, "message": row.message}
    if row.duration_ms is not None:
        details["duration_ms"] = row.duration_ms
    kind = good if row.outcome == "success" else bad
    return DeviceEvent(TimelinePosition(row.received_at, 2, row.pk), kind, row.task, row.version, row.release, details)


def _deeds(device: Device) -> list[DeviceEvent]:
    """Return what people did to the device, from the audit log."""
    entries = list(audit_of(device).filter(action__in=_DONE_TO).order_by("-id")[:_AT_ONCE])
    if device.vouched_at is None:
        done = audit_of(device.app).filter(action__in=_DONE_TO_NEWCOMERS).order_by("-id")[:_AT_ONCE]
        entries += [entry for entry in done if entry.after and device.first_seen in FirstSeenRange.read(entry.after)]
    return sorted(map(_deed, entries), key=lambda event: event.place, reverse=True)


def _deed(entry: AuditEntry) -> DeviceEvent:
    reason = (entry.after or {}).get("reason")
    return DeviceEvent(
        TimelinePosition(entry.at, 3, entry.pk),
        (_DONE_TO | _DONE_TO_NEWCOMERS)[entry.action],
        details={"actor": entry.actor_name, **({"reason": reason} if reason else {})},
    )
