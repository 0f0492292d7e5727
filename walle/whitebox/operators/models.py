"""Operators that are models: linear ones, and ensembles of trees, whose leaves are features or scores."""

from __future__ import annotations

from typing import Final

from walle.schema import Number
from walle.whitebox.operators.operator import Bound, Call, Flow, Operator, ParameterSpec
from walle.whitebox.operators.text import BOOLEAN, SIZE
from walle.whitebox.types import ValueType, VectorType

_TREES: Final = {
    "nodes": ParameterSpec("<i4", 2, "the nodes of all trees, four words each"),
    "roots": ParameterSpec("<i4", 1, "the first node of each tree"),
    "depths": ParameterSpec("<i4", 1, "the most comparisons in each tree"),
}


def _linear(call: Call) -> ValueType | None:
    vector = call.vector()
    size = call.shapes["weights"][0]
    if vector is None or not call.fit({"weights": (size, vector.size), "intercept": (size,)}):
        return None
    return VectorType(size)


def _are_trees(call: Call) -> bool:
    nodes, trees = call.shapes["nodes"][0], call.shapes["roots"][0]
    if not call.fit({"nodes": (nodes, 4), "depths": (trees,)}):
        return False
    if nodes < trees:
        call.refuse("parameters.roots", f"at most as many trees as nodes, {nodes}", str(trees))
        return False
    return True


def _tree_features(call: Call) -> ValueType | None:
    fits = call.vector() and _are_trees(call) and call.fits("columns", call.shapes["nodes"][:1])
    return VectorType(call.settings["size"], sparse=True) if fits else None


def _trees(call: Call) -> ValueType | None:
    if not call.vector() or not _are_trees(call):
        return None
    size, (nodes, _), trees = call.settings["size"], call.shapes["nodes"], call.shapes["roots"][0]
    width = 1 if "targets" in call.shapes else size
    fits = call.fit({"values": (nodes, width), "targets": (trees,), "base": (size,)})
    return VectorType(size) if fits else None


MODEL_OPERATORS: Final = (
    Operator(
        "linear",
        "the products with rows of weights, plus the intercept",
        Flow.MANY_TO_ONE,
        Bound.COMPUTE,
        _linear,
        parameters={
            "weights": ParameterSpec("<f8", 2, "the weights, a row for each score"),
            "intercept": ParameterSpec("<f8", 1, "what is added to each score", False),
        },
        vectorizable=True,
    ),
    Operator(
        "tree_features",
        "a one at the place of each leaf that is reached",
        Flow.ONE_TO_MANY,
        Bound.COMPUTE,
        _tree_features,
        settings={"size": SIZE, "single": BOOLEAN},
        parameters={**_TREES, "columns": ParameterSpec("<i4", 1, "the place of each leaf, -1 for other nodes")},
    ),
    Operator(
        "trees",
        "the sum or mean of the values of all leaves that are reached, plus the base",
        Flow.MANY_TO_ONE,
        Bound.COMPUTE,
        _trees,
        settings={"size": Number(1, 10_000, integer=True), "average": BOOLEAN, "single": BOOLEAN},
        parameters={
            **_TREES,
            "values": ParameterSpec("<f8", 2, "the values of each leaf, zeros for other nodes"),
            "targets": ParameterSpec("<i4", 1, "the one score that each tree adds to", False),
            "base": ParameterSpec("<f8", 1, "what is added to each score", False),
        },
    ),
)
