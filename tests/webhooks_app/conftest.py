"""An app with things that happen in it, receivers on this machine, and webhooks that lead there."""

from datetime import timedelta
from ipaddress import ip_network

import pytest
from asgiref.sync import async_to_sync

from accounts_app.actors import SYSTEM
from accounts_app.models import AuditEntry
from accounts_app.services.audit import record
from devices_app.services.apps import create_app
from devices_app.services.keys import ensure_keys
from tests.webhooks_app.receiver import receiving
from webhooks_app.pump import send_due
from webhooks_app.sending import WebhookSender
from webhooks_app.services import outbox
from webhooks_app.services.webhooks import create_webhook, reach

HERE = (ip_network("127.0.0.0/8"),)


@pytest.fixture(autouse=True)
def reach_this_machine(settings):
    settings.WALLE_WEBHOOK_NETWORKS = HERE


@pytest.fixture
def receiver():
    with receiving() as started:
        yield started


@pytest.fixture
def shop(db):
    from django.utils import timezone

    ensure_keys(now=timezone.now())
    return create_app(slug="shop", name="Shop", actor=SYSTEM, now=timezone.now())


@pytest.fixture
def now(shop):
    """A moment after everything that has been recorded."""
    return AuditEntry.objects.latest("id").at + timedelta(minutes=1)


@pytest.fixture
def make_hook(shop, now):
    """Makes webhooks; `secrets` has their secrets."""

    def call(receiver=None, *, scope="app:shop", events=("app.*",), url=None):
        given = {"scope": scope, "url": url or receiver.url, "events": list(events)}
        webhook, webhook.secret = create_webhook(**given, actor=SYSTEM, now=now)
        return webhook

    return call


@pytest.fixture
def happen(shop):
    """Makes something happen in the app: an entry of the audit log."""

    def call(action="app.configure", *, scope="app:shop", also=(), **facts):
        return record(actor=SYSTEM, action=action, target=shop, scope=scope, also=also, **facts)

    return call


@pytest.fixture
def send():
    """Sends what is due at a moment."""

    def call(now, **options):
        return async_to_sync(send_due)(WebhookSender(reach(), **options), lambda: now)

    return call


@pytest.fixture
def woken(monkeypatch):
    """How often a worker was to be woken."""
    calls = []
    monkeypatch.setattr(outbox, "enqueue", lambda **call: calls.append(call))
    return calls
