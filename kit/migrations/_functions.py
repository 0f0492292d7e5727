"""SQL of a trigger function for tables whose rows never change."""

from django.db import migrations

REFUSE_CHANGE = """
CREATE FUNCTION walle_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% refused: rows of % are immutable', TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$
"""

OPERATIONS = [migrations.RunSQL(REFUSE_CHANGE, "DROP FUNCTION walle_refuse_change()")]
