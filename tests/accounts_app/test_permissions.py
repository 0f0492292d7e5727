"""Roles, scopes and the one question `require`."""

from contextlib import nullcontext

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError
from django.utils import timezone

from accounts_app.actors import SYSTEM, Actor
from accounts_app.exceptions import InvalidScope
from accounts_app.models import Member, Role
from accounts_app.permissions import (
    ROLE_PERMISSIONS,
    SITE,
    NotAllowed,
    Permission,
    allowed,
    owners_of,
    require,
    require_of_token,
    scopes_allowing,
)
from accounts_app.scopes import check_scope
from accounts_app.services.members import grant_role, revoke_role
from accounts_app.services.tokens import authenticate_token
from devices_app.scopes import app_scope
from tasks_app.scopes import scenario_scope
from tests.support.cases import cases
from tests.support.people import make_member, make_staff, make_user, token_of

pytestmark = pytest.mark.django_db

CAMERA = "scenario:camera"


@cases("role", Role.values)
def test_a_role_allows_exactly_its_row_of_the_table_in_its_scope(role):
    actor = make_member(role, CAMERA)
    assert {p for p in Permission if allowed(actor, p, CAMERA)} == ROLE_PERMISSIONS[role]
    assert not any(allowed(actor, p, "scenario:shop") for p in Permission)
    assert not any(allowed(actor, p, "app:camera") for p in Permission)


@cases("permission", Permission)
@cases("limits", [None, {}, {"scopes": [CAMERA]}, {"permissions": ["push"]}])
def test_scopes_that_allow_something_are_those_in_which_it_is_allowed(
    permission, limits, django_assert_max_num_queries
):
    actor, scopes = make_member("viewer", CAMERA), [CAMERA]
    for number, role in enumerate(Role.values * 2):
        scopes.append(f"app:a{number}")
        grant_role(actor=SYSTEM, user=actor.user, scope=scopes[-1], role=role)
    grant_role(actor=SYSTEM, user=actor.user, scope=CAMERA, role="owner")
    if limits is not None:
        secret = token_of(actor, *limits.get("scopes", ()), permissions=limits.get("permissions", ()))
        actor = authenticate_token(secret=secret, now=timezone.now())
    expected = {scope for scope in scopes if allowed(actor, permission, scope)}
    with django_assert_max_num_queries(1):
        assert scopes_allowing(actor, permission) == expected


def test_writing_and_shipping_are_separate_and_may_be_held_together():
    actor = make_member("developer", CAMERA)
    assert allowed(actor, Permission.PUSH, CAMERA)
    assert not allowed(actor, Permission.RELEASE, CAMERA)
    grant_role(actor=SYSTEM, user=actor.user, scope=CAMERA, role="releaser")
    assert allowed(actor, Permission.PUSH, CAMERA)
    assert allowed(actor, Permission.RELEASE, CAMERA)
    assert not allowed(actor, Permission.MANAGE_MEMBERS, CAMERA)


def test_every_role_may_view_and_no_role_manages_the_site_or_completes_early():
    assert all(Permission.VIEW in held for held in ROLE_PERMISSIONS.values())
    for others in (Permission.MANAGE_SITE, Permission.COMPLETE_EARLY):
        assert not any(others in held for held in ROLE_PERMISSIONS.values())


def test_the_system_and_staff_may_everything():
    for actor in (SYSTEM, make_staff()):
        assert all(allowed(actor, p, scope) for p in Permission for scope in (CAMERA, SITE))


def test_nobody_else_may_anything():
    retired_staff = make_staff("retired")
    retired_staff.user.is_active = False
    retired_owner = make_member("owner", CAMERA)
    retired_owner.user.is_active = False
    for actor in (Actor(AnonymousUser()), Actor(make_user()), retired_staff, retired_owner):
        assert not any(allowed(actor, p, CAMERA) for p in Permission)


def test_a_refusal_names_who_what_where_and_the_remedy():
    viewer = make_member("viewer", CAMERA, "vera")
    with pytest.raises(
        NotAllowed, match="vera may not push in scenario:camera; that takes the role developer or owner"
    ):
        require(viewer, Permission.PUSH, CAMERA)
    with pytest.raises(PermissionDenied, match="that takes site staff"):
        require(viewer, Permission.MANAGE_SITE, SITE)
    with pytest.raises(NotAllowed, match=r"anonymous may not view .* sign in"):
        require(Actor(AnonymousUser()), Permission.VIEW, CAMERA)


def test_a_refusal_names_the_owners_to_ask_to_members_only():
    vera, stranger = make_member("viewer", CAMERA, "vera"), make_member("owner", "scenario:kitchen", "elsa")
    for name in ("ada", "grace"):
        make_member("owner", CAMERA, name)
    leaver = make_member("owner", CAMERA, "leo")
    leaver.user.is_active = False
    leaver.user.save()
    with pytest.raises(NotAllowed, match=r"that takes the role developer or owner: ask ada or grace$"):
        require(vera, Permission.PUSH, CAMERA)
    with pytest.raises(NotAllowed, match=r"that takes the role developer or owner$"):
        require(stranger, Permission.PUSH, CAMERA)
    for number in range(5):
        make_member("owner", CAMERA, f"owner-{number}")
    assert owners_of([CAMERA, "app:shop"]) == {CAMERA: ["ada", "grace", "owner-0", "owner-1", "owner-2"]}


def test_a_token_narrows_its_user_even_staff():
    secret = token_of(make_staff(), "app:shop")
    actor = authenticate_token(secret=secret, now=timezone.now())
    assert allowed(actor, Permission.RELEASE, "app:shop")
    assert not allowed(actor, Permission.MANAGE_SITE, SITE)
    with pytest.raises(NotAllowed, match="the token is limited to app:shop"):
        require(actor, Permission.VIEW, CAMERA)
    secret = token_of(make_staff("admin"), permissions=[Permission.HALT])
    actor = authenticate_token(secret=secret, now=timezone.now())
    assert allowed(actor, Permission.HALT, CAMERA)
    with pytest.raises(NotAllowed, match="the token may only view, halt releases"):
        require(actor, Permission.RELEASE, CAMERA)


def test_what_no_role_decides_is_decided_by_the_permissions_of_the_token_alone():
    viewer = make_member("viewer", CAMERA)
    require_of_token(viewer, Permission.COMPLETE_EARLY, CAMERA)
    for permissions, refused in ([], False), ([Permission.COMPLETE_EARLY], False), ([Permission.RELEASE], True):
        secret = token_of(viewer, permissions=permissions)
        actor = authenticate_token(secret=secret, now=timezone.now())
        with pytest.raises(NotAllowed, match="the token may only view, release") if refused else nullcontext():
            require_of_token(actor, Permission.COMPLETE_EARLY, CAMERA)


def test_only_owners_grant_and_granting_twice_is_one_row():
    owner, developer, new = make_member("owner", CAMERA), make_member("developer", CAMERA), make_user("new")
    with pytest.raises(NotAllowed):
        grant_role(actor=developer, user=new, scope=CAMERA, role="viewer")
    first = grant_role(actor=owner, user=new, scope=CAMERA, role="viewer")
    assert grant_role(actor=owner, user=new, scope=CAMERA, role="viewer") == first
    with pytest.raises(NotAllowed):
        grant_role(actor=owner, user=new, scope="scenario:shop", role="viewer")


def test_revoking_says_whether_anything_was_held():
    owner, other = make_member("owner", CAMERA), make_member("viewer", CAMERA)
    assert revoke_role(actor=owner, user=other.user, scope=CAMERA, role="viewer")
    assert not revoke_role(actor=owner, user=other.user, scope=CAMERA, role="viewer")
    assert not allowed(other, Permission.VIEW, CAMERA)


@cases("scope", ["camera", "scenario:", "scenario:Camera", "app:a\n", "team", "", None])
def test_text_that_is_no_scope_is_refused_before_and_by_the_database(scope):
    with pytest.raises(InvalidScope, match="expected scenario:<slug> or app:<slug>"):
        check_scope(scope)
    with pytest.raises(IntegrityError):
        Member.objects.create(user=make_user(), scope=scope, role="viewer")


def test_a_kind_of_scope_that_no_app_has_is_refused():
    with pytest.raises(InvalidScope, match="expected scenario:<slug> or app:<slug>"):
        check_scope("team:x")


def test_scopes_of_scenarios_and_apps():
    assert (scenario_scope("camera"), app_scope("shop")) == (CAMERA, "app:shop")
    with pytest.raises(InvalidScope):
        app_scope("../x")


def test_an_unknown_role_is_refused():
    with pytest.raises(ValueError, match="king"):
        grant_role(actor=SYSTEM, user=make_user(), scope=CAMERA, role="king")
    with pytest.raises(IntegrityError):
        Member.objects.create(user=make_user("bob"), scope=CAMERA, role="king")
