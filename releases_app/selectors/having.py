"""The devices that have the version of a release: one number, which falls when the version is withdrawn."""

from datetime import datetime

from releases_app.models import Release, Withdrawal
from tasks_app.selectors.installed import DevicesHaving, devices_having
from walle.protocol.kinds import PIPELINE


def withdrawal_of(release: Release) -> Withdrawal | None:
    """Return how a rolled-back version leaves the devices; None unless it was rolled back from any."""
    return Withdrawal.objects.filter(release=release).first()


def having_version(release: Release, *, now: datetime) -> DevicesHaving | None:
    """Return how many devices of the app have the version, from this or another release; None of a pipeline.

    While it is withdrawn, that is the count of its withdrawal, so that there are not two numbers.
    """
    if release.version.kind == PIPELINE:
        return None
    if release.position is None:
        return DevicesHaving(0)
    withdrawal = withdrawal_of(release)
    if withdrawal is not None and withdrawal.ended_at is None:
        return DevicesHaving(withdrawal.remaining, withdrawal.offline, withdrawal.counted_at)
    return devices_having(release.app, release.version, now=now)
