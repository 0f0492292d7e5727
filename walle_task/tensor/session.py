"""Sessions: a graph that runs again and again on inputs of the same shapes (Walle, section 4.2, session mode)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from walle_task.tensor.checking import completed
from walle_task.tensor.faults import shown
from walle_task.tensor.graph import Graph, Node
from walle_task.tensor.kernels.arrays import KERNELS
from walle_task.tensor.memory import ALIGNMENT
from walle_task.tensor.merging.rules import is_view
from walle_task.tensor.operators.catalogue import LOWERED
from walle_task.tensor.planning import MOST_BYTES, ExecutionPlan, plan_execution
from walle_task.tensor.raster import raster_copies, raster_step


class InputsUnfit(ValueError):
    """The inputs of a run are not those of the session."""


class RunFailed(RuntimeError):
    """A node cannot be computed from the values that it is given, such as an index outside of its tensor."""


class Session:
    """A planned graph with its memory: `run` computes its outputs from its inputs.

    A session is used by one thread at a time. Raises GraphMalformed for a graph that has faults or needs more than
    `most_bytes` bytes of memory beside its constants.
    """

    def __init__(
        self, graph: Graph, shapes: Mapping[str, Sequence[int]] | None = None, most_bytes: int = MOST_BYTES
    ) -> None:
        self.plan: ExecutionPlan = plan_execution(graph, shapes, most_bytes)
        self._values = _allocated(self.plan)
        typed = self.plan.merged
        self._nodes = [node for node in typed.graph.nodes if not is_view(node, typed)]
        self._steps = [self._step(node) for node in self._nodes]

    @property
    def inputs(self) -> dict[str, Any]:
        """The arrays that `execute` reads; they are to be written before each call, which may use their memory."""
        return {name: self._values[name] for name in self.plan.merged.graph.inputs}

    @property
    def outputs(self) -> dict[str, Any]:
        """The arrays that `execute` writes, which stay until it is called again."""
        return {name: self._values[name] for name in self.plan.merged.graph.outputs}

    def run(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the outputs for inputs by name, as arrays of their own. Raises InputsUnfit, RunFailed."""
        for name, target in self.inputs.items():
            np.copyto(target, _fitting(name, inputs.get(name), target))
        if unknown := inputs.keys() - self.inputs.keys():
            raise InputsUnfit(f"inputs: expected {', '.join(self.inputs)}, found {shown(sorted(unknown))}")
        self.execute()
        return {name: array.copy() for name, array in self.outputs.items()}

    def execute(self) -> None:
        """Compute `outputs` from what is in `inputs`. Raises RunFailed."""
        at = 0
        try:
            with np.errstate(all="ignore"):
                for at, step in enumerate(self._steps):  # noqa: B007
                    step()
        except (IndexError, ValueError, MemoryError) as error:
            raise RunFailed(f"node {self._nodes[at].name} ({self._nodes[at].operator}): {error}") from error

    def profile(self, clock: Callable[[], float]) -> list[tuple[str, str, float]]:
        """Run once; return the name, the operator and the time of each node, by a clock in seconds."""
        found = []
        with np.errstate(all="ignore"):
            for node, step in zip(self._nodes, self._steps, strict=True):
                begin = clock()
                step()
                found.append((node.name, node.operator, clock() - begin))
        return found

    def _step(self, node: Node) -> Callable[[], Any]:
        inputs, outputs = ([self._values[name] for name in names] for names in (node.inputs, node.outputs))
        if node.operator == "raster":
            sources = dict(zip(node.inputs, inputs, strict=True))
            return raster_step(raster_copies(node.name, node.attributes["regions"], outputs[0], sources))
        return KERNELS[node.operator](inputs, outputs, completed(node, LOWERED[node.operator]))


def _allocated(plan: ExecutionPlan) -> dict[str, Any]:
    """Return the array of each value; those that are not constants lie in one arena."""
    arena = np.empty(plan.memory.nbytes + ALIGNMENT, "uint8")
    begin = -arena.ctypes.data % ALIGNMENT
    values = {
        name: np.ascontiguousarray(array).reshape(array.shape) for name, array in plan.merged.graph.constants.items()
    }
    for name, offset in plan.memory.offsets.items():
        found = plan.merged.types[name]
        values[name] = arena[begin + offset :][: found.nbytes].view(found.dtype).reshape(found.shape)
    for name, owner in plan.storage.items():
        values.setdefault(name, values[owner].reshape(plan.merged.types[name].shape))
    return values


def _fitting(name: str, given: Any, target: Any) -> Any:
    array = np.asarray(given) if given is not None else None
    if array is None or array.dtype != target.dtype or array.shape != target.shape:
        found = "nothing" if array is None else f"{array.dtype}{list(array.shape)}"
        raise InputsUnfit(f"inputs.{name}: expected {target.dtype}{list(target.shape)}, found {found}")
    return array
