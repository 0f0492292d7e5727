"""Metrics of apps: the tables published to their devices, and the features that these upload."""

from collections.abc import Iterator
from typing import Final

from devices_app.models import Device, InstalledTask, Report
from devices_app.selectors.features import lag_statement
from kit.metrics import DatabaseMetrics, Family, Queried, Row, Value
from kit.sql import fixed

_NUMBER: Final = """
    SELECT app.slug, published.number
    FROM devices_app_publishedtable published JOIN devices_app_app app ON app.id = published.app_id
"""
_AGE: Final = """
    SELECT app.slug, extract(epoch FROM now() - published.published_at)
    FROM devices_app_publishedtable published JOIN devices_app_app app ON app.id = published.app_id
"""

_RECEIVED: Final = """
    SELECT app.slug, sum(features), sum(raw_bytes), sum(wire_bytes)
    FROM devices_app_featurecount counted JOIN devices_app_app app ON app.id = counted.app_id
    WHERE minute = date_trunc('minute', now()) - interval '1 minute' GROUP BY 1
"""
_FAILURES: Final = "SELECT name, failures FROM devices_app_featureconsumer"


def _received(row: Row) -> Iterator[Value]:
    app, features, raw, wire = row
    yield "walle_features_per_minute", features, app
    yield "walle_features_bytes_per_minute", raw, app, "raw"
    yield "walle_features_bytes_per_minute", wire, app, "wire"


def _lag(row: Row) -> Iterator[Value]:
    consumer, features, seconds = row
    yield "walle_features_unread", features, consumer
    yield "walle_features_unread_seconds", seconds, consumer


METRICS: Final = DatabaseMetrics(
    sources=(
        Queried((Family("gauge", "walle_table_number", "Number of the newest table of an app.", ("app",)),),
                fixed(_NUMBER)),
        Queried((Family("gauge", "walle_table_age_seconds", "Time since it was published.", ("app",)),), fixed(_AGE)),
        Queried(
            (Family("gauge", "walle_features_per_minute", "Features received in the last whole minute.", ("app",)),
             Family("gauge", "walle_features_bytes_per_minute",
                    "Their bytes: of values as JSON (raw), of frames (wire).", ("app", "form"))),
            fixed(_RECEIVED),
            _received,
        ),
        Queried(
            (Family("gauge", "walle_features_unread", "Features that a consumer has not read.", ("consumer",)),
             Family("gauge", "walle_features_unread_seconds", "For how long the oldest of them has waited.",
                    ("consumer",))),
            lag_statement,
            _lag,
        ),
        Queried(
            (Family("gauge", "walle_features_failed_attempts", "Attempts of a consumer since its last success.",
                    ("consumer",)),),
            fixed(_FAILURES),
        ),
    ),
    growing=(Device, Report, InstalledTask),
)  # fmt: skip
