"""Fixtures of scenarios and of their repositories."""

import shutil
import subprocess

import pytest
from django.utils import timezone

from accounts_app.actors import SYSTEM
from tasks_app.repository import Repository
from tasks_app.services.scenarios import create_scenario
from tests.tasks_app.working_copy import WorkingCopy


@pytest.fixture(autouse=True)
def folders(settings, tmp_path):
    """Each test has its own repositories; artifacts are shared, as they are addressed by content."""
    settings.WALLE_GIT_DIR = tmp_path / "git"
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
    from devices_app.services.keys import ensure_keys

    ensure_keys(now=timezone.now())
