"""SQL that counts exposures: of one release, and by how much a statement changes the counts of all it touches.

What is counted, and by which thresholds, has grown once: a migration takes the `Counting` of its time.
"""

from collections.abc import Mapping
from dataclasses import dataclass

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
_THRESHOLDS = {
    "began_at": "timestamptz",
    "compared": "bigint[]",
    "bucket_low": "integer",
    "bucket_high": "integer",
    "limit_ms": "float8",
    "baseline_ms": "float8",
    "warm_baseline_ms": "float8",
    "metric": "text",
    "median": "float8",
}
_RUN_POINTS, _METRIC_POINTS = (25, 50, 75, 95, 99), (5, 25, 75, 95)
_WHOLE = {
    **{f"slower_{at}": f"exposure.cold_ms > tallied.cold_grid[{i}]" for i, at in enumerate(_RUN_POINTS, 1)},
    **{f"warm_slower_{at}": f"exposure.warm_ms > tallied.warm_grid[{i}]" for i, at in enumerate(_RUN_POINTS, 1)},
    **{
        f"low_{at}": f"""CASE jsonb_typeof(exposure.metrics -> tallied.metric) WHEN 'number'
        THEN (exposure.metrics ->> tallied.metric)::double precision < tallied.metric_grid[{i}] END"""
        for i, at in enumerate(_METRIC_POINTS, 1)
    },
}
_ESTABLISHED = "exposure.vouched OR coalesce(exposure.first_seen < tallied.began_at, false)"


@dataclass(frozen=True)
class Counting:
    """How exposures are counted: conditions by name, thresholds with their types, and an exposure's arm."""

    counts: Mapping[str, str]
    thresholds: Mapping[str, str]
    arm: str

    @property
    def group(self) -> str:
        return f"exposure.stage, {self.arm}, {_ESTABLISHED}"

    @property
    def signature(self) -> str:
        return f"walle_count_exposures(bigint, {', '.join(self.thresholds.values())})"

    @property
    def count(self) -> str:
        """Return the statement that creates what counts the exposures of one release."""
        parameters = ", ".join(f"{name} {kind}" for name, kind in self.thresholds.items())
        return f"""
CREATE FUNCTION walle_count_exposures(of_release bigint, {parameters})
RETURNS TABLE (stage bigint, arm text, established boolean, {", ".join(f"{name} bigint" for name in self.counts)})
LANGUAGE sql STABLE AS $$
    SELECT {self.group}, {", ".join(f"count(*) FILTER (WHERE {condition})" for condition in self.counts.values())}
    FROM releases_app_exposure exposure CROSS JOIN (
        SELECT {", ".join(f"walle_count_exposures.{name}" for name in self.thresholds)}
    ) tallied
    WHERE exposure.release = of_release GROUP BY 1, 2, 3
$$
"""

    @property
    def tally(self) -> str:
        """Return the statement that creates, or replaces, what counts the changes of exposures."""
        added, taken = "SELECT 1 AS sign, * FROM after_rows", "SELECT -1 AS sign, * FROM before_rows"
        return f"""
CREATE OR REPLACE FUNCTION walle_tally_exposures() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN {self._changes(added, "after_rows")}
    ELSIF TG_OP = 'DELETE' THEN {self._changes(taken, "before_rows")}
    ELSE {self._changes(f"{added} UNION ALL {taken}", "after_rows")}
    END IF;
    RETURN NULL;
END $$
"""

    def _changes(self, rows: str, changed: str) -> str:
        """Return the statements that add by how much the counts have changed.

        The counting of a release begins under an exclusive lock, with which this waits where it has not: either that
        count sees these exposures, or this sees that the release is tallied.
        """
        sums = [f"coalesce(sum(exposure.sign) FILTER (WHERE {condition}), 0)" for condition in self.counts.values()]
        return f"""
        PERFORM pg_advisory_xact_lock_shared({LOCK_CLASS}, (release % 2147483648)::integer) FROM (
            SELECT DISTINCT release FROM {changed} changed
            WHERE NOT EXISTS (SELECT FROM releases_app_talliedrelease tallied WHERE tallied.release = changed.release)
            ORDER BY release
        ) untallied;
        INSERT INTO releases_app_exposuretally (release, stage, arm, established, {", ".join(self.counts)})
        SELECT * FROM (
            SELECT exposure.release, {self.group}, {", ".join(f"{each} AS {name}" for name, each in zip(self.counts, sums))}
            FROM ({rows}) exposure JOIN releases_app_talliedrelease tallied USING (release)
            GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
        ) change WHERE {" OR ".join(f"{name} <> 0" for name in self.counts)};"""


AT_ONE_QUANTILE = Counting(_COUNTS, _THRESHOLDS, "exposure.arm")
WHOLE_DISTRIBUTIONS = Counting(
    {
        **_COUNTS,
        "comparable": """exposure.stage = ANY(tallied.compared) AND (exposure.arm = 'control' OR exposure.arm = 'treatment'
        AND exposure.bucket >= tallied.bucket_low AND exposure.bucket < tallied.bucket_high)""",
        **_WHOLE,
    },
    {**_THRESHOLDS, "cold_grid": "float8[]", "warm_grid": "float8[]", "metric_grid": "float8[]"},
    "CASE WHEN exposure.crossed THEN 'crossed' ELSE exposure.arm END",
)
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
    migrations.RunSQL(AT_ONE_QUANTILE.count, f"DROP FUNCTION {AT_ONE_QUANTILE.signature}"),
    migrations.RunSQL(AT_ONE_QUANTILE.tally, "DROP FUNCTION walle_tally_exposures()"),
    *(
        migrations.RunSQL(trigger, f"DROP TRIGGER exposures_are_tallied_at_{event} ON releases_app_exposure")
        for event, trigger in zip(_EVENTS, TRIGGERS, strict=True)
    ),
]
# The function with fewer thresholds stays for the processes of the version before.
CHANGES = [
    migrations.RunSQL(WHOLE_DISTRIBUTIONS.count, f"DROP FUNCTION {WHOLE_DISTRIBUTIONS.signature}"),
    migrations.RunSQL(WHOLE_DISTRIBUTIONS.tally, AT_ONE_QUANTILE.tally),
]
CONTRACTION = [migrations.RunSQL(f"DROP FUNCTION IF EXISTS {AT_ONE_QUANTILE.signature}", AT_ONE_QUANTILE.count)]
