"""What plans are compared with: the baselines of the paper (section 6.1), and the switches of its ablation (Table 7).

Placements are plans, priced as all plans are. PTe, PTc and SPC are not plans: the whole workflow runs on workers of the
strongest type, which are paid for the time that they are busy, as the paper counts them. PTe pretends that they stand
at the sources; the others take everything to the highest tier, and Spark adds its overhead.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from walle.placement.beam.search import DEFAULT_WIDTHS, BeamWidths, RankedPlan, ranked, search_assignments
from walle.placement.beam.selection import ModelSelection, every_selection, most_accurate, select_models
from walle.placement.evaluation import GB_PER_HOUR, accuracies
from walle.placement.problem.model import PlacementProblem, PlacementWorker
from walle.placement.tables import Crew, ModelTable, SearchTables

SPARK_OVERHEAD: Final = 0.12
"""How much more compute SPC takes than PTc: the mean of the four pairs of Table 7, which are 9 to 15 %."""


@dataclass(frozen=True, slots=True)
class BaselineCost:
    """What a baseline costs in an hour, in USD, and its accuracy; `plan` is None where it is none of this problem."""

    name: str
    compute: float
    network: float
    accuracy: float | None
    plan: RankedPlan | None = None

    @property
    def cost(self) -> float:
        """Compute and network together."""
        return self.compute + self.network


Selecting = Callable[[PlacementProblem], list[ModelSelection]]
SELECTIONS: Final[Mapping[str, Selecting]] = {
    "beam": lambda problem: select_models(problem, DEFAULT_WIDTHS.models),
    "most accurate": lambda problem: [most_accurate(problem)],
    "brute force": lambda problem: list(every_selection(problem)),
}
"""How models may be selected: the rows of Table 7."""


def assigned(
    problem: PlacementProblem,
    selections: Sequence[ModelSelection],
    generator: random.Random,
    widths: BeamWidths = DEFAULT_WIDTHS,
) -> RankedPlan | None:
    """Return the cheapest plan that the beam makes of selections of models; None if it makes none."""
    tables = SearchTables(problem)
    found = search_assignments(tables, selections, generator, replace(widths, plans=1))
    return next(iter(ranked(problem, [tables.plan(chosen) for _, _, chosen in found])), None)


def best_fit(problem: PlacementProblem) -> RankedPlan | None:
    """Return the plan that keeps traffic low: the most accurate models, each on the lowest tier that can carry it.

    On a tier, workers with the cheapest compute come first. None where operators do not fit into single tiers.
    """
    return _greedy(problem, lambda tables, floor: [[tier] for tier in range(floor, tables)])


def first_fit(problem: PlacementProblem) -> RankedPlan | None:
    """Return the plan that takes the workers with the cheapest compute, wherever they are, for the best models.

    As in all plans, traffic does not go down. None where the workers that are left do not carry an operator.
    """
    return _greedy(problem, lambda tables, floor: [list(range(floor, tables))])


def _greedy(problem: PlacementProblem, pools: Callable[[int, int], list[list[int]]]) -> RankedPlan | None:
    """Place operator after operator on the first pool of tiers that carries it, the cheapest compute first."""
    tables = SearchTables(problem)
    chosen: dict[int, tuple[ModelTable, Crew]] = {}
    used = 0
    for table in tables.selection(most_accurate(problem).models):
        _, floor = tables.arrival(table.operator, chosen)
        masks = (_first(tables, table, used, pool) for pool in pools(len(problem.infrastructure.tiers), floor))
        mask = next((each for each in masks if each), 0)
        if not mask:
            return None
        chosen[table.operator] = table, tables.crew(table, mask)
        used |= mask
    return next(iter(ranked(problem, [tables.plan(chosen)])), None)


def _first(tables: SearchTables, table: ModelTable, used: int, tiers: Sequence[int]) -> int:
    mask, carried = 0, 0.0
    for worker in sorted(range(len(tables.hourly)), key=table.units.__getitem__):
        if tables.tiers[worker] in tiers and not used >> worker & 1 and table.capacities[worker]:
            mask |= 1 << worker
            carried += table.capacities[worker]
            if carried >= 1:
                return mask
    return 0


def on_one_tier(problem: PlacementProblem, tier: int, generator: random.Random) -> RankedPlan | None:
    """Return the cheapest plan of the beam that uses workers of one tier only; None if they do not carry it."""
    workers = tuple(each for each in problem.infrastructure.workers if each.tier == tier)
    if not workers:
        return None
    alone = replace(problem, infrastructure=replace(problem.infrastructure, workers=workers, worker_caps={}))
    found = assigned(alone, select_models(problem, DEFAULT_WIDTHS.models), generator)
    return next(iter(ranked(problem, [found.plan])), None) if found else None


def by_use(
    problem: PlacementProblem, selection: ModelSelection, *, edge: bool, overhead: float = 0.0
) -> BaselineCost | None:
    """Return what the workflow costs on workers of the strongest type that are paid by use: PTe, PTc, SPC.

    At the edge nothing is sent; else everything that sources send goes to the highest tier. None where no worker can
    run all of the models.
    """
    worker = _strongest(problem, selection)
    if worker is None:
        return None
    busy = sum(
        problem.rates[name] / problem.capacity(name, selection.models[name], worker) for name in problem.workflow.order
    )
    name = "PTe" if edge else "SPC" if overhead else "PTc"
    network = 0.0 if edge else _to_the_top(problem)
    accuracy = accuracies(problem.workflow, selection.models)[problem.workflow.sink]
    return BaselineCost(name, busy * problem.infrastructure.hourly(worker) * (1 + overhead), network, accuracy)


def _strongest(problem: PlacementProblem, selection: ModelSelection) -> PlacementWorker | None:
    """Return the worker that is busy for the shortest time with an item of all operators."""

    def seconds(worker: PlacementWorker) -> float:
        return sum(
            problem.rates[name] / problem.capacity(name, model, worker) for name, model in selection.models.items()
        )

    able = [
        each
        for each in problem.infrastructure.workers
        if all(problem.capacity(name, model, each) for name, model in selection.models.items())
    ]
    return min(able, key=seconds, default=None)


def _to_the_top(problem: PlacementProblem) -> float:
    network = problem.infrastructure.network
    top = len(problem.infrastructure.tiers) - 1
    price = network.usd_per_gb.get((network.source_tier, top), 0.0) if network.source_tier < top else 0.0
    sent = [
        problem.edge_rate(edge) * edge.kb(None)
        for edge in problem.workflow.edges
        if edge.source in problem.target.rates
    ]
    return sum(sent) * GB_PER_HOUR * price


def compare(problem: PlacementProblem, generator: random.Random) -> dict[str, BaselineCost | None]:
    """Return each baseline by its name, None where it finds no feasible plan."""
    return dict(each_baseline(problem, generator))


def each_baseline(problem: PlacementProblem, generator: random.Random) -> Iterator[tuple[str, BaselineCost | None]]:
    """Yield the name of each baseline with its costs, None where it finds no feasible plan.

    Each is computed when it is asked for, so that whoever has no time left may stop.
    """
    accurate = most_accurate(problem)
    top = len(problem.infrastructure.tiers) - 1
    plans: dict[str, Callable[[], RankedPlan | None]] = {
        "best fit": lambda: best_fit(problem),
        "first fit": lambda: first_fit(problem),
        "most accurate models": lambda: assigned(problem, [accurate], generator),
        "all-edge": lambda: on_one_tier(problem, problem.infrastructure.network.source_tier, generator),
        "all-cloud": lambda: on_one_tier(problem, top, generator),
    }
    for name, planned in plans.items():
        plan = planned()
        yield name, _of_plan(name, plan) if plan else None
    selected = next(iter(select_models(problem, DEFAULT_WIDTHS.models)), None)
    for name, edge, overhead in (("PTe", True, 0.0), ("PTc", False, 0.0), ("SPC", False, SPARK_OVERHEAD)):
        yield name, by_use(problem, accurate, edge=edge, overhead=overhead)
        found = by_use(problem, selected, edge=edge, overhead=overhead) if selected else None
        yield f"{name}, models selected", found


def _of_plan(name: str, plan: RankedPlan) -> BaselineCost:
    evaluation = plan.evaluation
    return BaselineCost(name, evaluation.compute, evaluation.network, evaluation.accuracy, plan)
