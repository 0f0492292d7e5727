"""The counts of a serving process, as plain numbers that cost a request next to nothing; exporters read them."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import Final

from walle.whitebox.serving.outcomes import AnsweredRequest

LATENCY_S: Final = (
    *(1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 1e-2),
    *(2.5e-2, 0.1, 0.5, 2.5, 10.0),
)
MOST_PLANS: Final = 500
"""The most versions that are counted one by one; others are counted together."""
OTHERS: Final = ("others", "", "")

PlanKey = tuple[str, str, str]
"""App, task and version."""


class RequestSeconds:
    """Counts seconds by the smallest bound of LATENCY_S that they do not exceed; the last count has no bound."""

    __slots__ = ("bounds", "counts", "sum")

    def __init__(self) -> None:
        self.bounds = LATENCY_S
        self.counts = [0] * (len(LATENCY_S) + 1)
        self.sum = 0.0

    def observe(self, seconds: float) -> None:
        self.counts[bisect_left(LATENCY_S, seconds)] += 1
        self.sum += seconds


class ServingCounts:
    """Counts since the process started.

    `latency` is that of requests from their head to their answer, by version; `records` are by version and outcome
    (answered, refused, failed), `cascaded` those of a version that the prefix of its cascade answered; `refusals` are
    requests by code; `requests` those under way.
    """

    def __init__(self) -> None:
        self.latency: dict[PlanKey, RequestSeconds] = {}
        self.records: Counter[tuple[PlanKey, str]] = Counter()
        self.cascaded: Counter[PlanKey] = Counter()
        self.refusals: Counter[str] = Counter()
        self.requests = 0

    def answered(self, plan: PlanKey, answered: AnsweredRequest) -> None:
        """Count a request that a version answered, or failed to answer."""
        latency = self.latency.get(plan)
        if latency is None:
            plan = plan if len(self.latency) < MOST_PLANS else OTHERS
            latency = self.latency.setdefault(plan, RequestSeconds())
        latency.observe(answered.seconds)
        self.records[plan, "answered"] += answered.records - answered.refused - answered.failed
        if answered.refused:
            self.records[plan, "refused"] += answered.refused
        if answered.failed:
            self.records[plan, "failed"] += answered.failed
        if answered.cascaded:
            self.cascaded[plan] += answered.cascaded
