"""Metrics of cloud halves: what became of the features that they were asked about, and which answer nothing."""

from typing import Final

from kit.metrics import DatabaseMetrics, Family, Queried
from kit.sql import fixed

_FEATURES: Final = """
    SELECT scenario.slug || '/' || task.slug, outcome.name, sum(outcome.features)
    FROM tasks_app_cloudhalfstate state
    JOIN tasks_app_taskversion version ON version.id = state.version_id
    JOIN tasks_app_task task ON task.id = version.task_id
    JOIN tasks_app_scenario scenario ON scenario.id = task.scenario_id
    CROSS JOIN LATERAL (
        VALUES ('answered', state.answered), ('unanswered', state.unanswered), ('late', state.late)
    ) outcome (name, features)
    GROUP BY 1, 2
"""
_RESTING: Final = "SELECT count(*) FROM tasks_app_cloudhalfstate WHERE rests_until > now()"

_ASKED: Final = "Features that cloud halves were asked about: answered, unanswered or late."

METRICS: Final = DatabaseMetrics(
    sources=(
        Queried((Family("counter", "walle_cloud_half_features_total", _ASKED, ("task", "outcome")),), fixed(_FEATURES)),
        Queried(
            (Family("gauge", "walle_cloud_halves_resting", "Cloud halves that failed and are not asked for a while."),),
            fixed(_RESTING),
        ),
    ),
)
