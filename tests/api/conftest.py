"""Fixtures of the API tests: people, an app, a scenario with registered versions, and clients for them."""

import shutil
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest

from accounts_app.actors import SYSTEM
from accounts_app.services.members import grant_role
from devices_app.services.apps import add_version, create_app
from devices_app.services.keys import ensure_keys
from tasks_app.models import Scenario, TaskVersion
from tasks_app.repository import Repository
from tasks_app.services.registration import follow_branches, register_version
from tasks_app.services.scenarios import create_scenario
from tests.api.contract import Api
from tests.support.people import make_member, make_staff, make_user
from tests.support.releases import allow
from tests.tasks_app.pushed import Content, as_pushed
from tests.tasks_app.working_copy import GOOD, TASK

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
PERSONAL = {
    **GOOD,
    "task.toml": TASK
    + '\n[[files.exclusive]]\npath = "prefs.json"\ntemplate = "{age_band}"\ndefault = "defaults/prefs.json"\n',
    "defaults/prefs.json": "{}",
}


@pytest.fixture(autouse=True)
def folders(settings, tmp_path):
    """Each test has its own repositories and artifacts.

    Everybody may log in as often as they like: attempts of one test would count in the next.
    """
    settings.WALLE_LOGINS_PER_MINUTE = 0
    settings.WALLE_GIT_DIR = tmp_path / "git"
    settings.WALLE_ARTIFACTS_DIR = tmp_path / "artifacts"
    settings.WALLE_EXCLUSIVE_DIR = tmp_path / "exclusive"
    yield
    shutil.rmtree(tmp_path, ignore_errors=True)


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
def camera(keys):
    """A scenario without tasks."""
    return create_scenario(actor=SYSTEM, slug="camera", description="what the camera sees")


@contextmanager
def registering(scenario="camera"):
    """Registers versions of the scenario's task digits, whose prefs.json is exclusive, as after their push.

    `files` are added to those of the versions before.
    """
    scenario = Scenario.objects.get(slug=scenario)
    commits = [PERSONAL]
    with Repository(scenario.slug) as repository:

        def call(*versions: str, files: Content | None = None) -> list[TaskVersion]:
            commits.extend([files] if files else [])
            as_pushed(repository.path, commits, task="digits", versions=versions)
            follow_branches(actor=SYSTEM, scenario=scenario, repository=repository)
            names = {"actor": SYSTEM, "scenario": scenario, "task": "digits", "repository": repository}
            return [register_version(version=version, **names).version for version in versions]

        yield call


@pytest.fixture
def register(camera):
    with registering() as call:
        yield call


@pytest.fixture
def digits(register):
    """camera/digits 1.0.0."""
    (version,) = register("1.0.0")
    return version


def member_of(role, *scopes, name=None):
    """A client for a new user who holds one role in some scopes."""
    actor = make_member(role, scopes[0], name)
    for scope in scopes[1:]:
        grant_role(actor=SYSTEM, user=actor.user, scope=scope, role=role)
    return Api(actor)


@pytest.fixture
def staff(db):
    return Api(make_staff())


@pytest.fixture
def nobody(db):
    """Somebody without any role."""
    return Api(make_member("owner", "app:elsewhere", "nora"))


@pytest.fixture
def owner(shop):
    """The owner of the app."""
    return member_of("owner", "app:shop", name="olga")


@pytest.fixture
def viewer(shop):
    """A viewer of the app."""
    return member_of("viewer", "app:shop", name="vera")


@pytest.fixture
def allowed(shop, camera):
    """The scenario may deliver to the app, and complete early there."""
    return allow(shop, camera, now=NOW)


@pytest.fixture
def releaser(shop, camera, allowed):
    """A releaser of the scenario, which may deliver to the app, who may see the app."""
    api = member_of("releaser", "scenario:camera", name="rita")
    grant_role(actor=SYSTEM, user=api.actor.user, scope="app:shop", role="viewer")
    return api


@pytest.fixture
def developer(camera):
    return member_of("developer", "scenario:camera", name="dora")


@pytest.fixture
def bob(db):
    """A user without roles, to be named in requests."""
    return make_user("bob")
