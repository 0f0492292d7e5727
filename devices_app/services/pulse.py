"""Adding to the pulse of apps: one row for each app and five seconds, in the transaction that stores what is counted.

Every gateway adds to the same row, and keeps it locked until its transaction ends. So this comes last in it: nobody
waits for long, and whoever waits holds nothing that the other will want.
"""

from collections.abc import Mapping
from typing import NamedTuple

from django.db import connection

_ADD = """
INSERT INTO devices_app_pulse AS pulse (app_id, at, check_ins, offers, installs, failures)
SELECT app.id, date_bin('5 seconds', now(), 'epoch'), told.check_ins, told.offers, told.installs, told.failures
FROM unnest(%s::text[], %s::bigint[], %s::bigint[], %s::bigint[], %s::bigint[])
    told (slug, check_ins, offers, installs, failures)
JOIN devices_app_app app USING (slug)
ORDER BY app.id
ON CONFLICT (app_id, at) DO UPDATE SET
    check_ins = pulse.check_ins + EXCLUDED.check_ins, offers = pulse.offers + EXCLUDED.offers,
    installs = pulse.installs + EXCLUDED.installs, failures = pulse.failures + EXCLUDED.failures
"""


class Beats(NamedTuple):
    """What is added for one app."""

    check_ins: int = 0
    offers: int = 0
    installs: int = 0
    failures: int = 0


def add_to_pulse(beats: Mapping[str, Beats]) -> None:
    """Adds what happened, by app; apps that are gone are left out. At the end of a transaction."""
    if beats:
        with connection.cursor() as cursor:
            cursor.execute(_ADD, [list(beats), *(list(column) for column in zip(*beats.values(), strict=True))])
