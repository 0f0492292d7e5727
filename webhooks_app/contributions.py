"""The contributions of webhooks_app to other apps."""

from http import HTTPStatus

from kit.contributing import Contributions

CONTRIBUTIONS = Contributions(
    api=("webhooks_app.urls",),
    statuses={
        "webhooks_app.exceptions.WebhookInactive": HTTPStatus.CONFLICT,
        "webhooks_app.exceptions.MailUnavailable": HTTPStatus.CONFLICT,
        "webhooks_app.exceptions.NoAddress": HTTPStatus.CONFLICT,
        "webhooks_app.exceptions.WrongLink": HTTPStatus.CONFLICT,
    },
    jobs=("webhooks_app.jobs",),
    attention=("webhooks_app.selectors.webhooks.of_webhooks",),
    metrics=("webhooks_app.metrics.METRICS",),
)
