"""The specification of graphs: everything that is wrong with one, found without looking at shapes.

A graph that passes has known operators with valid attributes and as many inputs as they take, and each of its values is
defined once, before it is read. What shapes have to be is found by `walle_task.tensor.inference`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import numpy as np

from walle_task.tensor.faults import MAX_FAULTS, Fault, GraphMalformed, Unfit, shown
from walle_task.tensor.graph import Graph, Node, ValueOf
from walle_task.tensor.names import MAX_NAME, NAME_WORDS, is_name
from walle_task.tensor.operators.catalogue import OPERATORS
from walle_task.tensor.operators.operator import REQUIRED, Operator
from walle_task.tensor.types import DTYPES, MAX_RANK, InputSpec, fits

MAX_NODES: Final = 100_000
MAX_DEPTH: Final = 8
"""How deep graphs of control flow may be inside one another."""


def check_graph(graph: Graph, operators: Mapping[str, Operator] = OPERATORS) -> Graph:
    """Return the graph if it keeps to its specification. Raises GraphMalformed with all faults."""
    faults = []
    for fault in _faults(graph, operators, MAX_DEPTH):
        faults.append(fault)
        if len(faults) == MAX_FAULTS:
            break
    if faults:
        raise GraphMalformed(faults)
    return graph


def completed(node: Node, operator: Operator) -> dict[str, Any]:
    """Return the attributes of a checked node, with the defaults of those that it leaves out."""
    return {name: node.attributes.get(name, attribute.default) for name, attribute in operator.attributes.items()}


def _faults(graph: Graph, operators: Mapping[str, Operator], depth: int) -> Iterator[Fault]:
    if depth == 0:
        yield Fault("", "nodes", f"graphs that are at most {MAX_DEPTH} deep inside one another", "more")
        return
    if len(graph.nodes) > MAX_NODES:
        yield Fault("", "nodes", f"at most {MAX_NODES} nodes", str(len(graph.nodes)))
        return
    if graph.name and not is_name(graph.name):
        yield Fault("", "name", f"nothing, or {NAME_WORDS}", f"{shown(graph.name)} of {len(graph.name)}")
    yield from _input_faults(graph)
    defined = {*graph.inputs, *graph.constants}
    later = {name for node in graph.nodes for name in node.outputs}
    names: set[str] = set()
    for node in graph.nodes:
        if node.name in names:
            yield Fault(node.name, "name", "a name that no other node has", "it twice")
        names.add(node.name)
        yield from _node_faults(node, operators, depth)
        yield from _flow_faults(node, defined, later)
        defined.update(node.outputs)
    for index, name in enumerate(graph.outputs):
        if name not in defined:
            yield Fault("", f"outputs[{index}]", "a value of the graph", shown(name))
    if not graph.outputs or len(set(graph.outputs)) != len(graph.outputs):
        yield Fault("", "outputs", "one or more different values", shown(list(graph.outputs)))


def _input_faults(graph: Graph) -> Iterator[Fault]:
    for field, names in (("inputs", graph.inputs), ("constants", graph.constants)):
        for name in names:
            if not is_name(name):
                yield Fault("", field, f"names of {NAME_WORDS}", f"{shown(name)} of {len(name)}")
    for name, spec in graph.inputs.items():
        if not _is_spec(spec):
            expected = f"a dtype of {', '.join(DTYPES)} and at most {MAX_RANK} axes, of lengths from 1 on or of any"
            yield Fault("", f"inputs.{shown(name)}", expected, shown(spec))
        if name in graph.constants:
            yield Fault("", f"constants.{shown(name)}", "a name that no input has", "it twice")
    for name, array in graph.constants.items():
        if not isinstance(array, np.ndarray) or str(array.dtype) not in DTYPES or not fits(array.shape):
            found = f"{array.dtype}{list(array.shape)}" if isinstance(array, np.ndarray) else type(array).__name__
            yield Fault(
                "", f"constants.{shown(name)}", f"an array of {', '.join(DTYPES)} of at most {MAX_RANK} axes", found
            )


def _is_spec(spec: InputSpec) -> bool:
    known = [axis if isinstance(axis, int) else 1 for axis in spec.shape]
    named = [axis for axis in spec.shape if isinstance(axis, str)]
    positive = all(length >= 1 for length in known) and all(map(is_name, named))
    return spec.dtype in DTYPES and fits(known) and positive


def _node_faults(node: Node, operators: Mapping[str, Operator], depth: int) -> Iterator[Fault]:
    wrong = [name for name in (node.name, *node.outputs) if not is_name(name)]
    if wrong:
        yield Fault(node.name[:MAX_NAME], "name", f"names of {NAME_WORDS}", f"{shown(wrong[0])} of {len(wrong[0])}")
    operator = operators.get(node.operator)
    if operator is None:
        yield Fault(node.name, "operator", "an operator of the catalogue", shown(node.operator))
        return
    try:
        operator.check_inputs(len(node.inputs))
    except Unfit as error:
        yield error.at(node.name)
    for name in node.attributes.keys() - operator.attributes.keys():
        known = ", ".join(operator.attributes) or "none"
        yield Fault(node.name, shown(name), f"an attribute of {operator.name} ({known})", "an unknown one")
    for name, attribute in operator.attributes.items():
        value = node.attributes.get(name, attribute.default)
        if value is REQUIRED:
            yield Fault(node.name, name, attribute.expected, "nothing")
        elif isinstance(value, ValueOf):
            continue
        elif not attribute.valid(value):
            yield Fault(node.name, name, attribute.expected, shown(value))
        elif isinstance(value, Graph):
            yield from _inner_faults(node, name, _faults(value, operators, depth - 1))


def _inner_faults(node: Node, attribute: str, faults: Iterable[Fault]) -> Iterator[Fault]:
    for fault in faults:
        inner = f"{attribute}/{fault.node}" if fault.node else attribute
        yield Fault(f"{node.name}/{inner}", fault.field, fault.expected, fault.found)


def _flow_faults(node: Node, defined: set[str], later: set[str]) -> Iterator[Fault]:
    for index, name in enumerate(node.inputs):
        if name not in defined:
            found = f"{shown(name)}, which is defined later" if name in later else shown(name)
            yield Fault(node.name, f"inputs[{index}]", "a value that is defined before it", found)
    for field, value in node.attributes.items():
        if isinstance(value, ValueOf) and value.name not in defined:
            yield Fault(node.name, shown(field), "a value that is defined before it", shown(value.name))
    for index, name in enumerate(node.outputs):
        if name in defined or name in node.outputs[:index]:
            yield Fault(node.name, f"outputs[{index}]", "a name that no other value has", shown(name))
    if not node.outputs:
        yield Fault(node.name, "outputs", "one output or more", "none")
