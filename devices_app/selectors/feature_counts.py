"""Features per minute: how many, their bytes, and the delays with which they came."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from itertools import zip_longest
from typing import Final, NamedTuple

from devices_app.models import FeatureCount
from walle.release.histogram import quantile

SHORTEST_DELAY_S: Final = 0.001
"""Where the histograms of delays begin."""


class DelayQuantiles(NamedTuple):
    """Delays in seconds that a half, nine in ten and 99 in 100 features did not exceed; None where there were none."""

    p50: float | None
    p90: float | None
    p99: float | None


@dataclass
class CountedFeatures:
    """The features that were received in the minute that began at `minute`, of one task or of several.

    `raw_bytes` are those of values as JSON, `wire_bytes` those of the frames they came in. The histograms are delays
    until the gateway had a feature, since its event and since its run (walle.release.histogram).
    """

    minute: datetime
    features: int = 0
    raw_bytes: int = 0
    wire_bytes: int = 0
    since_event: list[int] = field(default_factory=list)
    since_run: list[int] = field(default_factory=list)

    def add(self, row: FeatureCount) -> None:
        self.features += row.features
        self.raw_bytes += row.raw_bytes
        self.wire_bytes += row.wire_bytes
        self.since_event = added(self.since_event, row.since_event)
        self.since_run = added(self.since_run, row.since_run)


def minute_counts(
    *, since: datetime, until: datetime, apps: Collection[int] | None = None, task: str = ""
) -> list[CountedFeatures]:
    """Return the counts of the minutes that began in a time range and had features, in order.

    `apps` are primary keys, None for all; `task` a name, empty for all.
    """
    rows = FeatureCount.objects.filter(minute__gte=since, minute__lt=until).order_by("minute")
    if apps is not None:
        rows = rows.filter(app__in=apps)
    if task:
        rows = rows.filter(task=task)
    counted: dict[datetime, CountedFeatures] = {}
    for row in rows:
        counted.setdefault(row.minute, CountedFeatures(row.minute)).add(row)
    return list(counted.values())


def added(counts: Iterable[int], others: Iterable[int]) -> list[int]:
    """Return the sum of two histograms of delays, or of several minutes."""
    return [one + other for one, other in zip_longest(counts, others, fillvalue=0)]


def quantiles(counts: list[int]) -> DelayQuantiles:
    """Return the quantiles of a histogram of delays."""
    return DelayQuantiles(*(quantile(counts, share, SHORTEST_DELAY_S) for share in (0.5, 0.9, 0.99)))
