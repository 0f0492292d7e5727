"""Every entry gets the number of the transaction that wrote it.

That costs next to nothing however many entries there are: a column with a constant default is not written into old rows,
and they are left out of the index.
"""

from django.db import migrations

import accounts_app.transactions

COLUMN = """
ALTER TABLE accounts_app_auditentry ADD COLUMN xid xid8 NOT NULL DEFAULT '0';
ALTER TABLE accounts_app_auditentry ALTER COLUMN xid SET DEFAULT pg_current_xact_id();
CREATE INDEX audit_by_transaction ON accounts_app_auditentry (xid, id) WHERE xid > '0'
"""


class Migration(migrations.Migration):
    dependencies = [("accounts_app", "0004_audit_by_actor")]

    operations = [
        migrations.RunSQL(
            COLUMN,
            "ALTER TABLE accounts_app_auditentry DROP COLUMN xid",
            state_operations=[
                migrations.AddField(
                    model_name="auditentry",
                    name="xid",
                    field=accounts_app.transactions.TransactionId(
                        db_default=accounts_app.transactions.CurrentTransaction(), editable=False
                    ),
                ),
            ],
        ),
    ]
