"""The facts of one device that a rule sees, merged from their sources."""

from __future__ import annotations

from typing import Final

from walle.release.rules.predicates import Facts
from walle.release.rules.reading import LISTS

USER_SIDE: Final = "user."
"""Prefix of the names of facts about users; no claim of a device can have it."""


def seen_facts(claims: Facts, trusted: Facts, lists: frozenset[str] | None) -> Facts:
    """Merge a device's claims, the scalar facts that the cloud or the app's backend vouches for, and its lists."""
    users = {f"{USER_SIDE}{name}": fact for name, fact in trusted.items() if isinstance(fact, str | int | float)}
    return {**claims, **users, LISTS: lists} if lists else {**claims, **users}
