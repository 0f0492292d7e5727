"""What becomes of a delivery, by what a real receiver answers."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from accounts_app.actors import SYSTEM
from accounts_app.models import AuditEntry
from tests.support.waiting import wait_for
from tests.webhooks_app.receiver import receiving
from walle.webhooks.retries import ATTEMPTS
from webhooks_app.models import Attempt, Delivery, Webhook
from webhooks_app.services import deliveries
from webhooks_app.services.deliveries import forget, replay
from webhooks_app.services.outbox import hand_over
from webhooks_app.services.webhooks import change_webhook, delete_webhook, ping, rotate_secret

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


def states():
    return list(Delivery.objects.order_by("id").values_list("state", flat=True))


def test_an_event_arrives_signed_and_says_what_happened(make_hook, receiver, happen, send, now):
    webhook = make_hook(receiver)
    entry = happen(before={"name": "Shop"}, after={"name": "Läden"})
    assert send(now) == 1

    (got,) = receiver.received
    assert got.path == "/hooks?team=red"
    assert got.headers["content-type"] == "application/json"
    assert got.headers["webhook-timestamp"] == str(int(now.timestamp()))
    assert got.message["type"] == "app.configure"
    assert got.message["timestamp"] == entry.at.isoformat().replace("+00:00", "Z")
    data = got.message["data"]
    assert (data["sequence"], data["scopes"], data["actor"]) == (entry.pk, ["app:shop"], "system")
    assert data["object"] == {"type": "devices_app.app", "id": entry.object_id, "name": "shop"}
    assert (data["before"], data["after"], data["truncated"]) == ({"name": "Shop"}, {"name": "Läden"}, False)
    assert data["links"]["admin"].endswith(f"/admin/devices_app/app/{entry.object_id}/change/")
    delivery = Delivery.objects.get()
    assert (delivery.state, delivery.attempts, delivery.status, delivery.finished_at) == ("delivered", 1, 200, now)
    attempt = Attempt.objects.get()
    assert (attempt.delivery, attempt.status, attempt.answer, attempt.at) == (delivery, 200, "OK", now)
    assert webhook.secret not in str(vars(delivery))


def test_a_failed_attempt_is_repeated_later_under_the_same_id(make_hook, receiver, happen, send, now):
    make_hook(receiver)
    receiver.answers = [500, "drop", 302, 404, 200]
    happen()
    for hours in range(5):
        assert send(now + hours * DAY) == 1
        assert send(now + hours * DAY) == 0
    assert {got.id for got in receiver.received} == {receiver.received[0].id}
    assert len({got.headers["webhook-signature"] for got in receiver.received}) == 5
    assert states() == ["delivered"]
    assert [(attempt.status, attempt.error[:18]) for attempt in Attempt.objects.all()] == [
        (500, "answered 500"),
        (None, "RemoteProtocolErro"),
        (302, "redirects are not "),
        (404, "answered 404"),
        (200, ""),
    ]


def test_after_the_last_attempt_it_is_given_up(make_hook, receiver, happen, send, now):
    webhook = make_hook(receiver)
    receiver.answers = [503]
    happen()
    due = now
    for _ in range(ATTEMPTS):
        assert send(due) == 1
        due = Delivery.objects.get().due_at
    assert send(due + DAY) == 0
    delivery = Delivery.objects.get()
    assert (delivery.state, delivery.attempts, delivery.status) == ("failed", ATTEMPTS, 503)
    assert timedelta(hours=20) < delivery.finished_at - now < timedelta(hours=34)
    webhook.refresh_from_db()
    assert (webhook.active, webhook.failing_since) == (True, now)


def test_a_success_ends_the_failing(make_hook, receiver, happen, send, now):
    webhook = make_hook(receiver)
    receiver.answers = [500, 200]
    happen()
    send(now)
    send(now + DAY)
    webhook.refresh_from_db()
    assert webhook.failing_since is None


def test_410_switches_the_webhook_off_and_others_hear_of_it(make_hook, receiver, happen, send, now):
    gone = make_hook(receiver, events=["app.*", "webhook.*"])
    receiver.answers = [410, 200]
    happen()
    with receiving() as other:
        make_hook(other, events=["webhook.disable"])
        happen()
        send(now)
        send(now + DAY)
        (told,) = other.received
    assert told.message["data"]["after"] == {"active": False, "reason": "its receiver answered 410 Gone"}
    gone.refresh_from_db()
    assert (gone.active, gone.inactive_reason) == (False, "its receiver answered 410 Gone")
    entry = AuditEntry.objects.get(action="webhook.disable")
    assert (entry.actor_name, entry.scope) == ("system", "app:shop")
    happen()
    assert not Delivery.objects.filter(state="pending").exists()


def test_a_webhook_that_fails_for_days_is_switched_off(make_hook, receiver, happen, send, now):
    webhook = make_hook(receiver)
    receiver.answers = [500]
    happen()
    send(now)
    happen()
    send(now + 4.9 * DAY)
    webhook.refresh_from_db()
    assert webhook.active
    send(now + 5.9 * DAY)
    webhook.refresh_from_db()
    assert not webhook.active
    assert "nothing was taken since" in webhook.inactive_reason
    assert set(states()) == {"failed"}
    happen()
    assert Delivery.objects.count() == 2


def test_what_a_worker_that_died_was_sending_is_sent_again(make_hook, receiver, happen, send, now):
    make_hook(receiver)
    happen()
    (lost,) = deliveries.claim(now=now, limit=10)
    assert send(now + timedelta(seconds=29)) == 0
    assert send(now + timedelta(seconds=31)) == 1
    assert states() == ["delivered"]
    # It was not dead, only slow: what it heard changes nothing any more.
    answer = deliveries.WebhookResponse(duration_ms=1, status=500, error="answered 500")
    deliveries.settle(delivery=lost, answer=answer, now=now, chance=0.5)
    assert states() == ["delivered"]
    assert Attempt.objects.count() == 2


def test_a_slow_receiver_holds_up_nobody_else(make_hook, happen, send, now):
    with receiving("hold") as slow, receiving() as quick:
        make_hook(slow, events=["app.slow"])
        make_hook(quick, events=["app.quick"])
        for action in ["app.slow"] * 6 + ["app.quick"] * 20:
            happen(action)
        with ThreadPoolExecutor() as beside:
            # The slow one answers when the quick one has heard everything.
            beside.submit(lambda: wait_for(lambda: len(quick.received) == 20) and slow.release.set())
            assert send(now) == 26
    assert set(states()) == {"delivered"}


def test_a_webhook_gets_four_requests_at_a_time_and_a_failing_one_gets_one(make_hook, happen, now):
    steady, failing = (make_hook(url="https://example.com/hook") for _ in range(2))
    Webhook.objects.filter(pk=failing.pk).update(failing_since=now)
    for _ in range(6):
        happen()
    assert len(deliveries.claim(now=now, limit=1)) == 1
    rest = [delivery.webhook for delivery in deliveries.claim(now=now, limit=100)]
    assert sorted(webhook.pk for webhook in rest) == [steady.pk] * 3 + [failing.pk]
    assert deliveries.claim(now=now, limit=100) == []
    assert len(deliveries.claim(now=now + timedelta(minutes=1), limit=100)) == 5


def test_both_secrets_sign_while_one_is_being_replaced(make_hook, receiver, happen, send, now):
    webhook = make_hook(receiver)
    _, fresh = rotate_secret(webhook=webhook, actor=SYSTEM, now=now, overlap=timedelta(hours=1))
    for hours in (0.5, 1.5):
        happen()
        send(now + timedelta(hours=hours))
    during, after = (got.headers["webhook-signature"].split() for got in receiver.received)
    assert (len(during), len(after)) == (2, 1)
    assert fresh != webhook.secret
    assert fresh.startswith("whsec_")


def test_a_ping_goes_to_this_webhook_whatever_it_asks_for(make_hook, receiver, send, now):
    webhook = make_hook(receiver, events=["release.*"])
    make_hook(receiver, events=["release.*"])
    delivery = ping(webhook=webhook, actor=SYSTEM)
    send(now)
    (got,) = receiver.received
    assert (got.message["type"], delivery.event, delivery.webhook) == ("webhook.ping", "webhook.ping", webhook)


def test_a_ping_that_it_asks_for_comes_once(make_hook, receiver, send, now):
    ping(webhook=make_hook(receiver, events=["webhook.ping"]), actor=SYSTEM)
    assert send(now) == 1


def test_a_replay_sends_the_same_again(make_hook, receiver, happen, send, now):
    make_hook(receiver)
    receiver.answers = [500, 200]
    happen()
    send(now)
    replay(delivery=Delivery.objects.get(), actor=SYSTEM, now=now)
    assert send(now) == 1
    replay(delivery=Delivery.objects.get(), actor=SYSTEM, now=now + DAY)
    assert send(now + DAY) == 1
    assert len({got.id for got in receiver.received}) == 1
    assert len({got.body for got in receiver.received}) == 1
    assert Delivery.objects.get().attempts == 1
    assert AuditEntry.objects.filter(action="webhook.replay").count() == 2


def test_nothing_is_sent_to_a_webhook_that_was_switched_off_or_deleted(make_hook, receiver, happen, send, now):
    off, deleted = make_hook(receiver), make_hook(receiver)
    happen()
    change_webhook(webhook=off, actor=SYSTEM, now=now, active=False)
    delete_webhook(webhook=deleted, actor=SYSTEM, now=now)
    happen()
    assert send(now) == 0
    assert states() == ["failed", "failed"]
    change_webhook(webhook=off, actor=SYSTEM, now=now, active=True)
    assert send(now + DAY) == 0
    replay(delivery=Delivery.objects.get(webhook=off), actor=SYSTEM, now=now)
    assert send(now) == 1


def test_a_secret_that_cannot_be_read_holds_up_nobody(make_hook, receiver, happen, send, now, settings):
    make_hook(receiver)
    key, settings.WALLE_MASTER_KEY = settings.WALLE_MASTER_KEY, "x" * 40
    make_hook(receiver)
    settings.WALLE_MASTER_KEY = key
    happen()
    assert send(now) == 1
    assert sorted(states()) == ["delivered", "pending"]
    assert "WALLE_MASTER_KEY does not open" in Attempt.objects.get(status=None).error


def test_objects_of_a_kind_that_there_is_no_more_are_told_of_without_a_page(make_hook, receiver, send, now, shop):
    ping(webhook=make_hook(receiver), actor=SYSTEM)
    for kind in ("old_app.thing", "webhooks_app.attempt", "nonsense"):
        entry = AuditEntry.objects.create(actor_name="x", action="app.x", object_type=kind, object_id="1")
        hand_over(entry, Webhook.objects.all(), [])
    assert send(now) == 4
    messages = sorted((got.message["data"] for got in receiver.received), key=lambda data: data["sequence"])
    assert [sorted(data["links"]) for data in messages] == [["admin", "audit"], ["audit"], ["audit"], ["audit"]]


def test_an_answer_is_kept_as_far_as_it_goes(make_hook, receiver, happen, send, now):
    make_hook(receiver)
    receiver.answers = [b"HTTP/1.1 400 No\r\n\r\n" + b"\0\xff" + b"x" * 5000]
    happen()
    send(now)
    answer = Attempt.objects.get().answer
    assert answer == "\N{REPLACEMENT CHARACTER}" * 2 + "x" * 1022


def test_too_many_facts_are_left_out(make_hook, receiver, happen, send, now):
    make_hook(receiver)
    happen(after={"rule": "é" * 40_000})
    happen(after={"rule": "é" * 30_000})
    send(now)
    by_size = sorted(receiver.received, key=lambda got: len(got.body))
    assert [got.message["data"]["truncated"] for got in by_size] == [True, False]
    assert by_size[0].message["data"]["after"] is None
    assert len(by_size[1].body) <= 64 * 1024


def test_old_deliveries_are_forgotten(make_hook, receiver, happen, send, now, monkeypatch):
    monkeypatch.setattr(deliveries, "BATCH", 2)
    make_hook(receiver)
    receiver.answers = [200, 200, 200, 200, 500]
    for _ in range(5):
        happen()
    send(now)
    happen()
    delete_webhook(webhook=make_hook(receiver, events=["app.x"]), actor=SYSTEM, now=now)
    told = {"finished_before": now, "deleted_before": now, "check": lambda: None}
    assert forget(**told) == {"deliveries": 0, "webhooks": 0}
    told |= {"finished_before": now + DAY, "deleted_before": now + DAY}
    assert forget(**told) == {"deliveries": 4, "webhooks": 1}
    assert states() == ["pending", "pending"]
    assert Attempt.objects.count() == 1
