"""Claim: a head that is trained on a device's own events foretells that customer better than the one that was shipped.

Emulated customers of a shop differ in their interests in its categories, which are hidden
(`walle.stream.session_generator`). A model of what a customer opens next is trained on the views of many customers and
shipped. Each of other customers then trains its head on the views of their first sessions, as a device would with
`walle_task.training`, and both are asked about sessions that follow. Judged over customers:

- `gain`: how much lower the personal head's log loss is, of the shipped one's, on held-out views; `gain_low` is the
  lower end of its 95 % interval over customers (bootstrap);
- `better`: the share of customers whose log loss fell;
- `p99_ms`: the 99th percentile of the processor time that one customer's training takes, planning included.

Beside it, not judged: the gain after fewer sessions, so that one sees how it grows.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from dataclasses import dataclass

import numpy as np

from benchmarks.support.harness import Benchmark, Dimension
from benchmarks.support.outcome import Target
from benchmarks.support.recommendation_head import Views, joined, log_loss, personal, shipped, views_of
from walle.stream.session_generator import draw_interests
from walle_task.tensor.graph import Graph

BENCHMARK = Benchmark(
    "personalisation",
    scale={"customers": Dimension(200, 3), "shipped_customers": Dimension(400, 20), "sessions": Dimension(20, 5)},
    targets=(
        Target("gain_low", at_least=0.02),
        Target("better", at_least=0.8),
        Target("p99_ms", at_most=1000),
    ),
    assumptions=(
        "customers are emulated: what they open follows from hidden interests, the last view and chance",
        "a customer's interests do not change from session to session",
        "as many sessions are held out as are trained on",
    ),
)


@dataclass(frozen=True)
class Result:
    """One customer: log loss of the shipped and of the personal head on held-out views, and seconds of training."""

    shipped: float
    personal: float
    seconds: float


def customer_views(customer: str, sessions: int, part: str = "first") -> Views:
    """Return the views in some sessions of a customer: in a part of time, which is a name as the customer is."""
    return views_of(draw_interests(random.Random(customer)), sessions, seed=f"{customer}, {part} sessions")


def shipped_model(customers: int, sessions: int) -> Graph:
    """Return the model that all devices get, trained on customers of its own."""
    views = joined([customer_views(f"of the shipped model {number}", sessions) for number in range(customers)])
    return shipped(views, np.random.default_rng(1))


def result(model: Graph, own: Views, held_out: Views) -> Result:
    """Return how a customer's personal head does beside the shipped one."""
    begin = time.process_time()
    found = personal(model, own)
    seconds = time.process_time() - begin
    return Result(log_loss(model, held_out), log_loss(found, held_out), seconds)


def gain(results: list[Result]) -> float:
    """Return how much lower the mean log loss of the personal heads is, of that of the shipped one."""
    return 1 - statistics.fmean(each.personal for each in results) / statistics.fmean(each.shipped for each in results)


def low_end(results: list[Result]) -> float:
    """Return the lower end of the 95 % interval of the gain, by a thousand samples of customers."""
    rng = random.Random(3)
    samples = sorted(gain(rng.choices(results, k=len(results))) for _ in range(1000))
    return samples[25]


def main() -> int:
    BENCHMARK.announce()
    sessions, customers = BENCHMARK.size("sessions"), BENCHMARK.size("customers")
    model = shipped_model(BENCHMARK.size("shipped_customers"), sessions)
    figures: dict[str, float] = {}
    for count in sorted({max(sessions // 4, 2), max(sessions // 2, 2), sessions}):
        results = []
        for number in range(customers):
            own, held_out = (customer_views(str(number), *each) for each in ((count,), (sessions, "later")))
            results.append(result(model, own, held_out))
        figures[f"gain_after_{count}"] = gain(results)
        print(
            f"after {count} sessions: log loss {statistics.fmean(each.shipped for each in results):.4f} -> "
            f"{statistics.fmean(each.personal for each in results):.4f}"
        )
    figures |= {
        "gain": gain(results),
        "gain_low": low_end(results),
        "better": statistics.fmean(each.personal < each.shipped for each in results),
        "p50_ms": float(np.percentile([each.seconds for each in results], 50)) * 1e3,
        "p99_ms": float(np.percentile([each.seconds for each in results], 99)) * 1e3,
    }
    return BENCHMARK.judge(figures)


if __name__ == "__main__":
    sys.exit(main())
