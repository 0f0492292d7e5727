"""Attributes that are values of a graph: planning gives them the numbers that follow from the shapes of inputs."""

from __future__ import annotations

import numpy as np
import pytest

from walle_task.tensor.building import GraphBuilder
from walle_task.tensor.faults import GraphMalformed
from walle_task.tensor.graph import ValueOf
from walle_task.tensor.planning import plan_execution
from walle_task.tensor.session import Session


def rows_apart(shape=("rows", 6), **reshape):
    """A graph that reshapes x to (2 * rows, 3), by the arithmetic of its shape."""
    building = GraphBuilder("apart")
    x = building.input("x", "float32", shape)
    rows = building.add("slice", building.add("shape_of", x), axes=(0,), starts=(0,), ends=(1,))
    twice = building.add("multiply", rows, building.constant(np.array([2])))
    wanted = building.add("concatenate", twice, building.constant(np.array([3])), axis=0)
    building.output(building.add("reshape", x, name="y", shape=ValueOf(wanted), **reshape))
    return building.build()


@pytest.mark.parametrize("rows", [1, 4])
def test_shapes_follow_from_those_of_inputs(rows):
    x = np.arange(rows * 6, dtype="float32").reshape(rows, 6)
    (y,) = Session(rows_apart(), {"x": x.shape}).run({"x": x}).values()
    np.testing.assert_array_equal(y, x.reshape(2 * rows, 3))


def test_what_only_shapes_needed_is_gone_from_the_plan():
    plan = plan_execution(rows_apart(), {"x": (4, 6)})
    assert [str(node) for node in plan.typed.graph.nodes] == ["y = reshape(x, shape=(8, 3))"]


def test_a_shape_that_an_operator_computes_with_is_a_value_as_any_other():
    building = GraphBuilder("scaled")
    x = building.input("x", "float32", (None, 2))
    rows = building.add("cast", building.add("shape_of", x), dtype="float32")
    building.output(building.add("multiply", x, rows, name="y"))
    (y,) = Session(building.build(), {"x": (3, 2)}).run({"x": np.ones((3, 2), "float32")}).values()
    np.testing.assert_array_equal(y, [[3, 2]] * 3)


def refused(graph, **shapes) -> list[str]:
    with pytest.raises(GraphMalformed) as error:
        plan_execution(graph, shapes)
    return [fault.text for fault in error.value.faults]


def test_an_attribute_cannot_follow_from_the_elements_of_an_input():
    building = GraphBuilder("wild")
    x = building.input("x", "float32", (2, 3))
    shape = building.input("shape", "int64", (2,))
    building.output(building.add("reshape", x, name="y", shape=ValueOf(shape)))
    assert refused(building.build()) == [
        "node y: shape: expected a value that follows from shapes and constants, found shape, which inputs decide"
    ]


def test_a_number_that_is_none_for_its_attribute_is_refused():
    building = GraphBuilder("wild")
    x = building.input("x", "float32", ("rows", 3))
    below = building.add("negate", building.add("shape_of", x))
    building.output(building.add("broadcast_to", x, name="y", shape=ValueOf(below)))
    assert refused(building.build(), x=(2, 3)) == [
        "node y: shape: expected integers of at least 0, found negate 1, which is (-2, -3)"
    ]


def test_a_shape_that_does_not_fit_is_refused_where_it_is_used():
    assert refused(rows_apart(("rows", 5)), x=(2, 5))[0].startswith("node y: shape: expected a shape of 10 elements")


def test_what_cannot_be_computed_of_shapes_is_refused():
    building = GraphBuilder("outside")
    x = building.input("x", "float32", ("rows", 3))
    table = building.constant(np.arange(4))
    taken = building.add("gather", table, building.add("shape_of", x), name="taken")
    building.output(building.add("reshape", x, shape=ValueOf(taken)))
    assert refused(building.build(), x=(9, 3))[0].startswith(
        "node taken: inputs: expected what gather can be computed of"
    )


def test_a_value_must_be_defined_before_it_is_an_attribute():
    building = GraphBuilder("late")
    x = building.input("x", "float32", (2, 3))
    building.output(building.add("reshape", x, name="y", shape=ValueOf("later")))
    with pytest.raises(GraphMalformed, match="node y: shape: expected a value that is defined before it, found later"):
        building.build()


def test_axes_of_one_name_have_one_length():
    building = GraphBuilder("pair")
    x, y = (building.input(name, "float32", ("batch", 2)) for name in "xy")
    building.output(building.add("add", x, y))
    graph = building.build()
    assert plan_execution(graph, {"x": (3, 2), "y": (3, 2)}).typed.types["x"].shape == (3, 2)
    assert refused(graph, x=(3, 2), y=(1, 2)) == ["graph: inputs.y: expected batch as of another input, 3, found 1"]


@pytest.mark.parametrize(
    ("start", "end", "step", "dtype"),
    [(0, 5, 1, "int64"), (5, -2, -2, "int32"), (0.5, 2, 0.25, "float32"), (3, 3, 1, "int8")],
)
def test_a_range_counts_as_numpy_does(start, end, step, dtype):
    building = GraphBuilder("range")
    building.input("x", "float32", (1,))
    building.output(building.add("range", start=start, end=end, step=step, dtype=dtype))
    (found,) = Session(building.build()).run({"x": np.zeros(1, "float32")}).values()
    np.testing.assert_array_equal(found, np.arange(start, end, step).astype(dtype))
    assert found.dtype == dtype


@pytest.mark.parametrize("step", [0, np.nan])
def test_a_range_without_an_end_is_refused(step):
    building = GraphBuilder("range")
    building.input("x", "float32", (1,))
    building.output(building.add("range", name="y", end=5, step=float(step), dtype="int64"))
    assert refused(building.build())[0].startswith("node y: step: expected finite numbers, and a step other than 0")
