"""What releases_app contributes to other apps: metrics, jobs, topics and the like."""

from http import HTTPStatus

from kit.contributing import Contributions

CONTRIBUTIONS = Contributions(
    api=("releases_app.urls",),
    statuses={
        "releases_app.services.moves.ReleaseConflict": HTTPStatus.CONFLICT,
        "walle.release.states.MoveRefused": HTTPStatus.CONFLICT,
    },
    jobs=("releases_app.jobs", "releases_app.jobs_simulation"),
    topics=("releases_app.live",),
    metrics=("releases_app.metrics.METRICS",),
    rolled_back=("releases_app.selectors.quarantine.quarantined_manifests",),
    timeline=("releases_app.selectors.timeline.exposures_of",),
    audit_types={
        "releases_app.Release": "tasks_app.release",
        "releases_app.DeliveryGrant": "tasks_app.deliverygrant",
    },
    dashboard=("releases",),
)
