"""Fixtures of the API tests: people, an app with devices, and clients for them."""

from datetime import UTC, datetime

import pytest

from accounts_app.actors import SYSTEM
from devices_app.services.apps import add_version, create_app
from devices_app.services.keys import ensure_keys
from tests.api.contract import Api
from tests.support.people import make_member, make_staff

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.fixture
def keys(db):
    """The server's own keys."""
    ensure_keys(now=NOW)


@pytest.fixture
def shop(keys):
    """An app with two versions and an empty table."""
    app = create_app(slug="shop", name="Shop", actor=SYSTEM, now=NOW)
    for version in ("1.0.0", "1.1.0"):
        add_version(app=app, version=version, actor=SYSTEM)
    return app


@pytest.fixture
def staff(db):
    return Api(make_staff())


@pytest.fixture
def owner(shop):
    """The owner of the app."""
    return Api(make_member("owner", "app:shop", "olga"))


@pytest.fixture
def viewer(shop):
    """A viewer of the app."""
    return Api(make_member("viewer", "app:shop", "vera"))


@pytest.fixture
def stranger(shop):
    """Somebody who has a role, but elsewhere."""
    return Api(make_member("owner", "app:bank", "sam"))
