"""Migrations that take away what the version before needs (`contracts`), and wait until no process of it runs."""

from collections.abc import Mapping
from functools import cache

from django.db.migrations import Migration

Key = tuple[str, str]
"""A migration's app and name."""


def contractions(pending: Mapping[Key, Migration]) -> set[Key]:
    """Return which of the migrations that are not applied contract, or depend on one that does."""

    @cache
    def waits(key: Key) -> bool:
        migration = pending[key]
        depends = any(waits(each) for each in migration.dependencies if each in pending)
        return depends or bool(getattr(migration, "contracts", ""))

    return {key for key in pending if waits(key)}
