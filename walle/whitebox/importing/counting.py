"""How full sparse vectors are: a pipeline that counts the numbers other than zero in the vectors of another one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from walle.whitebox.archive.writing import parameter_of
from walle.whitebox.graph import Graph, Parameter, Transformation, check_graph
from walle.whitebox.importing.building import Array
from walle.whitebox.types import VectorType

LEAST: Final = 64
"""Shorter vectors are not counted."""
MOST: Final = 500
"""The most vectors that are counted."""


@dataclass(frozen=True)
class Counting:
    """A pipeline whose value has the count of each vector of `ids`, and the arrays of its parameters by digest."""

    graph: Graph
    arrays: Mapping[str, Array]
    ids: tuple[str, ...]


def counting_of(graph: Graph, arrays: Mapping[str, Array]) -> Counting | None:
    """Return the pipeline that counts; None if there is no sparse vector to count."""
    found = {id_: each for id_, each in check_graph(graph).items() if isinstance(each, VectorType)}
    sizes = {id_: each.size for id_, each in found.items() if each.sparse and each.size > LEAST}
    if not 1 <= len(sizes) <= MOST:
        return None
    own: dict[str, Array] = {}
    steps: list[Transformation] = []
    for id_, size in sizes.items():
        ones, array = parameter_of(np.ones((1, size)), "<f8")
        own[ones.digest] = array
        steps += _counted(f"count-{len(steps)}", id_, ones)
    counts = tuple(step.id for step in steps if step.operator == "linear")
    last = Transformation("counts", "concat", counts)
    whole = replace(
        graph, transformations=(*graph.transformations, *steps, last), outputs={"value": "counts"}, classes=()
    )
    return Counting(whole, {**arrays, **own}, tuple(sizes))


def _counted(name: str, id_: str, ones: Parameter) -> list[Transformation]:
    """Squares are above zero where numbers are other than zero, whatever their sign."""
    nothing: dict[str, Any] = {}
    return [
        Transformation(f"{name}.square", "map", (id_,), {"function": "square"}, nothing),
        Transformation(f"{name}.other", "binarize", (f"{name}.square",), {"threshold": 0.0}, nothing),
        Transformation(name, "linear", (f"{name}.other",), nothing, {"weights": ones}),
    ]
