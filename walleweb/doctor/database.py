"""Whether the database is there, as this code needs it, and what is in it can be read."""

import shutil
import subprocess
from collections.abc import Iterator
from datetime import datetime
from typing import Final

from django.contrib.auth import get_user_model
from django.db import DatabaseError, connection
from django.db.migrations.recorder import MigrationRecorder

from kit.encryption import WrongMasterKey, decrypt
from walleweb.databases import postgres_connection
from walleweb.doctor.findings import Finding, missing, ok, warning
from walleweb.health import known_migrations, missing_migrations
from walleweb.reencryption import ENCRYPTED

OLDEST: Final = 15
"""The oldest major version of PostgreSQL that Walle is meant to work with."""
CLOCK_S: Final = 2.0
"""Seconds that two clocks may differ."""


def check_reachable() -> Finding:
    """Find out whether it answers; the other checks need it."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT current_setting('server_version_num')::int / 10000")
            (version,) = cursor.fetchone()
    except DatabaseError as error:
        reason = str(error).strip().splitlines()[0]
        return missing("database", f"PostgreSQL cannot be reached: {reason}", "start it, or correct DATABASE_URL")
    if version < OLDEST:
        return missing("database", f"PostgreSQL {version} is too old", f"upgrade it to {OLDEST} or newer")
    return ok("database", f"PostgreSQL {version} answers")


def check_migrations() -> Finding:
    known, applied = known_migrations(), MigrationRecorder(connection).applied_migrations().keys()
    if absent := missing_migrations(known, applied):
        return missing("migrations", f"{len(absent)} are not applied", "walle-admin migrate --pre-deploy")
    if waiting := known.keys() - applied:
        detail = f"{len(waiting)} that take away what only the version before needs are not applied"
        return warning("migrations", detail, "once there is no way back any more: walle-admin migrate")
    return ok("migrations", "all are applied")


def check_contents() -> Iterator[Finding]:
    """Look into its tables, which have to be there (`check_migrations`)."""
    yield _commits()
    yield _master_key()
    if get_user_model().objects.filter(is_superuser=True, is_active=True).exists():
        yield ok("people", "there is somebody who may do everything")
    else:
        yield missing("people", "nobody can sign in who may do everything", "walle-admin createsuperuser")


def _commits() -> Finding:
    with connection.cursor() as cursor:
        cursor.execute("SHOW synchronous_commit")
        (setting,) = cursor.fetchone()
    if setting == "off":
        return missing("commits", "reports are acknowledged before they are on the disk", "set synchronous_commit = on")
    return ok("commits", f"synchronous_commit is {setting}")


def _master_key() -> Finding:
    count = 0
    for model, columns in ENCRYPTED:
        for row in model._default_manager.values_list(*columns):
            for value in filter(None, row):
                try:
                    decrypt(bytes(value))
                except WrongMasterKey as error:
                    return missing("master key", str(error), "take it from where you keep it (docs/guides/backup.md)")
                count += 1
    return ok(
        "master key", f"it opens all {count} secrets in the database" if count else "there is nothing to open yet"
    )


def check_clock(now: datetime) -> Finding:
    """Compare this machine's clock with the database's, and ask systemd whether anybody sets it."""
    with postgres_connection().cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        apart = abs((cursor.fetchone()[0] - now).total_seconds())
    if apart > CLOCK_S:
        return missing(
            "clock", f"it is {apart:.0f} s apart from the database's", "let NTP set both (systemd-timesyncd)"
        )
    if is_set() is False:
        return warning("clock", "nobody sets it", "let NTP set it: timedatectl set-ntp true")
    return ok("clock", "it agrees with the database's")


def is_set() -> bool | None:
    """Return whether NTP sets this machine's clock; None where systemd does not know."""
    program = shutil.which("timedatectl")
    if program is None:
        return None
    command = (program, "show", "--property=NTPSynchronized", "--value")
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=5)
    except subprocess.TimeoutExpired:
        return None
    return {"yes": True, "no": False}.get(done.stdout.strip())
