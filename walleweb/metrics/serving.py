"""The counts of a serving process (walle.whitebox.serving.counts) as metrics, read in the event loop's thread."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

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
    Family("counter", "walle_serving_cascaded_records_total", "Records that a cascade's prefix answered.", _VERSION),
    Family("counter", "walle_serving_refusals_total", "Requests refused, by the problem's code.", ("code",)),
    Family("gauge", "walle_serving_requests", "Requests under way."),
    Family("gauge", "walle_serving_versions", "Versions of pipelines, by state.", ("state",)),
    Family("gauge", "walle_serving_state_age_seconds", "Time since tables were last looked for in the database."),
    Family("gauge", "walle_serving_table_number", "Number of the table by which an app is served.", ("app",)),
    Family("gauge", "walle_serving_parameter_bytes", "Bytes of parameters, by how they are counted.", ("how",)),
    Family("counter", "walle_serving_results_total", "Single records looked for in the cache of results.", ("found",)),
    Family("gauge", "walle_serving_waiting_pieces", "Pieces of batches that wait for an executor.", ("queue",)),
    Family("gauge", "walle_serving_backlog_seconds", "Time that executors need for what waits."),
    Family("counter", "walle_serving_shed_total", "Batches refused or dropped because they would come too late."),
    Family("counter", "walle_serving_executor_restarts_total", "Executors that died or were killed, and replaced."),
)
_REFUSALS: Final = ("internal-error", "plan-unready", "plan-isolated", "plan-failed", "overloaded")


class ServingCollector(Collector):
    """Reads the counts of one serving process."""

    def __init__(self, process: ServingProcess) -> None:
        self._process = process

    def collect(self) -> Iterable[Metric]:
        reading = MetricReading(FAMILIES)
        process, counts = self._process, self._process.counts
        for plan, latency in counts.latency.items():
            reading.add_histogram("walle_serving_request_seconds", latency, *plan)
            reading.add("walle_serving_cascaded_records_total", counts.cascaded[plan], *plan)
        for (plan, outcome), number in counts.records.items():
            reading.add("walle_serving_records_total", number, *plan, outcome)
        # Series with alerts exist from the start: Prometheus sees no increase in a series that begins with 1.
        for code, number in {**dict.fromkeys(_REFUSALS, 0), **counts.refusals}.items():
            reading.add("walle_serving_refusals_total", number, code)
        reading.add("walle_serving_requests", counts.requests)
        plans = process.plans
        loaded, failed, isolated = len(plans.loaded), len(plans.failed), len(plans.isolated)
        states = {"loaded": loaded, "failed": failed, "isolated": isolated, "waiting": plans.waiting}
        for state, number in states.items():
            reading.add("walle_serving_versions", number, state)
        reading.add("walle_serving_state_age_seconds", process.state_age())
        for slug, app in process.apps.items():
            reading.add("walle_serving_table_number", app.number, slug)
        _runtime(reading, process.engine.statistics())
        return reading


def _runtime(reading: MetricReading, told: Mapping[str, Any]) -> None:
    """Add what the runtime counts (walle.whitebox.runtime.service.Runtime.statistics)."""
    memory, results, executors = told["memory"], told["results"], told["executors"]
    queues = told["queues"].values()
    for how in ("shared", "unshared", "mapped"):
        reading.add("walle_serving_parameter_bytes", memory[f"{how}_bytes"], how)
    reading.add("walle_serving_results_total", results["hits"], "yes")
    reading.add("walle_serving_results_total", results["misses"], "no")
    for queue in ("low", "high"):
        reading.add("walle_serving_waiting_pieces", sum(each[queue] for each in queues), queue)
    reading.add("walle_serving_backlog_seconds", max((each["backlog_s"] for each in queues), default=0.0))
    reading.add("walle_serving_shed_total", executors["shed"] + sum(each["refused"] for each in queues))
    reading.add("walle_serving_executor_restarts_total", executors["restarts"])


class ServingMetrics(MetricsEndpoint):
    """The ASGI application of /metrics in a serving process."""

    def __init__(self, process: ServingProcess, token: str) -> None:
        registry = CollectorRegistry()
        registry.register(ServingCollector(process))
        ProcessCollector(registry=registry)
        super().__init__(registry, token)
