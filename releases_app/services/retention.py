"""Delete rows that no decision needs any more, a few at a time.

`check` may raise to stop between two portions.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Final

from django.db import connection
from django.db.models import Max

from releases_app.models import PaceWindow, Release
from walle.release.states import ENDED

PORTION: Final = 5_000
_EXPOSURES = """
DELETE FROM releases_app_exposure
WHERE id IN (SELECT id FROM releases_app_exposure WHERE release = %(release)s LIMIT %(portion)s)
"""


def delete_exposures(*, before: datetime, check: Callable[[], None]) -> int:
    """Delete the exposures of releases that ended before a time; return their number.

    Counts of them are 0 from then on.
    """
    moved = Release.objects.filter(state__in=[state.value for state in ENDED]).annotate(moved=Max("transitions__at"))
    deleted = 0
    for release in moved.filter(moved__lt=before).values_list("pk", flat=True):
        count = PORTION
        while count == PORTION:
            check()
            with connection.cursor() as cursor:
                cursor.execute(_EXPOSURES, {"release": release, "portion": PORTION})
                count = cursor.rowcount
            deleted += count
    return deleted


def delete_pace_windows(*, before: datetime) -> int:
    """Delete the pace windows of releases without offers since a time; the next request creates a new one."""
    deleted, _ = PaceWindow.objects.filter(second__lt=int(before.timestamp())).delete()
    return deleted
