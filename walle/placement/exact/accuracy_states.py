"""Which models may go together: the accuracies that each operator's output can have, and what leads to which.

An operator's accuracy is a function of its model and of its inputs' accuracies (a row of its profile), and of finitely
many of either it has finitely many. Of all combinations only those are kept from which the target can be reached.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from walle.placement.evaluation import enough, output_accuracy
from walle.placement.problem.model import PlacementProblem


@dataclass(frozen=True, slots=True)
class AccuracyState:
    """One way to an accuracy: an operator's model, the accuracies of its inputs, and that of its output."""

    model: str
    inputs: tuple[float, ...]
    output: float


def accuracy_states(problem: PlacementProblem) -> dict[str, tuple[AccuracyState, ...]]:
    """Return the states of each operator from which the target's accuracy can be reached, by operator."""
    states = _reachable(problem)
    sink = problem.workflow.sink
    states[sink] = tuple(each for each in states[sink] if enough(each.output, problem.target.accuracy))
    for name in reversed(problem.workflow.order):
        inputs = problem.workflow.by_name[name].inputs
        for position, source in enumerate(inputs):
            useful = {state.inputs[position] for state in states[name]}
            states[source] = tuple(each for each in states[source] if each.output in useful)
    return states


def reachable_accuracies(problem: PlacementProblem) -> list[float]:
    """Return the accuracies that the sink can have, ascending, whatever the target is."""
    return sorted({state.output for state in _reachable(problem)[problem.workflow.sink]})


def _reachable(problem: PlacementProblem) -> dict[str, tuple[AccuracyState, ...]]:
    found: dict[str, tuple[AccuracyState, ...]] = {}
    for name in problem.workflow.order:
        operator = problem.workflow.by_name[name]
        given = [sorted({state.output for state in found[each]}) for each in operator.inputs]
        states = []
        for model, inputs in product(operator.models, product(*given)):
            output = output_accuracy(model, inputs)
            if output is not None:
                states.append(AccuracyState(model.name, inputs, output))
        found[name] = tuple(states)
    return found
