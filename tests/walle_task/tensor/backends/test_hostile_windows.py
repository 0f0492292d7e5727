"""Windows with any strides, dilations and margins: every backend refuses them, or computes what a session does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.walle_task.tensor.running import graph_of
from walle_task.tensor.backends.onnx_runtime import OnnxRuntime
from walle_task.tensor.backends.own import OwnKernels
from walle_task.tensor.backends.port import BackendUnfit, CompileOptions
from walle_task.tensor.faults import GraphMalformed
from walle_task.tensor.inference import infer_types
from walle_task.tensor.session import Session

few = st.integers(1, 3)
LARGE = [1 << 31, (1 << 32) + 1, 1 << 62]
steps = st.sampled_from([*[1, 1, 2, 3] * 6, *LARGE])
margins = st.sampled_from([*[0, 0, 1, 2] * 6, *LARGE])
MOST_BYTES = 1 << 22


def pairs(numbers: st.SearchStrategy[int]) -> st.SearchStrategy[tuple[int, int]]:
    return st.tuples(numbers, numbers)


WINDOWS = st.fixed_dictionaries(
    {"strides": pairs(steps), "dilations": pairs(steps), "before": pairs(margins), "after": pairs(margins)}
)


@pytest.mark.parametrize("backend", [OwnKernels(), OnnxRuntime()], ids=lambda each: each.name)
@settings(max_examples=150, deadline=None)
@given(operator=st.sampled_from(["convolution", "max_pool", "average_pool"]), kernel=pairs(few), attributes=WINDOWS,
       shape=pairs(st.integers(3, 9)), groups=st.sampled_from([1, 2]))  # fmt: skip
def test_any_windows_are_refused_or_computed_as_by_a_session(backend, operator, kernel, attributes, shape, groups):
    x = np.arange(4 * shape[0] * shape[1], dtype="float32").reshape(1, 4, *shape) % 11
    arrays = [x]
    if operator == "convolution":
        arrays.append(np.ones((2, 4 // groups, *kernel), "float32"))
        attributes = {**attributes, "groups": groups}
    else:
        attributes = {**attributes, "kernel": kernel}
    graph, inputs = graph_of(operator, *arrays, **attributes), {f"x{at}": each for at, each in enumerate(arrays)}
    try:
        expected = Session(graph, most_bytes=MOST_BYTES).run(inputs)["y"]
        found = backend.compile(infer_types(graph), CompileOptions()).run(inputs)["y"]
    except (GraphMalformed, BackendUnfit):
        return
    np.testing.assert_allclose(found, expected, rtol=1e-4)
