"""/api/v1/tokens and /api/v1/me: one's own tokens, and who one is."""

import pytest

from accounts_app.models import ApiToken
from tests.api.conftest import member_of
from tests.api.contract import Api, problem
from tests.support.cases import cases
from tests.support.people import token_of

pytestmark = pytest.mark.django_db


def test_a_tokens_secret_is_shown_once_and_works(viewer):
    made = viewer.post("tokens", {"name": "laptop"})
    assert made.status_code == 201
    secret = made.json()["secret"]
    assert secret.startswith(made.json()["prefix"] + "_")
    (listed,) = viewer.results("tokens")
    assert secret not in str(listed)
    assert secret not in str(ApiToken.objects.values())
    assert Api(secret=secret).get("me").json()["username"] == "vera"


def test_a_token_ends_when_it_is_revoked(viewer):
    made = viewer.post("tokens", {"name": "laptop"}).json()
    api = Api(secret=made["secret"])
    assert api.post(f"tokens/{made['prefix']}/revoke").json()["revoked_at"]
    problem(api.get("me"), 401, "authentication-failed")
    assert viewer.results("tokens")[0]["revoked_at"]


@cases(
    ("body", "field"),
    [
        ({}, "name"),
        ({"name": "x", "scopes": ["shop"]}, "scopes.0"),
        ({"name": "x", "scopes": "app:shop"}, "scopes"),
        ({"name": "x", "expires_at": "2020-01-01T00:00:00Z"}, "expires_at"),
        ({"name": "x", "user": "root"}, "user"),
        ({"name": "a\0"}, "name"),
    ],
)
def test_a_wrong_token_is_refused(viewer, body, field):
    assert set(problem(viewer.post("tokens", body), 400, "invalid")) == {field}


def test_a_token_makes_no_tokens(viewer):
    api = Api(secret=token_of(viewer.actor))
    problem(api.post("tokens", {"name": "child"}), 403, "token-not-enough")


def test_the_tokens_of_others_are_out_of_reach_but_staff_revokes_them(viewer, owner, staff):
    prefix = viewer.post("tokens", {"name": "laptop"}).json()["prefix"]
    assert owner.results("tokens") == []
    problem(owner.post(f"tokens/{prefix}/revoke"), 404, "not-found")
    assert staff.post(f"tokens/{prefix}/revoke").json()["revoked_at"]


def test_a_limited_token_of_staff_revokes_nobody_elses(viewer, staff):
    prefix = viewer.post("tokens", {"name": "laptop"}).json()["prefix"]
    limited = Api(secret=token_of(staff.actor, "app:shop"))
    problem(limited.post(f"tokens/{prefix}/revoke"), 404, "not-found")


def test_a_limited_token_revokes_itself_only():
    api = member_of("developer", "scenario:camera", name="dora")
    whole, limited = (token_of(api.actor, permissions=permissions) for permissions in ([], ["push"]))
    refused = Api(secret=limited).post(f"tokens/{whole[:11]}/revoke")
    problem(refused, 403, "token-not-enough")
    assert Api(secret=whole).get("me").status_code == 200
    assert Api(secret=limited).post(f"tokens/{limited[:11]}/revoke").json()["revoked_at"]
    assert Api(secret=limited).get("me").status_code == 401


@cases("limits", [{"scopes": ["app:shop"]}, {"permissions": ["push"]}])
def test_a_limited_token_sees_itself_only(viewer, limits):
    whole, limited = (viewer.post("tokens", {"name": "laptop", **body}).json() for body in ({}, limits))
    shown = {made["prefix"]: Api(secret=made["secret"]).results("tokens") for made in (whole, limited)}
    assert [row["prefix"] for row in shown[limited["prefix"]]] == [limited["prefix"]]
    assert [row["prefix"] for row in shown[whole["prefix"]]] == [limited["prefix"], whole["prefix"]]


def test_me_tells_roles_and_what_they_allow():
    api = member_of("releaser", "scenario:camera", "app:shop", name="rita")
    shown = api.get("me").json()
    assert (shown["username"], shown["staff"], shown["token"]) == ("rita", False, None)
    assert [(row["scope"], row["roles"]) for row in shown["scopes"]] == [
        ("app:shop", ["releaser"]), ("scenario:camera", ["releaser"]),
    ]  # fmt: skip
    assert shown["scopes"][1]["permissions"] == [
        "view",
        "simulate",
        "retire tasks",
        "release",
        "halt releases",
        "acknowledge",
    ]


def test_me_tells_of_the_token_and_only_of_what_it_reaches():
    api = member_of("viewer", "scenario:camera", "app:shop", name="vic")
    shown = Api(secret=token_of(api.actor, "app:shop")).get("me").json()
    assert shown["token"]["scopes"] == ["app:shop"]
    assert [row["scope"] for row in shown["scopes"]] == ["app:shop"]
