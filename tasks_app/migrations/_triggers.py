"""SQL triggers that make versions and their files immutable.

A version's payload may be signed again, so the columns about its envelope may change.
"""

from django.db import migrations

VERSION_UPDATE = """
CREATE TRIGGER version_is_immutable BEFORE UPDATE ON tasks_app_taskversion FOR EACH ROW
WHEN (
    (to_jsonb(OLD) - 'envelope_digest' - 'signed_by') IS DISTINCT FROM (to_jsonb(NEW) - 'envelope_digest' - 'signed_by')
)
EXECUTE FUNCTION walle_refuse_change()
"""
VERSION_DELETE = """
CREATE TRIGGER version_is_kept BEFORE DELETE ON tasks_app_taskversion
FOR EACH ROW EXECUTE FUNCTION walle_refuse_change()
"""
FILE = """
CREATE TRIGGER file_is_immutable BEFORE UPDATE OR DELETE ON tasks_app_versionfile
FOR EACH ROW EXECUTE FUNCTION walle_refuse_change()
"""

OPERATIONS = [
    migrations.RunSQL(VERSION_UPDATE, "DROP TRIGGER version_is_immutable ON tasks_app_taskversion"),
    migrations.RunSQL(VERSION_DELETE, "DROP TRIGGER version_is_kept ON tasks_app_taskversion"),
    migrations.RunSQL(FILE, "DROP TRIGGER file_is_immutable ON tasks_app_versionfile"),
]
