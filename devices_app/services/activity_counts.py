"""Add to the activity counts of apps: one row per app and five seconds, in the transaction that stores what is counted.

Every gateway adds to the same row, and locks it until its transaction ends. So this is the last statement of a
transaction: nobody waits for long, and a waiting transaction holds no lock that the other will need.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from django.db import connection


class ActivityIncrement(NamedTuple):
    """An increment of one app's counts; the fields are columns of ActivityCount."""

    check_ins: int = 0
    offers: int = 0
    installs: int = 0
    failures: int = 0
    registered: int = 0
    enrolled_by_key: int = 0
    enrolled_by_statement: int = 0
    enrolments_refused: int = 0


_COLUMNS: Final = ", ".join(ActivityIncrement._fields)
_ADD: Final = f"""
INSERT INTO devices_app_pulse AS pulse (app_id, at, {_COLUMNS})
SELECT app.id, date_bin('5 seconds', now(), 'epoch'), {_COLUMNS}
FROM unnest(%s::text[]{", %s::bigint[]" * len(ActivityIncrement._fields)}) added (slug, {_COLUMNS})
JOIN devices_app_app app USING (slug)
ORDER BY app.id
ON CONFLICT (app_id, at) DO UPDATE SET
    {", ".join(f"{name} = pulse.{name} + EXCLUDED.{name}" for name in ActivityIncrement._fields)}
"""  # noqa: S608 - names of columns


def add_activity(increments: Mapping[str, ActivityIncrement]) -> None:
    """Add what happened, by app, at the end of a transaction; apps that were deleted are left out."""
    if increments:
        with connection.cursor() as cursor:
            cursor.execute(
                _ADD, [list(increments), *(list(column) for column in zip(*increments.values(), strict=True))]
            )
