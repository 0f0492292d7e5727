"""ONNX models that are spoilt as messages, not as bytes: a parser takes each change, which is at one random place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import numpy as np
from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto, helper, numpy_helper

LARGE = (1 << 31, 1 << 40, 1 << 62)
INTEGERS = [*range(-3, 8), 100, -128, 1 << 16, *LARGE, *(-each for each in LARGE)]
EXTREMES = [(1 << 31) - 1, (1 << 31) + 1, (1 << 63) - 1, -(1 << 63)]
NUMBERS = [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, 1e-45, 1e38, -1e38, float("inf"), float("-inf"), float("nan")]
TEXTS = [
    b"", b"SAME_UPPER", b"SAME_LOWER", b"VALID", b"linear", b"cubic", b"nearest", b"edge", b"reflect", b"wrap",
    b"\xff\xfe", b"floor", b"tf_crop_and_resize", b"bidirectional", b"align_corners", b"add",
]  # fmt: skip
DTYPES = ("float32", "float64", "float16", "int64", "int32", "int8", "uint8", "bool")
DATA_TYPES = [*(helper.np_dtype_to_tensor_dtype(np.dtype(each)) for each in DTYPES), TensorProto.STRING, 4242]
ATTRIBUTES = [
    "axis", "axes", "perm", "keepdims", "pads", "strides", "dilations", "kernel_shape", "group", "auto_pad",
    "ceil_mode", "mode", "blocksize", "to", "start", "end", "value", "value_int", "value_floats", "k", "alpha",
    "output_shape", "output_padding", "reduction", "size", "num_outputs", "exclusive", "reverse", "direction", "other",
]  # fmt: skip


def spoilt(model: ModelProto, random: Random, operators: list[str]) -> ModelProto:
    """Return a model with one to three changes; operators are what a node may become."""
    changed = ModelProto()
    changed.CopyFrom(model)
    for _ in range(random.randint(1, 3)):
        graph = random.choice([*_graphs(changed.graph)])
        node = random.choice(graph.node) if graph.node else NodeProto()
        change, weight = zip(*_CHANGES, strict=True)
        (chosen,) = random.choices(change, weight)
        chosen(random, changed, graph, node, operators)
    return changed


def _graphs(graph: GraphProto) -> Iterator[GraphProto]:
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from _graphs(attribute.g)


def _integer(random: Random) -> int:
    return random.choice(INTEGERS if random.random() < 0.8 else EXTREMES)


def _array(random: Random) -> np.ndarray:
    dtype = random.choice(DTYPES)
    shape = tuple(random.choice([0, 1, 1, 2, 3, 4]) for _ in range(random.choice([0, 1, 1, 1, 2, 3, 4])))
    count = int(np.prod(shape, dtype=int))
    with np.errstate(all="ignore"):
        if dtype.startswith("float"):
            return np.array(random.choices(NUMBERS, k=count), dtype).reshape(shape)
        return np.array([_integer(random) for _ in range(count)], "int64").astype(dtype).reshape(shape)


def _attribute(random: Random, model: ModelProto, graph: GraphProto, node: NodeProto, _: Any) -> None:
    if not node.attribute:
        return
    found = random.choice(node.attribute)
    if random.random() < 0.1:
        found.type = random.choice(AttributeProto.AttributeType.values())
    elif found.type == AttributeProto.INT:
        found.i = _integer(random)
    elif found.type == AttributeProto.INTS:
        del found.ints[random.randint(0, len(found.ints)) :]
        found.ints.extend(_integer(random) for _ in range(random.randint(0, 3)))
    elif found.type == AttributeProto.FLOAT:
        found.f = random.choice(NUMBERS)
    elif found.type == AttributeProto.STRING:
        found.s = random.choice(TEXTS)
    elif found.type == AttributeProto.TENSOR:
        found.t.CopyFrom(numpy_helper.from_array(_array(random)))


def _new_attribute(random: Random, model: ModelProto, graph: GraphProto, node: NodeProto, _: Any) -> None:
    name = random.choice(ATTRIBUTES)
    several = [_integer(random) for _ in range(random.randint(1, 4))]
    value = random.choice([_integer(random), several, random.choice(NUMBERS), "SAME_UPPER", [1.5, 2.0]])
    node.attribute.append(
        helper.make_attribute(name, numpy_helper.from_array(_array(random)) if name == "value" else value)
    )


def _inputs(random: Random, model: ModelProto, graph: GraphProto, node: NodeProto, _: Any) -> None:
    names = ["", "nothing", *(each.name for each in (*graph.input, *graph.initializer))]
    names += [output for each in graph.node for output in each.output]
    at, kind = random.randrange(len(node.input) + 1), random.random()
    if kind < 0.4 or at == len(node.input):
        node.input.append(random.choice(names))
    elif kind < 0.8:
        node.input[at] = random.choice(names)
    else:
        del node.input[at]


def _outputs(random: Random, model: ModelProto, graph: GraphProto, node: NodeProto, _: Any) -> None:
    if node.output and random.random() < 0.5:
        del node.output[random.randrange(len(node.output))]
    else:
        node.output.append(random.choice(["more", "", "y0"]))


def _operator(random: Random, model: ModelProto, graph: GraphProto, node: NodeProto, operators: list[str]) -> None:
    node.op_type = random.choice(operators)


def _again(random: Random, model: ModelProto, graph: GraphProto, node: NodeProto, _: Any) -> None:
    graph.node.append(node)
    for at, output in enumerate(node.output):
        graph.node[-1].output[at] = f"{output} again"


def _constant(random: Random, model: ModelProto, graph: GraphProto, node: NodeProto, _: Any) -> None:
    if not graph.initializer:
        return
    found, kind = random.choice(graph.initializer), random.random()
    if kind < 0.6:
        found.CopyFrom(numpy_helper.from_array(_array(random), found.name))
    elif kind < 0.7:
        found.data_type = random.choice(DATA_TYPES)
    elif kind < 0.8 and found.dims:
        found.dims[random.randrange(len(found.dims))] = _integer(random)
    elif kind < 0.9:
        found.ClearField("raw_data")
        found.int32_data.extend(random.choices([0, 1, -1, 70_000], k=random.randint(0, 4)))
    else:
        found.raw_data = random.randbytes(random.randint(0, 40))


def _fixed_to_input(random: Random, model: ModelProto, graph: GraphProto, node: NodeProto, _: Any) -> None:
    if graph.initializer:
        found = graph.initializer.pop(random.randrange(len(graph.initializer)))
        graph.input.append(helper.make_tensor_value_info(found.name, found.data_type, list(found.dims)))


def _type(random: Random, model: ModelProto, graph: GraphProto, node: NodeProto, _: Any) -> None:
    """Change what is said of an input, or say something of another value."""
    if not graph.input or (node.output and random.random() < 0.3):
        found = graph.value_info.add(name=random.choice(node.output) if node.output else "y")
        found.type.tensor_type.shape.SetInParent()
    else:
        found = random.choice(graph.input)
    tensor, kind = found.type.tensor_type, random.random()
    if kind < 0.3:
        tensor.elem_type = random.choice(DATA_TYPES)
    elif kind < 0.6 and tensor.shape.dim:
        random.choice(tensor.shape.dim).dim_value = _integer(random)
    elif kind < 0.7 and tensor.shape.dim:
        del tensor.shape.dim[0]
    elif kind < 0.9:
        tensor.shape.dim.add().dim_value = random.choice([1, 2, 3])
    else:
        tensor.ClearField("shape")


def _version(random: Random, model: ModelProto, graph: GraphProto, node: NodeProto, _: Any) -> None:
    model.opset_import[0].version = random.randint(13, 24)


_CHANGES: list[tuple[Callable[..., None], int]] = [
    (_attribute, 6), (_new_attribute, 2), (_inputs, 4), (_outputs, 1), (_operator, 1), (_again, 1), (_constant, 6),
    (_fixed_to_input, 1), (_type, 4), (_version, 1),
]  # fmt: skip
