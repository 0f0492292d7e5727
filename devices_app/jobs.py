"""Jobs that renew signatures long before they expire and delete old rows."""

from datetime import datetime, timedelta
from typing import Final

from django.conf import settings

from devices_app.selectors.activity_counts import RETENTION
from devices_app.selectors.interruptions import KEPT
from devices_app.selectors.newcomers import FirstSeenRange
from devices_app.selectors.tables import published_before
from devices_app.services import keys, retention, tables
from devices_app.services.answers import delete_expired
from devices_app.services.census import keep_counts
from devices_app.services.consumers import consume, keep_lags
from devices_app.services.feature_counts import count_followed
from devices_app.services.feature_partitions import drop_partitions, make_ahead
from devices_app.services.newcomers import JOB, set_revoked
from devices_app.services.presence import delete_interruptions
from jobs_app.registry import job, periodic
from jobs_app.runner import JobRun

COUNTING: Final = "counts"
"""The consumer that counts what Redis took."""


@periodic(seconds=3600)
@job("devices.renew_signatures")
def renew_signatures(run: JobRun) -> None:
    """Create missing keys, the next root when the newest is about to expire, and new tables where assignments are a day
    old.
    """
    now = run.clock()
    keys.ensure_keys(now=now)
    keys.renew_root(now=now)
    for app in published_before(now - tables.REFRESH_AFTER):
        tables.refresh(app=app, now=now)


@periodic(seconds=3600)
@job("devices.forget")
def forget(run: JobRun) -> dict[str, int]:
    """Delete what is older than its retention time: reports, devices, history, activity counts and interruptions."""
    now = run.clock()
    forgotten = {
        "pulse": retention.delete_activity_counts(before=now - RETENTION),
        "interruptions": delete_interruptions(before=now - KEPT),
    }
    if settings.WALLE_KEEP_REPORTS_DAYS:
        before = now - timedelta(days=settings.WALLE_KEEP_REPORTS_DAYS)
        forgotten["reports"] = retention.delete_reports(before=before, check=run.check)
    if kept := _before(now, settings.WALLE_KEEP_HISTORY_DAYS):
        forgotten["history"] = retention.delete_history(before=kept, check=run.check)
    unseen = {
        "before": _before(now, settings.WALLE_KEEP_DEVICES_DAYS),
        "brief_before": _before(now, settings.WALLE_KEEP_BRIEF_DEVICES_DAYS),
    }
    if any(unseen.values()):
        forgotten["devices"] = retention.delete_unseen_devices(**unseen, check=run.check)
    return forgotten


@periodic(seconds=3600)
@job("devices.make-feature-partitions")
def make_feature_partitions(run: JobRun) -> dict[str, int]:
    """Make the partitions of the coming days, so that the first features after midnight need not wait for theirs."""
    return {"made": len(make_ahead(now=run.clock()))}


@periodic(seconds=15)
@job("devices.follow-features")
def follow_features(run: JobRun) -> dict[str, int]:
    """Count the features that Redis took, and keep how far consumers are behind. Nothing is to do without Redis."""
    counted = 0
    if settings.WALLE_FEATURES_REDIS:
        while passed := consume(COUNTING, count_followed, limit=2000):
            run.check()
            counted += passed
        keep_lags()
    return {"counted": counted}


@periodic(seconds=3600)
@job("devices.forget-features")
def drop_old_features(run: JobRun) -> dict[str, int]:
    """Drop the days of features whose retention time is over, and positions that no device needs."""
    now, dropped = run.clock(), {}
    if kept := _before(now, settings.WALLE_KEEP_FEATURES_DAYS):
        dropped["days"] = drop_partitions(before=kept, check=run.check)
        dropped["counts"] = retention.delete_feature_counts(before=kept)
    if seen := _before(now, settings.WALLE_KEEP_DEVICES_DAYS):
        dropped["positions"] = retention.delete_feature_positions(before=seen, check=run.check)
    dropped["surplus"] = retention.delete_surplus_positions()
    return dropped


@periodic(seconds=60)
@job("devices.forget-answers")
def forget_answers(run: JobRun) -> dict[str, int]:
    """Delete answers to features that no device waits for any more."""
    return {"expired": delete_expired(before=run.clock(), check=run.check)}


def _before(now: datetime, days: int) -> datetime | None:
    """Return the time so many days ago; None for 0 days, which means for ever."""
    return now - timedelta(days=days) if days else None


@job(JOB)
def revoke_newcomers(run: JobRun, *, app: int, revoked_at: str | None, **span: str) -> dict[str, int]:
    """Revoke the devices that registered in a time range with an app key alone, or reinstate them."""
    moment = datetime.fromisoformat(revoked_at) if revoked_at else None
    return {"changed": set_revoked(app=app, span=FirstSeenRange.read(span), revoked_at=moment, check=run.check)}


@periodic(seconds=15)
@job("devices.keep-counts")
def count_fleet(run: JobRun) -> dict[str, list[str]]:
    """Count the devices of all apps by version, system and task, which takes too long to do while somebody waits."""
    return {"counted": keep_counts(now=run.clock())}
