"""/api/v1/session: logging a browser in and out."""

from datetime import timedelta
from hashlib import sha256
from time import time
from unittest.mock import patch
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.core.signing import TimestampSigner
from rest_framework.test import APIClient

from accounts_app.models import ApiToken
from tests.api.contract import PREFIX, Api, check, problem
from tests.support.cases import cases
from tests.support.people import token_of

pytestmark = pytest.mark.django_db

ADDRESS = PREFIX + "session"
PASSWORD = "correct horse battery staple"
VERA = {"username": "vera", "staff": False, "preferences": {"theme": "", "time_zone": ""}}


@pytest.fixture
def vera(db):
    return User.objects.create_user("vera", password=PASSWORD)


class Browser:
    """A client that keeps cookies and is held to CSRF."""

    def __init__(self, address="127.0.0.1"):
        self.client = APIClient(enforce_csrf_checks=True, REMOTE_ADDR=address)

    @property
    def cookies(self):
        return {name: cookie.value for name, cookie in self.client.cookies.items()}

    def call(self, method, body=None, path=ADDRESS, **headers):
        csrf = {"HTTP_X_CSRFTOKEN": self.cookies["csrftoken"]} if "csrftoken" in self.cookies else {}
        options = {} if body is None else {"data": body, "format": "json"}
        response = getattr(self.client, method)(path, **options, **{**csrf, **headers})
        check(method.upper(), path, response)
        return response

    def log_in(self, username="vera", password=PASSWORD):
        return self.call("post", {"username": username, "password": password})

    def user(self):
        return self.call("get").json()["user"]


@pytest.fixture
def browser():
    browser = Browser()
    browser.call("get")
    return browser


def test_a_browser_logs_in_works_and_logs_out(browser, vera):
    assert browser.user() is None
    assert browser.log_in().json() == {"user": VERA, "debug": False}
    assert browser.user() == VERA
    assert browser.call("get", path=PREFIX + "me").json()["username"] == "vera"
    assert browser.call("delete").status_code == 204
    assert browser.user() is None
    assert browser.call("get", path=PREFIX + "me").status_code == 401
    assert not Session.objects.exists()


def test_session_and_csrf_token_are_new_after_a_login(browser, vera):
    browser.log_in()
    first = browser.cookies
    browser.log_in()
    second = browser.cookies
    assert all(first[name] != second[name] for name in ("sessionid", "csrftoken"))
    assert Session.objects.count() == 1
    assert browser.client.cookies["sessionid"]["httponly"]


def test_who_logs_in_in_place_of_another_takes_nothing_over(browser, vera):
    browser.log_in()
    session = browser.client.session
    session["of"] = "vera"
    session.save()
    User.objects.create_user("rita", password=PASSWORD)
    browser.log_in("rita")
    assert browser.user()["username"] == "rita"
    assert "of" not in browser.client.session


@cases("method", ["post", "delete"])
@cases("logged_in", [False, True])
def test_nothing_is_done_without_the_csrf_token(browser, vera, method, logged_in):
    if logged_in:
        browser.log_in()
    body = {"username": "vera", "password": PASSWORD} if method == "post" else None
    problem(browser.call(method, body, HTTP_X_CSRFTOKEN=""), 403, "permission-denied")
    assert bool(browser.user()) == logged_in


@cases(("username", "password"), [("vera", "wrong"), ("nobody", PASSWORD), ("VERA", PASSWORD), ("gone", PASSWORD)])
def test_a_wrong_login_is_refused_with_one_text(browser, vera, username, password):
    User.objects.create_user("gone", password=PASSWORD, is_active=False)
    refused = browser.log_in(username, password)
    problem(refused, 401, "login-refused")
    assert refused.json()["detail"] == "No active account has this user name and password."
    assert browser.user() is None


@cases(
    ("body", "field"),
    [
        ({"username": "vera"}, "password"),
        ({"username": "vera", "password": PASSWORD, "next": "https://evil.example"}, "next"),
        ({"username": 1, "password": PASSWORD}, "username"),
        ({"username": "vera\0", "password": PASSWORD}, "username"),
    ],
)
def test_what_is_no_login_is_explained(browser, body, field):
    assert set(problem(browser.call("post", body), 400, "invalid")) == {field}


@cases("body", [[], ["vera"], "vera"])
def test_a_body_that_is_no_object_is_refused(browser, body):
    problem(browser.call("post", body), 400, "invalid")


def at(address):
    browser = Browser(address)
    browser.call("get")
    return browser


def test_attempts_are_limited_by_user_name_and_address_however_the_name_is_written(vera, settings):
    settings.WALLE_LOGINS_PER_MINUTE = 4
    guesser = at("192.0.2.1")
    for name in ("vera", "vera ", "\u00a0 vera", "\uff56era"):
        problem(guesser.log_in(name, "wrong"), 401, "login-refused")
    answer = guesser.log_in("  vera", PASSWORD)
    problem(answer, 429, "throttled")
    assert 0 < int(answer["Retry-After"]) <= 60
    assert at("192.0.2.2").log_in().status_code == 200


def test_whoever_logs_in_with_another_spelling_is_the_same_user(vera):
    assert at("192.0.2.1").log_in(" \uff56era ").json()["user"]["username"] == "vera"


def test_nobody_takes_a_browser_away_from_its_user(browser, vera, settings):
    settings.WALLE_LOGINS_PER_MINUTE = 2
    assert browser.log_in().status_code == 200
    assert browser.call("delete").status_code == 204
    # From the same address, and from as many others as lock everybody out who has not logged in before.
    for number in range(1, 12):
        guesser = at(f"192.0.2.{number}" if number > 1 else "127.0.0.1")
        for _ in range(3):
            guesser.log_in("vera", "wrong")
    problem(at("192.0.2.99").log_in(), 429, "throttled")
    assert browser.log_in().status_code == 200


def test_a_browser_has_as_many_attempts_as_anybody_and_they_are_its_own(browser, vera, settings):
    settings.WALLE_LOGINS_PER_MINUTE = 2
    browser.log_in()
    for _ in range(2):
        problem(browser.log_in("vera", "wrong"), 401, "login-refused")
    problem(browser.log_in(), 429, "throttled")
    assert at("127.0.0.1").log_in().status_code == 200


def cookie_of(browser):
    return next(cookie for name, cookie in browser.client.cookies.items() if name.startswith("walle_login_"))


def test_the_cookie_of_a_login_is_kept_from_scripts_tells_no_name_and_is_new_each_time(browser, vera):
    browser.log_in()
    first = cookie_of(browser)
    assert (first["httponly"], first["samesite"], first["path"]) == (True, "Lax", "/")
    assert int(first["max-age"]) == 180 * 86400
    assert "vera" not in first.OutputString()
    value = first.value
    browser.log_in()
    assert cookie_of(browser).value != value


def test_a_refused_login_brings_no_cookie(browser, vera):
    browser.log_in("vera", "wrong")
    assert not [name for name in browser.cookies if name.startswith("walle_login_")]


def forged(genuine):
    number, _, rest = genuine.partition(":")
    return f"{number[::-1]}:{rest}"


def of_another_name(_genuine):
    User.objects.create_user("mallory", password=PASSWORD)
    mallory = at("192.0.2.50")
    mallory.log_in("mallory")
    return cookie_of(mallory).value


def too_old(_genuine):
    signer = TimestampSigner(salt=f"walle.login.{sha256(b'vera').hexdigest()}")
    with patch("django.core.signing.time.time", return_value=time() - timedelta(days=181).total_seconds()):
        return signer.sign("a" * 32)


@cases(("made", "status"), [(str, 200), (forged, 429), (of_another_name, 429), (too_old, 429)])
def test_only_a_cookie_that_was_made_for_this_name_counts(browser, vera, settings, made, status):
    browser.log_in()
    genuine = cookie_of(browser)
    value = made(genuine.value)
    settings.WALLE_LOGINS_PER_MINUTE = 1
    guesser = at("192.0.2.7")
    problem(guesser.log_in("vera", "wrong"), 401, "login-refused")
    guesser.client.cookies[genuine.key] = value
    assert guesser.log_in().status_code == status


def test_attempts_are_limited_by_address(vera, settings):
    settings.WALLE_LOGINS_PER_MINUTE = 2
    browser = at("2001:db8:0:1::5")
    for _ in range(10):
        problem(browser.log_in(uuid4().hex, "wrong"), 401, "login-refused")
    problem(at("2001:db8:0:1:ffff::6").log_in(), 429, "throttled")
    assert at("2001:db8:0:2::5").log_in().status_code == 200


def test_looking_and_leaving_are_not_limited(browser, vera, settings):
    settings.WALLE_LOGINS_PER_MINUTE = 1
    for _ in range(4):
        assert browser.call("get").status_code == 200
        assert browser.call("delete").status_code == 204


def test_a_password_is_taken_as_it_is(browser):
    User.objects.create_user("space", password=f" {PASSWORD} ")
    problem(browser.log_in("space", PASSWORD), 401, "login-refused")
    assert browser.log_in("space", f" {PASSWORD} ").status_code == 200


def test_staff_is_told_so(browser):
    User.objects.create_user("root", password=PASSWORD, is_staff=True)
    assert browser.log_in("root").json()["user"] == {**VERA, "username": "root", "staff": True}


def test_a_token_is_no_session_but_says_whose_it_is(staff):
    assert Api(secret=token_of(staff.actor)).get("session").json()["user"]["username"] == "root"


HOSTILE = {
    "no token": {"HTTP_X_CSRFTOKEN": ""},
    "a token of nobody": {"HTTP_X_CSRFTOKEN": "x" * 64},
    "another origin": {"HTTP_ORIGIN": "https://evil.example"},
    "another port": {"HTTP_ORIGIN": "http://testserver:1234"},
    "an origin that is hidden": {"HTTP_ORIGIN": "null"},
}


@pytest.mark.parametrize("headers", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("path", ["session", "tokens"])
def test_pages_of_others_write_nothing(browser, vera, headers, path):
    browser.log_in()
    body = {"username": "vera", "password": PASSWORD} if path == "session" else {"name": "theirs"}
    problem(browser.call("post", body, PREFIX + path, **headers), 403, "permission-denied")
    assert not ApiToken.objects.exists()


def test_forms_of_others_are_no_json(browser, vera):
    """The only types that a page can send elsewhere without asking first."""
    browser.log_in()
    for type_ in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        csrf = {"HTTP_X_CSRFTOKEN": browser.cookies["csrftoken"]}
        sent = browser.client.generic("POST", PREFIX + "tokens", '{"name": "theirs"}', content_type=type_, **csrf)
        assert sent.status_code == 415


def test_cookies_are_kept_from_scripts_and_other_sites_and_plain_http(browser, vera):
    browser.log_in()
    session, csrf = (browser.client.cookies[name] for name in ("sessionid", "csrftoken"))
    assert session["httponly"]
    assert session["samesite"] == csrf["samesite"] == "Lax"
    assert session["domain"] == csrf["domain"] == ""


def test_with_https_cookies_travel_by_nothing_else(vera, settings):
    settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = True
    browser = Browser()
    browser.call("get")
    browser.log_in()
    assert browser.client.cookies["sessionid"]["secure"]
    assert browser.client.cookies["csrftoken"]["secure"]


@cases("path", ["session", "me", "releases", "no-such-thing"])
def test_answers_are_kept_by_nobody_framed_by_nobody_and_taken_for_nothing_else(browser, vera, path):
    browser.log_in()
    answer = browser.client.get(PREFIX + path)
    assert answer["Cache-Control"] in ("private, no-cache", "no-store")
    assert answer["X-Frame-Options"] == "DENY"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Referrer-Policy"] == answer["Cross-Origin-Opener-Policy"] == "same-origin"
    assert answer["Content-Type"].partition(";")[0] in ("application/json", "application/problem+json")


@pytest.mark.parametrize("debug", [False, True])
def test_the_session_says_whether_the_server_runs_in_debug(browser, settings, debug):
    settings.DEBUG = debug
    assert browser.call("get").json()["debug"] is debug
