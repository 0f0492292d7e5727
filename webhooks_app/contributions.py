"""What webhooks add to the whole."""

from http import HTTPStatus

from kit.contributing import Contributions

CONTRIBUTIONS = Contributions(
    api=("webhooks_app.urls",),
    statuses={"webhooks_app.exceptions.WebhookInactive": HTTPStatus.CONFLICT},
    jobs=("webhooks_app.jobs",),
    attention=("webhooks_app.selectors.of_webhooks",),
    metrics=("webhooks_app.metrics.METRICS",),
)
