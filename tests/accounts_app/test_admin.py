"""The admin pages of users, roles, tokens and the log."""

import re

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from accounts_app.actors import SYSTEM
from accounts_app.models import ApiToken, AuditEntry, Member
from accounts_app.services.audit import record
from accounts_app.services.tokens import authenticate_token, issue_token
from tests.support.admin_pages import AdminPages
from tests.support.people import make_member, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff():
    return make_user("root", staff=True)


@pytest.fixture
def pages(staff):
    return AdminPages(staff)


def test_staff_read_all_lists_and_pages_and_search_them(pages):
    member = Member.objects.get(user=make_member("viewer", "scenario:camera").user)
    token, _ = issue_token(actor=SYSTEM, user=member.user, name="ci")
    rows = [member, token, AuditEntry.objects.all()[0], member.user]
    for row in rows:
        assert pages.list_of(type(row), q="viewer").status_code == 200
        assert pages.page_of(row).status_code == 200


def test_others_see_no_admin_page():
    pages = AdminPages(make_user("guest"))
    for model in (Member, ApiToken, AuditEntry, User):
        assert pages.list_of(model).status_code == 302


def test_a_role_is_granted_and_taken_through_the_service(pages, staff):
    user = make_user("new")
    assert pages.add(Member, user=user.pk, scope="scenario:camera", role="viewer").status_code == 302
    member = Member.objects.get()
    pages.delete(member)
    assert not Member.objects.exists()
    log = AuditEntry.objects.filter(object_type="accounts_app.member").values_list("action", "user")
    assert list(log) == [("member.revoke", staff.pk), ("member.grant", staff.pk)]
    pages.add(Member, user=user.pk, scope="scenario:camera", role="viewer")
    pages.act("delete_selected", Member.objects.get())
    answer = pages.client.post(
        "/admin/accounts_app/member/",
        {"action": "delete_selected", "_selected_action": [Member.objects.get().pk], "post": "yes"},
    )
    assert answer.status_code == 302
    assert AuditEntry.objects.filter(action="member.revoke").count() == 2


def test_the_last_owner_cannot_be_deleted(pages):
    boss = make_member("owner", "scenario:camera", "boss")
    owner = Member.objects.get(user=boss.user)
    assert pages.delete(owner).status_code == 403
    make_member("owner", "scenario:camera", "other")
    answer = pages.client.post(
        "/admin/accounts_app/member/",
        {
            "action": "delete_selected",
            "_selected_action": list(Member.objects.values_list("pk", flat=True)),
            "post": "yes",
        },
        follow=True,
    )
    assert b"is the only owner of scenario:camera" in answer.content
    assert Member.objects.count() == 1


def test_a_wrong_scope_is_told_at_its_field(pages):
    answer = pages.add(Member, user=make_user("new").pk, scope="camera", role="viewer")
    assert b"expected scenario:&lt;slug&gt; or app:&lt;slug&gt;" in answer.content
    assert not Member.objects.exists()


def test_the_secret_of_a_new_token_is_on_one_page_only(pages, staff):
    assert pages.add_page(ApiToken).status_code == 200
    limits = {"scopes": "scenario:camera, app:shop", "permissions": ["push", "release"]}
    answer = pages.add(ApiToken, user=staff.pk, name="laptop", **limits)
    assert "no-store" in answer["Cache-Control"]
    secret = re.search(rb"wl_[0-9a-f]{8}_[0-9a-f]{64}", answer.content)[0].decode()
    token = ApiToken.objects.get()
    assert authenticate_token(secret=secret, now=timezone.now()).user == staff
    assert (token.scopes, token.permissions) == (["scenario:camera", "app:shop"], ["push", "release"])
    for page in (pages.page_of(token), pages.list_of(ApiToken)):
        assert token.prefix.encode() in page.content
        assert secret.encode() not in page.content
        assert token.digest.encode() not in page.content


def test_wrong_scopes_of_a_token_are_told(pages, staff):
    answer = pages.add(ApiToken, user=staff.pk, name="laptop", scopes="camera")
    assert b"expected scenario:" in answer.content
    assert not ApiToken.objects.exists()


def test_tokens_are_revoked_not_deleted_or_changed(pages, staff):
    token, _ = issue_token(actor=SYSTEM, user=staff, name="old")
    assert b"good" in pages.list_of(ApiToken).content
    pages.act("revoke", token)
    token.refresh_from_db()
    assert token.revoked_at
    assert b"revoked" in pages.list_of(ApiToken).content
    assert pages.delete(token).status_code == 403
    assert pages.change(token, name="x").status_code == 403


def test_the_log_can_only_be_read(pages, staff):
    entry = record(actor=SYSTEM, action="test", target=staff, before={"a": 1}, after={"a": "<b>"})
    page = pages.page_of(entry)
    assert b"&lt;b&gt;" in page.content
    assert pages.delete(entry).status_code == 403
    assert pages.change(entry, action="x").status_code == 403
    assert pages.add(AuditEntry, action="x").status_code == 403


def test_staff_read_users_without_their_password_digest_and_superusers_make_them(pages, staff):
    someone = make_user("someone")
    someone.set_password("a long enough secret")
    someone.save()
    page = pages.page_of(someone)
    assert page.status_code == 200
    assert someone.password.split("$")[-1].encode()[:8] not in page.content
    assert pages.add_page(User).status_code == 403
    superuser = AdminPages(make_user("boss", superuser=True))
    answer = superuser.add(
        User, username="made", password1="fGh7-kkw2-xx", password2="fGh7-kkw2-xx", usable_password="true"
    )
    assert answer.status_code == 302
    assert superuser.page_of(User.objects.get(username="made")).status_code == 200
