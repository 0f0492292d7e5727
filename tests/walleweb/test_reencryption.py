"""A new master key: what is sealed opens with it alone afterwards, or nothing has changed."""

from datetime import UTC, datetime

import pytest
from django.core.management import CommandError, call_command

from accounts_app.actors import SYSTEM, Actor
from accounts_app.models import AuditEntry
from devices_app.models import ServerKey
from devices_app.services.apps import create_app
from devices_app.services.keys import ensure_keys
from kit.encryption import WrongMasterKey, decrypt
from tests.support.people import make_user
from walleweb.backup.contents import key_name
from walleweb.reencryption import ENCRYPTED
from webhooks_app.models import Webhook
from webhooks_app.services.webhooks import create_webhook, rotate_secret

pytestmark = pytest.mark.django_db

NOW = datetime(2027, 1, 15, 8, tzinfo=UTC)
NEW = "a new master key that is long enough for one"


@pytest.fixture
def encrypted(db) -> None:
    """Server keys, and a webhook whose secret was just replaced."""
    ensure_keys(now=NOW)
    create_app(slug="shop", name="Shop", actor=SYSTEM, now=NOW)
    staff = Actor(user=make_user("root", superuser=True))
    webhook, _ = create_webhook(actor=staff, now=NOW, scope="app:shop", url="https://example.org/hook", events=["*"])
    rotate_secret(webhook=webhook, actor=staff, now=NOW)


def opened() -> list[bytes]:
    rows = ((row, column) for model, columns in ENCRYPTED for row in model.objects.order_by("pk") for column in columns)
    return [decrypt(getattr(row, column)) for row, column in rows]


def test_what_is_sealed_opens_with_the_new_key_alone(encrypted: None, settings, capsys) -> None:
    before = opened()
    settings.WALLE_MASTER_KEY_FALLBACKS = (settings.WALLE_MASTER_KEY,)
    settings.WALLE_MASTER_KEY = NEW
    assert opened() == before
    call_command("reseal")
    settings.WALLE_MASTER_KEY_FALLBACKS = ()
    assert opened() == before
    assert len(before) == ServerKey.objects.count() + 2 * Webhook.objects.count()
    assert f"{len(before)} secrets" in capsys.readouterr().out
    assert AuditEntry.objects.get(action="master-key.reseal").after == {"key": key_name(NEW)}


def test_processes_that_know_both_keys_may_seal_with_either(encrypted: None, settings) -> None:
    before, old = opened(), settings.WALLE_MASTER_KEY
    settings.WALLE_MASTER_KEY, settings.WALLE_MASTER_KEY_FALLBACKS = NEW, (old,)
    call_command("reseal")
    settings.WALLE_MASTER_KEY, settings.WALLE_MASTER_KEY_FALLBACKS = old, (NEW,)
    assert opened() == before


def test_without_the_former_key_nothing_changes(encrypted: None, settings) -> None:
    present = [bytes(secret) for secret in ServerKey.objects.order_by("pk").values_list("secret", flat=True)]
    settings.WALLE_MASTER_KEY = NEW
    with pytest.raises(WrongMasterKey):
        opened()
    with pytest.raises(CommandError, match="WALLE_MASTER_KEY_FALLBACKS"):
        call_command("reseal")
    assert [bytes(secret) for secret in ServerKey.objects.order_by("pk").values_list("secret", flat=True)] == present
