"""Restore a backup into an empty place: all of it, or nothing that could be mistaken for it.

Artifacts come first, which are harmless by themselves; then repositories, marked as unfinished; then the database with
all corrections, in one transaction.
"""

import gzip
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import connection, transaction
from django.db.migrations import Migration
from django.db.migrations.loader import MigrationLoader

from walle.artifacts import ArtifactMissing
from walleweb.backup import BackupError
from walleweb.backup.aftermath import Aftermath, put_right
from walleweb.backup.artifacts import copy_artifacts, listed
from walleweb.backup.contents import Contents
from walleweb.backup.database import database_is_empty, run_script
from walleweb.backup.making import SCRIPT, stores, verify_backup
from walleweb.backup.place import BackupPlace
from walleweb.backup.progress import BackupProgress
from walleweb.backup.repositories import check_repositories_absent, keep, unpack
from walleweb.older_layout import ADVICE, is_older_backup


def restore_backup(folder: Path, place: BackupPlace, *, now: datetime, progress: BackupProgress) -> Aftermath:
    """Restore a backup; return what was corrected. Raises BackupError, and then nothing has changed."""
    _check_empty(now)
    contents = verify_backup(folder, place, progress=progress)
    _check_migrations(contents.migrations)
    for name, store in stores().items():
        with progress.step(f"{name.capitalize()} come back") as show:
            copied = copy_artifacts(listed(folder / f"{name}.txt"), place.store(name), store, show)
        if copied.failed:
            raise BackupError("Artifacts cannot be brought back:\n" + "\n".join(copied.failed.values()))
    with progress.step("Repositories come back"):
        bundles = {slug: folder / "git" / f"{slug}.bundle" for slug in contents.repositories}
        unpack({slug: bundle if bundle.exists() else None for slug, bundle in bundles.items()})
    with progress.step("Database comes back") as show, transaction.atomic():
        with gzip.open(folder / SCRIPT) as script:
            rows = run_script(script, show)
        if rows != contents.rows:
            raise BackupError(
                f"The database has other rows than were in the backup: {_difference(contents.rows, rows)}"
            )
        show("migrations")
        call_command("migrate", verbosity=0, interactive=False)
        aftermath = _put_right(folder, contents, now)
        show(f"{sum(rows.values()):,} rows")
    keep()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    connection.close()
    return aftermath


def _put_right(folder: Path, contents: Contents, now: datetime) -> Aftermath:
    try:
        return put_right(backup=folder.name, made_at=contents.made_at, now=now)
    except ArtifactMissing as error:
        raise BackupError(
            f"The backup lacks a file without which a release cannot be published ({error}): put it into the store, if "
            "you have it anywhere, or restore an older backup."
        ) from error


def _check_empty(now: datetime) -> None:
    if not database_is_empty():
        raise BackupError(
            f"The database {settings.DATABASES['default']['NAME']} is not empty: a backup is restored only into an "
            "empty place. Make a new database, or a new data folder for the embedded one."
        )
    check_repositories_absent(now.timestamp())


def _works_in_transaction(migration: Migration) -> bool:
    """A migration says so of itself where it only prefers to be outside one (kit.index_operations)."""
    return migration.atomic or getattr(migration, "works_in_transaction", False)


def _check_migrations(made_with: Mapping[str, str]) -> None:
    """Raise BackupError unless this version can upgrade the backup's database within the transaction."""
    if is_older_backup(made_with):
        raise BackupError(f"The backup cannot be restored here: {ADVICE}")
    known = MigrationLoader(None).disk_migrations
    unknown = [f"{app} {name}" for app, name in made_with.items() if (app, name) not in known]
    if unknown:
        raise BackupError(f"The backup was made by a newer Walle: it has {', '.join(unknown)}. Use that version.")
    newer = [migration for (app, name), migration in known.items() if name > made_with.get(app, "")]
    if outside := [str(migration) for migration in newer if not _works_in_transaction(migration)]:
        raise BackupError(
            f"The backup is older than {', '.join(outside)}, which cannot be a part of one transaction: restore with "
            "the version of Walle that made it, then upgrade."
        )


def _difference(expected: Mapping[str, int], found: Mapping[str, int]) -> str:
    tables = sorted(table for table in expected.keys() | found.keys() if expected.get(table) != found.get(table))
    return ", ".join(f"{table} {found.get(table, 0):,} instead of {expected.get(table, 0):,}" for table in tables)
