"""Families of metrics: declared once with help and labels, filled anew for each reading."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Final, Literal

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric

from walle.gateway.counts import Histogram

Kind = Literal["counter", "gauge", "histogram"]


@dataclass(frozen=True)
class Family:
    """One metric, as it is exposed and as docs/guides/monitoring.md lists it."""

    kind: Kind
    name: str
    help: str
    labels: tuple[str, ...] = ()


_KINDS: Final[dict[Kind, Any]] = {
    "counter": CounterMetricFamily,
    "gauge": GaugeMetricFamily,
    "histogram": HistogramMetricFamily,
}


class Reading:
    """The values of some families at one moment; a family without values is exposed too, with its help."""

    def __init__(self, families: Iterable[Family]) -> None:
        self._metrics = {each.name: _KINDS[each.kind](each.name, each.help, labels=each.labels) for each in families}

    def add(self, name: str, value: float, *labels: object) -> None:
        self._metrics[name].add_metric([str(label) for label in labels], float(value))

    def add_histogram(self, name: str, found: Histogram, *labels: object) -> None:
        bounds = [*(f"{bound:g}" for bound in found.bounds), "+Inf"]
        buckets = list(zip(bounds, accumulate(found.counts), strict=True))
        self._metrics[name].add_metric([str(label) for label in labels], buckets, found.sum)

    def __iter__(self) -> Iterator[Metric]:
        yield from self._metrics.values()
