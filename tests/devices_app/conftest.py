"""The server's keys and an app, made the way the product makes them."""

from datetime import UTC, datetime

import pytest

from accounts_app.actors import SYSTEM
from devices_app.models import App
from devices_app.services.apps import create_app
from devices_app.services.keys import ensure_keys

NOW = datetime(2027, 1, 15, 8, tzinfo=UTC)


def make_shop() -> App:
    ensure_keys(now=NOW)
    return create_app(slug="shop", name="Shop", actor=SYSTEM, now=NOW)


@pytest.fixture
def shop(db) -> App:
    """An app with an empty table, in a transaction that is rolled back."""
    return make_shop()


@pytest.fixture
def committed_shop(transactional_db) -> App:
    """The same, committed: for code that runs in threads and transactions of its own."""
    return make_shop()
