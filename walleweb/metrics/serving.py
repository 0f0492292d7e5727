"""The counts of a serving process (walle.whitebox.serving.counts) as metrics, read in the event loop's thread."""

from collections.abc import Iterable
from typing import Final

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from kit.metrics import Family, MetricReading
from walle.whitebox.serving.process import ServingProcess
from walleweb.metrics.endpoint import MetricsEndpoint

_VERSION: Final = ("app", "task", "version")
FAMILIES: Final = (
    Family("histogram", "walle_serving_request_seconds", "Time from a request's head to its answer.", _VERSION),
    Family("counter", "walle_serving_records_total", "Records, by what came of them.", (*_VERSION, "outcome")),
    Family("counter", "walle_serving_refusals_total", "Requests refused, by the problem's code.", ("code",)),
    Family("gauge", "walle_serving_requests", "Requests under way."),
    Family("gauge", "walle_serving_plans", "Versions of pipelines, by state.", ("state",)),
    Family("gauge", "walle_serving_state_age_seconds", "Time since tables were last looked for in the database."),
    Family("gauge", "walle_serving_table_number", "Number of the table by which an app is served.", ("app",)),
)
_REFUSALS: Final = ("internal-error", "plan-unready", "plan-isolated", "plan-damaged", "overloaded")


class ServingCollector(Collector):
    """Reads the counts of one serving process."""

    def __init__(self, process: ServingProcess) -> None:
        self._process = process

    def collect(self) -> Iterable[Metric]:
        reading = MetricReading(FAMILIES)
        process, counts = self._process, self._process.counts
        for plan, latency in counts.latency.items():
            reading.add_histogram("walle_serving_request_seconds", latency, *plan)
        for (plan, outcome), number in counts.records.items():
            reading.add("walle_serving_records_total", number, *plan, outcome)
        # Series with alerts exist from the start: Prometheus sees no increase in a series that begins with 1.
        for code, number in {**dict.fromkeys(_REFUSALS, 0), **counts.refusals}.items():
            reading.add("walle_serving_refusals_total", number, code)
        reading.add("walle_serving_requests", counts.requests)
        plans = process.plans
        states = {"loaded": plans.loaded, "failed": plans.failed, "isolated": plans.isolated}
        for state, found in states.items():
            reading.add("walle_serving_plans", len(found), state)
        reading.add("walle_serving_plans", plans.waiting, "waiting")
        reading.add("walle_serving_state_age_seconds", process.state_age())
        for slug, app in process.apps.items():
            reading.add("walle_serving_table_number", app.number, slug)
        return reading


class ServingMetrics(MetricsEndpoint):
    """The ASGI application of /metrics in a serving process."""

    def __init__(self, process: ServingProcess, token: str) -> None:
        registry = CollectorRegistry()
        registry.register(ServingCollector(process))
        ProcessCollector(registry=registry)
        super().__init__(registry, token)
