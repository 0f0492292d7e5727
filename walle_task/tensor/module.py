"""Modules: graphs with control flow, or with shapes that follow from elements (Walle, section 4.2, module mode).

A graph is split where what comes next is known only while it runs: at `if` and `while`, and before a node whose
attributes are values that inputs' elements decide. What lies between is a part, which runs in sessions, one for each of
the last shapes that it met.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from walle_task.tensor.checking import check_graph
from walle_task.tensor.faults import shown
from walle_task.tensor.graph import Graph, Node, constant_type
from walle_task.tensor.operators.catalogue import OPERATORS
from walle_task.tensor.operators.operator import OperatorGroup
from walle_task.tensor.planning import MOST_BYTES
from walle_task.tensor.session import InputsUnfit, RunFailed, Session
from walle_task.tensor.types import InputSpec

MOST_SESSIONS: Final = 8
"""How many sessions a part keeps, each for other shapes."""
MOST_ROUNDS: Final = 1 << 20
"""The most rounds of a loop."""

Values = dict[str, Any]


class Module:
    """A graph that is ready to run for inputs of any shapes that it takes.

    A module is used by one thread at a time; sessions are planned when shapes are met for the first time. Raises
    GraphMalformed for a graph that has faults. `most_bytes` is what one session may need beside constants.
    """

    def __init__(self, graph: Graph, most_bytes: int = MOST_BYTES) -> None:
        self.graph = check_graph(graph)
        self._steps = [_step(graph, nodes, later, most_bytes) for nodes, later in _split(graph)]

    @property
    def parts(self) -> int:
        """How many parts and nodes of control flow there are: one is a graph that a session could run."""
        return len(self._steps)

    def run(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the outputs for inputs by name. Raises InputsUnfit; GraphMalformed for shapes that the graph cannot
        have; RunFailed for a value that a node cannot be computed from, and for a loop without an end."""
        values: Values = {**self.graph.constants, **_checked(self.graph.inputs, inputs)}
        for step in self._steps:
            step.run(values)
        return {name: np.array(values[name]) for name in self.graph.outputs}


@dataclass(frozen=True, slots=True)
class _If:
    """A choice between two modules."""

    node: Node
    branches: Mapping[bool, Module]

    def run(self, values: Values) -> None:
        condition, *rest = (values[name] for name in self.node.inputs)
        _call(self.branches[_truth(self.node, condition)], self.node, rest, values)


@dataclass(frozen=True, slots=True)
class _While:
    """A module that is applied to its state as long as another one finds it true."""

    node: Node
    condition: Module
    body: Module

    def run(self, values: Values) -> None:
        state = {name: values[given] for name, given in zip(self.node.outputs, self.node.inputs, strict=True)}
        for _ in range(MOST_ROUNDS):
            (goes_on,) = self.condition.run(_named(self.condition, state.values())).values()
            if not _truth(self.node, goes_on):
                values.update(state)
                return
            _call(self.body, self.node, list(state.values()), state)
        raise RunFailed(f"node {self.node.name}: expected an end after at most {MOST_ROUNDS} rounds")


class _Part:
    """Nodes between two splits. They read the values `inputs` from before; attributes follow from those that are
    `given`, too."""

    def __init__(self, graph: Graph, inputs: tuple[str, ...], given: frozenset[str], most_bytes: int) -> None:
        self._graph, self._inputs, self._given, self._most_bytes = graph, inputs, given, most_bytes
        self._sessions: OrderedDict[Any, Session] = OrderedDict()

    def run(self, values: Values) -> None:
        session = self._session({name: values[name] for name in self._inputs})
        values.update(session.run({name: values[name] for name in session.inputs}))

    def _session(self, inputs: Values) -> Session:
        key = tuple(
            (array.dtype.str, array.shape, array.tobytes() if name in self._given else b"")
            for name, array in inputs.items()
        )
        if key not in self._sessions:
            self._sessions[key] = Session(self._graph_for(inputs), most_bytes=self._most_bytes)
        self._sessions.move_to_end(key)
        if len(self._sessions) > MOST_SESSIONS:
            self._sessions.popitem(last=False)
        return self._sessions[key]

    def _graph_for(self, inputs: Values) -> Graph:
        """Return the graph for inputs of these types; those that attributes follow from are constants."""
        types = {name: constant_type(array) for name, array in inputs.items() if name not in self._given}
        specs = {name: InputSpec(found.dtype, found.shape) for name, found in types.items()}
        constants = {name: array for name, array in inputs.items() if name in self._given}
        return replace(self._graph, inputs=specs, constants={**self._graph.constants, **constants})


def _split(graph: Graph) -> Iterator[tuple[list[Node], set[str]]]:
    """Yield the nodes of each part, or one of control flow, with the values that are needed after them."""
    runs: list[list[Node]] = [[]]
    known, made = set(graph.constants), set[str]()
    for node in graph.nodes:
        control = _is_control(node)
        decided = any(value.name in made - known for value in node.computed)
        if runs[-1] and (control or decided or _is_control(runs[-1][-1])):
            runs.append([])
            made = set()
        runs[-1].append(node)
        made.update(node.outputs)
        if not control and (node.operator == "shape_of" or known.issuperset(node.inputs)):
            known.update(node.outputs)
    needed = set(graph.outputs)
    ends = [needed]
    for nodes in reversed(runs[1:]):
        needed = needed | _read(nodes)
        ends.append(needed)
    yield from ((nodes, later) for nodes, later in zip(runs, reversed(ends), strict=True) if nodes)


def _is_control(node: Node) -> bool:
    return OPERATORS[node.operator].group is OperatorGroup.CONTROL_FLOW


def _read(nodes: Sequence[Node]) -> set[str]:
    return {name for node in nodes for name in (*node.inputs, *(value.name for value in node.computed))}


def _step(graph: Graph, nodes: Sequence[Node], later: set[str], most_bytes: int) -> _If | _While | _Part:
    """Return what runs a part, or a node of control flow; `later` are the values that are needed after it."""
    node, made = nodes[0], {name for each in nodes for name in each.outputs}
    if node.operator == "if":
        names = {True: "then", False: "otherwise"}
        return _If(node, {truth: Module(node.attributes[name], most_bytes) for truth, name in names.items()})
    if node.operator == "while":
        return _While(node, *(Module(node.attributes[name], most_bytes) for name in ("condition", "body")))
    read = _read(nodes)
    given = frozenset(value.name for each in nodes for value in each.computed) - made - graph.constants.keys()
    from_before = tuple(sorted(read - made - graph.constants.keys()))
    constants = {name: array for name, array in graph.constants.items() if name in read}
    part = Graph(graph.name, {}, constants, tuple(nodes), tuple(sorted(made & later)))
    return _Part(part, from_before, given, most_bytes)


def _call(module: Module, node: Node, given: Sequence[Any], values: Values) -> None:
    found = module.run(_named(module, given))
    values.update(zip(node.outputs, found.values(), strict=True))


def _named(module: Module, given: Iterable[Any]) -> Values:
    return dict(zip(module.graph.inputs, given, strict=True))


def _truth(node: Node, condition: Any) -> bool:
    if condition.dtype != np.bool_ or condition.shape != ():
        raise RunFailed(
            f"node {node.name}: expected a condition of bool without axes, found {constant_type(condition)}"
        )
    return bool(condition)


def _checked(specs: Mapping[str, InputSpec], inputs: Mapping[str, Any]) -> Values:
    if inputs.keys() != specs.keys():
        raise InputsUnfit(f"inputs: expected {', '.join(specs)}, found {shown(sorted(inputs))}")
    found = {name: np.asarray(inputs[name]) for name in specs}
    for name, spec in specs.items():
        if not spec.accepts(constant_type(found[name])):
            raise InputsUnfit(f"inputs.{name}: expected {spec}, found {constant_type(found[name])}")
    return found
