"""Sessions: a graph that runs again and again on inputs of the same shapes (Walle, section 4.2, session mode)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from walle_task.tensor.checking import completed
from walle_task.tensor.faults import shown
from walle_task.tensor.graph import Graph, Node
from walle_task.tensor.kernels.arrays import KERNELS, Kernel
from walle_task.tensor.memory import ALIGNMENT
from walle_task.tensor.merging.rules import is_view
from walle_task.tensor.operators.catalogue import LOWERED, OPERATORS
from walle_task.tensor.planning import MOST_BYTES, ExecutionPlan, Kept, plan_execution
from walle_task.tensor.raster import raster_program, regions_step


class InputsUnfit(ValueError):
    """The inputs of a run are not those of the session."""


class RunFailed(RuntimeError):
    """A node cannot be computed from the values that it is given, such as an index outside of its tensor."""


class Session:
    """A planned graph with its memory: `run` computes its outputs from its inputs.

    A session is used by one thread at a time. With `compiled`, rasters are code compiled by numba, which has to be
    there: quicker, and the first such session of a process takes longer to make. `kept` are operators that are executed
    as they are, by `kernels`. Raises GraphMalformed for a graph that
    has faults or needs more than `most_bytes` bytes of memory beside its constants.
    """

    def __init__(
        self,
        graph: Graph,
        shapes: Mapping[str, Sequence[int]] | None = None,
        most_bytes: int = MOST_BYTES,
        *,
        compiled: bool = False,
        kept: Kept | None = None,
        kernels: Mapping[str, Kernel] = KERNELS,
    ) -> None:
        self._prepare(plan_execution(graph, shapes, most_bytes, kept), kernels, compiled)

    @classmethod
    def of(cls, plan: ExecutionPlan) -> Session:
        """Return the session of a plan that was made already, whose kernels are those in NumPy."""
        session = cls.__new__(cls)
        session._prepare(plan, KERNELS, compiled=False)
        return session

    def _prepare(self, plan: ExecutionPlan, kernels: Mapping[str, Kernel], compiled: bool) -> None:
        self.plan, self._kernels = plan, kernels
        self._values = _allocated(plan)
        typed = plan.merged
        nodes = [node for node in typed.graph.nodes if not is_view(node, typed)]
        self._steps = [self._step(node, compiled) for node in nodes]
        self._calls = list(_calls(self._steps))
        self._only_moves = all(node.operator == "raster" for node in nodes)

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
        if self._only_moves:
            for _, call in self._calls:
                call()
            return
        at = 0
        try:
            with np.errstate(all="ignore"):
                for at, (_, call) in enumerate(self._calls):  # noqa: B007
                    call()
        except (IndexError, ValueError, MemoryError) as error:
            node, _ = self._calls[at]
            raise RunFailed(f"node {node.name} ({node.operator}): {error}") from error

    def profile(self, clock: Callable[[], float]) -> list[tuple[str, str, float]]:
        """Run once; return the name, the operator and the time of each node, by a clock in seconds."""
        found = []
        with np.errstate(all="ignore"):
            for step in self._steps:
                begin = clock()
                step.call()
                found.append((step.node.name, step.node.operator, clock() - begin))
        return found

    def _step(self, node: Node, compiled: bool) -> _Step:
        inputs, outputs = ([self._values[name] for name in names] for names in (node.inputs, node.outputs))
        if "regions" not in node.attributes:
            operator = LOWERED.get(node.operator) or OPERATORS[node.operator]
            return _Step(node, self._kernels[node.operator](inputs, outputs, completed(node, operator)))
        sources = dict(zip(node.inputs, inputs, strict=True))
        if compiled and node.operator == "raster":
            program = raster_program(node.name, node.attributes["regions"], outputs[0], sources)
            if program is not None:
                return _Step(node, _moving(program), program)
        return _Step(node, regions_step(node, outputs[0], sources))


@dataclass(frozen=True, slots=True)
class _Step:
    """What computes a node, and its program if it is a compiled raster."""

    node: Node
    call: Callable[[], Any]
    program: Any = None


def _calls(steps: Sequence[_Step]) -> Iterator[tuple[Node, Callable[[], Any]]]:
    """Yield what is called for steps in their order, with a node; successive programs are one."""
    for moves, group in itertools.groupby(steps, key=lambda step: step.program is not None):
        if moves:
            several = list(group)
            yield several[0].node, _moving(np.concatenate([step.program for step in several]))
        else:
            yield from ((step.node, step.call) for step in group)


def _moving(program: Any) -> Callable[[], Any]:
    from walle_task.tensor.kernels.moving import move

    return partial(move, program)


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
