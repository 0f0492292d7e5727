"""/api/v1/webhooks: making them, looking at what they were told, telling it again."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts_app.actors import SYSTEM
from accounts_app.models import AuditEntry
from accounts_app.services.audit import record
from kit.encryption import decrypt
from tests.api.conftest import member_of
from tests.api.contract import problem
from webhooks_app.models import Attempt, Delivery, Webhook

pytestmark = pytest.mark.django_db
BODY = {"scope": "app:shop", "url": "https://example.com/hooks/T0/s3cr3t", "events": ["release.*"], "description": "us"}


@pytest.fixture
def webhook(owner):
    return owner.post("webhooks", BODY).json()


def happen(shop, action="app.configure"):
    return record(actor=SYSTEM, action=action, target=shop, scope="app:shop", after={"name": "Shop"})


def wrong(response):
    """The names of the fields that were refused."""
    return set(problem(response, 400, "invalid"))


def test_the_secret_is_shown_once(owner, webhook):
    secret = webhook.pop("secret")
    assert secret.startswith("whsec_")
    assert owner.get(f"webhooks/{webhook['id']}").json() == webhook
    assert owner.results("webhooks") == [webhook]
    row = Webhook.objects.get()
    assert decrypt(row.sealed_secret).decode() == secret
    assert secret.removeprefix("whsec_").encode() not in bytes(row.sealed_secret)


def test_the_audit_log_names_neither_the_secret_nor_the_whole_url(owner, webhook):
    owner.patch(f"webhooks/{webhook['id']}", {"url": "https://example.org/t0p", "events": ["*"]})
    fresh = owner.post(f"webhooks/{webhook['id']}/rotate-secret", {"overlap_hours": 1}).json()
    owner.delete(f"webhooks/{webhook['id']}")
    entries = AuditEntry.objects.filter(object_type="webhooks_app.webhook").order_by("id")
    assert list(entries.values_list("action", "actor_name", "scope")) == [
        (f"webhook.{action}", "olga", "app:shop") for action in ("create", "change", "rotate-secret", "delete")
    ]
    assert (entries[1].before, entries[1].after) == (
        {"host": "example.com", "events": ["release.*"]},
        {"host": "example.org", "events": ["*"]},
    )
    written = str(list(entries.values()))
    for secret in (webhook["secret"], fresh["secret"], "s3cr3t", "t0p"):
        assert secret not in written


NONSENSE = [
    ({"url": "http://example.com/"}, "url"),
    ({"url": "https://user:pw@example.com/"}, "url"),
    ({"url": "https://127.0.0.1/"}, "url"),
    ({"url": "https://[::ffff:10.0.0.1]/"}, "url"),
    ({"url": "https://169.254.169.254/latest/meta-data"}, "url"),
    ({"url": "https://example.com/" + "x" * 500}, "url"),
    ({"url": "https://example.com/\0"}, "url"),
    ({"url": None}, "url"),
    ({"events": []}, "events"),
    ({"events": ["release"]}, "events"),
    ({"events": ["release.*"] * 51}, "events"),
    ({"events": "release.*"}, "events"),
    ({"events": [{}]}, "events.0"),
    ({"scope": "shop"}, "scope"),
    ({"description": "x" * 201}, "description"),
    ({"secret": "whsec_AAAA"}, "secret"),
]


def test_nonsense_is_refused_by_name(owner):
    for changes, field in NONSENSE:
        assert wrong(owner.post("webhooks", BODY | changes)) == {field}, changes
    assert wrong(owner.post("webhooks", {"scope": "app:shop"})) == {"url", "events"}
    assert not Webhook.objects.exists()


def test_a_webhook_is_changed_by_the_same_rules(owner, webhook):
    address = f"webhooks/{webhook['id']}"
    assert wrong(owner.patch(address, {"url": "http://x.org"})) == {"url"}
    assert wrong(owner.patch(address, {"scope": "site"})) == {"scope"}
    assert owner.patch(address, {"events": ["task.*"]}).json()["events"] == ["task.*"]
    before = AuditEntry.objects.count()
    assert owner.patch(address, {"events": ["task.*"]}).status_code == 200
    assert AuditEntry.objects.count() == before


def test_a_scope_that_nobody_made_is_refused(staff, shop):
    assert wrong(staff.post("webhooks", BODY | {"scope": "app:shpo"})) == {"scope"}


def test_the_whole_site_is_for_staff(staff, owner):
    problem(owner.post("webhooks", BODY | {"scope": "site"}), 403, "not-allowed")
    made = staff.post("webhooks", BODY | {"scope": "site"}).json()
    assert owner.results("webhooks") == []
    problem(owner.get(f"webhooks/{made['id']}"), 404, "not-found")
    assert staff.results("webhooks")[0]["scope"] == "site"


def test_there_is_a_limit(owner, monkeypatch):
    from webhooks_app.services import webhooks

    monkeypatch.setattr(webhooks, "MOST_PER_SCOPE", 1)
    assert owner.post("webhooks", BODY).status_code == 201
    problem(owner.post("webhooks", BODY), 400, "invalid")


def test_owners_of_other_scopes_do_not_see_it(webhook, camera):
    other = member_of("owner", "scenario:camera", name="oskar")
    assert other.results("webhooks") == []
    address = f"webhooks/{webhook['id']}"
    Delivery.objects.all().delete()
    for response in (other.get(address), other.delete(address), other.post(f"{address}/ping")):
        problem(response, 404, "not-found")


def test_the_log_says_what_was_sent_and_what_came_back(owner, shop, webhook, settings):
    owner.patch(f"webhooks/{webhook['id']}", {"events": ["app.*"]})
    entry = happen(shop)
    delivery = Delivery.objects.get()
    Attempt.objects.create(delivery=delivery, at=entry.at, duration_ms=12, status=500, error="answered 500", answer="?")
    shown = owner.get(f"webhooks/{webhook['id']}/deliveries/{delivery.pk}").json()
    assert (shown["event"], shown["sequence"], shown["state"]) == ("app.configure", entry.pk, "pending")
    assert shown["payload"]["data"]["after"] == {"name": "Shop"}
    assert [(row["status"], row["answer"], row["duration_ms"]) for row in shown["tries"]] == [(500, "?", 12)]
    (listed,) = owner.results(f"webhooks/{webhook['id']}/deliveries")
    assert listed == {name: value for name, value in shown.items() if name not in ("payload", "tries")}


def test_the_log_is_filtered(owner, shop, webhook):
    address = f"webhooks/{webhook['id']}/deliveries"
    owner.patch(f"webhooks/{webhook['id']}", {"events": ["app.*"]})
    first, second = happen(shop), happen(shop, "app.add_version")
    Delivery.objects.filter(entry=first).update(state="failed", finished_at=first.at)
    assert [row["sequence"] for row in owner.results(address)] == [second.pk, first.pk]
    assert [row["sequence"] for row in owner.results(address, state="failed")] == [first.pk]
    assert [row["sequence"] for row in owner.results(address, event="app.add_version")] == [second.pk]
    assert [row["sequence"] for row in owner.results(address, sequence=first.pk)] == [first.pk]
    problem(owner.get(address, state="lost"), 400, "invalid")
    problem(owner.get(address, sequence="x"), 400, "invalid")


def test_ping_and_replay_make_work_and_leave_traces(owner, webhook):
    address = f"webhooks/{webhook['id']}"
    ping = owner.post(f"{address}/ping")
    assert (ping.status_code, ping.json()["event"], ping.json()["state"]) == (201, "webhook.ping", "pending")
    Delivery.objects.update(state="failed", attempts=8, finished_at=ping.json()["created_at"])
    again = owner.post(f"{address}/deliveries/{ping.json()['id']}/replay").json()
    assert (again["state"], again["attempts"], again["message"]) == ("pending", 0, ping.json()["message"])
    assert again["next_attempt_at"]
    Delivery.objects.filter(pk=again["id"]).update(state="sending")
    assert owner.get(f"{address}/deliveries/{again['id']}").json()["next_attempt_at"] is None
    assert list(AuditEntry.objects.order_by("-id").values_list("action", flat=True)[:2]) == [
        "webhook.replay",
        "webhook.ping",
    ]
    problem(owner.post(f"{address}/deliveries/999999/replay"), 404, "not-found")


def test_an_inactive_webhook_is_neither_pinged_nor_replayed_to(owner, webhook):
    address = f"webhooks/{webhook['id']}"
    delivery = owner.post(f"{address}/ping").json()
    off = owner.patch(address, {"active": False}).json()
    assert (off["active"], off["inactive_reason"]) == (False, "switched off by olga")
    problem(owner.post(f"{address}/ping"), 409, "webhook-inactive")
    problem(owner.post(f"{address}/deliveries/{delivery['id']}/replay"), 409, "webhook-inactive")
    assert owner.patch(address, {"active": True}).json()["inactive_reason"] == ""
    assert owner.post(f"{address}/ping").status_code == 201


def test_a_secret_is_rotated_with_an_overlap(owner, webhook):
    address = f"webhooks/{webhook['id']}"
    rotated = owner.post(f"{address}/rotate-secret", {}).json()
    assert rotated["secret"] != webhook["secret"]
    assert rotated["previous_until"] > rotated["created_at"]
    problem(owner.post(f"{address}/rotate-secret", {"overlap_hours": 169}), 400, "invalid")


def test_a_deleted_webhook_is_gone(owner, webhook):
    address = f"webhooks/{webhook['id']}"
    assert owner.delete(address).status_code == 204
    problem(owner.get(address), 404, "not-found")
    problem(owner.delete(address), 404, "not-found")
    assert owner.results("webhooks") == []


def test_lists_ask_as_often_for_thirty_rows_as_for_three(owner, shop, webhook):
    owner.patch(f"webhooks/{webhook['id']}", {"events": ["app.*"]})
    counts = []
    for number in (3, 27):
        for _ in range(number):
            happen(shop)
            owner.post("webhooks", BODY)
        for address in ("webhooks", f"webhooks/{webhook['id']}/deliveries"):
            with CaptureQueriesContext(connection) as captured:
                assert len(owner.results(address)) >= number
            counts.append(len(captured))
    assert counts[:2] == counts[2:]
    assert max(counts) <= 8
