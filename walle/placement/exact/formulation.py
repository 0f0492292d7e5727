"""Placement as a mixed-integer linear program whose optimum is never above the cost of any feasible plan.

For an operator v, a model m and a class k of workers that are alike, `count[v,m,k]` workers of the class serve the
operator with the model, and `share[v,m,i]` is the part of v's load that is served at place i with model m.

**Why the bound is a bound.** Take any feasible plan, whether it chooses its loads or shares them in proportion to
capacity, and set the variables as it does. Then every row here holds:

- served: no worker takes more than its capacity, so a place's part of the load is at most its capacity / rate.
- flows: `evaluate` sends the part x_i y_j of an edge's traffic from place i to place j, and these products add up to
  x_i over j and to y_j over i. The program may choose any flows with these sums, the products among them.
- the other rows say what the plan's constraints say.

and the program's objective is the plan's cost. So the minimum is at most the cost of any feasible plan, and a dual
bound of the program is one of the problem.

**Where it is exact.** A solution is a plan and its loads. Flows are determined by the shares unless an operator spans
the places i < h and its reader spans h < j, as traffic never goes down (A2): only then the sums leave a choice, and the
program may think a plan cheaper than it is. `search` notices, because it evaluates every solution, and has the program
`split` what is received into less and more than in the solution: there, flows are products from then on.

Narrower and wider questions change a few rows: `balanced` and `shared`.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from walle.placement.evaluation import GB_PER_HOUR, MBPS, TOLERANCE, evaluate
from walle.placement.exact.accuracy_states import accuracy_states, read_accuracy
from walle.placement.exact.capped_loads import within_caps
from walle.placement.exact.classes import Choice, Surcharge, WorkerClass, no_surcharge, worker_classes
from walle.placement.exact.limits import check_counts
from walle.placement.exact.program import LinearProgram
from walle.placement.loads import Place, place_of, spread, with_best_loads
from walle.placement.problem.model import Edge, PlacementPlan, PlacementProblem, PlacementWorker

WRONG: Final = 1e-6
"""How far a flow may be from the product of shares that it stands for."""
ROOM: Final = 1 - TOLERANCE
"""What rates are multiplied with, so that arithmetic does not make a worker too slow that is just fast enough."""


class Formulation:
    """The program of a problem, and the way from plans to its variables and back.

    Without `one_way` traffic may go down, for nothing: then only whether there is a solution has a meaning. Raises
    ProgramTooLarge.
    """

    excludes = True
    """Whether `forbid` can exclude plans."""

    def __init__(self, problem: PlacementProblem, surcharge: Surcharge = no_surcharge, *, one_way: bool = True) -> None:
        self.problem = problem
        self.surcharge = surcharge
        self.one_way = one_way
        self.capped = bool(problem.infrastructure.tier_caps or problem.infrastructure.worker_caps)
        self.program = LinearProgram()
        self.classes = worker_classes(problem, surcharge)
        self.states = accuracy_states(problem)
        self.models = {name: tuple(dict.fromkeys(each.model for each in self.states[name])) for name in self.states}
        check_counts(sum(map(len, self.models.values())), len(self.classes))
        self.places = sorted({place_of(self.problem, each.sample) for each in self.classes})
        self.select: dict[Choice, int] = {}
        self.count: dict[tuple[str, str, int], int] = {}
        self.share: dict[tuple[str, str, Place], int] = {}
        self.tier: dict[tuple[str, int], int] = {}
        self.flow: dict[tuple[Edge, str, Place, Place], int] = {}
        self.state: dict[tuple[str, int], int] = {}
        self.units: dict[str, dict[tuple[int, int], int]] = {}
        self.splits: dict[tuple[Edge, Place], list[float]] = {}
        for name in problem.workflow.order:
            self._selection(name)
            self._assignment(name)
        self._accuracy()
        self._exclusive()
        if one_way:
            self._one_way()
        for edge in problem.workflow.edges:
            self._traffic(edge)
        self._caps()

    # The rows

    def _selection(self, name: str) -> None:
        for model in self.models[name]:
            self.select[name, model] = self.program.variable(integer=True)
        self.program.equal([(self.select[name, model], 1.0) for model in self.models[name]], 1.0)

    def _assignment(self, name: str) -> None:
        for model in self.models[name]:
            for number, each in enumerate(self.classes):
                if (name, model) in each.capacity and self._allowed(name, each.sample):
                    self.count[name, model, number] = self._counted(each, (name, model))
        for tier in range(len(self.problem.infrastructure.tiers)):
            self.tier[name, tier] = self.program.variable(integer=True)
        for model in self.models[name]:
            self._served(name, model)
        self._used_tiers(name)

    def _counted(self, workers: WorkerClass, choice: Choice) -> int:
        """Add the variable that counts how many workers of a class serve an operator with a model."""
        return self.program.variable(len(workers.ids), cost=workers.cost[choice], integer=True)

    def _allowed(self, name: str, worker: PlacementWorker) -> bool:
        """Return whether the sources of an operator can reach a worker."""
        network = self.problem.infrastructure.network
        edges = self.problem.workflow.into[name]
        return all(edge.source in self.models or network.between(None, worker) < math.inf for edge in edges)

    def _served(self, name: str, model: str) -> None:
        rate = self.problem.rates[name] * ROOM
        select = self.select[name, model]
        here: dict[Place, list[int]] = defaultdict(list)
        for number in self._numbers(name, model):
            here[place_of(self.problem, self.classes[number].sample)].append(number)
            count = self.count[name, model, number]
            self.program.row([(count, 1.0), (select, -len(self.classes[number].ids))], upper=0.0)
        for place, numbers in here.items():
            share = self.program.variable()
            self.share[name, model, place] = share
            self.program.row([(share, 1.0), *self._capacity(name, model, numbers, -1 / rate)], upper=0.0)
        self.program.equal([*((self.share[name, model, place], 1.0) for place in here), (select, -1.0)])

    def _used_tiers(self, name: str) -> None:
        for number, each in enumerate(self.classes):
            counts = [(self.count[name, m, number], 1.0) for m in self.models[name] if (name, m, number) in self.count]
            if counts:
                used = self.tier[name, each.sample.tier]
                self.program.row([*counts, (used, -len(each.ids))], upper=0.0)
        for tier in range(len(self.problem.infrastructure.tiers)):
            shares = [(self.share[name, m, p], 1.0) for m, p in self.shares(name) if p[0] == tier]
            self.program.row([*shares, (self.tier[name, tier], -1.0)], upper=0.0)

    def _accuracy(self) -> None:
        """Exactly one accuracy state of each operator holds: that of its model and of its inputs' states."""
        for name, states in self.states.items():
            for number in range(len(states)):
                self.state[name, number] = self.program.variable()
            for model in self.models[name]:
                own = [(self.state[name, n], 1.0) for n, each in enumerate(states) if each.model == model]
                self.program.equal([*own, (self.select[name, model], -1.0)])
            operator = self.problem.workflow.by_name[name]
            for position, source in enumerate(operator.inputs):
                made: dict[float, list[tuple[int, float]]] = defaultdict(list)
                for n, each in enumerate(self.states[source]):
                    made[read_accuracy(operator, position, each.output)].append((self.state[source, n], -1.0))
                for read, terms in made.items():
                    own = [(self.state[name, n], 1.0) for n, each in enumerate(states) if each.inputs[position] == read]
                    self.program.equal([*terms, *own])

    def _exclusive(self) -> None:
        """Let a worker serve one operator."""
        for number, each in enumerate(self.classes):
            counts = [(variable, 1.0) for (_, _, k), variable in self.count.items() if k == number]
            self.program.row(counts, upper=len(each.ids))

    def _one_way(self) -> None:
        """Let no operator reach below a tier that one before it uses, be it several edges away."""
        for name, before in self._ancestors().items():
            for source in before:
                for low in range(len(self.problem.infrastructure.tiers)):
                    for high in range(low + 1, len(self.problem.infrastructure.tiers)):
                        self.program.row([(self.tier[source, high], 1.0), (self.tier[name, low], 1.0)], upper=1.0)

    def _ancestors(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for name in self.problem.workflow.order:
            parents = {edge.source for edge in self.problem.workflow.into[name]} & set(self.models)
            found[name] = parents.union(*(found[each] for each in parents))
        return found

    def _traffic(self, edge: Edge) -> None:
        if edge.source not in self.models:
            self._source_traffic(edge)
            return
        senders = dict.fromkeys((self._alike(edge)[model], place) for model, place in self.shares(edge.source))
        sent = {(model, place): self._negative(self._sent(edge, model, place)) for model, place in senders}
        receivers = dict.fromkeys(place for _, place in self.shares(edge.target))
        taken = {place: self._negative(self._taken(edge, place)) for place in receivers}
        for (model, sender), given in sent.items():
            for receiver, received in taken.items():
                price = self._price(sender, receiver)
                hourly = self.traffic(edge, model) * GB_PER_HOUR
                if price < math.inf or not hourly or not self.one_way:
                    flow = self.program.variable(cost=hourly * price if 0 < hourly * price < math.inf else 0.0)
                    self.flow[edge, model, sender, receiver] = flow
                    given.append((flow, 1.0))
                    received.append((flow, 1.0))
        for terms in (*sent.values(), *taken.values()):
            self.program.equal(terms)

    @staticmethod
    def _negative(terms: list[tuple[int, float]]) -> list[tuple[int, float]]:
        return [(variable, -coefficient) for variable, coefficient in terms]

    def _source_traffic(self, edge: Edge) -> None:
        hourly = self.traffic(edge, None) * GB_PER_HOUR
        source = self.problem.infrastructure.network.source_tier
        for model, place in self.shares(edge.target):
            share = self.share[edge.target, model, place]
            self.program.costs[share] += hourly * self._price((source, "", ""), place) if place[0] != source else 0.0

    def _caps(self) -> None:
        """Keep what leaves a tier upwards, or a worker for another tier or location, within its cap."""
        infrastructure = self.problem.infrastructure
        flows = list(self._flows())
        for tier, cap in infrastructure.tier_caps.items():
            leaving = [(v, mbps) for v, mbps, sender, receiver in flows if sender[0] == tier < receiver[0]]
            self._cap(leaving, cap * infrastructure.coefficients[tier])
        for worker, cap in infrastructure.worker_caps.items():
            at = place_of(self.problem, infrastructure.by_id[worker])
            leaving = [(v, mbps) for v, mbps, sender, receiver in flows if sender == at and sender[:2] != receiver[:2]]
            self._cap(leaving, cap * infrastructure.coefficients[at[0]])

    def _cap(self, leaving: list[tuple[int, float]], allowed: float) -> None:
        self.program.row([(variable, mbps / allowed) for variable, mbps in leaving], upper=1 + TOLERANCE)

    def _flows(self) -> Iterator[tuple[int, float, Place, Place]]:
        """Yield the variables of parts of edges' traffic with the Mbit/s of the whole, from where and to where."""
        for (edge, model, sender, receiver), variable in self.flow.items():
            yield variable, self.traffic(edge, model) * MBPS, sender, receiver
        source = (self.problem.infrastructure.network.source_tier, "", "")
        for edge in self.problem.workflow.edges:
            if edge.source not in self.models:
                for model, place in self.shares(edge.target):
                    yield self.share[edge.target, model, place], self.traffic(edge, None) * MBPS, source, place

    # Rows that are added where a solution needs them

    def tighten(self, plan: PlacementPlan, values: Sequence[float]) -> bool:
        """Make the program right about a plan that it thinks cheaper than it is; return whether it was not."""
        del plan
        return any([self.split(*each) for each in self.wrong_products(values)])  # noqa: C419 (all are to be split)

    def forbid(self, plan: PlacementPlan) -> bool:
        """Exclude one plan, and those that differ from it only in which of alike workers they use, whatever the loads.

        Return whether the plan was the best of those, as far as it was made by `complete`: caps bound loads in ways
        that this does not know.
        """
        self._exclude(plan)
        return not (self.capped and self.spanning(plan))

    def complete(self, plan: PlacementPlan) -> PlacementPlan:
        """Return a plan with the best loads for its workers; under caps of bandwidth, with good ones."""
        filled = with_best_loads(self.problem, plan)
        if not (self.capped and self.spanning(plan)):
            return filled
        return min(filled, within_caps(self.problem, plan), key=self.price)

    def price(self, plan: PlacementPlan) -> float:
        """Return what a plan costs in an hour, with its surcharges; infinite if it is not feasible."""
        found = evaluate(self.problem, plan)
        by_id = self.problem.infrastructure.by_id
        extra = sum(
            self.surcharge(name, plan.models[name], by_id[each]) for name, ids in plan.workers.items() for each in ids
        )
        return found.cost + extra if found.feasible else math.inf

    def wrong_products(self, values: Sequence[float]) -> list[tuple[Edge, Place, float]]:
        """Return the edges and receiving places where flows are not products of shares, with the receiver's share."""
        found = []
        for edge, receiver in dict.fromkeys((edge, receiver) for edge, _, _, receiver in self.flow):
            taken = math.fsum(values[variable] for variable, _ in self._taken(edge, receiver))
            flows = [(variable, key) for key, variable in self.flow.items() if (key[0], key[3]) == (edge, receiver)]
            for variable, (_, model, sender, _) in flows:
                sent = math.fsum(values[each] for each, _ in self._sent(edge, model, sender))
                if abs(values[variable] - sent * taken) > WRONG:
                    found.append((edge, receiver, taken))
                    break
        return found

    def split(self, edge: Edge, receiver: Place, at: float) -> bool:
        """Tell apart whether a receiving place takes less or more than a part of an edge's traffic.

        Below `at` a flow is at most `at` times what its sender sends, and above it at least that: then the flow is the
        product at `at` itself, and nearer to it elsewhere. Return whether that was new.
        """
        known = self.splits.setdefault((edge, receiver), [])
        if not WRONG < at < 1 - WRONG or any(abs(at - each) < WRONG for each in known):
            return False
        known.append(at)
        program = self.program
        above = program.variable(integer=True)
        taken = self._taken(edge, receiver)
        program.row([*taken, (above, at - 1.0)], upper=at)
        program.row([*taken, (above, -at)], lower=0.0)
        halves = []
        for model, sender in dict.fromkeys((model, sender) for other, model, sender, _ in self.flow if other == edge):
            low, high = program.variable(), program.variable()
            halves.append((high, 1.0))
            program.equal([(low, 1.0), (high, 1.0), *((each, -1.0) for each, _ in self._sent(edge, model, sender))])
            if (flow := self.flow.get((edge, model, sender, receiver))) is not None:
                program.row([(flow, 1.0), (low, -at), (high, -1.0)], upper=0.0)
                program.row([(flow, 1.0), (high, -at)], lower=0.0)
        program.equal([*halves, (above, -1.0)])
        return True

    def _taken(self, edge: Edge, place: Place) -> list[tuple[int, float]]:
        """Return the part of an edge's traffic that a place takes."""
        return [(self.share[edge.target, model, at], 1.0) for model, at in self.shares(edge.target) if at == place]

    def _sent(self, edge: Edge, model: str, place: Place) -> list[tuple[int, float]]:
        """Return the part of an edge's traffic that a place sends, with one of the models whose items are alike."""
        alike = self._alike(edge)
        shares = self.shares(edge.source)
        return [(self.share[edge.source, m, at], 1.0) for m, at in shares if at == place and alike[m] == model]

    def _alike(self, edge: Edge) -> dict[str, str]:
        """Return for each model of an edge's source the first one whose items are as large."""
        sizes = {model: edge.kb(model) for model in self.models[edge.source]}
        return {model: next(other for other in sizes if sizes[other] == sizes[model]) for model in sizes}

    def _exclude(self, plan: PlacementPlan) -> None:
        changed = []
        for key, variable in self.count.items():
            used = self._counts(plan).get(key, 0)
            top = len(self.classes[key[2]].ids)
            if used < top:
                more = self.program.variable(integer=True)
                self.program.row([(variable, 1.0), (more, -(used + 1.0))], lower=0.0)
                changed.append((more, 1.0))
            if used > 0:
                fewer = self.program.variable(integer=True)
                self.program.row([(variable, 1.0), (fewer, top - used + 1.0)], upper=top)
                changed.append((fewer, 1.0))
        self.program.row(changed, lower=1.0)

    # Between variables and plans

    def plan(self, values: list[float]) -> PlacementPlan:
        """Return the plan of a solution's variables."""
        free = [list(each.ids) for each in self.classes]
        workers: dict[str, list[str]] = {name: [] for name in self.models}
        for (name, _, number), variable in self.count.items():
            for _ in range(round(values[variable])):
                workers[name].append(free[number].pop(0))
        models = {name: model for (name, model), variable in self.select.items() if values[variable] > 0.5}
        plan = PlacementPlan(models, {name: tuple(ids) for name, ids in workers.items()})
        return replace(plan, shares={name: self._loads(plan, name, values) for name in self.spanning(plan)})

    def _loads(self, plan: PlacementPlan, name: str, values: list[float]) -> tuple[float, ...]:
        model = plan.models[name]
        by_place = {place: max(0.0, values[self.share[name, m, place]]) for m, place in self.shares(name) if m == model}
        return spread(self.problem, plan, name, by_place)

    def start(self, plan: PlacementPlan) -> dict[int, float]:
        """Return the integer variables of a plan, from which the solver completes the others."""
        known = (
            self.select.values(),
            self.count.values(),
            self.tier.values(),
            *(u.values() for u in self.units.values()),
        )
        values = {variable: 0.0 for variables in known for variable in variables}
        for name, model in plan.models.items():
            values[self.select[name, model]] = 1.0
        for (name, model, number), used in self._counts(plan).items():
            values[self.count[name, model, number]] = used
            values[self.tier[name, self.classes[number].sample.tier]] = 1.0
            for position in range(used):
                if name in self.units:
                    values[self.units[name][number, position]] = 1.0
        return values

    def spanning(self, plan: PlacementPlan) -> list[str]:
        """Return the operators that a plan places in several places."""
        by_id = self.problem.infrastructure.by_id
        return [
            name for name, ids in plan.workers.items() if len({place_of(self.problem, by_id[each]) for each in ids}) > 1
        ]

    def _counts(self, plan: PlacementPlan) -> dict[tuple[str, str, int], int]:
        classes = {worker: number for number, each in enumerate(self.classes) for worker in each.ids}
        found: dict[tuple[str, str, int], int] = {}
        for name, ids in plan.workers.items():
            for worker in ids:
                key = (name, plan.models[name], classes[worker])
                found[key] = found.get(key, 0) + 1
        return found

    # What rows are made of

    def traffic(self, edge: Edge, model: str | None) -> float:
        """Return the KB per second of an edge where its source has a model."""
        return self.problem.edge_rate(edge) * edge.kb(model)

    def _price(self, sender: Place, receiver: Place) -> float:
        if sender[:2] == receiver[:2]:
            return 0.0
        within = 0.0 if sender[0] == receiver[0] else math.inf
        return self.problem.infrastructure.network.usd_per_gb.get((sender[0], receiver[0]), within)

    def _numbers(self, name: str, model: str) -> list[int]:
        return [number for (other, m, number) in self.count if (other, m) == (name, model)]

    def shares(self, name: str) -> list[tuple[str, Place]]:
        """Return the models of an operator and the places where each may serve."""
        return [(model, place) for (other, model, place) in self.share if other == name]

    def _capacity(self, name: str, model: str, numbers: list[int], factor: float) -> Iterator[tuple[int, float]]:
        for number in numbers:
            yield self.count[name, model, number], factor * self.classes[number].capacity[name, model]
