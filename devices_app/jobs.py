"""Upkeep of what devices trust: roots and assignments are renewed long before they expire."""

from devices_app.selectors.tables import published_before
from devices_app.services import keys, tables
from jobs_app.registry import job, periodic
from jobs_app.runner import Run


@periodic(seconds=3600)
@job("devices.renew_signatures")
def renew_signatures(run: Run) -> None:
    """Makes missing keys, the next root when its end is near, and fresh tables where assignments have aged a day."""
    now = run.clock()
    keys.ensure_keys(now=now)
    keys.renew_root(now=now)
    for app in published_before(now - tables.REFRESH_AFTER):
        tables.refresh(app=app, now=now)
