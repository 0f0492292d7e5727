"""Read how predictions went: rates and quantiles from the counts of minutes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import zip_longest
from typing import Final

from django.db.models import F, Sum

from serving_app.models import PredictionCount
from walle.release.histogram import quantile
from walle.whitebox.serving.ports import LATENCY_FROM_S

LATELY: Final = timedelta(minutes=5)
"""The time of which the figures of a version are, the present minute included."""
MOST_MINUTES: Final = 24 * 60
_MS: Final = 1000.0


@dataclass
class PredictionFigures:
    """What was predicted within some seconds. `refused` records had the wrong form, `failed` ones no prediction."""

    seconds: float
    requests: int = 0
    records: int = 0
    failed: int = 0
    refused: int = 0
    latency: list[int] = field(default_factory=list)
    scores: list[int] = field(default_factory=list)

    def add(self, row: PredictionCount) -> None:
        self.requests += row.requests
        self.records += row.records
        self.failed += row.failed
        self.refused += row.refused
        self.latency = _sum(self.latency, row.latency)
        self.scores = _sum(self.scores, row.scores)

    @property
    def requests_per_s(self) -> float:
        return self.requests / self.seconds

    @property
    def records_per_s(self) -> float:
        return self.records / self.seconds

    @property
    def p50_ms(self) -> float | None:
        return self._quantile(0.5)

    @property
    def p90_ms(self) -> float | None:
        return self._quantile(0.9)

    @property
    def p99_ms(self) -> float | None:
        return self._quantile(0.99)

    def _quantile(self, share: float) -> float | None:
        """Return a quantile in milliseconds; None for fewer requests than that one of them may lie beyond it."""
        if sum(self.latency) < round(1 / (1 - share)):
            return None
        found = quantile(self.latency, share, LATENCY_FROM_S)
        return None if found is None else float(f"{_MS * found:.3g}")


@dataclass
class FiguresPoint:
    """The figures of one version in one minute."""

    at: datetime
    version: str
    figures: PredictionFigures


def figures_lately(tasks: Iterable[str], *, now: datetime) -> Mapping[str, Mapping[str, PredictionFigures]]:
    """Return the figures of tasks by name and version within LATELY; tasks and versions without any are missing."""
    found: dict[str, dict[str, PredictionFigures]] = {}
    begin = _minute(now - LATELY)
    seconds = max(1.0, (now - begin).total_seconds())
    for row in PredictionCount.objects.filter(task__in=list(tasks), at__gte=begin):
        of_task = found.setdefault(row.task, {})
        of_task.setdefault(row.version, PredictionFigures(seconds)).add(row)
    return found


def figures_by_minute(task: str, *, minutes: int, now: datetime) -> list[FiguresPoint]:
    """Return the figures of each version of a task by minute, the oldest first, without minutes that have none."""
    points: dict[tuple[datetime, str], FiguresPoint] = {}
    since = _minute(now - timedelta(minutes=minutes))
    for row in PredictionCount.objects.filter(task=task, at__gte=since).order_by("at", "version"):
        point = points.get((row.at, row.version))
        if point is None:
            point = points[row.at, row.version] = FiguresPoint(row.at, row.version, PredictionFigures(60.0))
        point.figures.add(row)
    return list(points.values())


def total_of(figures: Iterable[PredictionFigures]) -> PredictionFigures:
    """Return the sum of figures of the same time."""
    every = list(figures)
    total = PredictionFigures(every[0].seconds if every else LATELY.total_seconds())
    for each in every:
        total.requests += each.requests
        total.records += each.records
        total.failed += each.failed
        total.refused += each.refused
        total.latency = _sum(total.latency, each.latency)
        total.scores = _sum(total.scores, each.scores)
    return total


def predictions_line() -> str:
    """Return in a few words how many records were predicted, of those that are still counted; empty while none were."""
    found = PredictionCount.objects.aggregate(records=Sum("records"), failed=Sum(F("failed") + F("refused")))
    return f"predictions {found['records']:,}, {found['failed']:,} failed" if found["records"] else ""


def _minute(moment: datetime) -> datetime:
    return moment.replace(second=0, microsecond=0)


def _sum(one: Sequence[int], other: Sequence[int]) -> list[int]:
    return [first + second for first, second in zip_longest(one, other, fillvalue=0)]
