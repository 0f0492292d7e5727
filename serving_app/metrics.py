"""Metrics of serving from the database: hosts and what they have installed; hosts expose their own besides."""

from collections.abc import Iterator
from typing import Final

from kit.metrics import DatabaseMetrics, Family, Queried, Row, Value
from kit.sql import fixed
from serving_app.models import HostMinute, PredictionCount

_HOSTS: Final = "SELECT name, extract(epoch FROM now() - seen_at), installed FROM serving_app_servinghost"
_PLANS: Final = "SELECT state, count(*) FROM serving_app_hostedplan GROUP BY 1"


def _of_host(row: Row) -> Iterator[Value]:
    host, silent_s, installed = row
    yield "walle_serving_host_silent_seconds", silent_s, host
    yield "walle_serving_host_versions", installed, host


METRICS: Final = DatabaseMetrics(
    sources=(
        Queried(
            (Family("gauge", "walle_serving_host_silent_seconds", "Time since a serving host last reported.",
                    ("host",)),
             Family("gauge", "walle_serving_host_versions", "Versions that are ready on it.", ("host",))),
            fixed(_HOSTS),
            _of_host,
        ),
        Queried(
            (Family("gauge", "walle_serving_plans", "Versions on serving hosts, by state.", ("state",)),),
            fixed(_PLANS),
        ),
    ),
    growing=(PredictionCount, HostMinute),
)  # fmt: skip
