"""An app alone: here, numbers stand for releases."""

import pytest

from tests.devices_app.conftest import committed_shop, shop  # noqa: F401  fixtures


@pytest.fixture
def a_shop(request: pytest.FixtureRequest) -> None:
    """Committed where a test asks for that."""
    if "committed_shop" not in request.fixturenames:
        request.getfixturevalue("shop")
