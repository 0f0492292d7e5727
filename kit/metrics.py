"""Families of metrics: declared once with help and labels, filled for each reading.

Apps also declare the metrics that walleweb.metrics.database reads from the database for all apps at once, every few
seconds. No query may read what grows with the fleet, but for PostgreSQL's own estimates of it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate
from typing import Any, Final, Literal, Protocol

from django.db.models import Model
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric

from kit.sql import Statement

Kind = Literal["counter", "gauge", "histogram"]
Row = tuple[Any, ...]
Value = tuple[Any, ...]
"""A value of a family, with the values of its labels."""


class BucketCounts(Protocol):
    """Values counted by the smallest bound that they do not exceed; the last count has no bound."""

    @property
    def bounds(self) -> tuple[float, ...]: ...
    @property
    def counts(self) -> Sequence[int]: ...
    @property
    def sum(self) -> float: ...


@dataclass(frozen=True)
class Family:
    """One metric as it is exposed; docs/guides/monitoring.md lists it."""

    kind: Kind
    name: str
    help: str
    labels: tuple[str, ...] = ()


_KINDS: Final[dict[Kind, Any]] = {
    "counter": CounterMetricFamily,
    "gauge": GaugeMetricFamily,
    "histogram": HistogramMetricFamily,
}


class MetricReading:
    """The values of some families at one moment; a family without values is exposed too, with its help."""

    def __init__(self, families: Iterable[Family]) -> None:
        self._metrics = {each.name: _KINDS[each.kind](each.name, each.help, labels=each.labels) for each in families}

    def add(self, name: str, value: float, *labels: object) -> None:
        self._metrics[name].add_metric([str(label) for label in labels], float(value))

    def add_all(self, values: Iterable[Value]) -> None:
        for name, value, *labels in values:
            self.add(name, value, *labels)

    def add_histogram(self, name: str, found: BucketCounts, *labels: object) -> None:
        bounds = [*(f"{bound:g}" for bound in found.bounds), "+Inf"]
        buckets = list(zip(bounds, accumulate(found.counts), strict=True))
        self._metrics[name].add_metric([str(label) for label in labels], buckets, found.sum)

    def __iter__(self) -> Iterator[Metric]:
        yield from self._metrics.values()


@dataclass(frozen=True)
class Queried:
    """Metrics from a query, run for each reading; none while the database is unavailable.

    Each row yields some values. With one family and no function, a row holds its labels and then its value.
    """

    families: tuple[Family, ...]
    query: Callable[[], Statement]
    of_row: Callable[[Row], Iterable[Value]] | None = None

    def values(self, rows: Iterable[Row]) -> Iterator[Value]:
        for row in rows:
            if self.of_row is not None:
                yield from self.of_row(row)
            else:
                *labels, value = row
                yield self.families[0].name, value, *labels


@dataclass(frozen=True)
class Finished:
    """A counter of finished rows since the start of the process, with their durations if `seconds` is set.

    `query` selects those since a moment (or in the last half minute, where it is None), as (id, moment, seconds, labels
    of the count); its first row is (0, the database's present time, ...). The label of `seconds` is the first of the
    count's. `known` are labels that exist from the start: Prometheus sees no increase in a series that begins with 1.
    """

    count: Family
    query: Callable[[datetime | None], Statement]
    known: Callable[[], Iterable[tuple[str, ...]]]
    seconds: Family | None = None

    @property
    def families(self) -> tuple[Family, ...]:
        return (self.count, self.seconds) if self.seconds else (self.count,)


@dataclass(frozen=True)
class Known:
    """Metrics that the process knows without the database."""

    families: tuple[Family, ...]
    values: Callable[[], Iterable[Value]]


@dataclass(frozen=True)
class DatabaseMetrics:
    """The database metrics of one app, in order; `growing` are its tables whose size is monitored."""

    sources: tuple[Queried | Finished | Known, ...] = ()
    growing: tuple[type[Model], ...] = ()
