"""SQL that makes the audit log append-only, and indexes it by transaction."""

from django.db import migrations

APPEND_ONLY = """
CREATE TRIGGER audit_is_append_only BEFORE UPDATE OR DELETE ON accounts_app_auditentry
FOR EACH ROW EXECUTE FUNCTION walle_refuse_change()
"""
# Entries restored from a backup belong to no transaction of this server, and are left out.
BY_TRANSACTION = "CREATE INDEX audit_by_transaction ON accounts_app_auditentry (xid, id) WHERE xid > '0'"

OPERATIONS = [
    migrations.RunSQL(APPEND_ONLY, "DROP TRIGGER audit_is_append_only ON accounts_app_auditentry"),
    migrations.RunSQL(BY_TRANSACTION, "DROP INDEX audit_by_transaction"),
]
