"""All operators by name, how many there are of each group, and what their backends cost (Walle, section 4.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from walle_task.tensor.operators import (
    activations,
    atomic,
    control_flow,
    fused,
    layers,
    transform_order,
    transform_parts,
)
from walle_task.tensor.operators.operator import Operator, OperatorGroup

OPERATORS: Final[Mapping[str, Operator]] = {
    operator.name: operator
    for operator in (
        *atomic.OPERATORS,
        *transform_order.OPERATORS,
        *transform_parts.OPERATORS,
        *activations.OPERATORS,
        *layers.OPERATORS,
        *control_flow.OPERATORS,
    )
}
"""The operators of models."""

LOWERED: Final[Mapping[str, Operator]] = {
    atomic.RASTER.name: atomic.RASTER,
    atomic.RASTER_ADD.name: atomic.RASTER_ADD,
    fused.FUSED_CONVOLUTION.name: fused.FUSED_CONVOLUTION,
    **{
        name: each
        for name, each in OPERATORS.items()
        if each.group in (OperatorGroup.ATOMIC, OperatorGroup.CONTROL_FLOW)
    },
}
"""The operators of lowered graphs: those that backends have kernels for, what compiled sessions fuse, control flow."""


@dataclass(frozen=True, slots=True)
class Workload:
    """How many kernels and definitions have to be written for some operators and backends, by the paper's formula.

    Without geometric computing, each operator but those of control flow needs a kernel for each backend. With it, only
    atomic operators and raster do, and each other operator is defined once.
    """

    atomic: int
    transform: int
    composite: int
    control_flow: int
    backends: int

    @property
    def without_raster(self) -> int:
        return (self.atomic + self.transform + self.composite) * self.backends + self.control_flow

    @property
    def with_raster(self) -> int:
        return (self.atomic + 1) * self.backends + self.transform + self.composite + self.control_flow

    @property
    def saved(self) -> float:
        """The part of the work that raster saves."""
        return 1 - self.with_raster / self.without_raster


PAPER_BACKENDS: Final = 16
"""The backends of MNN in the paper."""


def workload(backends: int = PAPER_BACKENDS) -> Workload:
    """Return the workload of this catalogue for a number of backends."""
    counts = Counter(each.group for each in OPERATORS.values())
    return Workload(
        atomic=counts[OperatorGroup.ATOMIC],
        transform=counts[OperatorGroup.TRANSFORM],
        composite=counts[OperatorGroup.COMPOSITE],
        control_flow=counts[OperatorGroup.CONTROL_FLOW],
        backends=backends,
    )
