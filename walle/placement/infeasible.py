"""Why no plan is feasible: which constraints stand in the way, and the nearest changes that let a plan through.

A constraint stands in the way if there is a plan without it. Each change is the smallest of its kind, found by halving
the distance to one that is large enough, and comes with the plan that it allows.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, TypeAlias

from walle.placement.exact.accuracy_states import reachable_accuracies
from walle.placement.exact.formulation import Formulation
from walle.placement.exact.search import TOO_LARGE, Clock, prove
from walle.placement.frontiers import with_accuracy, with_rates
from walle.placement.planning import WIDE, optimize
from walle.placement.problem.model import Infrastructure, PlacementPlan, PlacementProblem, PlacementWorker

PRECISION: Final = 0.005
"""How near, relatively, rates and caps are to the largest and the smallest that are feasible."""
MORE_WORKERS: Final = 8
"""The most workers of a type that are tried to add."""
TOTAL_S: Final = 20.0
"""After so many seconds no further change is looked for."""
_ORDER: Final = ("accuracy", "rates", "workers", "bandwidth")
_FREE: Final = 1e-6
"""The factor of rates that stands for no demand of throughput."""
Witness: TypeAlias = Callable[[PlacementProblem], PlacementPlan | None]


@dataclass(frozen=True, slots=True)
class Remedy:
    """One change that makes a problem feasible, and a plan for the changed problem.

    `constraint` is `accuracy`, `rates`, `workers` or `bandwidth`. `subject` is what changes (a worker's type and tier,
    a capped tier or worker), `value` its new figure: the accuracy, the factor of all rates, the workers more, Mbit/s.
    """

    constraint: str
    subject: str
    value: float
    text: str
    plan: PlacementPlan
    problem: PlacementProblem


@dataclass(frozen=True, slots=True)
class Infeasibility:
    """Why a problem has no plan.

    `constraints` are those without any of which there is a plan: `accuracy`, `rates`, `bandwidth`, `one-way`. If there
    are none, no single one is to blame, and `remedies` may be empty too. `certain` is false where time was up before
    feasibility was decided, or the problem is too large to decide it.
    """

    constraints: tuple[str, ...]
    remedies: tuple[Remedy, ...]
    certain: bool = True


class _ChangesTimedOut(Exception):
    """The time for changes is up."""


def explain_infeasible(
    problem: PlacementProblem, budget_s: float, clock: Clock, total_s: float = TOTAL_S
) -> Infeasibility | None:
    """Return why a problem has no plan, None if it has one.

    Each plan is looked for at most `budget_s` seconds; what is not known after `total_s` is missing. Raises
    SolverMissing without HiGHS.
    """
    until = clock() + total_s
    found = prove(problem, budget_s, clock, gap=math.inf)
    if found.plan is not None:
        return None
    if found.ended == TOO_LARGE:
        return Infeasibility((), (), certain=False)

    def witness(changed: PlacementProblem) -> PlacementPlan | None:
        if clock() > until:
            raise _ChangesTimedOut
        for each in optimize(changed, random.Random(0), WIDE, moves=0):  # noqa: S311  orders, no secrets
            return each.plan
        return prove(changed, budget_s, clock, gap=math.inf).plan

    blamed: list[str] = []
    remedies: list[Remedy] = []
    with suppress(_ChangesTimedOut):
        blamed += (name for name, changed in _relaxed(problem) if witness(changed) is not None)
        if _only_one_way(problem, budget_s):
            blamed.append("one-way")
        for each in _changes(problem, witness):
            remedies += [each] if each else []
    remedies.sort(key=lambda each: (_ORDER.index(each.constraint), _hourly(each.problem)))
    return Infeasibility(tuple(blamed), tuple(remedies), found.ended == "infeasible")


def _changes(problem: PlacementProblem, witness: Witness) -> Iterator[Remedy | None]:
    yield _accuracy(problem, witness)
    yield _rates(problem, witness)
    yield from _workers(problem, witness)
    yield from _caps(problem, witness)


def _hourly(problem: PlacementProblem) -> float:
    """Return what all workers of a problem cost in an hour."""
    infrastructure = problem.infrastructure
    return math.fsum(map(infrastructure.hourly, infrastructure.workers))


def _relaxed(problem: PlacementProblem) -> Iterator[tuple[str, PlacementProblem]]:
    yield "accuracy", with_accuracy(problem, -math.inf)
    yield "rates", with_rates(problem, _FREE)
    infrastructure = problem.infrastructure
    if infrastructure.tier_caps or infrastructure.worker_caps:
        yield "bandwidth", _with(problem, replace(infrastructure, tier_caps={}, worker_caps={}))


def _only_one_way(problem: PlacementProblem, budget_s: float) -> bool:
    """Return whether a plan is found within so many seconds if traffic may go down."""
    solver = Formulation(problem, one_way=False).program.solver()
    solver.setOptionValue("time_limit", budget_s)
    solver.solve()
    return bool(solver.modelStatusToString(solver.getModelStatus()) == "Optimal")


def _accuracy(problem: PlacementProblem, witness: Witness) -> Remedy | None:
    """Return the highest accuracy that a plan reaches, if one below the target's is feasible."""
    lower = [each for each in reachable_accuracies(problem) if each < problem.target.accuracy]
    found = _last(lower, lambda accuracy: witness(with_accuracy(problem, accuracy)))
    if found is None:
        return None
    value, plan = found
    text = f"lower the accuracy from {problem.target.accuracy:g} to {value:g}"
    return Remedy("accuracy", problem.workflow.sink, value, text, plan, with_accuracy(problem, value))


def _rates(problem: PlacementProblem, witness: Witness) -> Remedy | None:
    """Return the largest factor of all rates that a plan carries."""
    found = _largest(lambda factor: witness(with_rates(problem, factor)))
    if found is None:
        return None
    factor, plan = found
    changed = with_rates(problem, factor)
    rates = ", ".join(f"{name} to {rate:.4g}/s" for name, rate in changed.target.rates.items())
    return Remedy("rates", rates, factor, f"lower the rates to {factor:.1%}: {rates}", plan, changed)


def _workers(problem: PlacementProblem, witness: Witness) -> Iterator[Remedy | None]:
    """Yield how many more workers of each type and tier are enough, beginning with the cheapest."""
    infrastructure = problem.infrastructure
    locations = {each.tier: each.location for each in reversed(infrastructure.workers)}
    kinds = {
        (each.type, tier): replace(each, tier=tier, location=locations.get(tier, name))
        for tier, name in enumerate(infrastructure.tiers)
        for each in infrastructure.workers
    }
    return (_more(problem, sample, witness) for sample in sorted(kinds.values(), key=infrastructure.hourly))


def _more(problem: PlacementProblem, sample: PlacementWorker, witness: Witness) -> Remedy | None:
    """Return how many more of one kind of worker are enough, if MORE_WORKERS are: more never hurt."""
    counts = range(MORE_WORKERS, 0, -1)
    found = _last(counts, lambda count: witness(_with_more(problem, sample, int(count))))
    if found is None:
        return None
    count, plan = int(found[0]), found[1]
    tier = problem.infrastructure.tiers[sample.tier]
    text = f"add {count} more worker{'s' if count > 1 else ''} of type {sample.type} in {tier}"
    return Remedy("workers", f"{sample.type} in {tier}", count, text, plan, _with_more(problem, sample, count))


def _with_more(problem: PlacementProblem, sample: PlacementWorker, count: int) -> PlacementProblem:
    """Return the problem with workers added that are like one of its own, and as fast."""
    names = [f"{sample.id}+{number}" for number in range(1, count + 1)]
    infrastructure = problem.infrastructure
    added = tuple(replace(sample, id=name) for name in names)
    tables = problem.profiles.tables
    copied = {
        percentile: {
            operator: {
                model: {**table, **(dict.fromkeys(names, table[sample.id]) if sample.id in table else {})}
                for model, table in models.items()
            }
            for operator, models in operators.items()
        }
        for percentile, operators in tables.items()
    }
    grown = replace(infrastructure, workers=(*infrastructure.workers, *added))
    return replace(problem, infrastructure=grown, profiles=replace(problem.profiles, tables=copied))


def _caps(problem: PlacementProblem, witness: Witness) -> Iterator[Remedy | None]:
    """Yield for each cap the smallest higher one that lets a plan through."""
    infrastructure = problem.infrastructure
    for tier, cap in infrastructure.tier_caps.items():
        changed = partial(_with_tier_cap, problem, tier)
        yield _cap(infrastructure.tiers[tier], cap, changed, witness)
    for worker, cap in infrastructure.worker_caps.items():
        yield _cap(worker, cap, partial(_with_worker_cap, problem, worker), witness)


def _cap(subject: str, cap: float, changed: Callable[[float], PlacementProblem], witness: Witness) -> Remedy | None:
    """Return the smallest cap that is enough; caps are looked for by what they are a part of, 1 / factor."""
    found = _largest(lambda part: witness(changed(cap / part)))
    if found is None:
        return None
    part, plan = found
    mbps = cap / part
    text = f"raise the cap of {subject} from {cap:g} to {mbps:.4g} Mbit/s"
    return Remedy("bandwidth", subject, mbps, text, plan, changed(mbps))


def _with_tier_cap(problem: PlacementProblem, tier: int, mbps: float) -> PlacementProblem:
    infrastructure = problem.infrastructure
    return _with(problem, replace(infrastructure, tier_caps={**infrastructure.tier_caps, tier: mbps}))


def _with_worker_cap(problem: PlacementProblem, worker: str, mbps: float) -> PlacementProblem:
    infrastructure = problem.infrastructure
    return _with(problem, replace(infrastructure, worker_caps={**infrastructure.worker_caps, worker: mbps}))


def _with(problem: PlacementProblem, infrastructure: Infrastructure) -> PlacementProblem:
    return replace(problem, infrastructure=infrastructure)


def _last(
    values: Sequence[float], witness: Callable[[float], PlacementPlan | None]
) -> tuple[float, PlacementPlan] | None:
    """Return the last of some values for which there is a plan; there is none after one without."""
    low, high, found = 0, len(values), None
    while low < high:
        middle = (low + high) // 2
        plan = witness(values[middle])
        if plan is None:
            high = middle
        else:
            low, found = middle + 1, (values[middle], plan)
    return found


def _largest(witness: Callable[[float], PlacementPlan | None]) -> tuple[float, PlacementPlan] | None:
    """Return about the largest part of 1 for which there is a plan, if there is one at all."""
    low, high = _FREE, 1.0
    if (plan := witness(low)) is None:
        return None
    found = (low, plan)
    while high > low * (1 + PRECISION):
        middle = math.sqrt(low * high)
        if (plan := witness(middle)) is None:
            high = middle
        else:
            low, found = middle, (middle, plan)
    return found
