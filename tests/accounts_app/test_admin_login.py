"""The admin pages' login form."""

from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.support.cases import cases

pytestmark = pytest.mark.django_db

ADDRESS = "/admin/login/"
PASSWORD = "correct horse battery staple"
TOO_MANY = "Too many attempts: wait "


@pytest.fixture
def root(db):
    return User.objects.create_user(f"root-{uuid4().hex}", password=PASSWORD, is_staff=True)


def log_in(username, password=PASSWORD, *, after="", address="127.0.0.1"):
    return Client(REMOTE_ADDR=address).post(f"{ADDRESS}?next={after}", {"username": username, "password": password})


def test_attempts_are_limited_as_the_dashboards_are(root, settings):
    settings.WALLE_LOGINS_PER_MINUTE = 3
    for name in (root.username, f"{root.username} ", f" {root.username}"):
        assert TOO_MANY not in log_in(name, "wrong").content.decode()
    refused = log_in(root.username)
    assert TOO_MANY in refused.content.decode()
    assert "sessionid" not in refused.cookies
    # The same count, for whoever changes doors.
    json = {"username": root.username, "password": PASSWORD}
    assert Client().post("/api/v1/session", json, content_type="application/json").status_code == 429


def test_attempts_from_one_address_are_limited_whatever_the_name(root, settings):
    settings.WALLE_LOGINS_PER_MINUTE = 1
    answers = [log_in(uuid4().hex, address="192.0.2.9").content.decode() for _ in range(6)]
    assert [TOO_MANY in answer for answer in answers] == [False] * 5 + [True]


def test_a_browser_that_logged_in_here_is_known_there(root, settings):
    settings.WALLE_LOGINS_PER_MINUTE = 2
    browser = Client()
    browser.post(ADDRESS, {"username": root.username, "password": PASSWORD})
    assert TOO_MANY not in log_in(root.username, "wrong").content.decode()
    assert TOO_MANY in log_in(root.username).content.decode()
    json = {"username": root.username, "password": PASSWORD}
    assert browser.post("/api/v1/session", json, content_type="application/json").status_code == 200


def test_a_refused_login_brings_no_cookie(root):
    browser = Client()
    browser.force_login(root)
    refused = browser.post(ADDRESS, {"username": root.username, "password": "wrong"})
    assert not [name for name in refused.cookies if name.startswith("walle_login_")]


@cases("username", ["nobody", "member"])
def test_a_wrong_login_says_nothing_of_who_there_is(root, username, settings):
    settings.WALLE_LOGINS_PER_MINUTE = 0
    User.objects.create_user("member", password=PASSWORD)
    said = [log_in(name, password).context["form"].errors for name, password in [(username, PASSWORD), (root, "wrong")]]
    assert said[0] == said[1]


@cases("after", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)"])
def test_a_login_leads_nowhere_else(root, after, settings):
    settings.WALLE_LOGINS_PER_MINUTE = 0
    assert log_in(root.username, after=after)["Location"].startswith("/")
    assert not log_in(root.username, after=after)["Location"].startswith("//")


def test_a_login_makes_a_session_of_its_own(root, settings):
    settings.WALLE_LOGINS_PER_MINUTE = 0
    browser = Client()
    browser.cookies["sessionid"] = "planted" * 4
    browser.post(ADDRESS, {"username": root.username, "password": PASSWORD})
    assert browser.cookies["sessionid"].value != "planted" * 4
