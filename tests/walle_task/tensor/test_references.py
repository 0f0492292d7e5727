"""Each operator of the catalogue computes what its reference does, over shapes and attributes that are drawn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.walle_task.tensor.references.atomic import ATOMIC
from tests.walle_task.tensor.references.composites import COMPOSITES
from tests.walle_task.tensor.references.drawn import Drawing, Reference
from tests.walle_task.tensor.references.transforms import TRANSFORMS
from tests.walle_task.tensor.running import graph_of
from walle_task.tensor.operators.catalogue import OPERATORS
from walle_task.tensor.operators.operator import OperatorGroup
from walle_task.tensor.session import Session

pytestmark = pytest.mark.slow

REFERENCES: dict[str, Reference] = ATOMIC | TRANSFORMS | COMPOSITES
EXAMPLES = 12
TOLERANCES = {"float16": (4e-3, 4e-3), "float32": (3e-5, 1e-5), "float64": (1e-9, 1e-9)}


def test_every_operator_has_a_reference():
    """Those of control flow are graphs, and run where graphs are taken apart."""
    computing = {name for name, each in OPERATORS.items() if each.group is not OperatorGroup.CONTROL_FLOW}
    assert REFERENCES.keys() == computing
    for group, table in (("atomic", ATOMIC), ("transform", TRANSFORMS), ("composite", COMPOSITES)):
        assert {OPERATORS[name].group for name in table} == {OperatorGroup(group)}


@pytest.mark.parametrize("operator", REFERENCES)
def test_an_operator_computes_what_its_reference_does(operator):
    @settings(max_examples=EXAMPLES, deadline=None)
    @given(st.data())
    def compared(data):
        case = REFERENCES[operator](Drawing(data))
        graph = graph_of(operator, *case.arrays, outputs=len(case.expected), **case.attributes)
        inputs = {f"x{at}": array for at, array in enumerate(case.arrays)}
        found = Session(graph).run(inputs)
        for ours, theirs in zip(found.values(), case.expected, strict=True):
            assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
            relative, absolute = TOLERANCES.get(str(ours.dtype), (0, 0))
            np.testing.assert_allclose(ours, theirs, rtol=relative, atol=absolute)

    compared()
