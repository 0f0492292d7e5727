"""Telling gateways that what they answer from has changed."""

from django.db import connection
from django.db.models import F

from devices_app.models import GatewayRevision

CHANNEL = "walle_gateway"


def lock_publication() -> None:
    """Taken first by everything that publishes, so that publications happen one after the other."""
    GatewayRevision.objects.get_or_create(pk=1)
    GatewayRevision.objects.select_for_update().get(pk=1)


def announce_change() -> None:
    """Raises the revision and notifies listening gateways, both when the transaction commits."""
    GatewayRevision.objects.get_or_create(pk=1)
    GatewayRevision.objects.filter(pk=1).update(revision=F("revision") + 1)
    with connection.cursor() as cursor:
        cursor.execute(f"NOTIFY {CHANNEL}")
