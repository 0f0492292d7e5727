"""Programs made executable, and frames that notice what is written outside of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from tests.whitebox.pipelines import data_of
from tests.whitebox.reference import predict
from walle.whitebox.archive.contents import view
from walle.whitebox.compiling import ExecutablePlan, Prediction, RecordRefused, Vectors, compile_plan
from walle.whitebox.graph import Graph, Parameter
from walle.whitebox.oven import optimise
from walle.whitebox.program import Program

GUARD = 4096


def executable(program: Program, graph: Graph | None = None) -> ExecutablePlan:
    """The plan of a program, or of a graph with its arrays."""
    data = data_of(program)

    def array(parameter: Parameter) -> np.ndarray:
        return view(data[parameter.digest], parameter)

    return compile_plan(optimise(graph or program.graph, program.statistics), program.statistics).bind(array)


@cache
def built(build: Any) -> tuple[Program, ExecutablePlan]:
    program = build()
    return program, executable(program)


class GuardedVectors(Vectors):
    """Vectors with bytes around them that must stay as they are, and that begin as what others left there."""

    _buffer, _start = np.full(2 * GUARD, 0xA5, np.uint8), GUARD

    def reserve(self, size: int) -> None:
        if size > self.size:
            self._buffer = np.full(size + 2 * GUARD + 64, 0xA5, np.uint8)
            start = GUARD + -self._buffer.ctypes.data % 64
            self.view = memoryview(self._buffer.data)[start : start + size]
            self.address, self.size = self._buffer.ctypes.data + start, size
            self._start = start

    def check(self) -> None:
        before, behind = self._buffer[: self._start], self._buffer[self._start + self.size :]
        assert (before == 0xA5).all()
        assert (behind == 0xA5).all()


def assert_alike(found: Prediction | RecordRefused, program: Program, record: Mapping[str, Any]) -> None:
    """Check a prediction by the plain evaluation of the pipeline as it was written."""
    assert isinstance(found, Prediction), found
    expected = predict(program.graph, data_of(program), record)
    for name, value in expected.items():
        given = getattr(found, name)
        if name == "label":
            assert given == value
        else:
            np.testing.assert_allclose(np.atleast_1d(given), value, rtol=1e-7, atol=1e-7)
    assert {name for name in Prediction._fields if getattr(found, name) is not None} == expected.keys()


def is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))
