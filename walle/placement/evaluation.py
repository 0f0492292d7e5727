"""What a plan costs and whether it is feasible: the one definition of both, for all that makes plans or compares them.

An operator's load is shared among its workers as the plan says, else in proportion to their capacity. Compute is the
price of all workers used, each paid whole. Network is, for each edge and each pair of sender and receiver in proportion
to their loads, the GB (1048576 KB) of an hour times their price.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from walle.placement.problem.model import (
    AccuracyRow,
    Edge,
    ModelChoice,
    PlacementPlan,
    PlacementProblem,
    PlacementWorker,
    WorkflowGraph,
)

GB_PER_HOUR: Final = 3600 / 1048576
"""The GB in an hour of one KB per second."""
MBPS: Final = 1024 * 8 / 1e6
"""The Mbit/s of one KB per second."""
TOLERANCE: Final = 1e-9
"""How far, relatively, a bound may be missed by rounding."""


class PlanMismatch(ValueError):
    """A plan names operators, models or workers that its problem does not have, or leaves operators without any."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A constraint that a plan breaks.

    `constraint` is `accuracy`, `throughput`, `unable` (a worker cannot run the model), `one-way` (traffic to a lower
    tier), `one-operator` (a worker serves several) or `bandwidth`; `subject` is the operator, worker, tier or edge.
    """

    constraint: str
    subject: str
    needed: float
    found: float

    @property
    def text(self) -> str:
        """The violation in words."""
        words = {
            "accuracy": f"the accuracy at {self.subject} must be at least {self.needed:g}, it is {self.found:g}",
            "throughput": f"{self.subject} must take {self.needed:.6g} items/s, its workers take {self.found:.6g}",
            "unable": f"{self.subject}: this worker cannot run the model",
            "one-way": f"{self.subject}: traffic would go down to a lower tier",
            "one-operator": f"{self.subject} serves {self.found:g} operators, it may serve one",
            "bandwidth": f"{self.subject} may send {self.needed:.6g} Mbit/s, it would send {self.found:.6g}",
        }
        return words[self.constraint]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What a plan costs in an hour, in USD, and what it achieves.

    `accuracy` is that of the sink, None if the profiles have no row for it. `throughput` is how many items per second
    the sink could answer. `utilisation` is the busy share of each worker used, by id, at the target's rates.
    """

    compute: float
    network: float
    accuracy: float | None
    throughput: float
    utilisation: Mapping[str, float] = field(hash=False)
    violations: tuple[Violation, ...]

    @property
    def cost(self) -> float:
        """Compute and network together, in USD per hour."""
        return self.compute + self.network

    @property
    def feasible(self) -> bool:
        """Whether the plan breaks no constraint."""
        return not self.violations


def output_accuracy(model: ModelChoice, inputs: tuple[float | None, ...]) -> float | None:
    """Return the accuracy of a model's output, estimated conservatively from its rows; None if no row tells it.

    The row that counts is the closest one that is not higher in any input. Where several are closest, none of them
    above another in all inputs, each bounds the accuracy from below, and the best bound counts.
    """
    known = [each for each in inputs if each is not None]
    if len(known) < len(inputs):
        return None
    if not model.accuracy_rows:
        return min(known, default=None)
    closest: list[AccuracyRow] = []
    for row in model.accuracy_rows:
        if _reaches(known, row.inputs) and not any(_above(other.inputs, row.inputs) for other in closest):
            closest = [other for other in closest if not _above(row.inputs, other.inputs)] + [row]
    return max((row.output for row in closest), default=None)


def _reaches(first: Sequence[float], second: Sequence[float]) -> bool:
    return all(a >= b for a, b in zip(first, second, strict=True))


def _above(first: Sequence[float], second: Sequence[float]) -> bool:
    return first != second and _reaches(first, second)


def accuracies(workflow: WorkflowGraph, models: Mapping[str, str]) -> dict[str, float | None]:
    """Return the accuracy of each operator's output under a selection of models; None where no row tells it."""
    found: dict[str, float | None] = {}
    for name in workflow.order:
        operator = workflow.by_name[name]
        found[name] = output_accuracy(operator.model(models[name]), tuple(found[each] for each in operator.inputs))
    return found


def enough(found: float, needed: float) -> bool:
    """Return whether a figure reaches a bound, apart from rounding."""
    return found >= needed - TOLERANCE * max(1.0, abs(needed))


def evaluate(problem: PlacementProblem, plan: PlacementPlan) -> Evaluation:
    """Return the cost of a plan, what it achieves, and every constraint it breaks.

    Raises PlanMismatch if the plan does not fit the problem's operators, models and workers.
    """
    _check_names(problem, plan)
    loads = _Loads(problem, plan)
    infrastructure = problem.infrastructure
    used = {worker.id: worker for name in plan.workers for worker in loads.workers[name]}
    accuracy = accuracies(problem.workflow, plan.models)[problem.workflow.sink]
    busiest = min(loads.capacity[name] / problem.rates[name] for name in problem.workflow.order)
    return Evaluation(
        compute=math.fsum(infrastructure.hourly(worker) for worker in used.values()),
        network=math.fsum(kb * price for _, _, kb, price in loads.flows() if kb) * GB_PER_HOUR,
        accuracy=accuracy,
        throughput=busiest * problem.rates[problem.workflow.sink],
        utilisation=loads.utilisation(),
        violations=(*_accuracy(problem, accuracy), *_throughput(problem, loads), *_flow(problem, loads)),
    )


@dataclass(frozen=True, slots=True)
class TierTraffic:
    """What an edge carries from one tier to another, or within one, in an hour: GB, and USD for it."""

    edge: Edge
    sender: int
    receiver: int
    gb: float
    usd: float


def loads_of(problem: PlacementProblem, plan: PlacementPlan) -> dict[str, dict[str, float]]:
    """Return the share of each operator's load that each of its workers serves, by operator and id."""
    loads = _Loads(problem, plan)
    return {name: {worker.id: share for worker, share in loads.shares(name) if worker} for name in plan.workers}


def traffic(problem: PlacementProblem, plan: PlacementPlan) -> list[TierTraffic]:
    """Return what each edge carries between tiers under a plan that fits its problem."""
    loads = _Loads(problem, plan)
    source = problem.infrastructure.network.source_tier
    found: list[TierTraffic] = []
    for edge in problem.workflow.edges:
        sums: dict[tuple[int, int], tuple[float, float]] = {}
        for sender, receiver, kb, price in loads.flows_of(edge):
            pair = source if sender is None else sender.tier, receiver.tier
            gb, usd = sums.get(pair, (0.0, 0.0))
            sums[pair] = gb + kb * GB_PER_HOUR, usd + (kb * GB_PER_HOUR * price if kb else 0.0)
        found += [TierTraffic(edge, *pair, *sent) for pair, sent in sorted(sums.items()) if sent[0]]
    return found


def capped_traffic(problem: PlacementProblem, plan: PlacementPlan) -> tuple[dict[int, float], dict[str, float]]:
    """Return the Mbit/s that caps of bandwidth are about: by tier, and by worker; of those that have one."""
    return _sent(problem, _Loads(problem, plan))


def _check_names(problem: PlacementProblem, plan: PlacementPlan) -> None:
    known = set(problem.workflow.by_name)
    if set(plan.models) != known or set(plan.workers) != known:
        raise PlanMismatch(f"expected a model and workers for each of {', '.join(problem.workflow.order)}")
    for name, ids in plan.workers.items():
        if plan.models[name] not in {each.name for each in problem.workflow.by_name[name].models}:
            raise PlanMismatch(f"expected a model of {name}, found {plan.models[name]!r}")
        if not ids or len(set(ids)) < len(ids) or not set(ids) <= set(problem.infrastructure.by_id):
            raise PlanMismatch(f"expected different workers of the infrastructure for {name}, found {list(ids)!r}")
    for name, shares in plan.shares.items():
        whole = abs(math.fsum(shares) - 1) <= TOLERANCE and all(each >= 0 for each in shares)
        if len(shares) != len(plan.workers.get(name, ())) or not whole:
            raise PlanMismatch(f"expected a share of each worker of {name}, 1 in all, found {list(shares)!r}")


class _Loads:
    """How a plan's load is spread: capacities by operator, shares by worker, flows by pairs of workers."""

    def __init__(self, problem: PlacementProblem, plan: PlacementPlan) -> None:
        self.problem = problem
        self.plan = plan
        by_id = problem.infrastructure.by_id
        self.workers = {name: tuple(by_id[each] for each in ids) for name, ids in plan.workers.items()}
        self.capacities = {
            name: tuple(problem.capacity(name, plan.models[name], worker) for worker in workers)
            for name, workers in self.workers.items()
        }
        self.capacity = {name: self._capacity(name) for name in self.workers}

    def _capacity(self, name: str) -> float:
        """Return the items per second that an operator's workers take, sharing them as the plan says."""
        if name not in self.plan.shares:
            return math.fsum(self.capacities[name])
        pairs = zip(self.capacities[name], self.plan.shares[name], strict=True)
        return min(capacity / share for capacity, share in pairs if share)

    def shares(self, name: str) -> Iterable[tuple[PlacementWorker | None, float]]:
        """Return the workers of an operator with their shares of its load; for a source, None with all of it."""
        return zip(self.workers[name], self.parts(name), strict=True) if name in self.workers else ((None, 1.0),)

    def parts(self, name: str) -> tuple[float, ...]:
        """Return the shares of an operator's workers, in their order."""
        if name in self.plan.shares:
            return self.plan.shares[name]
        whole = self.capacity[name] or math.inf
        return tuple(capacity / whole for capacity in self.capacities[name])

    def flows(self) -> Iterator[tuple[PlacementWorker | None, PlacementWorker, float, float]]:
        """Yield sender (None for sources), receiver, KB per second and USD per GB by edge and pair of workers."""
        return (flow for edge in self.problem.workflow.edges for flow in self.flows_of(edge))

    def flows_of(self, edge: Edge) -> Iterator[tuple[PlacementWorker | None, PlacementWorker, float, float]]:
        """Yield the flows of one edge."""
        prices = self.problem.infrastructure.network
        kb = self.problem.edge_rate(edge) * edge.kb(self.plan.models.get(edge.source))
        for sender, sent in self.shares(edge.source):
            for receiver, taken in self.shares(edge.target):
                if receiver is not None:
                    yield sender, receiver, kb * sent * taken, prices.between(sender, receiver)

    def utilisation(self) -> dict[str, float]:
        """Return the busy share of each worker; a worker of several operators adds up what each asks of it."""
        found: dict[str, float] = {}
        for name, workers in self.workers.items():
            rate = self.problem.rates[name]
            for worker, part, capacity in zip(workers, self.parts(name), self.capacities[name], strict=True):
                found[worker.id] = found.get(worker.id, 0.0) + (rate * part / capacity if capacity else 0.0)
        return found


def _accuracy(problem: PlacementProblem, accuracy: float | None) -> Iterator[Violation]:
    found = -math.inf if accuracy is None else accuracy
    if not enough(found, problem.target.accuracy):
        yield Violation("accuracy", problem.workflow.sink, problem.target.accuracy, found)


def _throughput(problem: PlacementProblem, loads: _Loads) -> Iterator[Violation]:
    serving: dict[str, int] = {}
    for name in problem.workflow.order:
        for worker, capacity in zip(loads.workers[name], loads.capacities[name], strict=True):
            serving[worker.id] = serving.get(worker.id, 0) + 1
            if not capacity:
                yield Violation("unable", f"{name} on {worker.id}", problem.rates[name], 0.0)
        if not enough(loads.capacity[name], problem.rates[name]):
            yield Violation("throughput", name, problem.rates[name], loads.capacity[name])
    for worker_id, count in serving.items():
        if count > 1:
            yield Violation("one-operator", worker_id, 1, count)


def _flow(problem: PlacementProblem, loads: _Loads) -> Iterator[Violation]:
    for edge in problem.workflow.edges:
        if not _upward(problem, loads, edge):
            yield Violation("one-way", f"{edge.source} -> {edge.target}", 0, 0)
    infrastructure = problem.infrastructure
    tiers, workers = _sent(problem, loads)
    for tier, cap in infrastructure.tier_caps.items():
        if not enough(cap, tiers[tier]):
            yield Violation("bandwidth", infrastructure.tiers[tier], cap, tiers[tier])
    for worker_id, cap in infrastructure.worker_caps.items():
        if not enough(cap, workers[worker_id]):
            yield Violation("bandwidth", worker_id, cap, workers[worker_id])


def _sent(problem: PlacementProblem, loads: _Loads) -> tuple[dict[int, float], dict[str, float]]:
    infrastructure = problem.infrastructure
    tiers = dict.fromkeys(infrastructure.tier_caps, 0.0)
    workers = dict.fromkeys(infrastructure.worker_caps, 0.0)
    for sender, receiver, kb, _ in loads.flows():
        tier = infrastructure.network.source_tier if sender is None else sender.tier
        mbps = kb * MBPS / infrastructure.coefficients[tier]
        if tier < receiver.tier and tier in tiers:
            tiers[tier] += mbps
        apart = sender is not None and (sender.tier, sender.location) != (receiver.tier, receiver.location)
        if sender is not None and apart and sender.id in workers:
            workers[sender.id] += mbps
    return tiers, workers


def _upward(problem: PlacementProblem, loads: _Loads, edge: Edge) -> bool:
    senders = loads.workers.get(edge.source, ())
    highest = max((each.tier for each in senders), default=problem.infrastructure.network.source_tier)
    return all(each.tier >= highest for each in loads.workers[edge.target])
