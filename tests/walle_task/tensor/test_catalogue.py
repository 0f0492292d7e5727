"""The catalogue: the paper's groups, its formula of the workload, and a kernel for each atomic operator."""

from __future__ import annotations

from collections import Counter

import pytest

from walle_task.tensor.kernels.arrays import KERNELS
from walle_task.tensor.operators.catalogue import LOWERED, OPERATORS, Workload, workload
from walle_task.tensor.operators.operator import OperatorGroup


def test_the_formula_gives_the_papers_figures():
    paper = Workload(atomic=61, transform=45, composite=16, control_flow=2, backends=16)
    assert (paper.without_raster, paper.with_raster) == (1954, 1055)
    assert paper.saved == pytest.approx(0.46, abs=0.005)


def test_our_workload_is_that_of_the_catalogue():
    counts = Counter(each.group for each in OPERATORS.values())
    ours = workload()
    assert (ours.atomic, ours.transform, ours.composite, ours.control_flow) == tuple(
        counts[group] for group in OperatorGroup
    )
    assert ours.with_raster < ours.without_raster * 0.6


def test_each_operator_is_what_its_group_says():
    for operator in OPERATORS.values():
        assert (operator.map is not None) == (operator.group is OperatorGroup.TRANSFORM)
        assert (operator.decompose is not None) == (operator.group is OperatorGroup.COMPOSITE)


def test_exactly_the_atomic_operators_have_kernels_and_rasters_have_copies():
    atomic = {name for name, each in LOWERED.items() if each.group is OperatorGroup.ATOMIC}
    assert KERNELS.keys() | {"raster", "raster_add"} == atomic
