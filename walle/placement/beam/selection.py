"""Model selection: beam search from the sink to the sources (section 4.2).

A candidate is a model for each operator from the sink up, and the accuracy that it needs of each operator before them.
While no worker is known, a model costs its latency on the strongest worker, times its operator's weight and rate.
Candidates are compared by what they cost so far and what the rest costs at least.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

from walle.placement.evaluation import accuracies, enough, output_accuracy
from walle.placement.problem.model import ModelChoice, OperatorSpec, PlacementProblem


@dataclass(frozen=True, slots=True)
class ModelSelection:
    """A model for each operator, and their cost while no worker is known: ms of work in each second."""

    models: Mapping[str, str]
    cost: float


@dataclass(frozen=True, slots=True)
class _Candidate:
    models: Mapping[str, str]
    needed: Mapping[str, float]
    cost: float
    promise: float


def select_models(problem: PlacementProblem, width: int) -> list[ModelSelection]:
    """Return up to `width` selections that reach the target's accuracy, the cheapest first."""
    workflow, asked = problem.workflow, _Asked(problem)
    beam = [_Candidate({}, {workflow.sink: problem.target.accuracy}, 0.0, 0.0)]
    for name in reversed(workflow.order):
        operator = workflow.by_name[name]
        grown = [each for candidate in beam for each in _grown(asked, operator, candidate)]
        beam = heapq.nsmallest(width, grown, key=lambda each: each.promise)
    distinct = {tuple(sorted(each.models.items())): ModelSelection(each.models, each.cost) for each in reversed(beam)}
    return sorted(_reaching(problem, distinct.values()), key=lambda each: each.cost)


def every_selection(problem: PlacementProblem) -> Iterator[ModelSelection]:
    """Yield all selections that reach the target's accuracy, in no order: the brute force of Table 7."""
    choices = product(*(each.models for each in problem.workflow.operators))
    return _reaching(problem, (_selection(problem, problem.workflow.operators, models) for models in choices))


def most_accurate(problem: PlacementProblem) -> ModelSelection:
    """Return the selection that has the most accurate model of each operator, given those before it.

    Of equally accurate models it is the cheapest one.
    """
    reached: dict[str, float | None] = {}
    models: list[ModelChoice] = []
    operators = [problem.workflow.by_name[name] for name in problem.workflow.order]
    for operator in operators:
        inputs = tuple(reached[each] for each in operator.inputs)
        ranked = sorted(
            ((output_accuracy(model, inputs), model) for model in operator.models),
            key=lambda pair: (-math.inf if pair[0] is None else pair[0], -pair[1].selection_cost_ms),
        )
        reached[operator.name], best = ranked[-1]
        models.append(best)
    return _selection(problem, operators, models)


def _selection(
    problem: PlacementProblem, operators: Sequence[OperatorSpec], models: Sequence[ModelChoice]
) -> ModelSelection:
    pairs = list(zip(operators, models, strict=True))
    cost = math.fsum(_cost(problem, operator, model) for operator, model in pairs)
    return ModelSelection({operator.name: model.name for operator, model in pairs}, cost)


def _cost(problem: PlacementProblem, operator: OperatorSpec, model: ModelChoice) -> float:
    return operator.selection_weight * model.selection_cost_ms * problem.rates[operator.name]


def _reaching(problem: PlacementProblem, given: Iterable[ModelSelection]) -> Iterator[ModelSelection]:
    """Yield the selections whose accuracy, as plans are evaluated, is enough."""
    for each in given:
        accuracy = accuracies(problem.workflow, each.models)[problem.workflow.sink]
        if accuracy is not None and enough(accuracy, problem.target.accuracy):
            yield each


class _Asked:
    """What candidates ask of operators' rows, looked up once: many ask for the same accuracies."""

    def __init__(self, problem: PlacementProblem) -> None:
        operators = problem.workflow.by_name
        self.cost = cache(lambda name, model: _cost(problem, operators[name], operators[name].model(model)))
        self.least = cache(lambda name, threshold: _least(problem, operators[name], threshold))
        self.requirements = cache(
            lambda name, model, threshold: _requirements(
                operators[name].model(model), len(operators[name].inputs), threshold
            )
        )


def _grown(asked: _Asked, operator: OperatorSpec, candidate: _Candidate) -> Iterator[_Candidate]:
    """Yield a candidate with each model of an operator that is accurate enough, and each way to be so."""
    threshold = candidate.needed[operator.name]
    left = {name: needed for name, needed in candidate.needed.items() if name != operator.name}
    for model in operator.models:
        cost = candidate.cost + asked.cost(operator.name, model.name)
        for inputs in asked.requirements(operator.name, model.name, threshold):
            needed = dict(left)
            for name, accuracy in zip(operator.inputs, inputs, strict=True):
                needed[name] = max(accuracy, needed.get(name, -math.inf))
            rest = math.fsum(asked.least(name, least) for name, least in needed.items())
            if rest < math.inf:
                yield _Candidate({**candidate.models, operator.name: model.name}, needed, cost, cost + rest)


def _requirements(model: ModelChoice, inputs: int, threshold: float) -> list[tuple[float, ...]]:
    """Return the least accuracies of its inputs with which a model reaches a threshold, none above another."""
    if not model.accuracy_rows:
        return [(threshold,) * inputs]
    found: list[tuple[float, ...]] = []
    for row in dict.fromkeys(row.inputs for row in model.accuracy_rows if enough(row.output, threshold)):
        if not any(_at_most(other, row) for other in found):
            found = [other for other in found if not _at_most(row, other)] + [row]
    return found


def _at_most(first: Sequence[float], second: Sequence[float]) -> bool:
    return all(a <= b for a, b in zip(first, second, strict=True))


def _least(problem: PlacementProblem, operator: OperatorSpec, threshold: float) -> float:
    """Return what an operator costs at least if its output is to reach a threshold; infinite if no model does."""
    costs = (_cost(problem, operator, model) for model in operator.models if _can_reach(model, threshold))
    return min(costs, default=math.inf)


def _can_reach(model: ModelChoice, threshold: float) -> bool:
    return not model.accuracy_rows or any(enough(row.output, threshold) for row in model.accuracy_rows)
