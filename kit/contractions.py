"""Migrations that take away what the version before needs (`contracts`), and wait until no process of it runs."""

from collections.abc import Mapping
from functools import cache

from django.db.migrations import Migration

Key = tuple[str, str]
"""A migration's app and name."""


def contractions(pending: Mapping[Key, Migration]) -> set[Key]:
    """Return which of the migrations that are not applied may wait until after the restart."""
    return {key for key, migration in pending.items() if getattr(migration, "contracts", "")}


def behind_contractions(pending: Mapping[Key, Migration]) -> dict[Key, Key]:
    """Return which migrations may not wait though they depend on one that does, each with one of those."""
    waiting = contractions(pending)

    @cache
    def first_waiting(key: Key) -> Key | None:
        if key in waiting:
            return key
        before = (first_waiting(each) for each in pending[key].dependencies if each in pending)
        return next(filter(None, before), None)

    found = {key: first_waiting(key) for key in pending.keys() - waiting}
    return {key: contraction for key, contraction in found.items() if contraction}
