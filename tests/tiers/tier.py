"""Which tier a test is in."""

from __future__ import annotations

from enum import StrEnum

import pytest

from tests.tiers.requirements import STARTING_FIXTURES


class Tier(StrEnum):
    """From the cheapest on."""

    PURE = "pure"
    DATABASE = "database"
    PROCESSES = "processes"
    BROWSER = "browser"


DESCRIPTIONS = {
    Tier.PURE: "no database, and no process is started; set by what the test asks for",
    Tier.DATABASE: "works on a database; set by what the test asks for, stated where it asks while it runs",
    Tier.PROCESSES: "starts processes, such as servers, workers or an interpreter",
}


def needs_database(item: pytest.Item) -> bool:
    """Whether pytest-django lets the test have the database."""
    return item.get_closest_marker("django_db") is not None or not DATABASE_FIXTURES.isdisjoint(fixtures_of(item))


def commits(item: pytest.Item) -> bool:
    """Whether the test works outside a transaction that is rolled back."""
    marker = item.get_closest_marker("django_db")
    return (marker is not None and marker.kwargs.get("transaction", False)) or "transactional_db" in fixtures_of(item)


def fixtures_of(item: pytest.Item) -> list[str]:
    return getattr(item, "fixturenames", [])


DATABASE_FIXTURES = frozenset({"db", "transactional_db", "django_db_setup", "django_db_reset_sequences"})


def tier_of(item: pytest.Item) -> Tier:
    """The tier of a test: by its marker, then by its fixtures."""
    if item.get_closest_marker(Tier.PROCESSES) or not STARTING_FIXTURES.isdisjoint(fixtures_of(item)):
        return Tier.PROCESSES
    return Tier.DATABASE if item.get_closest_marker(Tier.DATABASE) or needs_database(item) else Tier.PURE


def mark(items: list[pytest.Item]) -> None:
    """Give every test the marker of its tier, for `-m pure`."""
    for item in items:
        tier = tier_of(item)
        if item.get_closest_marker(tier) is None:
            item.add_marker(tier.value)
