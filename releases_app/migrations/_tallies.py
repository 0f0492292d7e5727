"""SQL that counts exposures: of one release, and by how much a statement changes the counts of all it touches."""

from django.db import migrations

LOCK_CLASS = 0x5754
"""\"WT\" in ASCII, with the release as the second key: held while the counting of a release begins."""

# `exposure` is a row, `tallied` the row with the thresholds of its release.
_COUNTS = {
    "drawn": "true",
    "offered": "exposure.offered_at IS NOT NULL",
    "installed": "exposure.installed_at IS NOT NULL",
    "reported": "exposure.outcome <> ''",
    "failed": "exposure.outcome = 'failure'",
    "due": "exposure.silent IS NOT NULL",
    "silent": "exposure.silent",
    "timed": "exposure.cold_ms IS NOT NULL",
    "slow": "exposure.cold_ms > tallied.limit_ms",
    "slower": "exposure.cold_ms > tallied.baseline_ms",
    "warm_timed": "exposure.warm_ms IS NOT NULL",
    "warm_slow": "exposure.warm_ms > tallied.limit_ms",
    "warm_slower": "exposure.warm_ms > tallied.warm_baseline_ms",
    "measured": "jsonb_typeof(exposure.metrics -> tallied.metric) = 'number'",
    "low": """CASE jsonb_typeof(exposure.metrics -> tallied.metric) WHEN 'number'
        THEN (exposure.metrics ->> tallied.metric)::double precision < tallied.median END""",
    "comparable": """exposure.stage = ANY(tallied.compared) AND (exposure.arm = 'control'
        OR exposure.bucket >= tallied.bucket_low AND exposure.bucket < tallied.bucket_high)""",
}
_GROUP = "exposure.stage, exposure.arm, exposure.vouched OR coalesce(exposure.first_seen < tallied.began_at, false)"

COUNT = f"""
CREATE FUNCTION walle_count_exposures(
    of_release bigint, began_at timestamptz, compared bigint[], bucket_low integer, bucket_high integer,
    limit_ms float8, baseline_ms float8, warm_baseline_ms float8, metric text, median float8
) RETURNS TABLE (stage bigint, arm text, established boolean, {", ".join(f"{name} bigint" for name in _COUNTS)})
LANGUAGE sql STABLE AS $$
    SELECT {_GROUP}, {", ".join(f"count(*) FILTER (WHERE {condition})" for condition in _COUNTS.values())}
    FROM releases_app_exposure exposure CROSS JOIN (
        SELECT walle_count_exposures.began_at, walle_count_exposures.compared, walle_count_exposures.bucket_low,
            walle_count_exposures.bucket_high, walle_count_exposures.limit_ms, walle_count_exposures.baseline_ms,
            walle_count_exposures.warm_baseline_ms, walle_count_exposures.metric, walle_count_exposures.median
    ) tallied
    WHERE exposure.release = of_release GROUP BY 1, 2, 3
$$
"""


def _changes(rows: str, changed: str) -> str:
    """Return the statements that add by how much the counts have changed.

    The counting of a release begins under an exclusive lock, with which this waits where it has not: either that count
    sees these exposures, or this sees that the release is tallied.
    """
    sums = [f"coalesce(sum(exposure.sign) FILTER (WHERE {condition}), 0)" for condition in _COUNTS.values()]
    return f"""
        PERFORM pg_advisory_xact_lock_shared({LOCK_CLASS}, (release % 2147483648)::integer) FROM (
            SELECT DISTINCT release FROM {changed} changed
            WHERE NOT EXISTS (SELECT FROM releases_app_talliedrelease tallied WHERE tallied.release = changed.release)
            ORDER BY release
        ) untallied;
        INSERT INTO releases_app_exposuretally (release, stage, arm, established, {", ".join(_COUNTS)})
        SELECT * FROM (
            SELECT exposure.release, {_GROUP}, {", ".join(f"{each} AS {name}" for name, each in zip(_COUNTS, sums))}
            FROM ({rows}) exposure JOIN releases_app_talliedrelease tallied USING (release)
            GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
        ) change WHERE {" OR ".join(f"{name} <> 0" for name in _COUNTS)};"""


_ADDED, _TAKEN = "SELECT 1 AS sign, * FROM after_rows", "SELECT -1 AS sign, * FROM before_rows"
TALLY = f"""
CREATE FUNCTION walle_tally_exposures() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN {_changes(_ADDED, "after_rows")}
    ELSIF TG_OP = 'DELETE' THEN {_changes(_TAKEN, "before_rows")}
    ELSE {_changes(f"{_ADDED} UNION ALL {_TAKEN}", "after_rows")}
    END IF;
    RETURN NULL;
END $$
"""
_EVENTS = {
    "insert": "REFERENCING NEW TABLE AS after_rows",
    "update": "REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows",
    "delete": "REFERENCING OLD TABLE AS before_rows",
}
TRIGGERS = [
    f"CREATE TRIGGER exposures_are_tallied_at_{event} AFTER {event} ON releases_app_exposure {tables} "
    "FOR EACH STATEMENT EXECUTE FUNCTION walle_tally_exposures()"
    for event, tables in _EVENTS.items()
]

OPERATIONS = [
    migrations.RunSQL(
        COUNT,
        "DROP FUNCTION walle_count_exposures("
        "bigint, timestamptz, bigint[], integer, integer, float8, float8, float8, text, float8)",
    ),
    migrations.RunSQL(TALLY, "DROP FUNCTION walle_tally_exposures()"),
    *(
        migrations.RunSQL(trigger, f"DROP TRIGGER exposures_are_tallied_at_{event} ON releases_app_exposure")
        for event, trigger in zip(_EVENTS, TRIGGERS, strict=True)
    ),
]
