"""ONNX models of one operator or of several, imported and compared with ONNX Runtime."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

from walle.tensor.onnx.reading import parsed
from walle.tensor.onnx.translation import translate
from walle_task.tensor.graph import Graph
from walle_task.tensor.session import Session

OPSET = 18


def info(name: str, dtype: Any, shape: Sequence[int | str] | None) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), shape)


def model_of(
    nodes: Sequence[onnx.NodeProto],
    inputs: Mapping[str, tuple[str, Sequence[int | str]]],
    outputs: Sequence[str],
    constants: Mapping[str, np.ndarray] | None = None,
    opset: int = OPSET,
) -> onnx.ModelProto:
    """A model whose outputs are of any type."""
    graph = helper.make_graph(
        nodes,
        "model",
        [info(name, dtype, shape) for name, (dtype, shape) in inputs.items()],
        [onnx.ValueInfoProto(name=name) for name in outputs],
        [numpy_helper.from_array(array, name) for name, array in (constants or {}).items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)


def one_node(
    operator: str,
    *arrays: np.ndarray | None,
    constant: Sequence[int] = (),
    outputs: int = 1,
    opset: int = OPSET,
    symbolic: bool = False,
    **attributes: Any,
) -> onnx.ModelProto:
    """A model of one operator, whose inputs x0, x1 and so on have types of arrays; None is left out.

    Those with a number in `constant` are constants. With `symbolic` all lengths of inputs are left open.
    """
    names = [f"x{at}" if each is not None else "" for at, each in enumerate(arrays)]
    results = [f"y{at}" for at in range(outputs)]
    given = {name: each for name, each in zip(names, arrays, strict=True) if each is not None}
    fixed = {name: each for name, each in given.items() if int(name[1:]) in constant}
    inputs = {
        name: (str(each.dtype), [f"{name}_{axis}" for axis in range(each.ndim)] if symbolic else each.shape)
        for name, each in given.items()
        if name not in fixed
    }
    node = helper.make_node(operator, names, results, **attributes)
    return model_of([node], inputs, results, fixed, opset)


def imported(model: onnx.ModelProto, folder: Path = Path()) -> Graph:
    """The graph of a model, from its bytes, without the process around it."""
    return translate(parsed(model.SerializeToString()), folder)


def computed(graph: Graph, feeds: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    """What a session computes, in the order of outputs."""
    session = Session(graph, {name: each.shape for name, each in feeds.items()})
    return list(session.run(feeds).values())


def expected(model: onnx.ModelProto, feeds: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    """What ONNX Runtime computes, node by node as the model has them."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    runtime = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return runtime.run(None, dict(feeds))


def assert_alike(
    model: onnx.ModelProto, feeds: Mapping[str, np.ndarray], rtol: float = 1e-5, atol: float = 1e-6
) -> Graph:
    """Compare what a session computes of the imported model with what ONNX Runtime computes; return its graph."""
    graph = imported(model)
    for name, ours, theirs in zip(graph.outputs, computed(graph, feeds), expected(model, feeds), strict=True):
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape), name
        np.testing.assert_allclose(ours, theirs, rtol=rtol, atol=atol, err_msg=name)
    return graph
