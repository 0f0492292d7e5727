"""Delete rows that no decision needs any more, a few at a time.

`check` may raise to stop between two portions.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Final

from django.db.models import Exists, Max, OuterRef, QuerySet

from kit.portions import delete_in_portions
from releases_app.models import ExposureTally, KeptFigures, PaceWindow, Release, TalliedRelease
from walle.release.states import ENDED

PORTION: Final = 5_000
_EXPOSURES = """
DELETE FROM releases_app_exposure
WHERE id IN (SELECT id FROM releases_app_exposure WHERE release = %(release)s LIMIT %(portion)s)
"""


def delete_exposures(*, before: datetime, now: datetime, check: Callable[[], None]) -> int:
    """Delete the exposures of releases that ended before a time; return their number.

    Only of releases whose figures are kept (services.figures), which then say when the exposures were deleted.
    """
    deleted = 0
    for release in list(_expired(before)):
        deleted += delete_in_portions(_EXPOSURES, {"release": release}, portion=PORTION, check=check)
        TalliedRelease.objects.filter(release=release).delete()
        ExposureTally.objects.filter(release=release).delete()
        KeptFigures.objects.filter(release=release).update(exposures_deleted_at=now)
    return deleted


def _expired(before: datetime) -> QuerySet[Release, int]:
    kept = KeptFigures.objects.filter(release=OuterRef("pk"), series__isnull=False, exposures_deleted_at=None)
    ended = Release.objects.filter(Exists(kept), state__in=[state.value for state in ENDED])
    moved = ended.annotate(moved=Max("transitions__at")).filter(moved__lt=before)
    return moved.order_by("pk").values_list("pk", flat=True)


def delete_pace_windows(*, before: datetime) -> int:
    """Delete the pace windows of releases without offers since a time; the next request creates a new one."""
    deleted, _ = PaceWindow.objects.filter(second__lt=int(before.timestamp())).delete()
    return deleted
