"""/api/v1/fleet and /api/v1/fleet/pulse: what people see who watch the fleet."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts_app.actors import SYSTEM
from devices_app.models import Pulse
from devices_app.services.apps import create_app
from tests.api.conftest import NOW
from tests.api.contract import problem

pytestmark = pytest.mark.django_db


@pytest.fixture
def bank(keys):
    """An app that only site staff sees."""
    return create_app(slug="bank", name="Bank", actor=SYSTEM, now=NOW)


def beat(app, **counts):
    Pulse.objects.create(app=app, at=timezone.now() - timedelta(seconds=100), **counts)


def total(api, **query):
    found = api.get("fleet/pulse", **query).json()
    return {name: found["step_s"] * sum(found[name]) for name in ("check_ins", "installs") if any(found[name])}


def test_the_pulse_of_an_app_or_of_all_one_may_see(viewer, staff, shop, bank):
    beat(shop, check_ins=600, installs=5)
    beat(bank, check_ins=900)
    assert total(viewer) == total(staff, app="shop") == {"check_ins": 600, "installs": 5}
    assert total(staff) == {"check_ins": 1500, "installs": 5}
    assert total(staff, app="bank") == {"check_ins": 900}


def test_who_sees_no_app_sees_no_pulse(nobody, developer, shop):
    beat(shop, check_ins=600)
    assert total(nobody) == total(developer) == {}


def test_an_hour_unless_asked_otherwise(viewer, shop):
    hour, minute = (viewer.get("fleet/pulse", **query).json() for query in ({}, {"minutes": 1}))
    assert (hour["step_s"], len(hour["at"])) == (15, 240)
    assert (minute["step_s"], len(minute["at"])) == (5, 12)


@pytest.mark.parametrize("query", [{"minutes": 0}, {"minutes": 2881}, {"minutes": "x"}, {"app": "B"}, {"days": 1}])
def test_what_cannot_be_asked(viewer, shop, query):
    assert set(problem(viewer.get("fleet/pulse", **query), 400, "invalid")) == set(query)


def test_an_app_that_is_not_yours_is_as_unknown_as_one_that_is_not(viewer, shop, bank):
    for slug in ("bank", "nothing"):
        found = problem(viewer.get("fleet/pulse", app=slug), 400, "invalid")
        assert found == {
            "app": f"Expected the name of a known app, found '{slug}': it does not exist, or is not yours to see."
        }
