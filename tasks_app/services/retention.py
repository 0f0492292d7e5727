"""Delete records that no decision needs any more, a few rows at a time.

`check` may raise to stop between two portions.
"""

from collections.abc import Callable
from typing import Final

from tasks_app.models import IngestedBlob, Scenario
from tasks_app.repository.reading import objects_present

PORTION: Final = 5_000


def forget_blobs(*, check: Callable[[], None]) -> int:
    """Delete the records of git blobs that no repository holds any more; return their number.

    A blob that was pushed a moment ago may be among them: it is read once more then.
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
