"""Events by e-mail: chosen, stored with the event, gathered, and asked again when they are sent."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core import mail as django_mail
from django.db import transaction
from django.test import Client

from accounts_app.actors import SYSTEM, Actor
from accounts_app.services.audit import record
from accounts_app.services.members import grant_role, revoke_role
from tests.api.contract import Api, problem
from tests.support.cases import cases
from tests.support.people import make_member, make_staff, token_of
from walle.mail.schedule import GATHERED_FOR, GIVEN_UP_AFTER, HOUR, MOST_AN_HOUR
from webhooks_app.mail_sending import send_due_mails
from webhooks_app.models import Mail, MailedEntry
from webhooks_app.selectors.mail import next_mail_due
from webhooks_app.services import outbox
from webhooks_app.services.mail_settings import change_mail_settings, unsubscribe_token

pytestmark = pytest.mark.django_db

ALL = ["rolled-back", "complete", "held", "approval", "keys"]
SOON = timedelta(seconds=1)


@pytest.fixture(autouse=True)
def a_server_that_sends(settings):
    settings.WALLE_MAIL, settings.WALLE_PUBLIC_URL = True, "https://walle.example.org"


@pytest.fixture
def zoe(shop):
    """A viewer of the app with an address, who asked for events."""
    return asking(make_member("viewer", "app:shop", "zoe"))


def asking(actor, **chosen):
    User.objects.filter(pk=actor.user.pk).update(email=f"{actor.name}@example.org")
    actor.user.refresh_from_db()
    change_mail_settings(actor=actor, user=actor.user, **{"kinds": ALL, **chosen})
    return actor


@pytest.fixture
def release(shop):
    """Makes something happen to a release: its entry in the log."""

    def call(action, *, scope="app:shop", actor=SYSTEM, **after):
        return record(actor=actor, action=f"release.{action}", target=shop, scope=scope, after=after)

    return call


def send(at):
    """What goes out at a moment: to whom, and what it says."""
    before = len(django_mail.outbox)
    send_due_mails(lambda: at)
    return [(message.to[0], message.body) for message in django_mail.outbox[before:]]


def test_events_are_gathered_for_five_minutes_and_an_urgent_one_takes_them_along(zoe, release):
    first = release("complete").at
    release("complete")
    assert next_mail_due(now=first) == first + GATHERED_FOR
    assert send(first + GATHERED_FOR - SOON) == []
    ((to, text),) = send(first + GATHERED_FOR)
    assert (to, text.count("shop is complete")) == ("zoe@example.org", 2)
    assert send(first + GATHERED_FOR + SOON) == []

    release("complete")
    urgent = release("roll-back", reason="9 of 120 failed").at
    ((_, text),) = send(urgent)
    assert re.search("shop was rolled back\n  9 of 120 failed\n.*shop is complete", text, re.DOTALL)
    assert next_mail_due(now=urgent) is None


def test_only_who_asked_may_read_and_is_still_here_hears_of_it(zoe, release):
    people = [
        asking(make_member("owner", "scenario:camera", "carl")),
        asking(make_member("viewer", "app:shop", "omar"), is_on=False),
        asking(make_member("viewer", "app:shop", "kim"), kinds=["held"]),
        asking(make_member("viewer", "app:shop", "elsewhere"), scopes=["scenario:camera"]),
        asking(make_staff("stan")),
        asking(make_member("viewer", "app:shop", "gone")),
        make_member("viewer", "app:shop", "never-asked"),
    ]
    User.objects.filter(username="gone").update(is_active=False)
    nowhere = asking(make_member("viewer", "app:shop", "nowhere"))
    User.objects.filter(pk=nowhere.user.pk).update(email="")
    at = release("complete", actor=people[5]).at + GATHERED_FOR
    assert {to for to, _ in send(at)} == {"zoe@example.org", "stan@example.org"}
    # Whoever did it knows; so does whoever may read only one of the scopes that it concerns.
    at = release("complete", scope="scenario:camera", actor=zoe).at + GATHERED_FOR
    assert {to for to, _ in send(at)} == {"carl@example.org", "stan@example.org"}


def test_it_is_asked_again_when_it_is_sent(shop, release):
    def lose_role(actor):
        revoke_role(actor=SYSTEM, user=actor.user, scope="app:shop", role="viewer")

    def leave(actor):
        User.objects.filter(pk=actor.user.pk).update(is_active=False)

    def turn_off(actor):
        assert Client().post(f"/unsubscribe?token={unsubscribe_token(actor.user)}").status_code == 200

    def ask_for_less(actor):
        change_mail_settings(actor=actor, user=actor.user, kinds=["held"])

    changes = [lose_role, leave, turn_off, ask_for_less]
    actors = [asking(make_member("viewer", "app:shop", change.__name__)) for change in changes]
    at = release("complete").at
    for change, actor in zip(changes, actors, strict=True):
        change(actor)
    assert MailedEntry.objects.count() == len(changes)
    assert send(at + GATHERED_FOR) == []
    assert set(Mail.objects.values_list("state", flat=True)) == {"dropped"}
    grant_role(actor=SYSTEM, user=actors[0].user, scope="app:shop", role="viewer")
    assert send(at + HOUR) == []


def test_an_event_that_is_taken_back_is_mailed_to_nobody(zoe, release, monkeypatch, django_capture_on_commit_callbacks):
    woken = []
    monkeypatch.setattr(outbox, "enqueue", lambda **call: woken.append(call["run_at"]))
    with django_capture_on_commit_callbacks(execute=True), transaction.atomic():
        release("complete")
        transaction.set_rollback(True)
    assert (MailedEntry.objects.count(), woken) == (0, [])
    with django_capture_on_commit_callbacks(execute=True):
        at = release("complete").at
    assert (MailedEntry.objects.count(), woken) == (1, [at + GATHERED_FOR])


def test_beyond_so_many_an_hour_the_rest_is_gathered(zoe, release):
    start = release("roll-back").at
    assert len(send(start)) == 1
    for number in range(1, MOST_AN_HOUR + 3):
        release("roll-back")
        assert len(send(start + number * SOON)) == (1 if number < MOST_AN_HOUR else 0)
    assert next_mail_due(now=start + HOUR - SOON) == start + HOUR
    ((_, text),) = send(start + HOUR)
    assert text.count("was rolled back") == 3


def test_a_server_that_sends_nothing_stores_nothing_and_says_so(zoe, release, settings):
    settings.WALLE_MAIL = False
    release("roll-back")
    assert not MailedEntry.objects.exists()
    assert Api(zoe).get("account/mail").json()["available"] is False
    problem(Api(zoe).post("account/mail/test"), 409, "mail-unavailable")


def test_what_is_older_than_a_day_is_no_news(zoe, release):
    at = release("complete").at
    assert send(at + GIVEN_UP_AFTER + SOON) == []
    assert MailedEntry.objects.get().left_out.startswith("it was older than a day")


def test_headers_tell_programs_what_a_message_is_and_how_to_have_no_more(zoe, release):
    send(release("roll-back").at)
    (message,) = django_mail.outbox
    headers = message.message()
    link = headers["List-Unsubscribe"].strip("<>")
    assert headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert (headers["Auto-Submitted"], headers["Message-ID"].count("@walle.example.org")) == ("auto-generated", 1)
    assert "https://walle.example.org/apps/shop" in message.body

    path, client = link.removeprefix("https://walle.example.org"), Client(enforce_csrf_checks=True)
    assert b"Turn off all messages to zoe?" in client.get(path).content
    assert Api(zoe).get("account/mail").json()["on"] is True
    one_click = client.post(path, "List-Unsubscribe=One-Click", content_type="application/x-www-form-urlencoded")
    assert (one_click.status_code, b"No more events reach zoe" in one_click.content) == (200, True)
    chosen = Api(zoe).get("account/mail").json()
    assert (chosen["on"], chosen["kinds"]) == (False, ALL)
    other = path[:-1] + ("a" if path[-1] != "a" else "b")
    assert client.post(other).status_code == 404


@pytest.fixture
def vera(shop):
    return make_member("viewer", "app:shop", "vera")


def test_an_address_counts_once_its_link_was_followed_by_whoever_gave_it(vera, zoe):
    api, now = Api(vera), timedelta()
    problem(api.post("account/mail/test"), 409, "no-address")
    assert set(problem(api.call("PUT", "account/mail/address", {"address": "a@b\nBcc: c@d"}), 400, "invalid")) == {
        "address"
    }
    given = api.call("PUT", "account/mail/address", {"address": "vera@example.org"}).json()
    assert (given["address"], given["new_address"]) == ("", "vera@example.org")
    ((to, text),) = send(Mail.objects.latest("id").due_at + now)
    assert to == "vera@example.org"
    token = re.search(r"/account\?confirm=(\S+)", text)[1]
    link = {"token": token.replace("%3A", ":")}
    problem(Api(zoe).post("account/mail/confirm", link), 409, "wrong-link")
    problem(api.post("account/mail/confirm", {"token": link["token"][:-1]}), 409, "wrong-link")
    for _ in range(2):
        confirmed = api.post("account/mail/confirm", link).json()
        assert (confirmed["address"], confirmed["new_address"]) == ("vera@example.org", "")
    assert api.post("account/mail/test").json()["state"] == "pending"
    ((to, text),) = send(Mail.objects.latest("id").due_at)
    assert (to, "events reach you at vera@example.org" in text) == ("vera@example.org", True)
    last = api.get("account/mail").json()["last"]
    assert (last["purpose"], last["state"], last["subject"]) == ("test", "sent", "[Walle] Messages reach you")
    assert api.call("PUT", "account/mail/address", {"address": ""}).json()["address"] == ""
    problem(api.post("account/mail/confirm", link), 409, "wrong-link")


def test_links_and_test_messages_are_limited_so_that_nobody_floods_anybody(vera, zoe):
    for number in range(5):
        assert Api(vera).call("PUT", "account/mail/address", {"address": f"v{number}@example.org"}).status_code == 200
        assert Api(zoe).post("account/mail/test").status_code == 201
    refused = Api(vera).call("PUT", "account/mail/address", {"address": "w@example.org"})
    assert set(problem(refused, 429, "throttled")) == set()
    assert int(refused["Retry-After"]) > 3000
    problem(Api(zoe).post("account/mail/test"), 429, "throttled")
    assert Api(vera).get("account/mail").json()["new_address"] == "v4@example.org"


@cases(
    "method, path, body",
    [
        ("PATCH", "account/mail", {"on": False}),
        ("PUT", "account/mail/address", {"address": "a@example.org"}),
        ("POST", "account/mail/confirm", {"token": "x"}),
        ("POST", "account/mail/test", {}),
    ],
)
def test_a_limited_token_changes_nothing(zoe, method, path, body):
    limited = Api(secret=token_of(Actor(user=zoe.user), permissions=["push"]))
    problem(limited.call(method, path, body), 403, "token-not-enough")
