"""Who is to hear of what: written down with the audit log, or not at all."""

import pytest
from django.db import transaction

from accounts_app.actors import SYSTEM
from accounts_app.services.members import grant_role
from accounts_app.services.tokens import issue_token
from jobs_app.models import Job
from tests.support.people import make_user
from webhooks_app.models import Delivery
from webhooks_app.services.outbox import DELIVER
from webhooks_app.services.webhooks import change_webhook

pytestmark = pytest.mark.django_db
URL = "https://example.com/hook"


def deliveries():
    return [(row.webhook_id, row.event) for row in Delivery.objects.order_by("webhook_id", "id")]


def test_webhooks_hear_of_their_scope_what_they_ask_for(make_hook, happen):
    happen("scenario.create", scope="scenario:camera")
    asking = {
        "all": make_hook(url=URL, events=["*"]),
        "family": make_hook(url=URL, events=["release.*", "member.grant"]),
        "other family": make_hook(url=URL, events=["task.*"]),
        "other scope": make_hook(url=URL, events=["*"], scope="scenario:camera"),
        "site": make_hook(url=URL, events=["release.*"], scope="site"),
    }
    Delivery.objects.all().delete()
    happen("release.start")
    assert {webhook for webhook, _ in deliveries()} == {asking[name].pk for name in ("all", "family", "site")}
    assert {event for _, event in deliveries()} == {"release.start"}


def test_what_concerns_two_scopes_is_heard_in_both_and_once(make_hook, happen):
    happen("scenario.create", scope="scenario:camera")
    hooks = [make_hook(url=URL, events=["release.*"], scope=scope) for scope in ("app:shop", "scenario:camera", "site")]
    happen("release.start", scope="scenario:camera", also=["app:shop", "scenario:camera"])
    assert deliveries() == [(webhook.pk, "release.start") for webhook in hooks]
    assert set(map(tuple, Delivery.objects.values_list("scopes", flat=True))) == {("scenario:camera", "app:shop")}


def test_only_the_site_hears_of_what_belongs_to_no_scope(make_hook, shop):
    make_hook(url=URL, events=["*"])
    site = make_hook(url=URL, events=["token.*"], scope="site")
    Delivery.objects.all().delete()
    issue_token(actor=SYSTEM, user=make_user(), name="laptop")
    assert deliveries() == [(site.pk, "token.issue")]
    assert Delivery.objects.get().scopes == []


def test_what_is_taken_back_is_told_to_nobody(make_hook, shop, woken, django_capture_on_commit_callbacks):
    make_hook(url=URL, events=["member.*"])
    user = make_user()
    with django_capture_on_commit_callbacks(execute=True), transaction.atomic():
        grant_role(actor=SYSTEM, user=user, scope="app:shop", role="viewer")
        assert Delivery.objects.count() == 1
        transaction.set_rollback(True)
    assert (Delivery.objects.count(), woken) == (0, [])
    with django_capture_on_commit_callbacks(execute=True):
        grant_role(actor=SYSTEM, user=user, scope="app:shop", role="viewer")
        assert woken == []
    assert (Delivery.objects.count(), len(woken)) == (1, 1)


def test_many_events_wake_one_job(make_hook, happen, django_capture_on_commit_callbacks):
    make_hook(url=URL)
    with django_capture_on_commit_callbacks(execute=True):
        for _ in range(5):
            happen()
    assert Job.objects.filter(kind=DELIVER).count() == 1


def test_an_inactive_webhook_hears_nothing_not_even_later(make_hook, happen, now):
    webhook = make_hook(url=URL)
    change_webhook(webhook=webhook, actor=SYSTEM, now=now, active=False)
    happen()
    change_webhook(webhook=webhook, actor=SYSTEM, now=now, active=True)
    assert deliveries() == []


def test_what_was_done_later_has_a_greater_number(make_hook, happen):
    make_hook(url=URL)
    entries = [happen().pk for _ in range(5)]
    assert entries == sorted(entries) == list(Delivery.objects.order_by("id").values_list("entry_id", flat=True))


def test_one_question_is_asked_whatever_number_of_webhooks_does_not_listen(
    make_hook, happen, django_assert_max_num_queries
):
    for number in range(20):
        make_hook(url=URL, events=[f"task.x{'y' * number}"])
    with django_assert_max_num_queries(2):
        happen()
