"""Models of strangers: all that is wrong is said at once, with node, field, what was expected and what was found."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper

from tests.tensor import networks
from tests.tensor.onnx_models import imported, info, model_of, one_node
from tests.tensor.spoiling import spoilt
from tests.tensor.test_onnx_control_flow import deciding
from tests.tensor.test_onnx_operators import CASES
from walle.tensor.onnx.operators.catalogue import TRANSLATIONS
from walle.tensor.onnx.reading import ModelUnreadable, parsed
from walle.tensor.onnx.translation import translate
from walle_task.tensor import Module
from walle_task.tensor.faults import GraphMalformed
from walle_task.tensor.graph import Graph
from walle_task.tensor.planning import plan_execution
from walle_task.tensor.session import RunFailed, Session

MOST_FED = 1 << 16
X = {"x": ("float32", (2, 3))}


def node(operator: str, inputs: str, outputs: str, name: str = "", **attributes: Any) -> onnx.NodeProto:
    return helper.make_node(operator, inputs.split(), outputs.split(), name or outputs, **attributes)


def faults(model: onnx.ModelProto, folder: Path = Path()) -> list[str]:
    with pytest.raises(GraphMalformed) as refused:
        imported(model, folder)
    return [fault.text for fault in refused.value.faults]


def test_operators_that_cannot_be_imported_are_named_at_once_with_their_nodes():
    model = model_of(
        [
            node("QuantizeLinear", "x s z", "q"),
            node("NonZero", "x", "a", "first"),
            node("NonZero", "a", "b", "second"),
            helper.make_node("FusedGelu", ["b"], ["y"], "third", domain="com.microsoft"),
        ],
        X,
        ["y"],
    )
    assert faults(model) == [
        "graph: operator: expected operators that can be imported, found QuantizeLinear in q",
        "graph: operator: expected operators that can be imported, found NonZero in first, second",
        "graph: operator: expected operators that can be imported, found com.microsoft.FusedGelu in third",
    ]


def test_faults_of_all_nodes_are_found_at_once_and_not_those_that_follow_from_them():
    model = model_of(
        [
            node("Softmax", "x", "a", axis=5),
            node("Relu", "a", "b"),
            node("MatMul", "x x", "c"),
            node("Transpose", "x", "d", perm=[0, 0]),
            node("Add", "b c", "y"),
        ],
        X,
        ["y"],
    )
    assert faults(model) == [
        "node a: axis: expected an axis of 2, found 5",
        "node c: inputs[1]: expected matrices with as many rows as [2, 3] has columns, found float32[2, 3]",
        "node d: axes: expected different axes, found (0, 0)",
    ]


@pytest.mark.parametrize(
    ("nodes", "text"),
    [
        ([node("Relu", "b", "a"), node("Relu", "a", "b")], "found b, which is defined later or by itself"),
        ([node("Add", "x y", "y")], "node y: inputs[1]: expected a value that is defined before it, found y, which"),
        (
            [node("Relu", "nothing", "y")],
            "node y: inputs[0]: expected a value that is defined before it, found nothing",
        ),
        ([node("Relu", "x", "x")], "node x: outputs[0]: expected a name that no other value has, of 1 to 1000"),
        ([node("Relu", "x", "a"), node("Relu", "x", "a", "again")], "node again: outputs[0]: expected a name"),
        ([node("Relu", "x", "\x1b[2J", "a\nb")], r"node a\nb: outputs[0]: expected a name that no other value has"),
        ([node("Relu", "", "y")], "node y: inputs[0]: expected a value, found nothing"),
        ([node("Relu", "x", "y", depth=3)], "node y: depth: expected an attribute that can be imported of Relu"),
        ([node("Softmax", "x", "y", axis=1.5)], "node y: axis: expected an integer, found FLOAT"),
        ([node("MaxPool", "x", "y i", kernel_shape=[1])], "node y"),
        ([node("Relu", "x", "y z")], "node y z: outputs: expected at most 1 outputs of Relu"),
        ([node("Constant", "", "y")], "node y: attribute: expected one of value, value_int"),
        ([node("Relu", "x", "a")], "graph: outputs[0]: expected a value of the graph, found y"),
    ],
)
def test_a_malformed_graph_is_refused(nodes, text):
    assert text in faults(model_of(nodes, X, ["y"]))[0]


def test_types_that_contradict_what_computes_them_are_refused():
    model = model_of([node("Relu", "x", "a"), node("Relu", "a", "y")], X, ["y"])
    model.graph.value_info.append(info("a", "float32", (2, 4)))
    model.graph.output[0].CopyFrom(info("y", "int64", (2, 3)))
    assert faults(model) == [
        "node a: outputs: expected the shape of what computes it, float32[2, 3], found float32[2, 4]",
    ]
    del model.graph.value_info[:]
    assert faults(model) == ["node y: outputs: expected the dtype of what computes it, float32, found int64"]


@pytest.mark.parametrize("version", [7, 99])
def test_other_versions_of_the_operator_set_are_refused(version):
    model = model_of([node("Relu", "x", "y")], X, ["y"], opset=version)
    assert faults(model) == [
        f"graph: opset_import: expected one version of the default operator set from 13 to 24, found {version}"
    ]


def with_initializer(**fields: Any) -> onnx.ModelProto:
    model = model_of([node("Add", "x w", "y")], X, ["y"])
    tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[3])
    for field, value in fields.items():
        if isinstance(value, list):
            del getattr(tensor, field)[:]
            getattr(tensor, field).extend(value)
        else:
            setattr(tensor, field, value)
    model.graph.initializer.append(tensor)
    return model


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"raw_data": bytes(11)}, "initializers.w.raw_data: expected 12 bytes for float32[3], found 11"),
        ({"float_data": [1.0]}, "initializers.w.float_data: expected 3 numbers for float32[3], found 1"),
        ({"dims": [1 << 40], "raw_data": b""}, "initializers.w.dims: expected at most 8 axes and 1073741824 bytes"),
        ({"dims": [-3], "raw_data": b""}, "initializers.w.dims: expected at most 8 axes"),
        ({"dims": [1] * 9, "raw_data": bytes(4)}, "initializers.w.dims: expected at most 8 axes"),
        ({"data_type": TensorProto.STRING}, "initializers.w.data_type: expected one of float32"),
        ({"data_type": 4242}, "initializers.w.data_type: expected one of float32"),
    ],
)
def test_a_tensor_that_lies_about_its_bytes_is_refused(fields, text):
    assert text in faults(with_initializer(**fields))[0]


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        ((0, 3), "inputs.x: expected lengths of at least 1, or names, found 0"),
        ((-2, 3), "inputs.x: expected lengths of at least 1, or names, found -2"),
        (None, "inputs.x: expected a tensor with a known number of axes"),
    ],
)
def test_an_input_needs_a_shape(shape, text):
    assert text in faults(model_of([node("Relu", "x", "y")], {"x": ("float32", shape)}, ["y"]))[0]


@pytest.mark.parametrize("operator", ["ConstantOfShape", "Expand", "Tile"])
def test_constants_that_unfold_to_gigabytes_are_not_unfolded(operator):
    """They are refused when planned, for what is asked for is more than a session may have."""
    shape = np.array([40_000, 40_000])
    one = np.ones((1, 1), "float32")
    if operator == "ConstantOfShape":
        nodes, constants = [node(operator, "s", "c")], {"s": shape}
    else:
        nodes, constants = [node(operator, "one s", "c")], {"s": shape, "one": one}
    reduced = node("ReduceSum", "c", "y", keepdims=0)
    graph = imported(model_of([*nodes, reduced], X, ["y"], constants))
    assert sum(each.nbytes for each in graph.constants.values()) < 1000
    with pytest.raises(GraphMalformed, match="outputs: expected at most"):
        plan_execution(graph)


def beside(**given: str) -> onnx.ModelProto:
    model = with_initializer(data_location=TensorProto.EXTERNAL)
    for key, value in given.items():
        model.graph.initializer[0].external_data.add(key=key, value=value)
    return model


def test_data_in_a_file_of_the_models_folder_is_read(tmp_path):
    tmp_path.joinpath("weights.bin").write_bytes(bytes(8) + np.array([1, 2, 3], "<f4").tobytes())
    graph = imported(beside(location="weights.bin", offset="8", length="12"), tmp_path)
    np.testing.assert_array_equal(graph.constants["w"], [1, 2, 3])


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"location": "/etc/hostname"}, "expected the name of a file in the model's own folder, found /etc/hostname"),
        ({"location": "../weights.bin"}, "expected the name of a file in the model's own folder"),
        ({"location": ".."}, "expected the name of a file in the model's own folder"),
        ({"location": "weights.bin\0"}, "expected the name of a file in the model's own folder"),
        ({}, "expected the name of a file in the model's own folder, found nothing"),
        ({"location": "link.bin"}, "expected a file in the model's own folder, and no link"),
        ({"location": "none.bin"}, "expected a file in the model's own folder"),
        ({"location": "pipe"}, "expected at most the 0 bytes of pipe"),
        ({"location": "weights.bin", "offset": "4"}, "expected at most the 12 bytes of weights.bin, found 16"),
        ({"location": "weights.bin", "offset": "-4"}, "expected a length of 12 from an offset of at least 0"),
        ({"location": "weights.bin", "length": "9999999999"}, "expected a length of 12"),
        ({"location": "weights.bin", "offset": "x"}, "expected integers as offset and length"),
    ],
)
def test_data_anywhere_else_is_not(tmp_path, given, text):
    folder = tmp_path / "model"
    folder.mkdir()
    for place in (tmp_path, folder):
        place.joinpath("weights.bin").write_bytes(bytes(12))
    folder.joinpath("link.bin").symlink_to(tmp_path / "weights.bin")
    os.mkfifo(folder / "pipe")
    assert text in faults(beside(**given), folder)[0]


def test_texts_are_utf_8():
    content = model_of([node("Relu", "x", "y", "name")], X, ["y"]).SerializeToString()
    for text, field in ((b"name", "name"), (b"Relu", "op_type")):
        with pytest.raises(ModelUnreadable, match=f"expected {field} in UTF-8, found b'"):
            parsed(content.replace(text, b"\xff" + text[1:]))


NETWORKS: list[Callable[[], onnx.ModelProto]] = [networks.squeezed, networks.encoder, networks.interest]
CONTENTS = [network().SerializeToString() for network in NETWORKS]


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_a_broken_model_is_refused_or_imported_whole(data):
    """What is cut or changed gives a refusal, or a graph that keeps to its specification; and nothing else."""
    content = bytearray(data.draw(st.sampled_from(CONTENTS)))
    for _ in range(data.draw(st.integers(1, 4))):
        if data.draw(st.booleans()):
            content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
        else:
            del content[data.draw(st.integers(1, len(content))) :]
            content += b"\0"
    try:
        translate(parsed(bytes(content)), Path())
    except (ModelUnreadable, GraphMalformed) as error:
        assert str(error)  # noqa: PT017


OPERATORS = sorted(TRANSLATIONS)
MODELS = [
    *(one_node(*each.values[:1], *each.values[1], **each.values[2]) for each in CASES),
    *(network() for network in NETWORKS),
    deciding("on", {"on": ("bool", ())}),
]


def run(graph: Graph) -> None:
    """Run a graph on ones, its open lengths being 2. Raises GraphMalformed and RunFailed."""
    shapes = {
        name: tuple(each if isinstance(each, int) else 2 for each in spec.shape) for name, spec in graph.inputs.items()
    }
    if sum(math.prod(shape) for shape in shapes.values()) > MOST_FED:
        return
    feeds = {name: np.ones(shape, graph.inputs[name].dtype) for name, shape in shapes.items()}
    if {"if", "while"} & graph.operators.keys():
        Module(graph, most_bytes=1 << 20).run(feeds)
    else:
        Session(graph, shapes, most_bytes=1 << 20).run(feeds)


@settings(max_examples=1000, deadline=None)
@given(st.integers(0, (1 << 64) - 1))
def test_a_spoilt_model_is_refused_with_its_faults_or_runs_in_its_memory(seed):
    """Each operator with other inputs, attributes, constants and types, from the import to the run."""
    random = Random(seed)
    model = spoilt(random.choice(MODELS), random, OPERATORS)
    try:
        run(imported(model))
    except (GraphMalformed, RunFailed) as error:
        assert str(error)  # noqa: PT017
