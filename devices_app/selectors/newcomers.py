"""Devices that registered with an app key alone; anybody who holds that key can have invented them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Self

from django.db.models import QuerySet

from devices_app.models import Device
from devices_app.selectors.activity_counts import registered_since

REVOKED: Final = "app.revoke_newcomers"
REINSTATED: Final = "app.reinstate_newcomers"
"""The names of these actions in the audit log."""
DAY: Final = timedelta(days=1)
_MOST: Final = 100_000


@dataclass(frozen=True)
class FirstSeenRange:
    """A range of first check-ins: at `since` or later, and before `before`."""

    since: datetime
    before: datetime

    def written(self) -> dict[str, str]:
        """Return the range as JSON."""
        return {"first_seen_since": self.since.isoformat(), "first_seen_before": self.before.isoformat()}

    @classmethod
    def read(cls, written: Mapping[str, Any]) -> Self:
        """Return the range that `written` returned as JSON."""
        since, before = written["first_seen_since"], written["first_seen_before"]
        return cls(datetime.fromisoformat(since), datetime.fromisoformat(before))

    def __contains__(self, moment: datetime) -> bool:
        return self.since <= moment < self.before


def newcomers(app: int, span: FirstSeenRange, *, revoked: bool) -> QuerySet[Device]:
    """Return the devices of an app (primary key) registered in the range that its backend does not vouch for."""
    devices = Device.objects.filter(app=app, first_seen__gte=span.since, first_seen__lt=span.before)
    return devices.filter(vouched_at=None, revoked_at__isnull=not revoked)


def new_devices(app: int, *, since: datetime) -> int:
    """Count the devices of an app (primary key) registered since then that nobody vouches for, up to 100 000."""
    return Device.objects.filter(app=app, first_seen__gte=since, vouched_at=None)[:_MOST].count()


def usual_registrations(app: int, time: timedelta, *, before: datetime, over: timedelta = DAY) -> float:
    """Return how many devices register in an app in `time`, on average over `over` (a day) before a moment."""
    return registered_since(app, before - over, before) * (time / over)
