"""The wider question: the cheapest plan in which a worker may serve several operators, its time divided among them.

A worker is paid once. `count[v,m,k]` is then the time, in workers, that class k gives operator v with model m, and
`used[k]` how many of its workers are paid. Workers of a class are alike, so any division of their time that adds up can
be dealt to them one after the other.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

from walle.placement.evaluation import Evaluation, Violation, evaluate
from walle.placement.exact.classes import Choice, WorkerClass
from walle.placement.exact.formulation import Formulation
from walle.placement.loads import Place, place_of
from walle.placement.problem.model import PlacementPlan, PlacementProblem

LEAST_TIME: Final = 1e-9
"""The least part of a worker's time that counts as used."""
FULL: Final = 1 + 1e-6
"""From which utilisation on a worker is overloaded; the solver's arithmetic is no finer."""


def evaluate_shared(problem: PlacementProblem, plan: PlacementPlan) -> Evaluation:
    """Return the evaluation of a plan in which workers may serve several operators.

    A worker is paid once, and must have time for all its operators together. The plan states all shares of loads.
    """
    found = evaluate(problem, plan)
    kept = [each for each in found.violations if each.constraint not in ("one-operator", "throughput")]
    busy = [Violation("overload", worker, 1.0, part) for worker, part in found.utilisation.items() if part > FULL]
    busiest = max(found.utilisation.values(), default=0.0)
    throughput = problem.rates[problem.workflow.sink] / busiest if busiest else found.throughput
    return Evaluation(
        found.compute,
        found.network,
        found.accuracy,
        min(found.throughput, throughput),
        found.utilisation,
        (*kept, *busy),
    )


class SharedFormulation(Formulation):
    """The program of a problem whose workers may serve several operators."""

    excludes = False

    def _counted(self, workers: WorkerClass, choice: Choice) -> int:
        """Add the variable of the time that a class gives an operator with a model; it is paid by the worker."""
        del choice
        return self.program.variable(len(workers.ids))

    def _exclusive(self) -> None:
        """The time that a class gives is that of the workers that are paid."""
        self.used: dict[int, int] = {}
        for number, each in enumerate(self.classes):
            hourly = self.problem.infrastructure.hourly(each.sample)
            self.used[number] = self.program.variable(len(each.ids), cost=hourly, integer=True)
            given = [(variable, 1.0) for (_, _, k), variable in self.count.items() if k == number]
            self.program.row([*given, (self.used[number], -1.0)], upper=0.0)

    def plan(self, values: list[float]) -> PlacementPlan:
        """Return the plan of a solution's variables: time is dealt to the workers of a class one after the other."""
        models = {name: model for (name, model), variable in self.select.items() if values[variable] > 0.5}
        free = {number: [1.0] * len(each.ids) for number, each in enumerate(self.classes)}
        loads = {name: self._dealt((name, model), values, free) for name, model in models.items()}
        return PlacementPlan(
            models,
            {name: tuple(each) for name, each in loads.items()},
            {name: tuple(load / sum(each.values()) for load in each.values()) for name, each in loads.items()},
        )

    def _dealt(self, choice: Choice, values: Sequence[float], free: Mapping[int, list[float]]) -> dict[str, float]:
        """Deal an operator's load to workers with free time, and return it by worker."""
        name, model = choice
        loads: dict[str, float] = {}
        for number, workers in enumerate(self.classes):
            if (name, model, number) not in self.count:
                continue
            left = values[self.count[name, model, number]] * self._needed(
                choice, place_of(self.problem, workers.sample), values
            )
            for position, worker in enumerate(workers.ids):
                taken = min(left, free[number][position])
                if taken > LEAST_TIME:
                    left -= taken
                    free[number][position] -= taken
                    loads[worker] = taken * workers.capacity[choice]
        return loads

    def _needed(self, choice: Choice, place: Place, values: Sequence[float]) -> float:
        """Return which part of the time that a place gives an operator its load takes."""
        given = [
            values[variable] * self.classes[number].capacity[choice]
            for (name, model, number), variable in self.count.items()
            if (name, model) == choice and place_of(self.problem, self.classes[number].sample) == place
        ]
        load = values[self.share[(*choice, place)]] * self.problem.rates[choice[0]]
        return min(1.0, load / sum(given)) if sum(given) else 0.0

    def start(self, plan: PlacementPlan) -> dict[int, float]:
        """Return the paid workers of a plan, from which the solver completes the other variables."""
        values = {self.select[choice]: 1.0 if plan.models[choice[0]] == choice[1] else 0.0 for choice in self.select}
        busy = {worker for ids in plan.workers.values() for worker in ids}
        return values | {
            self.used[number]: len(busy.intersection(each.ids)) for number, each in enumerate(self.classes)
        }

    def complete(self, plan: PlacementPlan) -> PlacementPlan:
        """Return a plan as it is: its loads are chosen together with its workers."""
        return plan

    def price(self, plan: PlacementPlan) -> float:
        """Return what a plan costs in an hour; infinite if it is not feasible."""
        found = evaluate_shared(self.problem, plan)
        return found.cost if found.feasible else math.inf
