"""Graphs of one operator or of several, run by a session: what tests of the tensor engine begin with."""

from __future__ import annotations

import numpy as np

from walle_task.tensor.building import GraphBuilder
from walle_task.tensor.session import Session


def graph_of(
    operator: str, *arrays: np.ndarray, constants: dict[int, np.ndarray] | None = None, outputs=1, **attributes
):
    """A graph that applies an operator to inputs x0, x1 and so on; those with a number in `constants` are constant."""
    building = GraphBuilder(operator)
    names = [
        building.constant(constants[at])
        if at in (constants or {})
        else building.input(f"x{at}", str(each.dtype), each.shape)
        for at, each in enumerate(arrays)
    ]
    for name in building.add_all(operator, *names, outputs=outputs, name="y", **attributes):
        building.output(name)
    return building.build()


def applied(operator: str, *arrays: np.ndarray, outputs=1, **attributes):
    """What a session computes by one operator; a list where there are several outputs."""
    session = Session(graph_of(operator, *arrays, outputs=outputs, **attributes))
    found = [*session.run({f"x{at}": each for at, each in enumerate(arrays)}).values()]
    return found[0] if outputs == 1 else found


def numbered(*shape: int, dtype: str = "float32") -> np.ndarray:
    """An array whose elements are all different, so that a wrong address shows."""
    return (np.arange(np.prod(shape, dtype=int)) + 1).reshape(shape).astype(dtype)
