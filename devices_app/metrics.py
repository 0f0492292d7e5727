"""Metrics of apps: the tables published to their devices."""

from typing import Final

from devices_app.models import Device, InstalledTask, Report
from kit.metrics import DatabaseMetrics, Family, Queried
from kit.sql import fixed

_NUMBER: Final = """
    SELECT app.slug, published.number
    FROM devices_app_publishedtable published JOIN devices_app_app app ON app.id = published.app_id
"""
_AGE: Final = """
    SELECT app.slug, extract(epoch FROM now() - published.published_at)
    FROM devices_app_publishedtable published JOIN devices_app_app app ON app.id = published.app_id
"""

METRICS: Final = DatabaseMetrics(
    sources=(
        Queried((Family("gauge", "walle_table_number", "Number of the newest table of an app.", ("app",)),),
                fixed(_NUMBER)),
        Queried((Family("gauge", "walle_table_age_seconds", "Time since it was published.", ("app",)),), fixed(_AGE)),
    ),
    growing=(Device, Report, InstalledTask),
)  # fmt: skip
