"""The additions to a Walle that make it look to a browser as if its devices, if any, were checking in.

    python -m benchmarks.support.dashboard.visitor FILE

writes the cookie of site staff to FILE. It runs in a process of its own, because Django uses one database at a time.
"""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.support.api.figures import keep_figures_of_now
from benchmarks.support.api.people import session_of

# The last two days, equally busy by day and by night, with a failure in each hundred installations.
_ACTIVITY = """
TRUNCATE devices_app_pulse;
INSERT INTO devices_app_pulse (app_id, at, check_ins, offers, installs, failures,
    registered, enrolled_by_key, enrolled_by_statement, enrolments_refused)
SELECT app.id, at, 5 * 3000 * (1.2 + sin(extract(epoch FROM at) / 14400)) * (0.9 + random() / 5),
    random() * 400, random() * 300, random() * 6, 0, 0, 0, 0
FROM devices_app_app app,
    generate_series(date_bin('5 seconds', now(), 'epoch') - interval '48 hours', now(), interval '5 seconds') at
"""


def main(file: Path) -> None:
    import django

    django.setup()
    from django.contrib.auth.models import User
    from django.db import connection

    User.objects.get_or_create(username="staff", defaults={"is_staff": True})
    with connection.cursor() as cursor:
        cursor.execute(_ACTIVITY)
        cursor.execute("ANALYZE devices_app_pulse")
    keep_figures_of_now()
    file.write_text(session_of("staff"))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
