"""Fixtures of serving."""

import pytest


@pytest.fixture(autouse=True)
def artifacts(settings, tmp_path):
    """Each test has its own artifacts."""
    settings.WALLE_ARTIFACTS_DIR = tmp_path / "artifacts"
