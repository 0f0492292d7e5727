"""/api/v1: which scenarios may deliver to an app."""

import pytest

from accounts_app.actors import SYSTEM
from accounts_app.services.members import grant_role
from releases_app.models import DeliveryGrant
from tests.api.conftest import NOW
from tests.api.contract import problem
from tests.support.releases import allow, draft_of

pytestmark = pytest.mark.django_db

HERE = "apps/shop/scenarios/camera"
RELEASE = {"app": "shop", "task": "camera/digits", "version": "1.0.0", "app_versions": ["1.0.0"]}


@pytest.fixture
def insider(owner, camera):
    """The owner of the app, who may also look at the scenario."""
    grant_role(actor=SYSTEM, user=owner.actor.user, role="viewer", scope="scenario:camera")
    return owner


def test_an_owner_allows_it_and_both_sides_see_it(insider, viewer, developer, shop, camera):
    made = insider.call("PUT", HERE, {"note": "we know them"}).json()
    assert {**made, "granted_at": ""} == {
        **{"app": "shop", "scenario": "camera", "complete_early": False, "note": "we know them"},
        **{"granted_by": "olga", "granted_at": ""},
    }
    assert viewer.get(HERE).json() == made
    assert viewer.get("apps/shop/scenarios").json()["results"] == [made]
    assert developer.get("scenarios/camera/apps").json()["results"] == [made]


def test_it_is_said_anew_as_a_whole(insider, shop, camera):
    insider.call("PUT", HERE, {"complete_early": True, "note": "for now"})
    assert insider.call("PUT", HERE, {}).json()["complete_early"] is False
    assert DeliveryGrant.objects.get().note == ""


def test_nobody_learns_which_scenarios_there_are(owner, viewer, shop, camera):
    for slug in ("camera", "nothing"):
        problem(viewer.call("PUT", f"apps/shop/scenarios/{slug}", {}), 403, "not-allowed")
        problem(viewer.call("DELETE", f"apps/shop/scenarios/{slug}"), 403, "not-allowed")
    hidden, absent = (owner.call("PUT", f"apps/shop/scenarios/{slug}", {}) for slug in ("camera", "nothing"))
    problem(hidden, 404, "not-found")
    assert hidden.json() == absent.json()
    problem(owner.call("DELETE", HERE), 404, "not-found")


def test_what_others_have_allowed_is_taken_back_by_an_owner_who_does_not_see_the_scenario(owner, shop, camera):
    allow(shop, camera, now=NOW)
    assert owner.call("DELETE", HERE).status_code == 204
    assert not DeliveryGrant.objects.exists()


def test_without_it_nothing_is_released_and_the_answer_says_who_can_help(releaser, owner, digits):
    owner.call("DELETE", HERE)
    said = "scenario camera may not deliver to app shop; an owner of app shop can allow it: walle app allow shop camera"
    for address in ("releases", "releases/plan"):
        answer = releaser.post(address, RELEASE)
        problem(answer, 403, "delivery-not-allowed")
        assert answer.json()["detail"] == said


def test_a_release_says_what_is_allowed_now(releaser, owner, shop, camera, digits):
    allow(shop, camera, early=False, now=NOW)
    release = f"releases/{draft_of(shop, digits, now=NOW).pk}"
    assert releaser.get(release).json()["allowed"] == {"deliver": True, "complete_early": False}
    owner.call("DELETE", HERE)
    assert releaser.get(release).json()["allowed"] == {"deliver": False, "complete_early": False}
    problem(releaser.post(f"{release}/start", {}), 403, "delivery-not-allowed")
