"""Backpropagation: the gradients of a loss by some values of its graph, as more nodes of the lowered graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from walle_task.tensor.checking import completed
from walle_task.tensor.faults import Fault, GraphMalformed, Unfit, shown
from walle_task.tensor.graph import Node, TypedGraph
from walle_task.tensor.lowering import Lowering
from walle_task.tensor.operators.catalogue import LOWERED
from walle_task.tensor.types import FLOATS
from walle_task.training.gradients import elementwise, indexing, reductions
from walle_task.training.gradients.regions import raster_gradients
from walle_task.training.gradients.rule import Applied, GradientRule

RULES: Final[Mapping[str, GradientRule]] = {**elementwise.RULES, **reductions.RULES, **indexing.RULES}
"""The rule of each atomic operator that has a gradient. Of those without one no output is a float that depends on a
float, such as a comparison's."""


def with_gradients(lowered: TypedGraph, loss: str, wanted: Sequence[str]) -> TypedGraph:
    """Return a lowered graph that computes its outputs, and after them the gradient of `loss`, a float without axes or
    of one element, by each of the values `wanted`, of its type. A value that the loss does not depend on has zeros.

    Raises GraphMalformed for a loss that is no such value, and for nodes between that have no gradient.
    """
    if loss not in lowered.types or lowered.types[loss].count != 1 or lowered.types[loss].dtype not in FLOATS:
        raise GraphMalformed([Fault("", "loss", "a float of one element", _found(lowered, loss))])
    backward = _Backward(lowered, wanted)
    backward.add(loss, backward.lowering.constant(np.ones(lowered.types[loss].shape, lowered.types[loss].dtype)))
    for node in reversed(lowered.graph.nodes):
        backward.visit(node)
    return backward.lowering.done((*lowered.graph.outputs, *(backward.gradient(name) for name in wanted)))


def _found(lowered: TypedGraph, loss: str) -> str:
    return str(lowered.types[loss]) if loss in lowered.types else f"no value {shown(loss)}"


class _Backward:
    """The gradients of the values that were reached until now, from the loss backwards."""

    def __init__(self, lowered: TypedGraph, wanted: Sequence[str]) -> None:
        self.lowering = Lowering.after(lowered, "gradient")
        self._gradients: dict[str, str] = {}
        self._active = _active(lowered, wanted)

    def add(self, value: str, gradient: str) -> None:
        """Add to the gradient by a value."""
        known = self._gradients.get(value)
        self._gradients[value] = gradient if known is None else self.lowering.emit("add", known, gradient)

    def gradient(self, value: str) -> str:
        """Return the gradient by a value, under a name that no other gradient has."""
        found = self._gradients.get(value)
        if found is None:
            expected = self.lowering.type_of(value)
            return self.lowering.emit("broadcast_to", self.lowering.number(0, expected.dtype), shape=expected.shape)
        return self.lowering.emit("identity", found)

    def visit(self, node: Node) -> None:
        """Add to the gradients by what a node reads. Raises GraphMalformed."""
        gradient = self._gradients.get(node.outputs[0])
        if gradient is None or self._active.isdisjoint(node.inputs):
            return
        try:
            found = self._applied(node, gradient)
        except Unfit as error:
            raise GraphMalformed([error.at(f"gradient of {node.name}")]) from None
        for value, each in found:
            if value in self._active and each is not None:
                self.add(value, each)

    def _applied(self, node: Node, gradient: str) -> list[tuple[str, str | None]]:
        if node.operator == "raster":
            return list(raster_gradients(self.lowering, node, gradient))
        if node.operator not in RULES:
            raise Unfit("operator", "one that has a gradient", node.operator)
        attributes = completed(node, LOWERED[node.operator])
        applied = Applied(node.inputs, node.outputs, attributes, gradient)
        return list(zip(node.inputs, RULES[node.operator](self.lowering, applied), strict=True))


def _active(lowered: TypedGraph, wanted: Sequence[str]) -> set[str]:
    """Return the values of floats that depend on those wanted."""
    active = set(wanted)
    for node in lowered.graph.nodes:
        if not active.isdisjoint(node.inputs):
            active.update(name for name in node.outputs if lowered.types[name].dtype in FLOATS)
    return active
