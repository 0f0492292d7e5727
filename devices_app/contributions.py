"""What devices_app contributes to other apps: metrics, jobs, concerns and the like."""

from http import HTTPStatus

from kit.contributing import Contributions

CONTRIBUTIONS = Contributions(
    api=("devices_app.urls",),
    scopes=("app",),
    statuses={
        "devices_app.exceptions.InUse": HTTPStatus.CONFLICT,
        "walle.protocol.errors.ProtocolError": HTTPStatus.BAD_REQUEST,
        "walle.protocol.names.InvalidNameError": HTTPStatus.BAD_REQUEST,
        "walle.release.rules.RuleMalformed": HTTPStatus.BAD_REQUEST,
    },
    jobs=("devices_app.jobs",),
    topics=("devices_app.live",),
    attention=(
        "devices_app.selectors.attention.fleet_concerns",
        "devices_app.selectors.feature_attention.feature_concerns",
    ),
    metrics=("devices_app.metrics.METRICS",),
    dashboard=("devices", "features", "apps"),
)
