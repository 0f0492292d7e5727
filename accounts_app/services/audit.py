"""Write the audit log; every service that changes something calls `record` inside its transaction."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import structlog
from django.db import connection
from django.db.models import Model

from accounts_app.actors import Actor
from accounts_app.audit_types import audit_type
from accounts_app.models import AuditEntry
from accounts_app.signals import recorded

Facts = Mapping[str, Any]

# As in migration 0005: a new column of 0 instead of an update, which would write every row again. Deferred constraints
# would prevent it.
_FORGET_TRANSACTIONS: Final = """
SET CONSTRAINTS ALL IMMEDIATE;
SET CONSTRAINTS ALL DEFERRED;
ALTER TABLE accounts_app_auditentry DROP COLUMN xid;
ALTER TABLE accounts_app_auditentry ADD COLUMN xid xid8 NOT NULL DEFAULT '0';
ALTER TABLE accounts_app_auditentry ALTER COLUMN xid SET DEFAULT pg_current_xact_id();
CREATE INDEX audit_by_transaction ON accounts_app_auditentry (xid, id) WHERE xid > '0'
"""


def record(
    *,
    actor: Actor,
    action: str,
    target: Model,
    scope: str = "",
    also: Iterable[str] = (),
    before: Facts | None = None,
    after: Facts | None = None,
) -> AuditEntry:
    """Record that `actor` did `action` ("task.retire") to `target`.

    `before` and `after` are the facts that changed, as JSON data; never secrets. The request id comes from structlog's
    context, so that log lines and audit rows of one request can be matched. Webhooks of the scope, and of the scopes
    that it concerns `also`, receive it once the transaction is committed.
    """
    entry = AuditEntry.objects.create(
        user=actor.account,
        actor_name=actor.name,
        token_prefix=actor.token.prefix if actor.token else "",
        action=action,
        scope=scope,
        object_type=audit_type(type(target)),
        object_id=str(target.pk),
        object_name=str(target)[:200],
        before=before,
        after=after,
        request_id=str(structlog.contextvars.get_contextvars().get("request_id", ""))[:64],
    )
    recorded.send(AuditEntry, entry=entry, scopes=[scope, *also])
    return entry


def forget_transactions() -> None:
    """Make all entries count as older than any transaction, because theirs belong to another database server."""
    with connection.cursor() as cursor:
        cursor.execute(_FORGET_TRANSACTIONS)
