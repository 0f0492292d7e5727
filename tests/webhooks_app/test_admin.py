"""The admin pages of webhooks: by the services, with the secret shown once, and deliveries that can be sent again."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts_app.models import AuditEntry
from tests.support.admin_pages import AdminPages
from tests.support.people import make_user
from webhooks_app.models import Attempt, Delivery, Webhook

pytestmark = pytest.mark.django_db
URL = "https://example.com/hooks/s3cr3t"


@pytest.fixture
def pages(shop):
    return AdminPages(make_user("root", staff=True))


def test_a_webhook_is_made_changed_rotated_and_deleted(pages):
    made = pages.add(Webhook, scope="app:shop", url=URL, events="app.*, release.start", description="us")
    webhook = Webhook.objects.get()
    (secret,) = re.findall(r'id="secret">(whsec_[^<]+)<', made.content.decode())
    assert (webhook.events, webhook.created_by) == (["app.*", "release.start"], "root")

    changed = pages.change(webhook, url=URL, events="*", description="us", active="")
    assert changed.status_code == 302
    webhook.refresh_from_db()
    assert (webhook.events, webhook.active, webhook.inactive_reason) == (["*"], False, "switched off by root")

    rotated = pages.act("rotate", webhook).content.decode()
    assert secret not in rotated
    assert re.search(r'id="secret">whsec_', rotated)

    pages.delete(webhook)
    assert Webhook.objects.get().deleted_at
    assert list(AuditEntry.objects.filter(action__startswith="webhook.").values_list("action", "actor_name")) == [
        (f"webhook.{action}", "root") for action in ("delete", "rotate-secret", "change", "create")
    ]


def test_what_rest_refuses_is_refused_here(pages):
    for given in (
        {"url": "https://127.0.0.2:99999/"},
        {"url": "ftp://x.org"},
        {"events": "release"},
        {"scope": "app:shpo"},
    ):
        page = pages.add(Webhook, **{"scope": "app:shop", "url": URL, "events": "*", **given})
        assert page.status_code == 200
        assert "xpected" in page.content.decode()
    assert not Webhook.objects.exists()


def test_a_delivery_is_read_and_sent_again(pages, make_hook, happen, now):
    make_hook(url=URL)
    happen(after={"name": "<b>Shop</b>"})
    delivery = Delivery.objects.get()
    Attempt.objects.create(
        delivery=delivery, at=now, duration_ms=7, status=500, error="answered 500", answer="<i>no</i>"
    )
    Delivery.objects.update(state="failed", finished_at=now)
    page = pages.page_of(delivery).content.decode()
    assert "&lt;b&gt;Shop&lt;/b&gt;" in page
    assert "&lt;i&gt;no&lt;/i&gt;" in page
    pages.act("replay", delivery)
    delivery.refresh_from_db()
    assert (delivery.state, delivery.attempts) == ("pending", 0)
    assert pages.change(delivery, state="delivered").status_code == 403
    assert pages.delete(delivery).status_code == 403
    Webhook.objects.update(active=False)
    assert "switch it on first" in pages.act("replay", delivery).content.decode()
    assert "switch it on first" in pages.act("ping", Webhook.objects.get()).content.decode()


def test_the_pages_are_for_staff(make_hook, shop):
    make_hook(url=URL)
    pages = AdminPages(make_user("vera"))
    assert pages.list_of(Webhook).status_code == 302
    assert pages.list_of(Delivery).status_code == 302


def test_lists_ask_as_often_for_many_rows(pages, make_hook, happen):
    counts = []
    for number in (2, 10):
        for _ in range(number):
            make_hook(url=URL, events=["app.x"])
            happen("app.x")
        for model in (Webhook, Delivery):
            with CaptureQueriesContext(connection) as captured:
                assert pages.list_of(model).status_code == 200
            counts.append(len(captured))
    assert counts[:2] == counts[2:]
