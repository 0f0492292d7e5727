"""What a run of a plan has achieved, beside what the plan promised."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from walle.placement.processor.measuring import DurationCounts, OperatorFigures, together
from walle.placement.processor.planning import Deployment


@dataclass(frozen=True)
class RunReport:
    """Figures of a run: seconds from the first item to the last acknowledgement, items, operators by worker, bytes.

    `counts` has results, empty (items of which nothing was left), records, sent_again, duplicates, restarts, replans,
    and throttled: how often the sources waited for room. `sent` is bytes by sender (None for the sources) and receiver,
    `network_usd` their price.
    """

    elapsed_s: float
    admitted: int
    acknowledged: int
    pending: int
    counts: Mapping[str, int]
    latency: DurationCounts
    operators: Mapping[tuple[str, str], OperatorFigures]
    sent: Mapping[str | None, Mapping[str, int]]
    network_usd: float
    deployment: Deployment

    @property
    def rate(self) -> float:
        """The items of the sources that were acknowledged per second."""
        return self.acknowledged / self.elapsed_s if self.elapsed_s > 0 else 0.0

    def operator(self, name: str) -> OperatorFigures:
        """Return the figures of an operator on all of its workers."""
        return together(figures for (operator, _), figures in self.operators.items() if operator == name)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON."""
        planned = self.deployment
        hours = self.elapsed_s / 3600
        return {
            "elapsed_s": round(self.elapsed_s, 3),
            "items": {"sent": self.admitted, "acknowledged": self.acknowledged, "pending": self.pending},
            **{name: self.counts.get(name, 0) for name in COUNTS},
            "rate": {
                "achieved": round(self.rate, 3),
                "asked": planned.rate,
                "planned_capacity": round(planned.planned_capacity, 3),
            },
            "latency_ms": {
                f"p{each}": round(1e3 * self.latency.percentile(each), 3) for each in (50, 90, 99) if self.acknowledged
            },
            "network": {
                "bytes": sum(size for found in self.sent.values() for size in found.values()),
                "usd_per_hour": round(self.network_usd / hours, 6) if hours > 0 else 0.0,
                "planned_usd_per_hour": round(planned.planned_network_usd, 6),
            },
            "compute_usd_per_hour": round(planned.planned_compute_usd, 6),
            "operators": [
                {"operator": operator, "worker": worker, **figures.to_dict()}
                for (operator, worker), figures in sorted(self.operators.items())
            ],
        }


COUNTS = ("results", "empty", "records", "throttled", "sent_again", "duplicates", "restarts", "replans")
