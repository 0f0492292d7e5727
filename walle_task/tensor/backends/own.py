"""The engine's own kernels as a backend: sessions. Every device has it, as it needs NumPy only.

Where numba is installed, convolutions are fused with what follows them and computed by the algorithm that costs least,
and rasters are compiled.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from walle_task.tensor.backends.port import (
    BackendUnfit,
    CompiledGraph,
    CompileOptions,
    MemoryUse,
    constant_bytes,
    installed_version,
)
from walle_task.tensor.faults import GraphMalformed
from walle_task.tensor.fusing import fusing
from walle_task.tensor.graph import TypedGraph
from walle_task.tensor.kernels.arrays import KERNELS
from walle_task.tensor.operators.catalogue import OPERATORS
from walle_task.tensor.operators.operator import Call, Operator, OperatorGroup
from walle_task.tensor.planning import Kept, merged_series
from walle_task.tensor.search.algorithms import likely_algorithm
from walle_task.tensor.search.costs import BackendRates, BackendTraits, operator_cost
from walle_task.tensor.session import Session
from walle_task.tensor.types import MAX_ELEMENTS

_IMAGE: Final = 4


class OwnKernels:
    """Sessions of lowered graphs; compiled ones where numba is installed, unless `compiled` is false."""

    name: Final = "walle"
    exact: Final = True

    def __init__(self, compiled: bool = True) -> None:
        self._numba = installed_version("numba", "numba") if compiled else None

    @property
    def traits(self) -> BackendTraits:
        return BackendTraits(winograd=self._numba is not None)

    def version(self) -> str | None:
        return f"numpy {np.__version__}" + (f" numba {self._numba}" if self._numba else "")

    def series(self, typed: TypedGraph) -> TypedGraph:
        return merged_series(typed, self._kept(None))

    def reasons_against(self, series: TypedGraph) -> list[str]:
        return [
            f"node {node.name}: {node.operator} is control flow"
            for node in series.graph.nodes
            if node.operator in OPERATORS and OPERATORS[node.operator].group is OperatorGroup.CONTROL_FLOW
        ]

    def compile(self, typed: TypedGraph, options: CompileOptions) -> CompiledGraph:
        shapes = {name: typed.types[name].shape for name in typed.graph.inputs}
        kept, kernels = self._kept(options.rates.get(self.name)), KERNELS
        if self._numba:
            from walle_task.tensor.kernels.convolving import COMPILED_KERNELS

            kernels = COMPILED_KERNELS
        try:
            session = Session(typed.graph, shapes, compiled=bool(self._numba), kept=kept, kernels=kernels)
        except GraphMalformed as error:
            raise BackendUnfit(self.name, [str(error)]) from None
        return _OwnSession(session)

    def _kept(self, rates: BackendRates | None) -> Kept:
        """Return what sessions fuse; algorithms are chosen by rates, or by what is usual."""
        if not self._numba:
            return Kept()
        if rates is None:
            return Kept(_keeps, (fusing(likely_algorithm),))
        return Kept(_keeps, (fusing(lambda work: operator_cost(work, self.traits, rates).algorithm),))


def _keeps(operator: Operator, call: Call) -> bool:
    """Return whether a convolution is fused: one over two axes, of float32."""
    if operator.name != "convolution" or call.inputs[0].dtype != "float32" or call.inputs[0].rank != _IMAGE:
        return False
    return 0 < call.inputs[0].count < MAX_ELEMENTS


class _OwnSession:
    def __init__(self, session: Session) -> None:
        self._session = session
        plan = session.plan
        self.memory = MemoryUse(constant_bytes(plan.merged), plan.memory.nbytes, plan.memory.naive)

    def run(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        return self._session.run(inputs)

    def close(self) -> None:
        del self._session
