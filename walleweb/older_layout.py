"""Refuse databases from before releases had an app of their own: no migration upgrades them."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from django.core.checks import Error
from django.db import connections
from django.db.migrations.recorder import MigrationRecorder

_ONLY_THERE: Final = ("tasks_app", "0003_releases")
"""A migration that every such database has applied, and no other."""
ADVICE: Final = (
    "it was made by an older Walle, whose tables this one does not read. Keep it for that version, and begin here with "
    "an empty database (for the embedded one: a new WALLE_DATA_DIR)."
)


def is_older(applied: Collection[tuple[str, str]]) -> bool:
    """Return whether a database with these migrations, by app and name, has the older layout."""
    return _ONLY_THERE in applied


def is_older_backup(newest: Mapping[str, str]) -> bool:
    """Return the same for a backup that names the newest migration of each app."""
    return newest.get(_ONLY_THERE[0], "") >= _ONLY_THERE[1] and "releases_app" not in newest


def refused_database(alias: str = "default") -> str:
    """Return why the database cannot be used; "" if it can."""
    applied = MigrationRecorder(connections[alias]).applied_migrations()
    return f"This database cannot be brought up to date: {ADVICE}" if is_older(applied) else ""


def check_layout(databases: Sequence[str] | None = None, **_options: Any) -> list[Error]:
    """Check the databases; a system check of Django's, which its commands that use the database run first."""
    refused = (refused_database(alias) for alias in databases or ())
    return [Error(reason, id="walleweb.E001") for reason in refused if reason]
