"""What each worker is told, made from a problem, a plan and the code of the operators; and what the plan promises."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import ceil

from walle.placement.evaluation import evaluate
from walle.placement.problem.model import Edge, PlacementPlan, PlacementProblem, PlacementWorker
from walle.placement.processor.network import LinkShape
from walle.placement.processor.routing import RoutingTable, routing_table
from walle.placement.processor.specs import HostedSpec, OperatorCode, OutgoingEdge, WorkerSpec

MIN_IN_FLIGHT = 64
IN_FLIGHT_S = 2.0
"""By default the items of so many seconds are on their way, beyond those that the operators take at once."""


class NotRunnable(ValueError):
    """A plan, or the code of its operators, cannot be run; the message says what was expected."""


@dataclass(frozen=True)
class WorkflowCode:
    """What runs a workflow: the code of each operator; without any, stand-ins take the time that the profiles say.

    `slowdown` is by type of worker, for machines that imitate slower ones. `links` shape the network between two tiers,
    (from, to) by index, beside the caps of the problem.
    """

    operators: Mapping[str, OperatorCode] = field(default_factory=dict)
    slowdown: Mapping[str, float] = field(default_factory=dict)
    links: Mapping[tuple[int, int], LinkShape] = field(default_factory=dict)


@dataclass(frozen=True)
class Deployment:
    """A plan as the workers and the sources are told it, and what it promises.

    `source_links` and `source_mbps` shape what leaves the sources; `prices` are USD per GB by sender (None for
    sources) and receiver. Items of each source per second are `rate`, and `planned_capacity` of what the workers could
    take. What is planned in USD is per hour.
    """

    workers: Mapping[str, WorkerSpec]
    table: RoutingTable
    source_edges: Mapping[str, tuple[OutgoingEdge, ...]]
    source_links: Mapping[str, LinkShape]
    source_mbps: float | None
    prices: Mapping[tuple[str | None, str], float]
    rate: float
    planned_capacity: float
    planned_compute_usd: float
    planned_network_usd: float
    in_flight: int


def deploy(problem: PlacementProblem, plan: PlacementPlan, code: WorkflowCode) -> Deployment:
    """Say what each worker of a plan runs. Raises NotRunnable, and PlanMismatch if the plan is of another problem."""
    evaluation = evaluate(problem, plan)
    rate = _one_rate(problem)
    _check_code(problem, code)
    maker = _Maker(problem, plan, code)
    windows = {name: each.window for name, each in code.operators.items() if each.window > 1}
    try:
        table = routing_table(maker.loads, windows)
    except ValueError as error:
        raise NotRunnable(str(error)) from error
    return Deployment(
        workers={each.id: maker.worker(each) for each in maker.workers},
        table=table,
        source_edges={source: maker.outgoing(source) for source in problem.workflow.sources},
        source_links=maker.links(None),
        source_mbps=maker.uplink_mbps(None),
        prices=dict(maker.prices()),
        rate=rate,
        planned_capacity=evaluation.throughput * rate / problem.rates[problem.workflow.sink],
        planned_compute_usd=evaluation.compute,
        planned_network_usd=evaluation.network,
        in_flight=max(MIN_IN_FLIGHT, ceil(rate * IN_FLIGHT_S)) + 2 * max(windows.values(), default=1),
    )


def _one_rate(problem: PlacementProblem) -> float:
    rates = {name: problem.target.rates[name] for name in problem.workflow.sources}
    if len(set(rates.values())) > 1:
        found = ", ".join(f"{name} {rate:g}/s" for name, rate in rates.items())
        raise NotRunnable(f"expected one rate at all sources, whose items are joined one by one, found {found}")
    return next(iter(rates.values()))


def _check_code(problem: PlacementProblem, code: WorkflowCode) -> None:
    if not code.operators:
        return
    for operator in problem.workflow.operators:
        found = code.operators.get(operator.name)
        if operator.kind != "join" and not (found and found.entry):
            raise NotRunnable(f"expected code of {operator.name} with an entry, found none")
        if operator.kind == "group-by" and not (found and found.key):
            raise NotRunnable(f"expected a key of {operator.name}, which groups, found none")
        if found and found.window > 1 and operator.kind != "group-by":
            raise NotRunnable(f"expected a window of operators that group only, found one of {operator.name}")
        if operator.kind == "group-by" and len(problem.workflow.into[operator.name]) > 1:
            raise NotRunnable(f"expected one input of {operator.name}, which groups: join before it")
    _check_windows(problem, code)


def _check_windows(problem: PlacementProblem, code: WorkflowCode) -> None:
    """Behind a group-by an item is a window: one that groups again needs whole ones, and a join needs equal ones."""
    sizes: dict[str, int] = dict.fromkeys(problem.workflow.sources, 1)
    for name in problem.workflow.order:
        before = {sizes[edge.source] for edge in problem.workflow.into[name]}
        if len(before) > 1:
            raise NotRunnable(f"expected inputs of {name} with windows of one size, found {sorted(before)}")
        size = code.operators[name].window if name in code.operators else 1
        (inner,) = before
        if size > 1 and size % inner:
            raise NotRunnable(f"expected a window of {name} that is a multiple of {inner}, found {size}")
        sizes[name] = max(size, inner)


class _Maker:
    """Makes the parts of a deployment."""

    def __init__(self, problem: PlacementProblem, plan: PlacementPlan, code: WorkflowCode) -> None:
        self.problem, self.plan, self.code = problem, plan, code
        by_id = problem.infrastructure.by_id
        used = dict.fromkeys(each for name in problem.workflow.order for each in plan.workers[name])
        self.workers = [by_id[each] for each in used]
        self.loads = {
            name: dict(zip(plan.workers[name], self._parts(name), strict=True)) for name in problem.workflow.order
        }

    def _parts(self, name: str) -> tuple[float, ...]:
        """Return the shares of an operator's workers, or, where the plan has none, their capacities."""
        by_id, model = self.problem.infrastructure.by_id, self.plan.models[name]
        capacities = tuple(self.problem.capacity(name, model, by_id[each]) for each in self.plan.workers[name])
        return self.plan.shares.get(name, capacities)

    def worker(self, worker: PlacementWorker) -> WorkerSpec:
        hosted = [name for name in self.problem.workflow.order if worker.id in self.plan.workers[name]]
        return WorkerSpec(
            id=worker.id,
            tier=self.problem.infrastructure.tiers[worker.tier],
            hosted=tuple(self._hosted(name, worker) for name in hosted),
            links=self.links(worker),
            uplink_mbps=self.uplink_mbps(worker),
        )

    def _hosted(self, name: str, worker: PlacementWorker) -> HostedSpec:
        workflow, model = self.problem.workflow, self.plan.models[name]
        capacity = self.problem.capacity(name, model, worker)
        return HostedSpec(
            operator=name,
            kind=workflow.by_name[name].kind,
            model=model,
            inputs=tuple(edge.source for edge in workflow.into[name]),
            outgoing=self.outgoing(name),
            code=self._code(name),
            latency_ms=1000 / capacity if capacity else 0.0,
            slowdown=self.code.slowdown.get(worker.type, 1.0),
        )

    def _code(self, name: str) -> OperatorCode | None:
        return self.code.operators.get(name, OperatorCode("")) if self.code.operators else None

    def outgoing(self, source: str) -> tuple[OutgoingEdge, ...]:
        edges = self.problem.workflow.out_of[source]
        if self.code.operators:
            return tuple(OutgoingEdge(edge.target) for edge in edges)
        model = self.plan.models.get(source)
        return tuple(OutgoingEdge(edge.target, edge.kb(model), edge.rate_ratio) for edge in edges)

    def links(self, sender: PlacementWorker | None) -> dict[str, LinkShape]:
        """Return the shapes of the links to workers of other tiers and locations."""
        network = self.problem.infrastructure.network
        tier = network.source_tier if sender is None else sender.tier
        found = {}
        for receiver in self.workers:
            elsewhere = sender is not None and sender.location != receiver.location
            if tier != receiver.tier or elsewhere:
                found[receiver.id] = self.code.links.get((tier, receiver.tier), LinkShape())
        return found

    def uplink_mbps(self, sender: PlacementWorker | None) -> float | None:
        """Return what a worker, or the sources, may send: its own cap, and its part of its tier's, by traffic."""
        infrastructure = self.problem.infrastructure
        tier = infrastructure.network.source_tier if sender is None else sender.tier
        caps = [] if sender is None else [infrastructure.worker_caps.get(sender.id)]
        if tier in infrastructure.tier_caps:
            own, of_tier = self._upward(sender), self._tier_upward(tier)
            caps.append(infrastructure.tier_caps[tier] * own / of_tier if own else None)
        sites = infrastructure.coefficients[tier]
        return min((each * sites for each in caps if each), default=None)

    def _tier_upward(self, tier: int) -> float:
        senders: list[PlacementWorker | None] = [each for each in self.workers if each.tier == tier]
        if tier == self.problem.infrastructure.network.source_tier:
            senders.append(None)
        return sum(self._upward(each) for each in senders)

    def _upward(self, sender: PlacementWorker | None) -> float:
        """Return the KB per second that a worker, or the sources, send to higher tiers if all goes to plan."""
        return sum(
            self.problem.edge_rate(edge)
            * edge.kb(self.plan.models.get(edge.source))
            * sent
            * self._part_above(edge, sender)
            for edge, sent in self._sending(sender)
        )

    def _sending(self, sender: PlacementWorker | None) -> Iterator[tuple[Edge, float]]:
        for edge in self.problem.workflow.edges:
            if edge.source not in self.loads:
                yield edge, 1.0 if sender is None else 0.0
            elif sender is not None:
                yield edge, self._share(edge.source, sender.id)

    def _part_above(self, edge: Edge, sender: PlacementWorker | None) -> float:
        infrastructure = self.problem.infrastructure
        tier = infrastructure.network.source_tier if sender is None else sender.tier
        receivers = self.loads[edge.target]
        return sum(self._share(edge.target, each) for each in receivers if infrastructure.by_id[each].tier > tier)

    def _share(self, operator: str, worker: str) -> float:
        found = self.loads[operator]
        return found.get(worker, 0.0) / sum(found.values())

    def prices(self) -> Iterator[tuple[tuple[str | None, str], float]]:
        network = self.problem.infrastructure.network
        for receiver in self.workers:
            for sender in (None, *self.workers):
                yield (sender.id if sender else None, receiver.id), network.between(sender, receiver)


def without(problem: PlacementProblem, workers: frozenset[str]) -> PlacementProblem:
    """Return a problem whose infrastructure lacks some workers: what is left to plan with when these are gone."""
    left = tuple(each for each in problem.infrastructure.workers if each.id not in workers)
    return replace(problem, infrastructure=replace(problem.infrastructure, workers=left))
