"""From an ONNX model to a graph, node by node; what is wrong with it is said all at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from onnx import GraphProto, ModelProto, NodeProto, ValueInfoProto

from walle.tensor.emitting import GraphEmitter
from walle.tensor.onnx.arrays import array_of, dtype_of
from walle.tensor.onnx.node import OnnxNode
from walle.tensor.onnx.operators.catalogue import TRANSLATIONS
from walle.tensor.onnx.operators.control_flow import TRANSLATIONS as CONTROL_FLOW
from walle.tensor.onnx.scope import Scope
from walle_task.tensor.checking import MAX_DEPTH, MAX_NODES
from walle_task.tensor.faults import MAX_FAULTS, Fault, GraphMalformed, Unfit, shown
from walle_task.tensor.graph import Graph
from walle_task.tensor.names import MAX_NAME, NAME_WORDS, harmless, is_name
from walle_task.tensor.types import InputSpec, fits

OPSETS: Final = range(13, 25)
"""The versions of the default operator set that can be imported."""
SUPPORTED: Final = TRANSLATIONS.keys() | CONTROL_FLOW.keys()
"""The operators that can be imported."""
DEFAULT_DOMAINS: Final = ("", "ai.onnx")
MOST_ATTRIBUTES: Final = 64
"""The most attributes of a node."""
MOST_SHOWN: Final = 10
"""The most nodes that are named for an operator that cannot be imported."""


def translate(model: ModelProto, folder: Path) -> Graph:
    """Return the graph of a model whose other files, if any, are in a folder. Raises GraphMalformed with all faults."""
    faults = [*_model_faults(model)]
    if faults:
        raise GraphMalformed(faults[:MAX_FAULTS])
    (opset,) = (each.version for each in model.opset_import if each.domain in DEFAULT_DOMAINS)
    return _Translating(model.graph, opset, folder).whole()


def _model_faults(model: ModelProto) -> Iterator[Fault]:
    versions = [each.version for each in model.opset_import if each.domain in DEFAULT_DOMAINS]
    if len(versions) != 1 or versions[0] not in OPSETS:
        expected = f"one version of the default operator set from {OPSETS[0]} to {OPSETS[-1]}"
        yield Fault("", "opset_import", expected, ", ".join(map(str, versions)) or "none")
    nodes = [*_all_nodes(model.graph, MAX_DEPTH)]
    if None in nodes or len(nodes) > MAX_NODES:
        yield Fault("", "nodes", f"at most {MAX_NODES} nodes, in graphs at most {MAX_DEPTH} deep", "more")
        return
    yield from _unsupported([node for node in nodes if node is not None])
    for field, found in (("functions", model.functions), ("graph.sparse_initializer", model.graph.sparse_initializer)):
        if found:
            yield Fault("", field, "none", str(len(found)))


def _all_nodes(graph: GraphProto, depth: int) -> Iterator[NodeProto | None]:
    """Yield the nodes of a graph and of those in it; None stands for a graph that is too deep inside others."""
    if depth == 0:
        yield None
        return
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from _all_nodes(attribute.g, depth - 1)


def _unsupported(nodes: Iterable[NodeProto]) -> Iterator[Fault]:
    """Yield a fault for each operator that cannot be imported, with the nodes that it is in."""
    users: dict[str, list[str]] = {}
    for index, node in enumerate(nodes):
        if node.domain not in DEFAULT_DOMAINS or node.op_type not in SUPPORTED:
            name = node.op_type if node.domain in DEFAULT_DOMAINS else f"{node.domain}.{node.op_type}"
            users.setdefault(shown(name), []).append(node.name or f"number {index}")
    for operator, names in users.items():
        more = f" and {len(names) - MOST_SHOWN} more" if len(names) > MOST_SHOWN else ""
        found = f"{operator} in {', '.join(map(shown, names[:MOST_SHOWN]))}{more}"
        yield Fault("", "operator", "operators that can be imported", found)


class _Translating:
    """A graph that is translated, with what is around it if it is inside another."""

    def __init__(self, proto: GraphProto, opset: int, folder: Path, outer: Scope | None = None) -> None:
        self._proto, self._opset, self._folder = proto, opset, folder
        self._emitter = GraphEmitter(harmless(proto.name)[:MAX_NAME])
        self.scope = Scope(self._emitter, outer)
        self._faults: list[Fault] = []
        self._later = {name for node in proto.node for name in node.output}
        self._declared = {each.name: each for each in (*proto.value_info, *proto.output)}
        self._names: set[str] = set()
        self._emitter.reserve(self._later | self._declared.keys())

    def whole(self) -> Graph:
        """Return the graph of a model. Raises GraphMalformed with all faults."""
        self._read_inputs()
        self._read_constants(self._proto)
        self._translate_nodes(self._proto)
        outputs = self.outputs
        if self._faults:
            raise GraphMalformed(self._faults)
        return self._emitter.graph(outputs)

    @property
    def outputs(self) -> dict[str, str]:
        """The outputs by their names; those that are none are faults."""
        found = {}
        for index, each in enumerate(self._proto.output):
            if each.name not in self.scope:
                if len(self._faults) < MAX_FAULTS:
                    self._faults.append(Fault("", f"outputs[{index}]", "a value of the graph", shown(each.name)))
            elif (value := self.scope.value(each.name)) is not None:
                found[each.name] = value
        return found

    def graph(self, outputs: Mapping[str, str]) -> Graph:
        """Return the graph with some outputs. Raises Unfit with its first fault."""
        try:
            return self._emitter.graph(outputs)
        except GraphMalformed as error:
            raise Unfit(shown(self._proto.name), "a graph", str(error)) from None

    def inline(self, graph: GraphProto) -> tuple[str, ...]:
        """Translate the nodes of an inner graph as if they were of this one; return its outputs. Raises Unfit."""
        self._later |= {name for node in graph.node for name in node.output}
        self._emitter.reserve({name for node in graph.node for name in node.output})
        self._read_constants(graph)
        self._translate_nodes(graph)
        values = [self._value(index, each.name) for index, each in enumerate(graph.output)]
        self._emitter.begin(f"{shown(graph.name)} of {len(self._names)}")
        return tuple(value for value in values if value is not None)

    def inner(self, graph: GraphProto, inputs: Mapping[str, str]) -> _Translating:
        """Translate a graph inside this one, whose inputs have the types of values of this. Raises Unfit."""
        inner = _Translating(graph, self._opset, self._folder, self.scope)
        for name, value in inputs.items():
            inner.scope.define(name, inner._emitter.capture(name, self._emitter.type_of(value)))
        inner._read_constants(graph)
        inner._translate_nodes(graph)
        found = inner.outputs
        if inner._faults or len(found) < len(graph.output):
            fault = inner._faults[0] if inner._faults else "outputs that failed"
            raise Unfit(shown(graph.name), "a graph that can be imported", str(fault))
        return inner

    def _fail(self, fault: Fault, names: Iterable[str] = ()) -> None:
        if len(self._faults) < MAX_FAULTS:
            self._faults.append(fault)
        for name in names:
            self.scope.define(name, None)

    def _read_inputs(self) -> None:
        initial = {each.name for each in self._proto.initializer}
        for each in self._proto.input:
            if each.name in initial:
                continue
            try:
                self._check_name(each.name)
                self.scope.define(each.name, self._emitter.input(each.name, input_spec(each)))
            except Unfit as error:
                self._fail(Fault("", f"inputs.{shown(each.name)}", error.expected, error.found), [each.name])

    def _read_constants(self, graph: GraphProto) -> None:
        for tensor in graph.initializer:
            try:
                self._check_name(tensor.name)
                self.scope.define(tensor.name, self._emitter.constant(array_of(tensor, self._folder), tensor.name))
            except Unfit as error:
                place = f"initializers.{shown(tensor.name)}.{error.field}"
                self._fail(Fault("", place, error.expected, error.found), [tensor.name])

    def _check_name(self, name: str) -> None:
        if not is_name(name) or self.scope.is_own(name):
            raise Unfit("name", f"a name that no other value has, of {NAME_WORDS}", name)

    def _translate_nodes(self, graph: GraphProto) -> None:
        for index, node in enumerate(graph.node):
            if len(self._faults) >= MAX_FAULTS:
                return
            name = self._node_name(node, index)
            self._emitter.begin(name)
            try:
                self._translate(node, name)
            except Unfit as error:
                self._fail(error.at(name), node.output)

    def _node_name(self, node: NodeProto, index: int) -> str:
        """Return a name that no other node has."""
        name = harmless(node.name or f"{node.op_type} {index}")[: MAX_NAME // 2]
        if name in self._names:
            name = f"{name} ({len(self._names)})"
        self._names.add(name)
        return name

    def _translate(self, proto: NodeProto, name: str) -> None:
        if len(proto.attribute) > MOST_ATTRIBUTES:
            raise Unfit("attribute", f"at most {MOST_ATTRIBUTES} attributes", len(proto.attribute))
        for index, output in enumerate(proto.output):
            if output and (self.scope.is_own(output) or not is_name(output)):
                expected = f"a name that no other value has, of {NAME_WORDS}"
                raise Unfit(f"outputs[{index}]", expected, output)
        values = [self._value(index, each) for index, each in enumerate(proto.input)]
        if any(each and value is None for each, value in zip(proto.input, values, strict=True)):
            for output in proto.output:
                self.scope.define(output, None)
            return
        node = OnnxNode(proto, name, self._opset, values, self._emitter)
        if proto.op_type in CONTROL_FLOW:
            found = CONTROL_FLOW[proto.op_type](node, self)
        else:
            one_or_more = TRANSLATIONS[proto.op_type](node)
            found = (one_or_more,) if isinstance(one_or_more, str) else one_or_more
        self._keep(node, found)

    def _value(self, index: int, name: str) -> str | None:
        """Return the value of an input's name; None where it is left out or could not be translated. Raises Unfit."""
        if not name:
            return None
        if name not in self.scope:
            found = f"{shown(name)}, which is defined later or by itself" if name in self._later else shown(name)
            raise Unfit(f"inputs[{index}]", "a value that is defined before it", found)
        return self.scope.value(name)

    def _keep(self, node: OnnxNode, values: Sequence[str]) -> None:
        names = list(node.outputs)
        more = [name for name in names[len(values) :] if name]
        if node.unread:
            name = min(node.unread)
            raise Unfit(shown(name), f"an attribute that can be imported of {node.operator}", "this one")
        if more:
            expected = f"at most {len(values)} outputs of {node.operator} that can be imported"
            raise Unfit("outputs", expected, ", ".join(more))
        kept = self._emitter.name(values[: len(names)], names[: len(values)])
        for name, value in zip(names, kept, strict=False):
            if name:
                self.scope.define(name, value)
                if name in self._declared:
                    self._compare(value, self._declared[name])

    def _compare(self, value: str, declared: ValueInfoProto) -> None:
        """Compare what the model says of a value with what computes it. Raises Unfit."""
        tensor = declared.type.tensor_type
        if not declared.type.HasField("tensor_type") or not tensor.elem_type:
            return
        dtype = dtype_of(tensor.elem_type)
        if not tensor.HasField("shape"):
            self._emitter.learn(value, None, dtype)
            return
        shape = tuple(axis.dim_value if axis.HasField("dim_value") else None for axis in tensor.shape.dim)
        if not fits([1 if each is None else each for each in shape]):
            raise Unfit("outputs", "at most 8 axes and 2^31 elements", shape)
        self._emitter.learn(value, InputSpec(dtype, shape), dtype)


def input_spec(info: ValueInfoProto) -> InputSpec:
    """Return what a graph expects of an input. Raises Unfit."""
    if not info.type.HasField("tensor_type"):
        raise Unfit("type", "a tensor", info.type.WhichOneof("value") or "nothing")
    tensor = info.type.tensor_type
    if not tensor.HasField("shape"):
        raise Unfit("shape", "a tensor with a known number of axes", "one without a shape")
    shape: list[int | str | None] = []
    for axis in tensor.shape.dim:
        if axis.HasField("dim_value"):
            if axis.dim_value < 1:
                raise Unfit("shape", "lengths of at least 1, or names", axis.dim_value)
            shape.append(axis.dim_value)
        else:
            shape.append(harmless(axis.dim_param)[:MAX_NAME] or None)
    if not fits([each if isinstance(each, int) else 1 for each in shape]):
        raise Unfit("shape", "at most 8 axes and 2^31 elements", shape)
    return InputSpec(dtype_of(tensor.elem_type), tuple(shape))
