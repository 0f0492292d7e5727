"""Releases that are simulated: declared app versions, versions of a task, and the worker's own code to work on them."""

import pytest

from accounts_app.actors import SYSTEM
from devices_app.services.apps import add_version, create_app
from releases_app import jobs_simulation
from releases_app.services.releases import create_release
from tasks_app.services.registration import register_version
from tests.jobs_app.conftest import start_worker  # noqa: F401
from tests.releases_app.simulation.running import ANY, NOW, SIMULATED
from tests.support.releases import allow, move_on
from tests.tasks_app.working_copy import GOOD
from walle.container.sandbox import Sandbox
from walle.container.simulator import Simulator


@pytest.fixture(scope="module", autouse=True)
def sandbox():
    """One sandbox for all tests of this file, as a worker has one for all its jobs."""
    with Sandbox() as opened:
        yield opened


@pytest.fixture(autouse=True)
def own_simulator(sandbox, settings, tmp_path, monkeypatch):
    settings.WALLE_DATA_DIR = tmp_path
    monkeypatch.setattr(jobs_simulation, "simulator", lambda: Simulator(sandbox))


@pytest.fixture
def shop(keys):
    return create_app(slug="shop", name="Shop", actor=SYSTEM, now=NOW)


@pytest.fixture
def declare(shop):
    """Declares versions of the app, each with its profile."""

    def call(**profiles):
        for version, declared in profiles.items():
            add_version(app=shop, version=version.replace("_", ".")[1:], profile=declared, actor=SYSTEM)

    return call


@pytest.fixture
def register(camera, repository, copy, shop):
    """Registers the files as the next version of camera/digits, which may be released to the app."""
    allow(shop, camera, now=NOW)
    numbers = iter(range(1, 100))

    def call(files):
        version = f"{next(numbers)}.0.0"
        copy.commit({"extra.txt": version, **files})
        copy.tag(f"digits/{version}")
        copy.push("digits", "--tags")
        names = {"actor": SYSTEM, "scenario": camera, "task": "digits", "repository": repository}
        return register_version(version=version, **names).version

    return call


@pytest.fixture
def started(shop, register):
    """Starts the release of a new version made of these files."""

    def call(files=GOOD, rule=ANY, now=NOW):
        version = register(files)
        release = create_release(app=shop, version=version, rule=rule, strategy=SIMULATED, actor=SYSTEM, now=now)
        return move_on(release, "start", now=now)

    return call
