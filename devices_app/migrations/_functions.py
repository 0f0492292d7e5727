"""SQL functions that compare a fact's JSON with what targeting rules say.

They return NULL for a fact of another type. `walle_version_key` is the twin of
walle.release.rules.versions.version_key, which explains the key. Keys compare by their bytes: COLLATE "C".
"""

from django.db import migrations

FACT_TEXT = """
CREATE FUNCTION walle_fact_text(fact jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN jsonb_typeof(fact) = 'string' THEN fact #>> '{}' END
"""

FACT_NUMBER = """
CREATE FUNCTION walle_fact_number(fact jsonb) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN jsonb_typeof(fact) = 'number' THEN fact::numeric END
"""

NUMBER_KEY = """
CREATE FUNCTION walle_number_key(digits text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN chr(48 + length(digits)) || digits
"""

VERSION_KEY = r"""
CREATE FUNCTION walle_version_key(fact jsonb) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    version text := walle_fact_text(fact);
    without_build text;
    numbers text;
    part text[];
    key text;
BEGIN
    IF version IS NULL OR length(version) > 64 OR version !~ (
        '^(?:0|[1-9][0-9]*)(?:\.(?:0|[1-9][0-9]*)(?:\.(?:0|[1-9][0-9]*)'
        '(?:-(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*))*)?'
        '(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?)?)?$'
    ) THEN
        RETURN NULL;
    END IF;
    without_build := split_part(version, '+', 1);
    numbers := split_part(without_build, '-', 1);
    part := string_to_array(numbers, '.') || '{0,0}'::text[];
    key := walle_number_key(part[1]) || walle_number_key(part[2]) || walle_number_key(part[3]);
    IF numbers = without_build THEN
        RETURN key || '3';
    END IF;
    FOREACH version IN ARRAY string_to_array(substr(without_build, length(numbers) + 2), '.') LOOP
        key := key || CASE WHEN version ~ '^[0-9]+$' THEN '1' || walle_number_key(version) ELSE '2' || version || '!' END;
    END LOOP;
    RETURN key;
END
$$
"""

# So that a check-in that says nothing new writes to no index.
ROOM = "ALTER TABLE devices_app_device SET (fillfactor = 80)"

OPERATIONS = [
    migrations.RunSQL(FACT_TEXT, "DROP FUNCTION walle_fact_text(jsonb)"),
    migrations.RunSQL(FACT_NUMBER, "DROP FUNCTION walle_fact_number(jsonb)"),
    migrations.RunSQL(NUMBER_KEY, "DROP FUNCTION walle_number_key(text)"),
    migrations.RunSQL(VERSION_KEY, "DROP FUNCTION walle_version_key(jsonb)"),
    migrations.RunSQL(ROOM, "ALTER TABLE devices_app_device RESET (fillfactor)"),
]
