"""What tasks_app contributes to other apps: metrics, jobs, topics and the like."""

from http import HTTPStatus

from kit.contributing import Contributions

CONTRIBUTIONS = Contributions(
    api=("tasks_app.urls",),
    scopes=("scenario",),
    statuses={
        "tasks_app.exceptions.TasksError": HTTPStatus.BAD_REQUEST,
        "tasks_app.exceptions.NoSuchVersion": HTTPStatus.NOT_FOUND,
        "tasks_app.exceptions.ScenarioExists": HTTPStatus.CONFLICT,
        "tasks_app.exceptions.VersionConflict": HTTPStatus.CONFLICT,
        "tasks_app.exceptions.VersionExists": HTTPStatus.CONFLICT,
        "tasks_app.exceptions.BranchMoved": HTTPStatus.CONFLICT,
    },
    jobs=("tasks_app.jobs", "tasks_app.jobs_cloud"),
    metrics=("tasks_app.metrics.METRICS",),
    manifests=("tasks_app.selectors.names.manifest_of",),
    version_names=("tasks_app.selectors.names.versions_with",),
    dashboard=("tasks", "scenarios"),
)
