"""If and Loop of ONNX: their graphs become graphs of control flow, or the branch that is known to be taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from tests.tensor.onnx_models import assert_alike, expected, imported, info, model_of
from walle_task.tensor import Module, load, save
from walle_task.tensor.faults import GraphMalformed
from walle_task.tensor.inference import infer_types
from walle_task.tensor.planning import plan_execution

X = np.arange(6, dtype="float32").reshape(2, 3) - 2


def graph(
    name: str, nodes: Sequence[Any], inputs: Sequence[Any], outputs: Sequence[str], **constants: np.ndarray
) -> Any:
    kept = [numpy_helper.from_array(array, each) for each, array in constants.items()]
    empty = [helper.make_tensor_value_info(each, TensorProto.FLOAT, None) for each in outputs]
    return helper.make_graph(nodes, name, inputs, empty, kept)


def branches() -> dict[str, Any]:
    """A branch that doubles what both read around them, and one that adds a constant of its own to it."""
    then = graph("twice", [helper.make_node("Add", ["h", "h"], ["t"])], [], ["t"])
    more = helper.make_node("Add", ["h", "c"], ["e"])
    otherwise = graph("more", [more], [], ["e"], c=np.array([1, 2, 3], "float32"))
    return {"then_branch": then, "else_branch": otherwise}


def deciding(condition: str, inputs: Mapping[str, Any], **constants: np.ndarray) -> Any:
    nodes = [helper.make_node("Relu", ["x"], ["h"]), helper.make_node("If", [condition], ["y"], "choice", **branches())]
    return model_of(nodes, {"x": ("float32", (2, 3)), **inputs}, ["y"], constants)


@pytest.mark.parametrize("on", [True, False])
def test_a_condition_that_is_constant_leaves_one_branch(on):
    found = assert_alike(deciding("on", {}, on=np.array(on)), {"x": X})
    assert "if" not in found.operators


@pytest.mark.parametrize("on", [True, False])
def test_a_condition_that_is_computed_chooses_between_graphs(on, tmp_path):
    model = deciding("on", {"on": ("bool", ())})
    save(imported(model), tmp_path / "model.walle")
    found = load(tmp_path / "model.walle")
    feeds = {"x": X, "on": np.array(on)}
    np.testing.assert_array_equal(Module(found).run(feeds)["y"], expected(model, feeds)[0])
    assert infer_types(found).types["y"].shape == (2, 3)


def test_the_session_mode_refuses_what_it_cannot_know():
    with pytest.raises(GraphMalformed, match="node y: operator: expected an operator that the session mode"):
        plan_execution(imported(deciding("on", {"on": ("bool", ())})))


def counting(most: Sequence[int] = (), goes_on: bool = True) -> Any:
    """A loop that adds x to a sum, and goes on while the sum of it is below 100."""
    nodes = [
        helper.make_node("Add", ["total", "x"], ["next"]),
        helper.make_node("ReduceSum", ["next"], ["all"], keepdims=0),
        helper.make_node("Less", ["all", "limit"], ["again"]),
    ]
    inputs = [info("i", "int64", ()), info("on", "bool", ()), info("total", "float32", (2, 3))]
    body = graph("body", nodes, inputs, ["again", "next"], limit=np.array(100, "float32"))
    body.output[0].type.tensor_type.elem_type = TensorProto.BOOL
    constants = {"on0": np.array(goes_on), **({"m": np.array(most[0])} if most else {})}
    loop = helper.make_node("Loop", ["m" if most else "", "on0", "start"], ["y"], "loop", body=body)
    return model_of([loop], {"x": ("float32", (2, 3)), "start": ("float32", (2, 3))}, ["y"], constants)


@pytest.mark.parametrize(("most", "goes_on"), [((), True), ((3,), True), ((3,), False), ((0,), True)])
def test_a_loop_goes_on_as_long_as_its_condition_and_its_count_allow(most, goes_on):
    model = counting(most, goes_on)
    found = imported(model)
    feeds = {"x": X + 4, "start": np.zeros((2, 3), "float32")}
    np.testing.assert_array_equal(Module(found).run(feeds)["y"], expected(model, feeds)[0])
    assert infer_types(found).types["y"].shape == (2, 3)


def test_a_loop_that_collects_values_is_refused():
    model = counting()
    model.graph.node[0].attribute[0].g.output.append(info("all", "float32", ()))
    with pytest.raises(
        GraphMalformed, match="node loop: body: expected a graph of 1 values, none of which are collected"
    ):
        imported(model)


def test_faults_inside_a_graph_are_those_of_its_node():
    model = deciding("on", {"on": ("bool", ())})
    model.graph.node[1].attribute[0].g.node[0].input[1] = "nowhere"
    with pytest.raises(
        GraphMalformed, match=r"node choice: more: expected a graph that can be imported, found .*nowhere"
    ):
        imported(model)
