"""If and Loop of ONNX. An If whose condition is known is the branch that it takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Protocol

import numpy as np
from onnx import GraphProto

from walle.tensor.emitting import GraphEmitter
from walle.tensor.onnx.node import OnnxNode
from walle.tensor.onnx.scope import Scope
from walle_task.tensor.faults import Unfit
from walle_task.tensor.graph import Graph
from walle_task.tensor.types import InputSpec


class InnerGraph(Protocol):
    """A graph inside another that was translated: `outputs` are its values by their names in the model."""

    scope: Scope

    @property
    def outputs(self) -> Mapping[str, str]: ...

    def graph(self, outputs: Mapping[str, str]) -> Graph: ...


class Translator(Protocol):
    """What translates the graphs of control flow."""

    def inline(self, graph: GraphProto) -> tuple[str, ...]:
        """Translate the nodes of a graph into the present one; return its outputs. Raises Unfit."""
        ...

    def inner(self, graph: GraphProto, inputs: Mapping[str, str]) -> InnerGraph:
        """Translate a graph whose inputs have the types of values of the present one. Raises Unfit."""
        ...


def _if(node: OnnxNode, translator: Translator) -> tuple[str, ...]:
    condition = node.input()
    known = node.constant(condition)
    branches = [node.graph_of(name) for name in ("then_branch", "else_branch")]
    if known is not None:
        if known.size != 1:
            raise Unfit("inputs[0]", "one bool", list(known.shape))
        return translator.inline(branches[0] if known.item() else branches[1])
    inner = [translator.inner(each, {}) for each in branches]
    names = dict.fromkeys(name for each in inner for name in each.scope.captured)
    for each in inner:
        for name in names:
            if name not in each.scope.captured:
                each.scope.capture(name)
    values = [inner[0].scope.captured[name] for name in names]
    then, otherwise = (each.graph(each.outputs) for each in inner)
    if node.rank(condition):
        condition = node.emit("reshape", condition, shape=())
    graphs = {"then": _with_inputs(then, names), "otherwise": _with_inputs(otherwise, names)}
    return node.emitter.emit_all("if", condition, *values, count=len(node.outputs), **graphs)


def _with_inputs(graph: Graph, names: Mapping[str, None]) -> Graph:
    """Return a graph whose inputs are in the order of names."""
    inputs = {name: graph.inputs[name] for name in names}
    return Graph(graph.name, inputs, graph.constants, graph.nodes, graph.outputs)


def _loop(node: OnnxNode, translator: Translator) -> tuple[str, ...]:
    """The state is how often the body was applied, whether to go on, how often at most, and the values of the loop."""
    body = node.graph_of("body")
    values = [node.input(index) for index in range(2, len(node))]
    if len(body.output) != len(values) + 1 or len(body.input) != len(values) + 2:
        raise Unfit("body", f"a graph of {len(values)} values, none of which are collected", f"{len(body.output) - 1}")
    most = node.optional(0) or node.array(np.iinfo("int64").max, "int64")
    goes_on = node.optional(1) or node.array(True, "bool")
    most, goes_on = (node.emit("reshape", each, shape=()) if node.rank(each) else each for each in (most, goes_on))
    count = node.array(0, "int64")
    state = [count, goes_on, *values]
    inner = translator.inner(body, dict(zip((each.name for each in body.input), state, strict=True)))
    given = [count, goes_on, most, *values, *inner.scope.captured.values()]
    found = node.emitter.emit_all(
        "while", *given, count=len(given), condition=_condition(node, given), body=_body(body, inner)
    )
    return found[3 : 3 + len(values)]


def _condition(node: OnnxNode, state: list[str]) -> Graph:
    emitter = GraphEmitter("condition")
    names = [emitter.capture(f"state {index}", node.type_of(value)) for index, value in enumerate(state)]
    emitter.begin("on")
    more = emitter.emit("less", names[0], names[2])
    return emitter.graph({"on": emitter.emit("logical_and", more, names[1])})


def _body(proto: GraphProto, inner: InnerGraph) -> Graph:
    emitter = inner.scope.emitter
    emitter.begin("state")
    first, *rest = (each.name for each in proto.input)
    at_most = emitter.input("at most", InputSpec("int64", ()))
    goes_on, *values = (inner.outputs[each.name] for each in proto.output)
    if emitter.type_of(goes_on).shape:
        goes_on = emitter.emit("reshape", goes_on, shape=())
    next_count = emitter.emit("add", first, emitter.constant(np.array(1, "int64")))
    state = [next_count, goes_on, at_most, *values, *inner.scope.captured]
    outputs = {f"next {index}": value for index, value in enumerate(state)}
    graph = inner.graph(outputs)
    order = [first, rest[0], "at most", *rest[1:], *inner.scope.captured]
    return Graph(graph.name, {name: graph.inputs[name] for name in order}, graph.constants, graph.nodes, graph.outputs)


ControlTranslation = Callable[[OnnxNode, Translator], tuple[str, ...]]
TRANSLATIONS: Final[Mapping[str, ControlTranslation]] = {"If": _if, "Loop": _loop}
