"""Devices that have come to an app lately, which whoever holds the app's key can have invented."""

from datetime import datetime, timedelta
from typing import Final

from devices_app.models import Device
from devices_app.selectors.activity_counts import registered_since

DAY: Final = timedelta(days=1)
_MOST: Final = 100_000


def new_devices(app: int, *, since: datetime) -> int:
    """How many devices of an app (primary key) have come since then that nobody vouches for, counted up to 100 000."""
    return Device.objects.filter(app=app, first_seen__gte=since, vouched_at=None)[:_MOST].count()


def usual_registrations(app: int, time: timedelta, *, before: datetime, over: timedelta = DAY) -> float:
    """How many devices came to an app in so much time, on average `over` a day, or another time, before a moment."""
    return registered_since(app, before - over, before) * (time / over)
