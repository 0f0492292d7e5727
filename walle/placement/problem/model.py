"""A placement problem as data: a workflow, the workers it may run on, what is known of both, and what is wanted.

All of it is pure and frozen; `walle.placement.problem.document` reads it from JSON and checks it. Accuracies may have
any unit in which more is better; prices are in USD, latencies in milliseconds for an item, rates in items per second,
messages in KB of 1024 bytes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

KINDS: Final = ("model", "filter", "join", "group-by", "map")
"""The kinds of operators: trained models, and the relational ones."""
DEFAULT_MODEL: Final = "default"
"""The name of the only choice of an operator that has nothing to choose from."""
DEFAULT_PERCENTILE: Final = "p75"


@dataclass(frozen=True, slots=True)
class AccuracyRow:
    """One measurement of a model: the accuracies of its inputs, in their operator's order, and that of its output."""

    inputs: tuple[float, ...]
    output: float


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """One model that an operator may use.

    `selection_cost_ms` stands for its cost while no worker is known: its latency on the strongest one. Without rows,
    accuracy passes through: the output is as accurate as the least accurate input.
    """

    name: str
    selection_cost_ms: float
    accuracy_rows: tuple[AccuracyRow, ...] = ()


@dataclass(frozen=True, slots=True)
class OperatorSpec:
    """A node of a workflow.

    `inputs` are the operators before it, in the order of its accuracy rows, without sources. `selection_weight`
    multiplies its cost while models are selected.
    """

    name: str
    kind: str
    inputs: tuple[str, ...]
    selection_weight: float
    models: tuple[ModelChoice, ...]

    def model(self, name: str) -> ModelChoice:
        """Return the choice of a name. Raises KeyError if there is none."""
        for each in self.models:
            if each.name == name:
                return each
        raise KeyError(name)


@dataclass(frozen=True, slots=True)
class Edge:
    """What flows from a source or an operator to an operator.

    Each item of the source makes `rate_ratio` items for the target. `kb_per_item` is the size of each of these, by the
    model of the source; the key None stands for any model.
    """

    source: str
    target: str
    rate_ratio: float
    kb_per_item: Mapping[str | None, float] = field(hash=False)

    def kb(self, model: str | None) -> float:
        """Return the KB of an item where the source uses a model. Raises KeyError if that is not known."""
        return self.kb_per_item[model if model in self.kb_per_item else None]


@dataclass(frozen=True)
class WorkflowGraph:
    """Sources, operators and the edges between them, without cycles; the sink is the operator that feeds no other."""

    sources: tuple[str, ...]
    sink: str
    operators: tuple[OperatorSpec, ...]
    edges: tuple[Edge, ...]

    @cached_property
    def by_name(self) -> Mapping[str, OperatorSpec]:
        """The operators by their names."""
        return {each.name: each for each in self.operators}

    @cached_property
    def into(self) -> Mapping[str, tuple[Edge, ...]]:
        """The edges that end at each operator, from sources too."""
        found: dict[str, list[Edge]] = {each.name: [] for each in self.operators}
        for edge in self.edges:
            found[edge.target].append(edge)
        return {name: tuple(edges) for name, edges in found.items()}

    @cached_property
    def out_of(self) -> Mapping[str, tuple[Edge, ...]]:
        """The edges that begin at each source and operator."""
        found: dict[str, list[Edge]] = {name: [] for name in (*self.sources, *self.by_name)}
        for edge in self.edges:
            found[edge.source].append(edge)
        return {name: tuple(edges) for name, edges in found.items()}

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The operators in topological order, otherwise as they are listed. Raises ValueError if there is a cycle."""
        waiting = {
            each.name: sum(edge.source in self.by_name for edge in self.into[each.name]) for each in self.operators
        }
        ready = [name for name, count in waiting.items() if not count]
        done: list[str] = []
        while ready:
            name = ready.pop(0)
            done.append(name)
            for edge in self.out_of[name]:
                waiting[edge.target] -= 1
                if not waiting[edge.target]:
                    ready.append(edge.target)
        if len(done) < len(waiting):
            raise ValueError(f"a cycle among {', '.join(sorted(set(waiting) - set(done)))}")
        return tuple(done)


@dataclass(frozen=True, slots=True)
class PlacementWorker:
    """A machine that may serve an operator; `tier` is an index of the infrastructure's tiers.

    Where its tier has several alike sites, it stands for one machine at each of them; `cost_per_hour` is that of one.
    """

    id: str
    type: str
    tier: int
    location: str
    cost_per_hour: float


@dataclass(frozen=True, slots=True)
class NetworkPrices:
    """What a GB costs from one tier to another, (from, to) by index; sources sit at `source_tier`.

    Within a tier, traffic is free at one location; (i, i) is its price between locations, free where it is missing.
    """

    usd_per_gb: Mapping[tuple[int, int], float] = field(hash=False)
    source_tier: int = 0

    def between(self, sender: PlacementWorker | None, receiver: PlacementWorker) -> float:
        """Return the price from a worker, or from the sources (None), to a worker; infinite where there is no way.

        Traffic never goes down to a lower tier (assumption A2 of the paper).
        """
        tier = self.source_tier if sender is None else sender.tier
        if tier == receiver.tier:
            same = sender is None or sender.location == receiver.location
            return 0.0 if same else self.usd_per_gb.get((tier, tier), 0.0)
        return self.usd_per_gb.get((tier, receiver.tier), math.inf) if tier < receiver.tier else math.inf


@dataclass(frozen=True)
class Infrastructure:
    """Tiers, lowest first, their workers, and the network between them.

    `sites` says how many alike sites of each tier there are beneath one site of the tier above. `tier_caps` and
    `worker_caps` bound what leaves a tier for higher ones, the sources included, and what leaves a worker for other
    tiers and locations, in Mbit/s (of 10^6 bits) at each site.
    """

    tiers: tuple[str, ...]
    workers: tuple[PlacementWorker, ...]
    network: NetworkPrices
    sites: tuple[int, ...] = ()
    tier_caps: Mapping[int, float] = field(default_factory=dict, hash=False)
    worker_caps: Mapping[str, float] = field(default_factory=dict, hash=False)

    @cached_property
    def by_id(self) -> Mapping[str, PlacementWorker]:
        """The workers by their ids."""
        return {each.id: each for each in self.workers}

    @cached_property
    def coefficients(self) -> tuple[int, ...]:
        """For each tier, how many machines one of its workers stands for: the paper's TCoeff."""
        sites = self.sites or (1,) * len(self.tiers)
        return tuple(math.prod(sites[tier:]) for tier in range(len(self.tiers)))

    def hourly(self, worker: PlacementWorker) -> float:
        """Return what a worker costs in an hour, at all of its sites, in USD."""
        return worker.cost_per_hour * self.coefficients[worker.tier]


@dataclass(frozen=True, slots=True)
class Profiles:
    """Latencies in ms by percentile, operator, model, and worker or type of worker; None where it cannot run there."""

    tables: Mapping[str, Mapping[str, Mapping[str, Mapping[str, float | None]]]] = field(hash=False)

    def latency_ms(self, percentile: str, operator: str, model: str, worker: PlacementWorker) -> float | None:
        """Return a worker's own latency, else that of its type. Raises KeyError if neither was profiled."""
        table = self.tables[percentile][operator][model]
        return table[worker.id if worker.id in table else worker.type]


@dataclass(frozen=True, slots=True)
class PlacementTarget:
    """What is wanted: at least this accuracy at the sink, and items per second that enter at each source."""

    accuracy: float
    rates: Mapping[str, float] = field(hash=False)


@dataclass(frozen=True)
class PlacementProblem:
    """Everything that a plan is made from. `assumed` says in words which of its figures nobody measured."""

    workflow: WorkflowGraph
    infrastructure: Infrastructure
    profiles: Profiles
    target: PlacementTarget
    percentile: str = DEFAULT_PERCENTILE
    name: str = ""
    assumed: tuple[str, ...] = ()

    @cached_property
    def rates(self) -> Mapping[str, float]:
        """The items per second of each source and operator; an operator takes as many as its busiest edge brings."""
        found = dict(self.target.rates)
        for name in self.workflow.order:
            found[name] = max(found[edge.source] * edge.rate_ratio for edge in self.workflow.into[name])
        return found

    def edge_rate(self, edge: Edge) -> float:
        """Return the items per second that an edge brings to its target."""
        return self.rates[edge.source] * edge.rate_ratio

    def capacity(self, operator: str, model: str, worker: PlacementWorker) -> float:
        """Return the items per second that a worker, at all of its sites, can take; 0 if it cannot run the model."""
        latency = self.profiles.latency_ms(self.percentile, operator, model, worker)
        return 0.0 if latency is None else 1000 / latency * self.infrastructure.coefficients[worker.tier]


@dataclass(frozen=True, slots=True)
class PlacementPlan:
    """The answer: a model for each operator, and the ids of the workers that serve it (s and a of the paper).

    `shares` are the parts of an operator's load that its workers serve, in their order; they add up to 1. An operator
    that is not in it has its load shared in proportion to its workers' capacity.
    """

    models: Mapping[str, str] = field(hash=False)
    workers: Mapping[str, tuple[str, ...]] = field(hash=False)
    shares: Mapping[str, tuple[float, ...]] = field(default_factory=dict, hash=False)
