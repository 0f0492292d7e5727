"""An app alone: here, numbers stand for releases."""

from tests.devices_app.conftest import committed_shop, shop  # noqa: F401  fixtures
