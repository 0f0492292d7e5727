"""The audit log: what an entry says, that it cannot be changed, and who may read it."""

import pytest
import structlog
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError
from django.utils import timezone

from accounts_app.actors import SYSTEM, Actor
from accounts_app.models import AuditEntry
from accounts_app.selectors import (
    audit_of,
    audit_visible_to,
    entries_between,
    members_of,
    scopes_of,
    seen_slugs,
    tokens_visible_to,
)
from accounts_app.services.audit import record
from accounts_app.services.members import grant_role, revoke_role
from accounts_app.services.tokens import authenticate_token
from tests.support.people import make_member, make_staff, make_user, token_of

pytestmark = pytest.mark.django_db

CAMERA = "scenario:camera"


def test_granting_and_revoking_leave_an_entry_each():
    owner, new = make_member("owner", CAMERA, "olga"), make_user("new")
    member = grant_role(actor=owner, user=new, scope=CAMERA, role="viewer")
    identity = str(member.pk)
    revoke_role(actor=owner, user=new, scope=CAMERA, role="viewer")
    revoked, granted = AuditEntry.objects.filter(object_id=identity)
    assert (granted.action, granted.actor_name, granted.scope) == ("member.grant", "olga", CAMERA)
    assert granted.after == revoked.before == {"user": "new", "role": "viewer"}
    assert (revoked.action, revoked.object_type) == ("member.revoke", "accounts_app.member")


def test_an_entry_names_the_token_and_the_request():
    owner = make_member("owner", CAMERA)
    actor = authenticate_token(secret=token_of(owner), now=timezone.now())
    with structlog.contextvars.bound_contextvars(request_id="req-7"):
        entry = record(actor=actor, action="test", target=owner.user, after={"at": timezone.now()})
    assert (entry.token_prefix, entry.request_id) == (actor.token.prefix, "req-7")
    assert record(actor=SYSTEM, action="test", target=owner.user).actor_name == "system"


def test_the_database_refuses_to_change_or_delete_an_entry():
    entry = record(actor=SYSTEM, action="test", target=make_user())
    entry.action = "other"
    for change in (entry.save, entry.delete, lambda: AuditEntry.objects.update(action="x")):
        with pytest.raises(IntegrityError, match="immutable"), transaction.atomic():
            change()


def test_a_user_who_did_something_is_not_deleted():
    user = make_user()
    record(actor=Actor(user), action="test", target=user)
    with pytest.raises(ProtectedError):
        user.delete()


def test_people_read_the_log_of_their_scopes_and_of_themselves():
    viewer, stranger, staff = make_member("viewer", CAMERA), Actor(make_user("stranger")), make_staff()
    here = record(actor=SYSTEM, action="here", target=viewer.user, scope=CAMERA)
    there = record(actor=stranger, action="there", target=viewer.user, scope="scenario:shop")
    assert here in audit_visible_to(viewer)
    assert there not in audit_visible_to(viewer)
    assert set(audit_visible_to(stranger)) == {there}
    assert {here, there} <= set(audit_visible_to(staff))
    assert list(audit_of(viewer.user)) == [there, here]


def test_reading_members_scopes_and_tokens():
    viewer = make_member("viewer", CAMERA)
    grant_role(actor=SYSTEM, user=viewer.user, scope="app:shop", role="developer")
    grant_role(actor=SYSTEM, user=viewer.user, scope="app:shop", role="releaser")
    assert [m.user for m in members_of(CAMERA)] == [viewer.user]
    assert scopes_of(viewer) == {CAMERA, "app:shop"}
    narrowed = authenticate_token(secret=token_of(viewer, "app:shop"), now=timezone.now())
    assert scopes_of(narrowed) == {"app:shop"}
    assert tokens_visible_to(viewer).count() == 1


def test_an_entry_knows_its_transaction_whatever_its_savepoint():
    with transaction.atomic():
        first = record(actor=SYSTEM, action="test", target=make_user())
        with transaction.atomic():
            second = record(actor=SYSTEM, action="test", target=make_user("bob"))
    assert first.xid == second.xid > 0
    assert AuditEntry.objects.get(pk=first.pk).xid == first.xid


def test_the_entries_between_two_positions_come_in_order():
    target = make_user("new")
    for number in range(4):
        record(actor=SYSTEM, action=f"test.{number}", target=target)
    entries = AuditEntry.objects.filter(action__startswith="test.").order_by("id")
    positions = [(entry.xid, entry.pk) for entry in entries]
    between = entries_between(positions[0], positions[2])
    assert [entry.action for entry in between] == ["test.1", "test.2"]


def test_the_slugs_that_somebody_sees_are_those_of_their_scopes_and_all_for_staff():
    member = make_member("viewer", CAMERA)
    assert (seen_slugs(member, "scenario"), seen_slugs(member, "app")) == ({"camera"}, set())
    assert seen_slugs(make_staff(), "scenario") is None
