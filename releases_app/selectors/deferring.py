"""Find the devices that put off a release's version: they say so when they check in (docs/protocol.md).

They keep their place: they are neither silent nor healthy or failed, and pace is left to others. A device counts for as
long as it expected to put off new versions, and no longer: one that has not come back by then is not known to do so.
"""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime

from django.db import connection
from django.db.models import Case, CharField, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce

from devices_app.models import Device
from devices_app.selectors.joins import known_devices
from kit.sql import subquery
from releases_app.models import Exposure, Release

_DEFERRING = """
SELECT exposure.stage, exposure.vouched OR coalesce(exposure.first_seen < %(began)s, false), device.deferral, count(*)
FROM {devices} device JOIN releases_app_exposure exposure
    ON exposure.release = %(release)s AND exposure.device = device.device AND exposure.app_id = device.app_id
WHERE device.app_id = %(app)s AND device.deferral <> '' AND device.deferral_until > %(now)s
    AND exposure.arm = 'treatment' AND exposure.outcome = '' AND exposure.installed_at IS NULL
GROUP BY 1, 2, 3
"""

Deferring = Mapping[tuple[int, bool, str], int]
"""Counts by the primary key of the stage in which devices were selected, whether they are established, and reason."""


def may_defer(release: Release) -> bool:
    """Return whether devices may put off the version of a release."""
    return release.parsed_strategy.defer_s > 0


def deferring(release: Release, *, now: datetime) -> Deferring:
    """Count the devices that put off the version; it takes as long as there are devices of the app that do so."""
    if not may_defer(release):
        return {}
    parameters = {"release": release.pk, "app": release.app_id, "began": release.began_at, "now": now}
    with connection.cursor() as cursor:
        cursor.execute(_DEFERRING.format(devices=subquery(known_devices())), parameters)
        return {(stage, established, reason): count for stage, established, reason, count in cursor.fetchall()}


def established_in(found: Deferring, stage: int) -> int:
    """Return how many devices that count were selected in a stage and put the version off."""
    return sum(count for (each, established, _), count in found.items() if each == stage and established)


def by_reason(found: Deferring) -> dict[str, int]:
    """Return the numbers of devices by reason, the most frequent first."""
    reasons: Counter[str] = Counter()
    for (_, _, reason), count in found.items():
        reasons[reason] += count
    return dict(reasons.most_common())


def is_deferring(release: Release, *, now: datetime) -> Q:
    """Return the condition for those exposures whose device puts the version off."""
    if not may_defer(release):
        return Q(pk__in=[])
    return Q(
        device__in=_deferring(release, now).values("device"),
        arm=Exposure.Arm.TREATMENT,
        outcome=Exposure.Outcome.OPEN,
        installed_at__isnull=True,
    )


def deferral_of(release: Release, *, now: datetime) -> Coalesce:
    """Return why the device of an exposure puts the version off; "" if it does not."""
    reasons = _deferring(release, now).filter(device=OuterRef("device")).values("deferral")
    none = Value("", output_field=CharField())
    return Coalesce(Case(When(is_deferring(release, now=now), then=Subquery(reasons[:1]))), none)


def _deferring(release: Release, now: datetime) -> QuerySet[Device]:
    """Return the devices of the app that put off new versions."""
    return Device.objects.filter(app=release.app_id, deferral_until__gt=now).exclude(deferral="").order_by()
