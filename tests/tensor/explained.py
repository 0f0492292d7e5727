"""A small planned graph, in which each step of planning has something to do."""

from __future__ import annotations

import numpy as np

from walle_task.tensor.building import GraphBuilder
from walle_task.tensor.graph import Graph


def small_graph(name: str = "small") -> Graph:
    """A convolution of 3x3, a composite activation, and two equal transposes that are added."""
    building = GraphBuilder(name)
    x = building.input("x", "float32", (1, 2, 4, 4))
    weights = building.constant(np.ones((3, 2, 3, 3), "float32"), "weights")
    found = building.add("convolution", x, weights, before=(1, 1), after=(1, 1), name="convolved")
    found = building.add("relu", found, name="positive")
    turned = [building.add("transpose", found, axes=(0, 2, 3, 1), name=each) for each in ("first", "second")]
    building.output(building.add("add", *turned, name="y"))
    return building.build()


def chain(length: int) -> Graph:
    """A graph of many nodes, no two of which do the same."""
    building = GraphBuilder("chain")
    x = building.input("x", "float32", (2,))
    for at in range(length):
        x = building.add("pad", x, before=(1,), after=(at % 2,))
    building.output(x)
    return building.build()
