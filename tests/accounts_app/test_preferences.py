"""How a user wants to see the dashboard: kept with the user, changed by nobody else."""

import pytest

from accounts_app.models import Preferences
from tests.api.contract import Api, problem
from tests.support.cases import cases
from tests.support.people import make_member, token_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def vera():
    return make_member("viewer", "scenario:camera", "vera")


def test_what_is_chosen_is_there_in_every_browser_and_what_is_left_out_stays(vera):
    api = Api(vera)
    assert api.get("me").json()["preferences"] == {"theme": "", "time_zone": ""}
    assert api.patch("me", {"theme": "dark"}).json() == {"theme": "dark", "time_zone": ""}
    chosen = {"theme": "dark", "time_zone": "Europe/Berlin"}
    assert api.patch("me", {"time_zone": "Europe/Berlin"}).json() == chosen
    assert Api(vera).get("session").json()["user"]["preferences"] == chosen
    assert api.patch("me", {"theme": ""}).json()["theme"] == ""


@cases("body, field", [({"theme": "pink"}, "theme"), ({"time_zone": "Mars/Olympus"}, "time_zone")])
def test_what_there_is_not_is_refused(vera, body, field):
    assert problem(Api(vera).patch("me", body), 400, "invalid").keys() == {field}


def test_a_limited_token_changes_nothing(vera):
    limited, unlimited = (Api(secret=token_of(vera, permissions=limit)) for limit in (["push"], []))
    problem(limited.patch("me", {"theme": "dark"}), 403, "token-not-enough")
    assert not Preferences.objects.exists()
    assert unlimited.patch("me", {"theme": "dark"}).status_code == 200
