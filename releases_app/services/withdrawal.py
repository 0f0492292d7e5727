"""Follow a rolled-back version until no device has it any more."""

from datetime import datetime, timedelta

import structlog
from django.db import transaction

from releases_app.models import Release, Withdrawal
from releases_app.services.moves import record_by_system
from releases_app.services.quarantine import is_quarantined
from tasks_app.selectors.installed import devices_having
from walle.protocol.kinds import PIPELINE
from walle.release.states import IN_FORCE
from walle.release.withdrawal import count_after, told_within

log = structlog.get_logger(__name__)


def begin_withdrawal(release: Release, now: datetime) -> None:
    """Begin to count the devices that have the version of a release which is being rolled back.

    Callers of a pipeline have nothing installed, and a release that reached no device has nothing to withdraw. Nor is
    anything withdrawn that devices keep by another release.
    """
    if release.position is None or release.version.kind == PIPELINE or not _is_withdrawn(release):
        return
    devices = devices_having(release.app, release.version, now=now).devices
    Withdrawal.objects.create(
        release=release,
        began_at=now,
        told_by=now + timedelta(seconds=told_within(release.app.check_in_interval)),
        devices=devices,
        remaining=devices,
        counted_at=now,
        curve=[[int(now.timestamp()), devices]],
    )


def follow_withdrawals(now: datetime) -> int:
    """Count the devices of all withdrawals for which that is due; return how many these are."""
    due = [each for each in Withdrawal.objects.filter(ended_at=None) if _is_due(each, now)]
    for withdrawal in due:
        try:
            _follow(withdrawal.pk, now)
        except Exception:
            # One that cannot be counted must not keep the others, or releases in progress, from being looked at.
            log.exception("cannot count who still has a withdrawn version", release=withdrawal.release_id)
    return len(due)


def _is_due(withdrawal: Withdrawal, now: datetime) -> bool:
    if now >= withdrawal.told_by > withdrawal.counted_at:
        return True
    wait = count_after((withdrawal.counted_at - withdrawal.began_at).total_seconds())
    return now >= withdrawal.counted_at + timedelta(seconds=wait)


@transaction.atomic
def _follow(pk: int, now: datetime) -> None:
    withdrawal = Withdrawal.objects.select_for_update().get(pk=pk)
    if withdrawal.ended_at:
        return  # another worker was quicker
    release = Release.objects.select_related("app", "version__task__scenario").get(pk=withdrawal.release_id)
    _count(withdrawal, release, now)
    if not _is_withdrawn(release):
        withdrawal.ended_at = now
    elif now >= withdrawal.told_by:
        _tell(withdrawal, release, now)
    withdrawal.save()


def _is_withdrawn(release: Release) -> bool:
    """Return whether no device of the app is to have the version of a rolled-back release."""
    others = Release.objects.filter(app=release.app_id, version=release.version_id, position__isnull=False)
    in_force = others.exclude(pk=release.pk).filter(state__in=IN_FORCE)
    return is_quarantined(release.version) and not in_force.exists()


def _count(withdrawal: Withdrawal, release: Release, now: datetime) -> None:
    found = devices_having(release.app, release.version, since=withdrawal.began_at, now=now)
    if found.devices != withdrawal.remaining:
        withdrawal.curve.append([int(now.timestamp()), found.devices])
    withdrawal.devices = max(withdrawal.devices, found.devices)
    withdrawal.remaining, withdrawal.offline, withdrawal.counted_at = found.devices, found.offline, now


def _tell(withdrawal: Withdrawal, release: Release, now: datetime) -> None:
    """Say that no device has the version any more, or once that some have it although all should have heard of it."""
    if not withdrawal.remaining:
        withdrawal.ended_at = now
        seconds = (last_change(withdrawal) - withdrawal.began_at).total_seconds()
        record_by_system(release, "release.withdrawn", {"devices": withdrawal.devices, "seconds": round(seconds)})
    elif not withdrawal.announced_at:
        names = ("devices", "remaining", "offline")
        record_by_system(release, "release.still-installed", {name: getattr(withdrawal, name) for name in names})
    withdrawal.announced_at = withdrawal.announced_at or now


def last_change(withdrawal: Withdrawal) -> datetime:
    """Return when the number of devices changed for the last time."""
    return datetime.fromtimestamp(withdrawal.curve[-1][0], withdrawal.began_at.tzinfo)
