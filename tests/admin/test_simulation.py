"""The admin pages of simulations and of the profiles that they need."""

import json

import pytest

from accounts_app.actors import SYSTEM
from accounts_app.models import AuditEntry
from devices_app.models import AppVersion
from devices_app.services.apps import add_version
from releases_app.models import SimulationCell
from tests.api.conftest import NOW
from tests.support.profiles import profile
from tests.support.releases import draft_of, move_on

pytestmark = pytest.mark.django_db

SIMULATED = {"stages": [{"kind": "gray", "percent": 100}]}


@pytest.fixture
def release(shop, digits):
    add_version(app=shop, version="1.1.0", profile=profile(memory_mb=77), actor=SYSTEM)
    draft = draft_of(shop, digits, app_versions=["1.0.0", "1.1.0"], strategy=SIMULATED, now=NOW)
    return move_on(draft, "start", now=NOW)


def test_a_release_shows_its_matrix(pages, release):
    page = pages.page_of(release).content.decode()
    assert "app 1.0.0: no profile is declared" in page
    assert "Pending" in page


def test_a_cell_shows_everything_and_cannot_be_changed(pages, release):
    cell = SimulationCell.objects.get(state="pending")
    page = pages.page_of(cell).content.decode()
    assert "&quot;memory_mb&quot;: 77" in page
    assert pages.change(cell, state="passed").status_code == 403
    found = pages.list_of(SimulationCell, q=str(release.pk), state__exact="pending").content.decode()
    assert f"/{cell.pk}/change/" in found


def test_a_profile_is_declared_through_the_service(pages, shop):
    version = AppVersion.objects.get(app=shop, version="1.0.0")
    assert pages.change(version, profile=json.dumps(profile())).status_code == 302
    version.refresh_from_db()
    assert version.profile == profile()
    assert AuditEntry.objects.get(action="app.declare_profile").after == {"profile": profile()}
    refused = pages.change(version, profile='{"sdk": "1.0.0"}')
    assert "profile.python: expected the version of Python" in refused.content.decode()
    assert pages.change(version, profile="").status_code == 302
    version.refresh_from_db()
    assert version.profile == {}
