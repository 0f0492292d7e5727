"""Forgetting what no decision needs any more, a few rows at a time. `check` may raise to stop between two portions."""

from collections.abc import Callable
from datetime import datetime
from typing import Final

from django.db import connection
from django.db.models import Max

from tasks_app.models import IngestedBlob, Release, Scenario
from tasks_app.repository.presence import objects_present
from walle.release.states import ENDED

PORTION: Final = 5_000
_EXPOSURES = """
DELETE FROM devices_app_exposure
WHERE id IN (SELECT id FROM devices_app_exposure WHERE release = %(release)s LIMIT %(portion)s)
"""


def delete_exposures(*, before: datetime, check: Callable[[], None]) -> int:
    """Deletes who was drawn for releases that ended before a time; how many rows. Their figures read 0 from then on."""
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


def forget_blobs(*, check: Callable[[], None]) -> int:
    """Forgets what became of git blobs that no repository holds any more; how many.

    One that was pushed a moment ago may be among them: it is read once more then.
    """
    slugs = list(Scenario.objects.values_list("slug", flat=True))
    forgotten, last = 0, ""
    while True:
        check()
        rows = IngestedBlob.objects.filter(oid__gt=last).order_by("oid")
        oids = list(rows.values_list("oid", flat=True)[:PORTION])
        if not oids:
            return forgotten
        last, gone = oids[-1], set(oids)
        for slug in slugs:
            gone -= objects_present(slug, gone)
        count, _ = IngestedBlob.objects.filter(oid__in=gone).delete()
        forgotten += count
