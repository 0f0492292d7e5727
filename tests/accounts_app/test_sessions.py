"""Sessions of browsers: noted, seen as they are used, and ended by their user."""

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.test import Client

from accounts_app.models import AuditEntry, BrowserSession
from accounts_app.services import sessions
from accounts_app.services.sessions import forget_ended_sessions, note_use
from tests.api.contract import Api, problem
from tests.support.people import make_member, make_staff, token_of

pytestmark = pytest.mark.django_db

PHONE = "Mozilla/5.0 (Linux; Android 15) Firefox/131.0"


@pytest.fixture
def vera():
    return make_member("viewer", "scenario:camera", "vera")


def browser(actor, password="correct horse", **meta):
    """A browser in which somebody has logged in by their password."""
    actor.user.set_password(password)
    actor.user.save()
    client = Client(**meta)
    body = {"username": actor.user.username, "password": password}
    assert client.post("/api/v1/session", body, content_type="application/json").status_code == 200
    return client


def test_a_login_is_listed_with_what_the_browser_calls_itself(vera, settings):
    settings.WALLE_LOGINS_PER_MINUTE = 0
    browser(vera, HTTP_USER_AGENT=PHONE + "x" * 400)
    here = Api(vera)
    found = here.results("sessions")
    assert [(each["current"], each["user_agent"][:45]) for each in found] == [(True, ""), (False, PHONE)]
    assert len(found[1]["user_agent"]) == 300


def test_only_ones_own_sessions_are_listed_and_ended(vera):
    other = make_staff()
    theirs, here = Api(other), Api(vera)
    (found,) = theirs.results("sessions")
    problem(here.delete(f"sessions/{found['id']}"), 404, "not-found")
    assert [each["current"] for each in here.results("sessions")] == [True]
    assert here.delete("sessions").status_code == 204
    assert theirs.get("me").status_code == 200


def test_a_token_neither_sees_nor_ends_sessions(vera):
    Api(vera)
    token = Api(secret=token_of(vera))
    assert token.results("sessions") == []
    problem(token.delete("sessions"), 403, "token-not-enough")
    problem(token.delete(f"sessions/{BrowserSession.objects.get().pk}"), 404, "not-found")
    assert Session.objects.count() == 1


def test_a_session_is_ended_at_once_and_the_log_tells_it(vera):
    lost, here = Api(vera), Api(vera)
    (number,) = [each["id"] for each in here.results("sessions") if not each["current"]]
    assert here.delete(f"sessions/{number}").status_code == 204
    assert (lost.get("me").status_code, here.get("me").status_code) == (401, 200)
    assert [each["current"] for each in here.results("sessions")] == [True]
    entry = AuditEntry.objects.first()
    assert (entry.action, entry.actor_name, entry.after) == ("session.end", "vera", {"sessions": 1})
    problem(here.delete(f"sessions/{number}"), 404, "not-found")


def test_all_others_end_also_those_that_were_never_noted(vera):
    others, here = [Api(vera), Api(vera)], Api(vera)
    BrowserSession.objects.filter(key=others[0].client.session.session_key).delete()
    assert here.delete("sessions").status_code == 204
    assert [each.get("me").status_code for each in (*others, here)] == [401, 401, 200]


def test_use_is_noted_precise_to_a_minute(vera):
    here = Api(vera)
    row = BrowserSession.objects.get()
    for seconds, is_noted in ((50, False), (70, True)):
        now = row.began_at + timedelta(seconds=seconds)
        note_use(key=row.key, now=now)
        assert (BrowserSession.objects.get().seen_at == now) == is_noted
    sessions._remembered.clear()
    BrowserSession.objects.update(seen_at=row.began_at - timedelta(hours=1))
    here.get("me")
    assert BrowserSession.objects.get().seen_at >= row.began_at


def test_what_was_noted_goes_with_the_session(vera):
    here = Api(vera)
    Api(vera).client.logout()
    assert len(here.results("sessions")) == 1
    assert forget_ended_sessions() == 1
    assert len(here.results("sessions")) == 1
