"""Fixtures of serving."""

import pytest

from tests.tasks_app.conftest import clone, developer, served, server  # noqa: F401  fixtures


@pytest.fixture(autouse=True)
def artifacts(settings, tmp_path):
    """Each test has its own artifacts, but for those that push to a running server."""
    settings.WALLE_ARTIFACTS_DIR = tmp_path / "artifacts"
