"""A running server, and releases to watch."""

import shutil

import pytest
from django.conf import settings as django_settings
from django.utils import timezone

from accounts_app.actors import SYSTEM
from accounts_app.services.audit import record
from devices_app.services.apps import add_version, create_app
from devices_app.services.keys import ensure_keys
from tests.support.releases import draft_of, make_version
from tests.tasks_app.git_server import running_server


@pytest.fixture(scope="package")
def server(django_db_setup, django_db_blocker, tmp_path_factory):
    """One server for all tests that do not kill it; what it does not hear of changed roles, it does not notice."""
    data = tmp_path_factory.mktemp("server")
    secrets = {"SECRET_KEY": django_settings.SECRET_KEY, "WALLE_LIVE_RECHECK_SECONDS": "3600"}
    with (
        django_db_blocker.unblock(),
        running_server(data, django_settings.WALLE_MASTER_KEY, **secrets) as running,
    ):
        yield running
    shutil.rmtree(data, ignore_errors=True)


@pytest.fixture
def shop(transactional_db):
    ensure_keys(now=timezone.now())
    app = create_app(slug="shop", name="Shop", actor=SYSTEM, now=timezone.now())
    add_version(app=app, version="1.0.0", actor=SYSTEM)
    return app


@pytest.fixture
def make_release(shop):
    def make(scenario="camera", version="1.0.0"):
        return draft_of(shop, make_version(scenario, "digits", version), now=timezone.now())

    return make


@pytest.fixture
def release(make_release):
    """A draft of camera/digits 1.0.0 to shop."""
    return make_release()


def note(release, number=0, action="release.note"):
    """An entry about a release, as each of its moves writes one."""
    return record(actor=SYSTEM, action=action, target=release, scope="scenario:camera", after={"number": number})
