"""Graphs as JSON documents (docs/tensor-format.md). Where constants lie, and how they are read, is an argument."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from walle_task.tensor.checking import MAX_DEPTH
from walle_task.tensor.faults import shown
from walle_task.tensor.graph import Graph, Node, ValueOf
from walle_task.tensor.names import NAME_WORDS, is_name
from walle_task.tensor.types import DTYPES, InputSpec, TensorType, fits

_NUMBERS: Final = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


@dataclass(frozen=True, slots=True)
class ConstantPlace:
    """A constant's name and type, and where it begins in the data of its file, in bytes."""

    name: str
    type: TensorType
    offset: int


def document_of(graph: Graph, place: Callable[[Any], int]) -> dict[str, Any]:
    """Return the document of a graph. `place` is given each constant, and returns where it lies."""
    return {
        "name": graph.name,
        "inputs": [
            {"name": name, "dtype": spec.dtype, "shape": list(spec.shape)} for name, spec in graph.inputs.items()
        ],
        "constants": [
            {"name": name, "dtype": str(array.dtype), "shape": list(array.shape), "offset": place(array)}
            for name, array in graph.constants.items()
        ],
        "nodes": [
            {
                "name": node.name,
                "operator": node.operator,
                "inputs": list(node.inputs),
                "outputs": list(node.outputs),
                "attributes": {name: _written(value, place) for name, value in node.attributes.items()},
            }
            for node in graph.nodes
        ],
        "outputs": list(graph.outputs),
    }


def graph_of(document: Any, constant: Callable[[ConstantPlace], Any], error: Callable[[str], Exception]) -> Graph:
    """Return the graph of a document. `constant` reads one; `error` makes what is raised where the document is none."""
    return _Reading(constant, error).graph(document, "graph", MAX_DEPTH)


def _written(value: Any, place: Callable[[Any], int]) -> Any:
    if isinstance(value, Graph):
        return {"graph": document_of(value, place)}
    if isinstance(value, ValueOf):
        return {"value": value.name}
    if isinstance(value, float) and not math.isfinite(value):
        return {"number": repr(value)}
    return list(value) if isinstance(value, tuple) else value


@dataclass(frozen=True, slots=True)
class _Reading:
    """Reads documents; `at` is where in one it is."""

    constant: Callable[[ConstantPlace], Any]
    error: Callable[[str], Exception]

    def graph(self, document: Any, at: str, depth: int) -> Graph:
        if depth == 0:
            raise self.error(f"{at}: expected graphs that are at most {MAX_DEPTH} deep inside one another, found more")
        found = self._object(document, at, {"name", "inputs", "constants", "nodes", "outputs"})
        name = found["name"]
        if not isinstance(name, str) or not (name == "" or is_name(name)):
            raise self._unexpected(f"{at}.name", f"nothing, or {NAME_WORDS}", name)
        inputs = [
            self._input(each, f"{at}.inputs[{at_}]") for at_, each in self._items(found["inputs"], f"{at}.inputs")
        ]
        places = [
            self._place(each, f"{at}.constants[{index}]")
            for index, each in self._items(found["constants"], f"{at}.constants")
        ]
        return Graph(
            name,
            self._named(inputs, f"{at}.inputs"),
            self._named([(each.name, self.constant(each)) for each in places], f"{at}.constants"),
            tuple(
                self._node(each, f"{at}.nodes[{index}]", depth)
                for index, each in self._items(found["nodes"], f"{at}.nodes")
            ),
            self._texts(found["outputs"], f"{at}.outputs"),
        )

    def _input(self, document: Any, at: str) -> tuple[str, InputSpec]:
        found = self._object(document, at, {"name", "dtype", "shape"})
        shape = tuple(each for _, each in self._items(found["shape"], f"{at}.shape"))
        if not all(each is None or isinstance(each, str) or _is_length(each) for each in shape):
            raise self._unexpected(f"{at}.shape", "lengths, names and null", shape)
        return self._text(found["name"], f"{at}.name"), InputSpec(self._dtype(found["dtype"], f"{at}.dtype"), shape)

    def _place(self, document: Any, at: str) -> ConstantPlace:
        found = self._object(document, at, {"name", "dtype", "shape", "offset"})
        shape = tuple(each for _, each in self._items(found["shape"], f"{at}.shape"))
        if not all(map(_is_length, shape)) or not fits(shape):
            raise self._unexpected(f"{at}.shape", "a shape of at most 8 axes and 2^31 elements", shape)
        if not _is_length(found["offset"]):
            raise self._unexpected(f"{at}.offset", "an integer of at least 0", found["offset"])
        dtype = self._dtype(found["dtype"], f"{at}.dtype")
        return ConstantPlace(self._text(found["name"], f"{at}.name"), TensorType(dtype, shape), found["offset"])

    def _node(self, document: Any, at: str, depth: int) -> Node:
        found = self._object(document, at, {"name", "operator", "inputs", "outputs", "attributes"})
        attributes = found["attributes"]
        if not isinstance(attributes, dict):
            raise self._unexpected(f"{at}.attributes", "an object", attributes)
        return Node(
            self._text(found["name"], f"{at}.name"),
            self._text(found["operator"], f"{at}.operator"),
            self._texts(found["inputs"], f"{at}.inputs"),
            self._texts(found["outputs"], f"{at}.outputs"),
            {name: self._attribute(value, f"{at}.{shown(name)}", depth) for name, value in attributes.items()},
        )

    def _attribute(self, value: Any, at: str, depth: int) -> Any:
        if isinstance(value, list):
            if not all(type(each) is int for each in value):
                raise self._unexpected(at, "integers", value)
            return tuple(value)
        if not isinstance(value, dict):
            return value
        kind, inner = next(iter(value.items()), ("", None))
        if len(value) == 1 and kind == "graph":
            return self.graph(inner, at, depth - 1)
        if len(value) == 1 and kind == "value":
            return ValueOf(self._text(inner, at))
        if len(value) == 1 and kind == "number" and isinstance(inner, str) and inner in _NUMBERS:
            return _NUMBERS[inner]
        raise self._unexpected(at, "a graph, a value or a number", value)

    def _object(self, document: Any, at: str, keys: set[str]) -> Mapping[str, Any]:
        if not isinstance(document, dict) or document.keys() != keys:
            raise self._unexpected(at, f"an object with {', '.join(sorted(keys))}", document)
        return document

    def _items(self, value: Any, at: str) -> enumerate[Any]:
        if not isinstance(value, list):
            raise self._unexpected(at, "a list", value)
        return enumerate(value)

    def _named(self, pairs: list[tuple[str, Any]], at: str) -> dict[str, Any]:
        named = dict(pairs)
        if len(named) < len(pairs):
            raise self.error(f"{at}: expected different names, found one twice")
        return named

    def _texts(self, value: Any, at: str) -> tuple[str, ...]:
        return tuple(self._text(each, f"{at}[{index}]") for index, each in self._items(value, at))

    def _text(self, value: Any, at: str) -> str:
        if not isinstance(value, str) or not is_name(value):
            raise self._unexpected(at, f"a text of {NAME_WORDS}", value)
        return value

    def _dtype(self, value: Any, at: str) -> str:
        if value not in DTYPES:
            raise self._unexpected(at, f"one of {', '.join(DTYPES)}", value)
        return str(value)

    def _unexpected(self, at: str, expected: str, found: object) -> Exception:
        return self.error(f"{at}: expected {expected}, found {shown(found)}")


def _is_length(value: object) -> bool:
    return type(value) is int and 0 <= value < 1 << 63
