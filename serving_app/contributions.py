"""What serving_app contributes to other apps: addresses, jobs, topics and the like."""

from http import HTTPStatus

from kit.contributing import Contributions

CONTRIBUTIONS = Contributions(
    api=("serving_app.urls",),
    statuses={
        "serving_app.services.placements.PlacementConflict": HTTPStatus.CONFLICT,
        "serving_app.services.applying.PlanRefused": HTTPStatus.BAD_REQUEST,
    },
    jobs=("serving_app.jobs", "serving_app.jobs_placements", "serving_app.jobs_profiles"),
    topics=("serving_app.live", "serving_app.live_placements"),
    dashboard=("serving", "placements"),
    attention=("serving_app.selectors.attention.of_serving",),
    refusals=("serving_app.selectors.refusals.refusal_of",),
    metrics=("serving_app.metrics.METRICS",),
)
