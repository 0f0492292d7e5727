"""The audit log only grows: the database refuses to change or delete its rows.

`walle_refuse_change` also serves other apps' immutable tables.
"""

from django.db import migrations

FUNCTION = """
CREATE FUNCTION walle_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% refused: rows of % are immutable', TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$
"""
TRIGGER = """
CREATE TRIGGER audit_is_append_only BEFORE UPDATE OR DELETE ON accounts_app_auditentry
FOR EACH ROW EXECUTE FUNCTION walle_refuse_change()
"""


class Migration(migrations.Migration):
    dependencies = [("accounts_app", "0001_initial")]

    operations = [
        migrations.RunSQL(FUNCTION, "DROP FUNCTION walle_refuse_change()"),
        migrations.RunSQL(TRIGGER, "DROP TRIGGER audit_is_append_only ON accounts_app_auditentry"),
    ]
