"""Workers that no plan could tell apart, taken together: a program that counts them has no symmetric twins to visit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from walle.placement.loads import place_of
from walle.placement.problem.model import PlacementProblem, PlacementWorker

Choice: TypeAlias = tuple[str, str]
"""An operator and one of its models."""
Surcharge: TypeAlias = Callable[[str, str, PlacementWorker], float]
"""USD per hour that an operator with a model costs on a worker beside the worker's price, such as for moving there."""


def no_surcharge(operator: str, model: str, worker: PlacementWorker) -> float:
    """Return the surcharge of problems that have none."""
    del operator, model, worker
    return 0.0


@dataclass(frozen=True)
class WorkerClass:
    """Workers that are alike in all that a cost or a constraint reads.

    `sample` is one of them, `ids` are all. By operator and model, `capacity` is the items per second that each takes,
    without those it cannot run, and `cost` is what each costs in an hour, with its surcharge.
    """

    ids: tuple[str, ...]
    sample: PlacementWorker
    capacity: Mapping[Choice, float]
    cost: Mapping[Choice, float]


def worker_classes(problem: PlacementProblem, surcharge: Surcharge = no_surcharge) -> tuple[WorkerClass, ...]:
    """Return the classes of a problem's workers, in the order of their first members."""
    choices = [(each.name, model.name) for each in problem.workflow.operators for model in each.models]
    alike: dict[tuple[object, ...], list[PlacementWorker]] = defaultdict(list)
    for worker in problem.infrastructure.workers:
        capacities = tuple(problem.capacity(*choice, worker) for choice in choices)
        extra = tuple(surcharge(*choice, worker) for choice in choices)
        alike[place_of(problem, worker), worker.cost_per_hour, capacities, extra].append(worker)
    return tuple(_worker_class(problem, choices, members, surcharge) for members in alike.values())


def _worker_class(
    problem: PlacementProblem, choices: list[Choice], members: list[PlacementWorker], surcharge: Surcharge
) -> WorkerClass:
    sample = members[0]
    capacity = {choice: problem.capacity(*choice, sample) for choice in choices}
    hourly = problem.infrastructure.hourly(sample)
    return WorkerClass(
        ids=tuple(each.id for each in members),
        sample=sample,
        capacity={choice: found for choice, found in capacity.items() if found},
        cost={choice: hourly + surcharge(*choice, sample) for choice in choices},
    )
