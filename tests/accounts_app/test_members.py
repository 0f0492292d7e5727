"""Roles that are exchanged or withdrawn: a scope keeps an owner, whoever goes at the same moment."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction

from accounts_app.actors import SYSTEM
from accounts_app.exceptions import LastOwner
from accounts_app.models import AuditEntry, Member
from accounts_app.permissions import NotAllowed
from accounts_app.selectors import members_of
from accounts_app.services.members import change_role, grant_role, revoke_role
from tests.support.people import make_member, make_staff
from tests.support.waiting import wait_for

CAMERA = "scenario:camera"


def roles(scope=CAMERA):
    return {(member.user.username, member.role) for member in Member.objects.filter(scope=scope).select_related("user")}


def revoke(actor, user, role="owner"):
    return revoke_role(actor=actor, user=user, scope=CAMERA, role=role)


def change(actor, user, role, new):
    return change_role(actor=actor, user=user, scope=CAMERA, role=role, new=new)


@pytest.fixture
def ada(db):
    return make_member("owner", CAMERA, "ada")


def test_the_last_owner_neither_goes_nor_changes_whoever_asks(ada):
    for actor in (ada, make_staff(), SYSTEM):
        with pytest.raises(LastOwner, match="ada is the only owner of scenario:camera: make somebody else an owner"):
            revoke(actor, ada.user)
        with pytest.raises(LastOwner):
            change(actor, ada.user, "owner", "viewer")
    assert roles() == {("ada", "owner")}
    assert change(ada, ada.user, "owner", "owner").role == "owner"


def test_an_owner_goes_once_there_is_another_one_of_the_same_scope(ada):
    grace = make_member("owner", "scenario:kitchen", "grace")
    with pytest.raises(LastOwner):
        revoke(ada, ada.user)
    grant_role(actor=ada, user=grace.user, scope=CAMERA, role="owner")
    assert revoke(ada, ada.user)
    assert roles() == {("grace", "owner")}


def test_an_owner_whose_account_is_deactivated_does_not_count_and_may_go(ada):
    leo = make_member("owner", CAMERA, "leo")
    leo.user.is_active = False
    leo.user.save()
    with pytest.raises(LastOwner):
        revoke(ada, ada.user)
    assert {member.user.username for member in members_of(CAMERA) if member.last_owner} == {"ada"}
    assert revoke(ada, leo.user)


def test_only_the_role_of_the_only_owner_is_told_to_be_the_last(ada):
    vera = make_member("viewer", CAMERA, "vera")
    grant_role(actor=ada, user=ada.user, scope=CAMERA, role="developer")
    grace = make_member("owner", "scenario:kitchen", "grace")
    assert [member.last_owner for member in members_of(CAMERA)] == [False, True, False]
    grant_role(actor=ada, user=grace.user, scope=CAMERA, role="owner")
    assert not any(member.last_owner for member in members_of(CAMERA))
    assert revoke(ada, vera.user, "viewer")


def test_a_role_is_exchanged_in_one_step_which_the_log_tells(ada):
    vera = make_member("viewer", CAMERA, "vera")
    assert change(ada, vera.user, "viewer", "releaser").role == "releaser"
    assert change(ada, vera.user, "viewer", "owner") is None
    assert roles() == {("ada", "owner"), ("vera", "releaser")}
    entry = AuditEntry.objects.first()
    facts = ({"user": "vera", "role": "viewer"}, {"user": "vera", "role": "releaser"})
    assert (entry.action, entry.actor_name, entry.before, entry.after) == ("member.change", "ada", *facts)
    grant_role(actor=ada, user=vera.user, scope=CAMERA, role="viewer")
    change(ada, vera.user, "viewer", "releaser")
    assert roles() == {("ada", "owner"), ("vera", "releaser")}


def test_only_owners_exchange_roles(ada):
    vera = make_member("viewer", CAMERA, "vera")
    with pytest.raises(NotAllowed):
        change(vera, vera.user, "viewer", "owner")
    assert ("vera", "viewer") in roles()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("leave", [revoke, lambda actor, user: change(actor, user, "owner", "viewer")])
def test_of_two_owners_who_leave_at_once_one_stays(leave):
    ada, grace = make_member("owner", CAMERA, "ada"), make_member("owner", CAMERA, "grace")

    def elsewhere():
        try:
            leave(grace, grace.user)
        except LastOwner:
            return "refused"
        finally:
            connection.close()
        return "gone"

    with ThreadPoolExecutor(1) as other:
        with transaction.atomic():
            leave(ada, ada.user)
            second = other.submit(elsewhere)
            wait_for(lambda: second.done() or somebody_waits())
        assert second.result() == "refused"
    assert ("grace", "owner") in roles()


def somebody_waits():
    with connection.cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)")
        return cursor.fetchone()[0]
