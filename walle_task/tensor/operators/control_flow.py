"""Control-flow operators, whose attributes are graphs (Walle, section 4.1): `if` and `while`.

`if` reads a condition, and then the inputs of both its graphs, `then` and `otherwise`; `while` reads its state, and
applies `body` to it as long as `condition` finds it true. Which types that takes is said here; how the types of a graph
follow from those of its inputs is an argument.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from walle_task.tensor.faults import Unfit
from walle_task.tensor.graph import Graph
from walle_task.tensor.operators.operator import Attribute, Call, Operator, OperatorGroup
from walle_task.tensor.types import TensorType

GraphTypes = Callable[[Graph, tuple[TensorType, ...]], tuple[TensorType, ...]]
"""Returns the types of a graph's outputs for those of its inputs. Raises Unfit."""


def control_types(operator: str, call: Call, types_of: GraphTypes) -> tuple[TensorType, ...]:
    """Return the types of the outputs of `if` or `while`. Raises Unfit."""
    return _if_types(call, types_of) if operator == "if" else _while_types(call, types_of)


def _if_types(call: Call, types_of: GraphTypes) -> tuple[TensorType, ...]:
    condition, *rest = call.inputs
    if condition != TensorType("bool", ()):
        raise Unfit("inputs[0]", "one bool without axes", condition)
    then, otherwise = (types_of(call[branch], tuple(rest)) for branch in ("then", "otherwise"))
    if then != otherwise:
        raise Unfit("otherwise", f"outputs as of then, {_texts(then)}", _texts(otherwise))
    return then


def _while_types(call: Call, types_of: GraphTypes) -> tuple[TensorType, ...]:
    condition = types_of(call["condition"], call.inputs)
    if condition != (TensorType("bool", ()),):
        raise Unfit("condition", "a graph with one output, a bool without axes", _texts(condition))
    state = types_of(call["body"], call.inputs)
    if state != call.inputs:
        raise Unfit("body", f"outputs as its inputs, {_texts(call.inputs)}", _texts(state))
    return state


def _texts(types: tuple[TensorType, ...]) -> str:
    return ", ".join(map(str, types)) or "nothing"


def _graph(words: str) -> Attribute:
    return Attribute(f"a graph, {words}", lambda value: isinstance(value, Graph))


def _control(name: str, **attributes: Attribute) -> Operator:
    return Operator(name, OperatorGroup.CONTROL_FLOW, (1, None), attributes, _unreachable)


def _unreachable(_: Call) -> Any:
    raise Unfit("operator", "an operator whose types need no graph", "control flow")


OPERATORS: Final[tuple[Operator, ...]] = (
    _control("if", then=_graph("computed where the condition is true"), otherwise=_graph("computed where it is false")),
    _control("while", condition=_graph("which says whether to go on"), body=_graph("which makes the next state")),
)
