"""Announce to gateways that what they answer from has changed."""

from django.db import connection

from devices_app.models import GatewayRevision

CHANNEL = "walle_gateway"
_RAISE = """
UPDATE devices_app_gatewayrevision
SET revision = greatest(revision + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
"""


def lock_publication() -> None:
    """Lock publications. Everything that publishes does this first, so that publications happen one after the other."""
    GatewayRevision.objects.get_or_create(pk=1)
    GatewayRevision.objects.select_for_update().get(pk=1)


def announce_change() -> None:
    """Raise the revision and notify listening gateways, both when the transaction commits.

    The revision is at least the time in microseconds: a revision from before a backup was restored never returns, so no
    gateway mistakes another state for the one that it has.
    """
    GatewayRevision.objects.get_or_create(pk=1)
    with connection.cursor() as cursor:
        cursor.execute(_RAISE)
        cursor.execute(f"NOTIFY {CHANNEL}")
