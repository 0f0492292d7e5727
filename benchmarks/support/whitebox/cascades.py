"""A pipeline with and without a cascade: how it is taught, how accurate both are, and what a record costs."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.support.whitebox.timing import percentiles, times_us
from walle.cli.pipeline_cascades import CONFIDENCE, cost_of
from walle.whitebox.archive import Statistics
from walle.whitebox.cascades import LearnedCascade, TrainingRecords, learn_cascade
from walle.whitebox.importing import Imported
from walle.whitebox.runtime.served_plan import BoundServedPlan, ServedPlan

_Z: Final = 1.96


def bound(archive: Any, arrays: Any) -> BoundServedPlan:
    """Return the plan of an archive whose arrays are in this process."""

    def part(parameter: Any) -> NDArray[Any]:
        return arrays[parameter.digest].reshape(parameter.shape)[..., parameter.start : parameter.stop]

    return ServedPlan.of(archive).bind(part)


def labels_of(plan: BoundServedPlan, records: Sequence[Any]) -> list[Any]:
    """Return the labels that a plan predicts, one record after the other."""
    vectors = plan.vectors(1)
    return [plan.predict(record, vectors).label for record in records]


def taught(
    whole: Imported,
    statistics: Statistics,
    records: Sequence[Any],
    predicted: Sequence[Any],
    *,
    labels: Sequence[Any] | None,
    tolerance: float,
    most_trained: int,
) -> LearnedCascade:
    """Return the cascade that is learned of records by their labels, or by what the pipeline itself predicts.

    Its accuracy may be less by `tolerance`. Prefixes are trained with `most_trained` of them at most.
    """
    training = TrainingRecords(records, predicted if labels is None else labels, predicted, labels is not None)
    return learn_cascade(
        whole, statistics, training, cost_of, tolerance=tolerance, confidence=CONFIDENCE, most_trained=most_trained
    )


@dataclass(frozen=True)
class Accuracies:
    """On records that neither training nor training saw: shares that are right, and the half width of the interval
    (95 %) of their difference, which is paired.
    """

    whole: float
    cascade: float
    half_width: float
    answered: float

    @classmethod
    def of(cls, whole: Sequence[Any], predictions: Sequence[Any], labels: Sequence[Any]) -> Accuracies:
        truth = np.array(labels, object)
        before = np.array(whole, object) == truth
        after = np.array([each.label for each in predictions], object) == truth
        difference = before.astype(np.int64) - after.astype(np.int64)
        half_width = float(_Z * difference.std() / len(truth) ** 0.5)
        answered = float(np.mean([each.cascade for each in predictions]))
        return cls(float(before.mean()), float(after.mean()), half_width, answered)

    def figures(self, name: str) -> dict[str, float]:
        return {
            f"{name}_accuracy": 100 * self.cascade,
            f"{name}_whole_accuracy": 100 * self.whole,
            f"{name}_loss_points": 100 * (self.whole - self.cascade),
            f"{name}_loss_half_width_points": 100 * self.half_width,
            f"{name}_answered": self.answered,
        }


def speed_figures(
    name: str, whole: BoundServedPlan, cascade: BoundServedPlan, records: Sequence[Any], rounds: int
) -> dict[str, float]:
    """Return how many times faster records are predicted with a cascade: one by one, and as one batch; in turns."""
    plans = {"whole": whole, "cascade": cascade}
    alone: dict[str, list[NDArray[np.float64]]] = {kind: [] for kind in plans}
    means: dict[str, list[float]] = {kind: [] for kind in plans}
    batches: dict[str, list[float]] = {kind: [] for kind in plans}
    for round_ in range(1 + rounds):
        for kind, plan in plans.items():
            vectors = plan.vectors(1)
            one = time.thread_time()
            times = times_us(_predicting(plan, vectors), records)
            between = time.thread_time()
            plan.run(records, vectors)
            if round_:
                alone[kind].append(times)
                means[kind].append((between - one) / len(records))
                batches[kind].append((time.thread_time() - between) / len(records))
    found = {kind: np.concatenate(times) for kind, times in alone.items()}
    ratios = {
        part: float(np.percentile(found["whole"], part) / np.percentile(found["cascade"], part)) for part in (50, 99)
    }
    return {
        f"{name}_speedup": min(means["whole"]) / min(means["cascade"]),
        f"{name}_speedup_p50": ratios[50],
        f"{name}_speedup_p99": ratios[99],
        f"{name}_batch_speedup": min(batches["whole"]) / min(batches["cascade"]),
        **{f"{name}_{kind}_mean_us": 1e6 * min(times) for kind, times in means.items()},
        **{f"{name}_{kind}_batch_us": 1e6 * min(times) for kind, times in batches.items()},
        **percentiles(f"{name}_whole", found["whole"]),
        **percentiles(f"{name}_cascade", found["cascade"]),
    }


def _predicting(plan: BoundServedPlan, vectors: Any) -> Callable[[Any], Any]:
    return lambda record: plan.predict(record, vectors)
