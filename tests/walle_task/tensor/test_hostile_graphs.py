"""Whatever graphs and indices say, an operator is refused, fails, or reads its own tensors and nothing else."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.walle_task.tensor.running import graph_of
from walle_task.tensor.building import GraphBuilder
from walle_task.tensor.faults import GraphMalformed
from walle_task.tensor.graph import Graph, Node, ValueOf
from walle_task.tensor.operators.catalogue import OPERATORS
from walle_task.tensor.operators.operator import Attribute, OperatorGroup
from walle_task.tensor.session import RunFailed, Session
from walle_task.tensor.types import DTYPES, InputSpec

pytestmark = pytest.mark.slow

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


@pytest.mark.parametrize(
    ("operator", "shape", "attributes", "text"),
    [
        ("tile", (1, 1), {"repeats": (0, 1 << 62)}, "output: expected a tensor of at most 8 axes"),
        ("resize_nearest", (1, 1, 1), {"lengths": (1 << 17,)}, "lengths: expected lengths up to 65536"),
        ("take", (9000,), {"axis": 0, "indices": tuple(at * at % 9000 for at in range(9000))}, "at most 4096 moves"),
        ("max_pool", (1, 1, 5000), {"kernel": (4000,)}, "outputs: expected at most 1048576 bytes"),
    ],
)
def test_what_is_too_large_is_refused_before_it_is_made(operator, shape, attributes, text):
    graph = graph_of(operator, np.ones(shape, "float32"), **attributes)
    with pytest.raises(GraphMalformed, match=f"node y[.0-9]*: .*{text}"):
        planned(graph, most=4 << 20)


def planned(graph: Graph, most: int) -> Session:
    """Return the session of a graph, whose planning takes at most so many bytes."""
    tracemalloc.start()
    try:
        return Session(graph, most_bytes=MOST_BYTES)
    finally:
        assert tracemalloc.get_traced_memory()[1] < most
        tracemalloc.stop()


WIDE = 1 << 40
POINT = np.ones((1, 1, 1), "float32")


def test_margins_that_strides_jump_over_are_bounded():
    """The output has two elements; what is between would have 2^40."""
    graph = graph_of("convolution", np.ones((1, 1, 4), "float32"), POINT, before=(WIDE,), strides=(WIDE,))
    with pytest.raises(GraphMalformed, match="node y: before: expected a tensor of at most 8 axes"):
        Session(graph)


def test_windows_are_counted_in_memory_that_was_planned():
    """The counts that an average pool divides by are no larger than its output, whatever its windows are."""
    graph = graph_of("average_pool", np.ones((1, 1, 4000), "float32"), kernel=(3000,), before=(1,))
    with pytest.raises(GraphMalformed, match="outputs: expected at most 1048576 bytes"):
        planned(graph, most=2 << 20)


def test_numbers_of_a_range_are_made_in_blocks():
    building = GraphBuilder("range")
    building.input("x", "float32", (1,))
    building.output(building.add("range", end=1_000_000, dtype="int8", name="y"))
    tracemalloc.start()
    (found,) = Session(building.build()).run({"x": np.ones(1, "float32")}).values()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    np.testing.assert_array_equal(found, np.arange(1_000_000).astype("int8"))
    assert peak < 6 * found.nbytes


def test_a_range_of_infinitely_many_steps_backwards_is_empty():
    building = GraphBuilder("range")
    building.input("x", "float32", (1,))
    building.output(building.add("range", start=1e15, end=0, step=5e-324, dtype="int8", name="y"))
    (found,) = Session(building.build()).run({"x": np.ones(1, "float32")}).values()
    assert found.shape == (0,)


def test_an_index_outside_of_a_constant_ends_the_run_and_not_the_planning():
    table, outside = np.arange(3.0), np.array([9])
    graph = graph_of("gather", table, outside, constants={0: table, 1: outside})
    session = Session(graph)
    with pytest.raises(RunFailed, match="node y"):
        session.run({})


def test_what_attributes_follow_from_is_computed_in_bounded_memory():
    building = GraphBuilder("count")
    x, point = building.input("x", "float32", (1,)), building.constant(POINT)
    wide = building.add("convolution", point, point, before=(1 << 28,), strides=(1 << 28,), name="wide")
    count = building.add("cast", building.add("reduce_sum", wide, axes=(0, 1, 2)), dtype="int64")
    building.output(building.add("repeat", x, axis=0, times=ValueOf(count)))
    with pytest.raises(GraphMalformed, match="node wide: inputs: expected what is computed in 67108864 bytes"):
        planned(building.build(), most=4 << 20)
