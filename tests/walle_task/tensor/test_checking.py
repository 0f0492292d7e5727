"""What is wrong with a graph is said all at once, with node, field, what was expected and what was found."""

from __future__ import annotations

import numpy as np
import pytest

from walle_task.tensor.building import GraphBuilder
from walle_task.tensor.checking import check_graph
from walle_task.tensor.faults import MAX_FAULTS, GraphMalformed
from walle_task.tensor.graph import Graph, Node
from walle_task.tensor.inference import infer_types
from walle_task.tensor.types import InputSpec, TensorType

X = {"x": InputSpec("float32", (2, 3))}


def graph(*nodes: Node, outputs=("y",), inputs=X, constants=None) -> Graph:
    return Graph("g", inputs, constants or {}, nodes, outputs)


def node(name: str, operator: str, inputs=("x",), outputs=None, **attributes) -> Node:
    return Node(name, operator, tuple(inputs), outputs or (name,), attributes)


def texts(broken: Graph) -> list[str]:
    with pytest.raises(GraphMalformed) as refused:
        check_graph(broken)
    return [fault.text for fault in refused.value.faults]


def test_a_graph_that_keeps_to_its_specification_is_returned():
    valid = graph(node("a", "relu"), node("y", "add", ("a", "c")), constants={"c": np.ones(3, "float32")})
    assert check_graph(valid) is valid


def test_all_unknown_operators_are_named_at_once():
    assert texts(graph(node("a", "warp"), node("b", "relu", ("a",)), node("y", "blur", ("b",)))) == [
        "node a: operator: expected an operator of the catalogue, found warp",
        "node y: operator: expected an operator of the catalogue, found blur",
    ]


def test_rasters_are_made_of_models_and_not_read_from_them():
    assert texts(graph(node("y", "raster", regions=(), shape=())))[0].startswith(
        "node y: operator: expected an operator"
    )


@pytest.mark.parametrize(
    ("broken", "faults"),
    [
        (
            graph(node("y", "transpose", ("x", "x"))),
            ["node y: inputs: expected 1 inputs, found 2", "node y: axes: expected integers, found nothing"],
        ),
        (
            graph(node("y", "add")),
            ["node y: inputs: expected 2 inputs, found 1"],
        ),
        (
            graph(node("y", "convolution")),
            ["node y: inputs: expected 2 to 3 inputs, found 1"],
        ),
        (
            graph(node("y", "concatenate", (), axis=0)),
            ["node y: inputs: expected 1 or more inputs, found 0"],
        ),
        (
            graph(node("y", "softmax", axes=1, axis="last")),
            [
                "node y: axes: expected an attribute of softmax (axis), found an unknown one",
                "node y: axis: expected an integer, found last",
            ],
        ),
        (
            graph(node("y", "pad", before=(0, -1), after=(True, 0), value="0")),
            [
                "node y: before: expected integers of at least 0, found (0, -1)",
                "node y: after: expected integers of at least 0, found (True, 0)",
                "node y: value: expected a number, found 0",
            ],
        ),
        (
            graph(node("y", "leaky_relu", slope=1 << 63)),
            ["node y: slope: expected a number, found 9223372036854775808"],
        ),
        (
            graph(node("y", "cast", dtype="complex64")),
            [
                "node y: dtype: expected one of float32, float64, float16, int64, int32, int16, int8, uint8, bool, "
                "found complex64"
            ],
        ),
        (
            graph(node("a", "relu", ("y",)), node("y", "relu", ("a",))),
            ["node a: inputs[0]: expected a value that is defined before it, found y, which is defined later"],
        ),
        (
            graph(node("y", "relu", ("z",))),
            ["node y: inputs[0]: expected a value that is defined before it, found z"],
        ),
        (
            graph(node("a", "relu", outputs=("x",)), node("b", "relu", outputs=("y", "y"))),
            [
                "node a: outputs[0]: expected a name that no other value has, found x",
                "node b: outputs[1]: expected a name that no other value has, found y",
            ],
        ),
        (
            graph(node("y", "relu"), node("y", "relu", outputs=("z",))),
            ["node y: name: expected a name that no other node has, found it twice"],
        ),
        (graph(node("y", "relu"), outputs=("z",)), ["graph: outputs[0]: expected a value of the graph, found z"]),
        (
            graph(node("y", "relu"), outputs=()),
            ["graph: outputs: expected one or more different values, found []"],
        ),
        (
            graph(node("n" * 1001, "relu", outputs=("y",))),
            [
                f"node {'n' * 1000}: name: expected names of 1 to 1000 characters, none of which steers a terminal, "
                f"found {'n' * 197}... of 1001"
            ],
        ),
    ],
)
def test_each_fault_has_its_node_and_field(broken, faults):
    assert texts(broken) == faults


def test_inputs_and_constants_have_types_within_the_limits():
    inputs = {"x": InputSpec("float32", (2, 3)), "a": InputSpec("text", (1,)), "b": InputSpec("int8", (0,))}
    inputs |= {"c": InputSpec("int8", (None,) * 9), "d": InputSpec("int8", (1 << 16, 1 << 16))}
    constants = {"x": np.ones(1, "float32"), "e": np.ones(1, "complex64"), "f": [1]}
    found = texts(graph(node("y", "relu"), inputs=inputs, constants=constants))
    assert sorted(text.split(":")[1].strip() for text in found) == [
        "constants.e", "constants.f", "constants.x", "inputs.a", "inputs.b", "inputs.c", "inputs.d",
    ]  # fmt: skip


def test_a_fault_inside_control_flow_says_where():
    inner = graph(node("y", "warp"))
    broken = graph(node("y", "if", ("c", "x"), then=inner, otherwise=inner), inputs={**X, "c": InputSpec("bool", ())})
    assert texts(broken) == [
        "node y/then/y: operator: expected an operator of the catalogue, found warp",
        "node y/otherwise/y: operator: expected an operator of the catalogue, found warp",
    ]


def test_graphs_are_nested_to_a_limit():
    inner = graph(node("y", "relu"))
    for _ in range(8):
        inner = graph(node("y", "while", body=inner, condition=graph(node("y", "relu"))))
    assert any("expected graphs that are at most 8 deep inside one another" in text for text in texts(inner))


def test_of_very_many_faults_some_are_listed():
    broken = graph(*(node(f"n{at}", "warp") for at in range(MAX_FAULTS + 5)), node("y", "relu"))
    assert len(texts(broken)) == MAX_FAULTS
    with pytest.raises(GraphMalformed, match=r"; and 190 more faults$"):
        check_graph(broken)


def test_shapes_that_contradict_are_all_found_and_what_follows_from_them_is_not():
    building = GraphBuilder("g")
    x = building.input("x", "float32", (2, 3))
    y = building.input("y", "float32", (None, 4))
    bad = building.add("matmul", x, y)
    building.add("add", bad, bad)
    building.output(building.add("add", x, y))
    with pytest.raises(GraphMalformed) as refused:
        infer_types(building.build(), {"y": (5, 4)})
    assert [fault.text for fault in refused.value.faults] == [
        "node matmul 0: inputs[1]: expected matrices with as many rows as [2, 3] has columns, found float32[5, 4]",
        "node add 2: inputs[1]: expected a shape that broadcasts with [2, 3], found float32[5, 4]",
    ]


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        ({}, "graph: inputs.x: expected a shape for float32[2, ?], found none given"),
        ({"x": (3, 4)}, "graph: inputs.x: expected float32[2, ?], found float32[3, 4]"),
        ({"x": (2, 0)}, "graph: inputs.x: expected float32[2, ?], found float32[2, 0]"),
        ({"x": (2, 1 << 31)}, "graph: inputs.x: expected float32[2, ?], found float32[2, 2147483648]"),
        ({"x": (2, 3), "z": (1,)}, "graph: inputs: expected one of x, found z"),
    ],
)
def test_the_shapes_of_inputs_are_those_that_the_graph_accepts(shapes, message):
    building = GraphBuilder("g")
    building.output(building.add("relu", building.input("x", "float32", (2, None))))
    with pytest.raises(GraphMalformed) as refused:
        infer_types(building.build(), shapes)
    assert str(refused.value) == message


def choosing(then: Graph, otherwise: Graph) -> Graph:
    inputs = {**X, "c": InputSpec("bool", ())}
    return graph(node("y", "if", ("c", "x"), then=then, otherwise=otherwise), inputs=inputs)


def test_both_branches_have_outputs_of_the_same_types():
    relu, flat = graph(node("y", "relu")), graph(node("y", "reshape", shape=(6,)))
    assert infer_types(check_graph(choosing(relu, relu))).types["y"] == TensorType("float32", (2, 3))
    with pytest.raises(GraphMalformed, match=r"node y: otherwise: expected outputs as of then, float32\[2, 3\], found"):
        infer_types(check_graph(choosing(relu, flat)))
    other = graph(node("y", "relu"), inputs={"x": InputSpec("float32", (3, 3))})
    with pytest.raises(GraphMalformed, match=r"node y: graph g: expected a graph for these inputs"):
        infer_types(check_graph(choosing(relu, other)))


def test_the_state_of_a_loop_keeps_its_types():
    def loop(body: Graph, condition: Graph) -> Graph:
        return check_graph(graph(node("y", "while", body=body, condition=condition)))

    relu, flat = graph(node("y", "relu")), graph(node("y", "reshape", shape=(6,)))
    going_on = graph(node("n", "is_nan"), node("y", "reduce_any", ("n",), axes=(0, 1)))
    assert infer_types(loop(relu, going_on)).types["y"] == TensorType("float32", (2, 3))
    with pytest.raises(GraphMalformed, match=r"node y: body: expected outputs as its inputs, float32\[2, 3\], found"):
        infer_types(loop(flat, going_on))
    with pytest.raises(
        GraphMalformed, match="node y: condition: expected a graph with one output, a bool without axes"
    ):
        infer_types(loop(relu, relu))
