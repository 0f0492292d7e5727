"""Begin to tally the exposures of a release, keep the tallies few, compare them with the exposures, and mend them.

PostgreSQL itself adds to the tallies, in the transaction that writes the exposures (migrations/_tallies.py).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db import connection, transaction

from releases_app.models import Release, TalliedRelease
from releases_app.models.tallies import COUNTS
from releases_app.selectors.tallies import COUNTED, TALLIED, Group, Thresholds, stored_thresholds, thresholds_of

LOCK_CLASS: Final = 0x5754
"""That of migrations/_tallies.py."""
MOST_ROWS: Final = 500
"""A release's tallies are summed when they have more rows: reading as many takes about a millisecond."""

_LOCK = "SELECT pg_advisory_xact_lock(%s, %s)"
_COLUMNS = f"release, stage, arm, established, {', '.join(COUNTS)}"
_FOLD = f"""
WITH gone AS (DELETE FROM releases_app_exposuretally WHERE release = %s RETURNING *)
INSERT INTO releases_app_exposuretally ({_COLUMNS})
SELECT release, stage, arm, established, {", ".join(f"sum({name})" for name in COUNTS)} FROM gone GROUP BY 1, 2, 3, 4
"""  # noqa: S608 - names of columns
_CROWDED = "SELECT release FROM releases_app_exposuretally GROUP BY release HAVING count(*) > %s"
# Both sides are of one snapshot, in which tallies and exposures of every transaction are or are not. So a difference
# is an error, and adding it is right whatever is written meanwhile.
_MORE = [f"coalesce(counted.{name}, 0) - coalesce(tallied.{name}, 0) AS {name}" for name in COUNTS]
_DIFFERENCES = f"""
SELECT * FROM (
    SELECT stage, arm, established, {", ".join(_MORE)}
    FROM ({COUNTED}) counted FULL JOIN ({TALLIED}) tallied USING (stage, arm, established)
) difference WHERE {" OR ".join(f"{name} <> 0" for name in COUNTS)}
"""  # noqa: S608 - names of columns
_CORRECT = f"""
INSERT INTO releases_app_exposuretally ({_COLUMNS}) SELECT %(release)s, difference.* FROM ({_DIFFERENCES}) difference
RETURNING stage, arm, established, {", ".join(COUNTS)}
"""  # noqa: S608 - names of columns


@dataclass(frozen=True)
class Difference:
    """By how much a count of exposures exceeds the tally of one group: by name, where it is not 0."""

    release: int
    group: Group
    counts: dict[str, int]

    def __str__(self) -> str:
        who = "established" if self.group.established else "new"
        counts = ", ".join(f"{name} {count:+d}" for name, count in self.counts.items())
        return f"release {self.release}, stage {self.group.stage}, {who} devices in {self.group.arm}: {counts}"


def ensure_tallied(release: Release) -> bool:
    """Begin to tally a release that has met devices; return whether that was not so before.

    Not inside a transaction that has written exposures: it waits for all that write exposures of this release.
    """
    thresholds = thresholds_of(release)
    if thresholds.began_at is None or TalliedRelease.objects.filter(release=release.pk).exists():
        return False
    with transaction.atomic():
        _lock(release.pk)
        _, is_new = TalliedRelease.objects.get_or_create(release=release.pk, defaults=vars(thresholds))
        if is_new:
            _correct(release.pk, thresholds)
    return is_new


def fold(release: int) -> None:
    """Replace the tallies of a release by their sum if they have more than MOST_ROWS rows."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM releases_app_exposuretally WHERE release = %s", [release])
        if cursor.fetchone()[0] > MOST_ROWS:
            cursor.execute(_FOLD, [release])


def fold_all(*, check: Callable[[], None]) -> int:
    """Fold the tallies of every release with many rows: of those too that nobody looks at; return their number."""
    with connection.cursor() as cursor:
        cursor.execute(_CROWDED, [MOST_ROWS])
        crowded = [release for (release,) in cursor.fetchall()]
    for release in crowded:
        check()
        fold(release)
    return len(crowded)


def compare(tallied: TalliedRelease, *, now: datetime) -> list[Difference]:
    """Compare the tallies of a release with its exposures, which are counted for that, and note how many differ."""
    with connection.cursor() as cursor:
        cursor.execute(_DIFFERENCES, {"release": tallied.release, **vars(stored_thresholds(tallied))})
        found = _read(tallied.release, cursor.fetchall())
    TalliedRelease.objects.filter(pk=tallied.pk).update(compared_at=now, differences=len(found))
    return found


def recount(release: Release, *, now: datetime) -> list[Difference]:
    """Make the tallies of a release what a count of its exposures gives; return what differed. Devices go on reporting.

    Where the thresholds themselves have changed, they wait until the exposures are counted.
    """
    if ensure_tallied(release):
        return []
    thresholds = thresholds_of(release)
    with transaction.atomic():
        _lock(release.pk)
        tallied = TalliedRelease.objects.filter(release=release.pk).first()
        if tallied is None:
            return []  # it has met no devices
        if stored_thresholds(tallied) != thresholds:
            with connection.cursor() as cursor:
                cursor.execute("LOCK TABLE releases_app_exposure IN SHARE MODE")
            TalliedRelease.objects.filter(pk=tallied.pk).update(**vars(thresholds))
        found = _correct(release.pk, thresholds)
        TalliedRelease.objects.filter(pk=tallied.pk).update(compared_at=now, differences=0)
    return found


def _lock(release: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_LOCK, [LOCK_CLASS, release % 2**31])


def _correct(release: int, thresholds: Thresholds) -> list[Difference]:
    with connection.cursor() as cursor:
        cursor.execute(_CORRECT, {"release": release, **vars(thresholds)})
        return _read(release, cursor.fetchall())


def _read(release: int, rows: Iterable[tuple[Any, ...]]) -> list[Difference]:
    found = []
    for stage, arm, established, *counts in rows:
        differing = {name: count for name, count in zip(COUNTS, counts, strict=True) if count}
        found.append(Difference(release, Group(stage, arm, established), differing))
    return found
