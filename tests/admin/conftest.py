"""Fixtures of the admin tests: a member of staff at the pages, and things to show."""

import pytest
from django.test import Client

from tests.api.conftest import camera, digits, folders, keys, register, shop  # noqa: F401
from tests.support.admin_pages import AdminPages
from tests.support.people import make_user


@pytest.fixture
def staff(db):
    return make_user("root", staff=True)


@pytest.fixture
def pages(staff):
    return AdminPages(staff)


@pytest.fixture
def strict(staff):
    """A browser of the same person that has to send the CSRF token."""
    client = Client(enforce_csrf_checks=True)
    client.force_login(staff)
    return client
