"""Fixtures of scenarios and of their repositories; and of a running server that they can be pushed to."""

import itertools
import shutil
import subprocess
from datetime import timedelta

import pytest
from django.utils import timezone

from accounts_app.actors import SYSTEM
from devices_app.services.apps import add_version, create_app
from devices_app.services.keys import ensure_keys
from tasks_app.repository import Repository
from tasks_app.services.registration import register_version
from tasks_app.services.scenarios import create_scenario
from tests.releases_app.trials import NOW
from tests.support.people import make_member, token_of
from tests.support.releases import allow
from tests.support.trial_fleet import TrialFleet
from tests.tasks_app.git_server import shared_server
from tests.tasks_app.pushed import as_pushed
from tests.tasks_app.working_copy import GOOD, WorkingCopy


@pytest.fixture(autouse=True)
def folders(settings, tmp_path):
    """Each test has its own repositories and artifacts."""
    settings.WALLE_GIT_DIR = tmp_path / "git"
    settings.WALLE_ARTIFACTS_DIR = tmp_path / "artifacts"
    settings.WALLE_EXCLUSIVE_DIR = tmp_path / "exclusive"
    yield
    shutil.rmtree(tmp_path / "git", ignore_errors=True)


@pytest.fixture
def camera(db):
    """An empty scenario with its repository."""
    return create_scenario(actor=SYSTEM, slug="camera", description="what the camera sees")


@pytest.fixture
def repository(camera):
    with Repository("camera") as opened:
        yield opened


@pytest.fixture
def copy(camera, tmp_path, repository):
    """A working copy whose pushes go straight into the bare repository, past the hooks."""
    subprocess.run(["git", "config", "core.hooksPath", "/dev/null"], cwd=repository.path, check=True)
    return WorkingCopy(tmp_path / "copy", remote=str(repository.path))


@pytest.fixture
def keys(db):
    """The server's signing keys."""
    ensure_keys(now=timezone.now())


@pytest.fixture
def shop(keys):
    app = create_app(slug="shop", name="Shop", actor=SYSTEM, now=NOW)
    for version in ("1.0.0", "2.0.0"):
        add_version(app=app, version=version, actor=SYSTEM)
    return app


@pytest.fixture
def versions(camera, repository, shop):
    """camera/digits 1.0.0, 1.1.0 and 1.2.0, which may be released to the app."""
    allow(shop, camera, now=NOW)
    numbers = ("1.0.0", "1.1.0", "1.2.0")
    as_pushed(repository.path, [GOOD], task="digits", versions=numbers)
    names = {"actor": SYSTEM, "scenario": camera, "task": "digits", "repository": repository}
    return [register_version(version=number, **names).version for number in numbers]


@pytest.fixture
def fleet(shop):
    fleet = TrialFleet(shop, 200, [{"app_version": "1.0.0", "os": "android"}])
    fleet.come(NOW - timedelta(days=1))
    return fleet


SLUGS = (f"camera-{number}" for number in itertools.count(1))


@pytest.fixture(scope="package")
def server(django_db_setup, django_db_blocker, tmp_path_factory):
    """One server for all tests that push; files may be of 1 MiB."""
    with shared_server(tmp_path_factory.mktemp("server"), django_db_blocker) as running:
        yield running


@pytest.fixture
def served(server, settings, transactional_db):
    """A scenario of this test alone on the running server, which has its signing keys."""
    settings.WALLE_GIT_DIR = server.data / "git"
    settings.WALLE_ARTIFACTS_DIR = server.data / "artifacts"
    ensure_keys(now=timezone.now())
    return create_scenario(actor=SYSTEM, slug=next(SLUGS))


@pytest.fixture
def developer(served):
    return make_member("developer", f"scenario:{served.slug}", "ada")


@pytest.fixture
def clone(server, served, developer, tmp_path):
    """A developer's working copy of the served scenario, on a branch digits without commits."""
    return server.copy(tmp_path / "clone", served.slug, token_of(developer))


@pytest.fixture
def released(clone):
    """digits/1.0.0 pushed."""
    clone.commit(GOOD)
    clone.tag("digits/1.0.0")
    clone.push("digits", "--tags")
