"""From a program of torch.export to a graph, call by call; what is wrong with it is said all at once."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import numpy as np

from walle.tensor.aten import elementwise, layers, shapes
from walle.tensor.aten.call import AtenCall, AtenTranslation, Value, dtype_name
from walle.tensor.emitting import GraphEmitter
from walle_task.tensor.faults import MAX_FAULTS, Fault, GraphMalformed, Unfit, shown
from walle_task.tensor.graph import Graph
from walle_task.tensor.names import MAX_NAME
from walle_task.tensor.types import InputSpec

TRANSLATIONS: Final[Mapping[str, AtenTranslation]] = {
    **elementwise.TRANSLATIONS,
    **shapes.TRANSLATIONS,
    **layers.TRANSLATIONS,
}
"""Operators of ATen by their names, without the overload."""
_ARITHMETIC: Final[Mapping[Callable[..., Any], str]] = {
    operator.add: "add",
    operator.sub: "subtract",
    operator.mul: "multiply",
    operator.floordiv: "floor_divide",
    operator.mod: "remainder",
}
"""What programs compute with lengths."""
_CHECKS: Final = ("_assert_tensor_metadata", "_assert_scalar", "_assert_async", "sym_constrain_range_for_size")
"""Operators that only check what planning checks itself."""
_INPUTS: Final = ("PARAMETER", "BUFFER", "CONSTANT_TENSOR")


def from_torch(program: Any, name: str = "program") -> Graph:
    """Return the graph of a `torch.export.ExportedProgram`, for inference on inputs of its lengths.

    Lengths that the program leaves open stay open; they have the names that torch gave them. Raises TypeError for
    anything else, and GraphMalformed with all faults.
    """
    if not all(hasattr(program, each) for each in ("graph_signature", "state_dict", "run_decompositions")):
        raise TypeError(f"expected a torch.export.ExportedProgram, found {type(program).__name__}")
    return _Importing(program.run_decompositions(), name).graph()


class _Importing:
    """A program that is imported: `values` are those of the graph, tuples of them, or None for what failed."""

    def __init__(self, program: Any, name: str) -> None:
        self._program = program
        self._emitter = GraphEmitter(name)
        self._values: dict[Any, Any] = {}
        self._faults: list[Fault] = []

    def graph(self) -> Graph:
        """Return the graph. Raises GraphMalformed with all faults."""
        nodes = list(self._program.graph.nodes)
        if faults := [*_unsupported(nodes)]:
            raise GraphMalformed(faults)
        self._emitter.reserve({node.name for node in nodes})
        specs = {spec.arg.name: spec for spec in self._program.graph_signature.input_specs}
        outputs: dict[str, str] = {}
        for node in nodes:
            self._emitter.begin(node.name)
            try:
                if node.op == "output":
                    outputs = self._outputs(node)
                else:
                    self._values[node] = self._given(node, specs) if node.op == "placeholder" else self._called(node)
            except Unfit as error:
                self._values[node] = None
                self._faults.append(error.at(node.name))
            if len(self._faults) == MAX_FAULTS:
                break
        if self._faults:
            raise GraphMalformed(self._faults)
        return self._emitter.graph(outputs)

    def _given(self, node: Any, specs: Mapping[str, Any]) -> Value | None:
        """Return the value of a placeholder: a weight, or an input. Raises Unfit."""
        spec, found = specs[node.name], node.meta.get("val")
        if spec.kind.name in _INPUTS:
            tensors = (self._program.state_dict, self._program.constants)
            tensor = next((each[spec.target] for each in tensors if spec.target in each), None)
            if tensor is None or not node.users:
                return None
            dtype_name(tensor.dtype)
            return Value(self._emitter.constant(tensor.detach().cpu().numpy(), spec.target[:MAX_NAME]))
        if spec.kind.name != "USER_INPUT" or not hasattr(found, "shape"):
            raise Unfit("input", "a tensor", spec.kind.name if hasattr(found, "shape") else type(found).__name__)
        lengths = (_length(each) for each in found.shape)
        return Value(self._emitter.input(node.name, InputSpec(dtype_name(found.dtype), tuple(lengths))))

    def _called(self, node: Any) -> Any:
        """Return the value of a call, or the values. Raises Unfit."""
        if _name(node.target) in _CHECKS:
            return None
        args, named = self._resolved(node.args), self._resolved(node.kwargs)
        if any(self._values.get(each, 0) is None for each in node.all_input_nodes):
            return None
        if node.target is operator.getitem:
            return args[0][args[1]] if args[1] < len(args[0]) else None
        if node.target in _ARITHMETIC:
            scalars = [each if isinstance(each, Value) else self._emitter.constant(_scalar(each)) for each in args]
            return Value(self._emitter.emit(_ARITHMETIC[node.target], *scalars))
        results = node.meta.get("val")
        tensors = [each for each in _listed(results) if hasattr(each, "dtype")]
        call = AtenCall(args, named, [dtype_name(each.dtype) for each in tensors] or ["int64"], self._emitter)
        found = TRANSLATIONS[_name(node.target)](call)
        if isinstance(found, str) and not isinstance(results, list | tuple):
            (kept,) = self._emitter.name([found], [node.name])
            self._compare(kept, results)
            return Value(kept)
        values = (found,) if isinstance(found, str) else found
        kept_values = self._emitter.name(values, [f"{node.name}/{at}" for at in range(len(values))])
        for value, result in zip(kept_values, _listed(results), strict=False):
            self._compare(value, result)
        return tuple(map(Value, kept_values))

    def _compare(self, value: str, result: Any) -> None:
        """Compare a value with what torch found of it. Raises Unfit."""
        if hasattr(result, "dtype"):
            dtype = dtype_name(result.dtype)
            shape = tuple(each if isinstance(each, int) else None for each in result.shape)
            self._emitter.learn(value, InputSpec(dtype, shape), dtype)

    def _resolved(self, given: Any) -> Any:
        """Return arguments with the values of nodes in their places."""
        if isinstance(given, list | tuple):
            return [self._resolved(each) for each in given]
        if isinstance(given, dict):
            return {name: self._resolved(each) for name, each in given.items()}
        return self._values.get(given) if hasattr(given, "all_input_nodes") else given

    def _outputs(self, node: Any) -> dict[str, str]:
        kinds = [spec.kind.name for spec in self._program.graph_signature.output_specs]
        if any(kind != "USER_OUTPUT" for kind in kinds):
            raise Unfit("outputs", "outputs of the user", ", ".join(kinds))
        found = {}
        for each in node.args[0]:
            value = self._values.get(each) if hasattr(each, "all_input_nodes") else None
            if value is None and not self._faults:
                raise Unfit("outputs", "tensors", shown(each))
            if value is not None:
                found[each.name] = value
        return found


def _scalar(number: Any) -> Any:
    return np.array(number, "int64")


def _listed(results: Any) -> list[Any]:
    return list(results) if isinstance(results, list | tuple) else [results]


def _length(each: Any) -> int | str:
    """Return a length as a number, or the name of its symbol."""
    return each if isinstance(each, int) else str(each)[:MAX_NAME]


def _name(target: Any) -> str:
    """Return the name of an operator of ATen, empty for what is none: aten.add.Tensor is add."""
    domain, _, rest = str(target).partition(".")
    return rest.partition(".")[0] if domain == "aten" else ""


def _unsupported(nodes: Iterable[Any]) -> list[Fault]:
    """Return a fault for each operator that cannot be imported, with the calls of it."""
    users: dict[str, list[str]] = {}
    for node in nodes:
        if node.op in ("placeholder", "output"):
            continue
        arithmetic = node.target is operator.getitem or node.target in _ARITHMETIC
        if node.op != "call_function" or not (arithmetic or _name(node.target) in (*TRANSLATIONS, *_CHECKS)):
            users.setdefault(str(node.target), []).append(node.name)
    return [
        Fault("", "operator", "operators that can be imported", f"{target} in {shown(', '.join(names))}")
        for target, names in users.items()
    ]
