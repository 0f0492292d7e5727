"""What serving_app contributes to other apps: addresses, jobs, topics and the like."""

from kit.contributing import Contributions

CONTRIBUTIONS = Contributions(
    api=("serving_app.urls",),
    jobs=("serving_app.jobs",),
    topics=("serving_app.live",),
    dashboard=("serving",),
    attention=("serving_app.selectors.attention.of_serving",),
    metrics=("serving_app.metrics.METRICS",),
)
