"""An app, committed: sinks store in threads and transactions of their own."""

import pytest

from devices_app.models import App
from tests.devices_app.conftest import make_shop


@pytest.fixture
def shop(transactional_db) -> App:
    return make_shop()
