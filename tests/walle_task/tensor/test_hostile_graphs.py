"""Whatever graphs and indices say, an operator is refused, fails, or reads its own tensors and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.walle_task.tensor.running import graph_of
from walle_task.tensor.faults import GraphMalformed
from walle_task.tensor.graph import Graph, Node
from walle_task.tensor.operators.catalogue import OPERATORS
from walle_task.tensor.operators.operator import Attribute, OperatorGroup
from walle_task.tensor.session import RunFailed, Session
from walle_task.tensor.types import DTYPES, InputSpec

LARGE = [1 << 31, (1 << 31) + 1, (1 << 62) + 1, (1 << 63) - 1]
INTEGERS = [*range(-9, 10), *LARGE, *(-each for each in LARGE)]
SINGLE = [
    *INTEGERS, True, False, 0.5, -1e308, 1e308, float("inf"), float("-inf"), float("nan"), 10**400, None, "",
    "depth first", "column first", "copy", "empty", "tanh", "none", *DTYPES,
]  # fmt: skip
shapes = st.lists(st.integers(1, 4), max_size=5).map(tuple)
MOST_BYTES = 1 << 20
FILLED = 7
COMPUTING = sorted(name for name, each in OPERATORS.items() if each.group is not OperatorGroup.CONTROL_FLOW)


def values(attribute: Attribute) -> st.SearchStrategy[Any]:
    """Valid values of an attribute, small and large."""
    single = [value for value in SINGLE if attribute.valid(value)]
    elements = [number for number in INTEGERS if attribute.valid((number,))]
    small = [number for number in elements if abs(number) < 5]
    options = [st.sampled_from(single)] if single else []
    options += [st.lists(st.sampled_from(some), max_size=5).map(tuple) for some in (small, elements) if some]
    return st.one_of(options)


@st.composite
def nodes(draw, operator: str) -> tuple[Graph, dict[str, np.ndarray]]:
    """A graph of one operator with inputs and valid attributes of any kind, and inputs for it."""
    declared = OPERATORS[operator]
    low, high = declared.inputs
    dtype = draw(st.sampled_from(DTYPES))
    shape = draw(shapes)
    inputs = {}
    for at in range(draw(st.integers(low, min(low + 2, 7 if high is None else high)))):
        array = np.arange(1, 1 + np.prod(shape, dtype=int)).reshape(shape) + 100 * at
        inputs[f"x{at}"] = array.astype(dtype)
        shape, dtype = (draw(shapes), dtype) if draw(st.booleans()) else (shape, draw(st.sampled_from(DTYPES)))
    chosen = {}
    for name, attribute in declared.attributes.items():
        chosen[name] = FILLED if name == "value" else draw(values(attribute))
    outputs = tuple(f"y{at}" for at in range(draw(st.integers(1, 3))))
    specs = {name: InputSpec(str(array.dtype), array.shape) for name, array in inputs.items()}
    return Graph("g", specs, {}, (Node("y", operator, tuple(inputs), outputs, chosen),), outputs), inputs


@pytest.mark.parametrize("operator", COMPUTING)
def test_any_attributes_and_shapes_are_refused_or_run(operator):
    @settings(max_examples=25, deadline=None)
    @given(nodes(operator))
    def tried(drawn):
        graph, inputs = drawn
        try:
            found = Session(graph, most_bytes=MOST_BYTES).run(inputs)
        except (GraphMalformed, RunFailed):
            return
        if OPERATORS[operator].group is OperatorGroup.TRANSFORM:
            read = {0, FILLED}.union(*(array.reshape(-1).tolist() for array in inputs.values()))
            assert all(read.issuperset(array.reshape(-1).tolist()) for array in found.values())

    tried()


extreme = st.one_of(st.integers(-6, 5), st.sampled_from(LARGE), st.integers(-(1 << 63), (1 << 63) - 1))
SOURCE = np.arange(1, 25, dtype="int32").reshape(2, 3, 4)
READING = [("gather", (2,), {"axis": 1}), ("gather_elements", (2, 2, 2), {"axis": 1}), ("gather_nd", (2, 3), {})]


@pytest.mark.parametrize(("operator", "shape", "attributes"), READING)
@given(data=st.data())
def test_any_index_is_one_of_the_tensor_or_fails(operator, shape, attributes, data):
    count = int(np.prod(shape))
    indices = np.array(data.draw(st.lists(extreme, min_size=count, max_size=count)), "int64").reshape(shape)
    session = Session(graph_of(operator, SOURCE, indices, **attributes))
    try:
        found = session.run({"x0": SOURCE, "x1": indices})["y"]
    except RunFailed:
        lengths = {"gather": 3, "gather_elements": 3, "gather_nd": np.array(SOURCE.shape)}[operator]
        assert ((indices < -lengths) | (indices >= lengths)).any()
    else:
        assert set(SOURCE.reshape(-1).tolist()).issuperset(found.reshape(-1).tolist())


@given(st.lists(st.tuples(extreme, extreme), min_size=2, max_size=2))
def test_any_place_is_written_within_the_tensor_or_fails(places):
    """What lies beside the tensor in the memory of the session stays as it is."""
    indices = np.array(places, "int64")
    session = Session(graph_of("scatter_nd", SOURCE, indices, np.full((2, 4), -1, "int32")))
    kept = {"x0": SOURCE, "x1": indices, "x2": np.full((2, 4), -1, "int32")}
    try:
        found = session.run(kept)["y"]
    except RunFailed:
        assert ((indices < [-2, -3]) | (indices >= [2, 3])).any()
    else:
        assert ((found == SOURCE) | (found == -1)).all()
    for name, array in session.inputs.items():
        np.testing.assert_array_equal(array, kept[name])


@given(st.lists(extreme, min_size=3, max_size=3))
def test_any_index_of_a_one_hot_sets_one_element_or_none(values):
    indices = np.array(values, "int64")
    session = Session(graph_of("one_hot", indices, depth=4, dtype="uint8"))
    found = session.run({"x0": indices})["y"]
    assert found.sum(1).tolist() == [int(-4 <= value < 4) for value in values]
