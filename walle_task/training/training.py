"""Training a graph: which of its constants are parameters, and one step after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from walle_task.tensor.checking import check_graph
from walle_task.tensor.faults import Fault, GraphMalformed, shown
from walle_task.tensor.graph import Graph
from walle_task.tensor.inference import infer_types
from walle_task.tensor.lowering import lower
from walle_task.tensor.planning import MOST_BYTES, plan_lowered
from walle_task.tensor.session import Session
from walle_task.tensor.types import FLOATS, InputSpec
from walle_task.training.gradients.backward import with_gradients
from walle_task.training.optimizers import Optimizer


class Training:
    """A graph in training: each `step` moves some of its constants, the parameters, against the gradient of its loss.

        training = Training(graph, loss, ["head/weights", "head/bias"], Adam(0.01), shapes={"x": (32, 10), "y": (32,)})
        for x, y in batches:
            training.step({"x": x, "y": y})
        personal = training.trained()

    `loss` is a value of the graph, a float of one element. The shapes are those of the inputs that leave an axis open.
    Raises GraphMalformed for a graph that has faults, and one that cannot be trained so.
    """

    def __init__(
        self,
        graph: Graph,
        loss: str,
        parameters: Sequence[str],
        optimizer: Optimizer,
        *,
        shapes: Mapping[str, Sequence[int]] | None = None,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self._graph = check_graph(graph)
        self._optimizer = optimizer
        self._parameters = _copies(graph, parameters)
        typed = infer_types(_with_inputs(replace(graph, outputs=(loss,)), self._parameters), shapes)
        self._session = Session.of(plan_lowered(typed, with_gradients(lower(typed), loss, parameters), most_bytes))

    def step(self, inputs: Mapping[str, Any]) -> float:
        """Return the loss for a batch, after which the parameters were changed once.

        Raises InputsUnfit; RunFailed; FloatingPointError, with unchanged parameters, where the loss or a gradient is
        not finite.
        """
        loss, *gradients = self._session.run({**inputs, **self._parameters}).values()
        for name, gradient in zip(("the loss", *self._parameters), (loss, *gradients), strict=True):
            if not np.isfinite(gradient).all():
                raise FloatingPointError(f"{name}: expected finite numbers, found others; use a smaller rate")
        self._optimizer.update(self._parameters, dict(zip(self._parameters, gradients, strict=True)))
        return float(loss.reshape(()))

    def trained(self) -> Graph:
        """Return the graph with the parameters as they are now."""
        copies = {name: array.copy() for name, array in self._parameters.items()}
        return replace(self._graph, constants={**self._graph.constants, **copies})


def _copies(graph: Graph, parameters: Sequence[str]) -> dict[str, Any]:
    floats = [name for name, array in graph.constants.items() if str(array.dtype) in FLOATS]
    faults = [
        Fault("", "parameters", f"constants of floats, such as {', '.join(map(shown, floats[:5]))}", shown(name))
        for name in parameters
        if name not in floats
    ]
    if not parameters or len(set(parameters)) != len(parameters):
        faults.append(Fault("", "parameters", "one or more different constants", shown(list(parameters))))
    if faults:
        raise GraphMalformed(faults)
    return {name: np.array(graph.constants[name]) for name in parameters}


def _with_inputs(graph: Graph, parameters: Mapping[str, Any]) -> Graph:
    """Return a graph whose parameters are inputs: what depends on them is not folded."""
    specs = {name: InputSpec(str(array.dtype), array.shape) for name, array in parameters.items()}
    constants = {name: array for name, array in graph.constants.items() if name not in parameters}
    return replace(graph, inputs={**graph.inputs, **specs}, constants=constants)
