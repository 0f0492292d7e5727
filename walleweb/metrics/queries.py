"""The queries behind walleweb.metrics.database. Each row holds the labels of one value, then the value.

None of them may read what grows with the fleet: they look at releases, at jobs that wait, at what indexes hold of the
last seconds, and at PostgreSQL's own statistics.
"""

from typing import Final

# Of the states given, the newest so many: release, app, task, version, state, stage, seconds in it, last verdict.
RELEASES: Final = """
    SELECT release.id, app.slug, scenario.slug || '/' || task.slug, version.version, release.state,
        coalesce(release.position, -1), release.clock_s + coalesce(extract(epoch FROM now() - release.clock_since), 0),
        (SELECT kind FROM releases_app_storedverdict WHERE release_id = release.id ORDER BY id DESC LIMIT 1)
    FROM (SELECT * FROM releases_app_release WHERE state = ANY (%s) ORDER BY id DESC LIMIT %s) release
    JOIN devices_app_app app ON app.id = release.app_id
    JOIN tasks_app_taskversion version ON version.id = release.version_id
    JOIN tasks_app_task task ON task.id = version.task_id
    JOIN tasks_app_scenario scenario ON scenario.id = task.scenario_id
"""
GAUGES: Final = {
    "walle_database_bytes": "SELECT pg_database_size(current_database())",
    "walle_database_rows": """
        SELECT relname, greatest(reltuples, 0) FROM pg_class WHERE oid = ANY (ARRAY[
            'devices_app_device', 'devices_app_report', 'releases_app_exposure', 'devices_app_installedtask',
            'accounts_app_auditentry', 'jobs_app_job'
        ]::regclass[])""",
    "walle_database_connections": """
        SELECT coalesce(state, 'other'), count(*) FROM pg_stat_activity
        WHERE datname = current_database() GROUP BY 1""",
    "walle_releases": """
        SELECT app.slug, release.state, count(*)
        FROM releases_app_release release JOIN devices_app_app app ON app.id = release.app_id GROUP BY 1, 2""",
    "walle_release_verdicts_total": "SELECT kind, count(*) FROM releases_app_storedverdict GROUP BY 1",
    "walle_release_moves_total": "SELECT action, count(*) FROM releases_app_transition GROUP BY 1",
    "walle_simulation_cells": """
        SELECT cell.state, count(*) FROM releases_app_release release
        JOIN releases_app_simulationcell cell ON cell.release_id = release.id
        WHERE release.state = 'simulating' GROUP BY 1""",
    "walle_table_number": """
        SELECT app.slug, published.number
        FROM devices_app_publishedtable published JOIN devices_app_app app ON app.id = published.app_id""",
    "walle_table_age_seconds": """
        SELECT app.slug, extract(epoch FROM now() - published.published_at)
        FROM devices_app_publishedtable published JOIN devices_app_app app ON app.id = published.app_id""",
    # Each state has an index of its own.
    "walle_jobs": """
        SELECT kind, 'pending', count(*) FROM jobs_app_job WHERE state = 'pending' GROUP BY 1 UNION ALL
        SELECT kind, 'running', count(*) FROM jobs_app_job WHERE state = 'running' GROUP BY 1""",
    "walle_job_lag_seconds": """
        SELECT kind, extract(epoch FROM now() - min(run_at)) FROM jobs_app_job
        WHERE state = 'pending' AND run_at <= now() GROUP BY 1""",
    "walle_job_expired_leases": """
        SELECT kind, count(*) FROM jobs_app_job WHERE state = 'running' AND lease_until < now() GROUP BY 1""",
    "walle_workers": """
        SELECT queue, count(*) FROM jobs_app_worker WHERE seen_at > now() - interval '30 seconds' GROUP BY 1""",
    "walle_webhook_deliveries": """
        SELECT state, count(*) FROM webhooks_app_delivery WHERE state IN ('pending', 'sending') GROUP BY 1""",
    "walle_webhook_lag_seconds": """
        SELECT coalesce(greatest(extract(epoch FROM now() - min(due_at)), 0), 0) FROM webhooks_app_delivery
        WHERE state IN ('pending', 'sending')""",
}
PERIODIC: Final = """
    SELECT known.name, extract(epoch FROM now() - last.created_at) FROM unnest(%s::text[]) known (name)
    CROSS JOIN LATERAL (
        SELECT created_at FROM jobs_app_job
        WHERE dedupe_key = 'periodic:' || known.name AND dedupe_key <> '' ORDER BY id DESC LIMIT 1
    ) last
"""
# The database's present moment, then what finished since the moment given, or in the last half minute.
JOBS_FINISHED: Final = """
    SELECT 0, now(), 0.0, '', '' UNION ALL (
        SELECT id, finished_at, extract(epoch FROM finished_at - started_at)::float8, kind, state FROM jobs_app_job
        WHERE state IN ('succeeded', 'failed')
            AND finished_at >= coalesce(%s::timestamptz, now() - interval '30 seconds')
    )
"""
DELIVERIES_FINISHED: Final = """
    SELECT 0, now(), 0.0, '' UNION ALL (
        SELECT id, finished_at, extract(epoch FROM finished_at - created_at)::float8, state FROM webhooks_app_delivery
        WHERE NOT state IN ('pending', 'sending')
            AND finished_at >= coalesce(%s::timestamptz, now() - interval '30 seconds')
    )
"""
