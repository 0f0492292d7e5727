"""Which models may go together: the accuracies that each operator's output can have, and what leads to which.

An operator's accuracy is a function of its model and of its inputs' accuracies (a row of its profile), and of finitely
many of either it has finitely many. An operator can tell inputs apart only by which of its rows they reach: what it
reads of an input is the highest accuracy of any row that is not above it, so that few combinations are left. Of these,
only those are kept from which the target can be reached.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from walle.placement.evaluation import enough, output_accuracy
from walle.placement.exact.limits import check_states
from walle.placement.problem.model import OperatorSpec, PlacementProblem


@dataclass(frozen=True, slots=True)
class AccuracyState:
    """One way to an accuracy: an operator's model, what it reads of its inputs' accuracies, and that of its output."""

    model: str
    inputs: tuple[float, ...]
    output: float


def accuracy_states(problem: PlacementProblem) -> dict[str, tuple[AccuracyState, ...]]:
    """Return the states of each operator from which the target's accuracy can be reached, by operator.

    Raises ProgramTooLarge.
    """
    states = _reachable(problem)
    sink = problem.workflow.sink
    states[sink] = tuple(each for each in states[sink] if enough(each.output, problem.target.accuracy))
    for name in reversed(problem.workflow.order):
        operator = problem.workflow.by_name[name]
        for position, source in enumerate(operator.inputs):
            useful = {state.inputs[position] for state in states[name]}
            kept = (each for each in states[source] if read_accuracy(operator, position, each.output) in useful)
            states[source] = tuple(kept)
    return states


def read_accuracy(operator: OperatorSpec, position: int, accuracy: float) -> float:
    """Return what an operator reads of an input's accuracy: all of it where it passes through a model without rows."""
    if not all(model.accuracy_rows for model in operator.models):
        return accuracy
    rows = (row.inputs[position] for model in operator.models for row in model.accuracy_rows)
    return max((each for each in rows if each <= accuracy), default=-math.inf)


def reachable_accuracies(problem: PlacementProblem) -> list[float]:
    """Return the accuracies that the sink can have, ascending, whatever the target is. Raises ProgramTooLarge."""
    return sorted({state.output for state in _reachable(problem)[problem.workflow.sink]})


def _reachable(problem: PlacementProblem) -> dict[str, tuple[AccuracyState, ...]]:
    found: dict[str, tuple[AccuracyState, ...]] = {}
    for name in problem.workflow.order:
        operator = problem.workflow.by_name[name]
        given = [
            sorted({read_accuracy(operator, position, state.output) for state in found[each]})
            for position, each in enumerate(operator.inputs)
        ]
        _check(operator, given)
        states = []
        for model, inputs in product(operator.models, product(*given)):
            output = output_accuracy(model, inputs)
            if output is not None:
                states.append(AccuracyState(model.name, inputs, output))
        found[name] = tuple(states)
    return found


def _check(operator: OperatorSpec, given: Sequence[Sequence[float]]) -> None:
    rows = sum(len(model.accuracy_rows) for model in operator.models)
    check_states(operator.name, math.prod(map(len, given)), rows)
