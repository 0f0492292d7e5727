"""/api/v1/audit: who did what, for those who may know."""

import pytest

from tests.api.contract import Api, problem
from tests.support.people import token_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def deeds(owner, releaser, staff, digits):
    """Something done in the app, in the scenario, and to the site."""
    owner.patch("apps/shop", {"name": "Shop 2"})
    releaser.post("tasks/camera/digits/retire")
    staff.post("apps", {"slug": "bank", "name": "Bank"})


def actions(api, **query):
    return [row["action"] for row in api.results("audit", **query)]


def test_an_entry_shows_who_did_what_with_which_facts(owner, deeds):
    (entry,) = owner.results("audit", action="app.configure")
    assert (entry["actor"], entry["token"], entry["scope"]) == ("olga", "", "app:shop")
    assert (entry["object_type"], entry["object_name"]) == ("devices_app.app", "shop")
    assert (entry["before"]["name"], entry["after"]["name"]) == ("Shop", "Shop 2")


def test_everybody_reads_the_entries_of_their_scopes_and_staff_all(owner, releaser, developer, staff, nobody, deeds):
    assert {"app.configure", "task.retire", "app.create"} <= set(actions(staff))
    assert "app.configure" in actions(owner)
    assert not {"task.retire", "version.register"} & set(actions(owner))
    assert {row["scope"] for row in owner.results("audit")} == {"app:shop"}
    assert {row["scope"] for row in developer.results("audit")} == {"scenario:camera"}
    assert {row["scope"] for row in releaser.results("audit")} == {"scenario:camera", "app:shop"}
    assert {row["scope"] for row in nobody.results("audit")} <= {"app:elsewhere"}


def test_ones_own_deeds_are_visible_without_a_scope(nobody):
    prefix = nobody.post("tokens", {"name": "x"}).json()["prefix"]
    assert [row["object_name"].split("…")[0] for row in nobody.results("audit", action="token.issue")] == [prefix]


def test_a_limited_token_shows_its_scopes_only(staff, owner, deeds):
    limited = Api(secret=token_of(staff.actor, "app:bank"))
    assert {row["scope"] for row in limited.results("audit")} == {"app:bank"}
    unlimited = Api(secret=token_of(owner.actor))
    assert unlimited.results("audit", scope="app:shop")


def test_a_token_limited_to_permissions_hears_nothing_of_its_users_other_tokens(owner, deeds):
    owner.post("tokens", {"name": "other"})
    limited = Api(secret=token_of(owner.actor, permissions=["view"]))
    assert {row["scope"] for row in limited.results("audit")} == {"app:shop"}
    assert "token.issue" in actions(Api(secret=token_of(owner.actor)))


def test_entries_are_found(staff, deeds):
    assert actions(staff, actor="rita") == ["task.retire"]
    assert set(actions(staff, scope="app:bank")) == {"app.create"}
    (entry,) = staff.results("audit", action="task.retire")
    same = {"object_type": "tasks_app.task", "object_id": entry["object_id"]}
    assert actions(staff, **same) == ["task.retire", "task.create"]
    assert set(problem(staff.get("audit", scope="everything"), 400, "invalid")) == {"scope"}


def test_entries_are_paged_newest_first(staff, deeds):
    pages = staff.pages("audit", limit=4)
    ids = [row["id"] for page in pages for row in page]
    assert len(pages) > 1
    assert ids == sorted(ids, reverse=True)
