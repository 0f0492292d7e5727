"""Encrypt everything that is encrypted in the database again, with a new master key."""

from typing import Final

from django.db import transaction
from django.db.models import Model

from accounts_app.actors import Actor
from accounts_app.permissions import SITE, Permission, require
from accounts_app.services.audit import record
from devices_app.models import GatewayRevision, ServerKey
from devices_app.services.revisions import lock_publication
from kit.encryption import decrypt, encrypt
from webhooks_app.models import Webhook

ENCRYPTED: Final[tuple[tuple[type[Model], tuple[str, ...]], ...]] = (
    (ServerKey, ("secret",)),
    (Webhook, ("sealed_secret", "sealed_previous")),
)
"""Every column that holds data encrypted by kit.encryption."""


@transaction.atomic
def reencrypt(*, actor: Actor, key: str) -> int:
    """Encrypt all secrets with the master key, whichever of its fallbacks decrypts them; return their number.

    `key` is the name of the master key, for the audit log. Raises WrongMasterKey, and then nothing has changed.
    """
    require(actor, Permission.MANAGE_SITE, SITE)
    lock_publication()
    count = 0
    for model, columns in ENCRYPTED:
        for row in model._default_manager.select_for_update().order_by("pk"):
            present = {column: bytes(value) for column in columns if (value := getattr(row, column)) is not None}
            encrypted = {column: encrypt(decrypt(value)) for column, value in present.items() if value}
            model._default_manager.filter(pk=row.pk).update(**encrypted)
            count += len(encrypted)
    record(
        actor=actor, action="master-key.reseal", target=GatewayRevision.objects.get(), scope=SITE, after={"key": key}
    )
    return count
