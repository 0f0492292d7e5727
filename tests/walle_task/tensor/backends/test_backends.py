"""Every backend computes what a session of NumPy does, refuses what it cannot, and checks what it is given."""

from __future__ import annotations

import os

import numpy as np
import pytest

from tests.walle_task.tensor.backends.graphs import compiled, lookup, normal, small_network
from tests.walle_task.tensor.running import graph_of
from walle_task.tensor.backends.all_backends import BACKENDS
from walle_task.tensor.backends.mnn import Mnn
from walle_task.tensor.backends.onnx_runtime import OnnxRuntime
from walle_task.tensor.backends.own import OwnKernels
from walle_task.tensor.backends.port import BackendUnfit
from walle_task.tensor.inference import infer_types
from walle_task.tensor.session import InputsUnfit, RunFailed, Session

pytestmark = pytest.mark.slow

HERE = [pytest.param(each, id=each.name) for each in BACKENDS if each.version() is not None]
EXACT = [pytest.param(each, id=each.name) for each in BACKENDS if each.version() is not None and each.exact]
WITH_MNN = pytest.mark.skipif(Mnn().version() is None, reason="MNN is not installed")


@pytest.mark.parametrize("backend", EXACT)
def test_a_network_is_the_same_everywhere(backend):
    graph, x = small_network(), {"x": normal(1, 3, 20, 18)}
    (expected,) = Session(graph).run(x).values()
    (found,) = compiled(backend, graph).run(x).values()
    np.testing.assert_allclose(found, expected, atol=1e-4)


@pytest.mark.parametrize("backend", HERE)
def test_indices_outside_of_a_table_end_the_run(backend):
    running = compiled(backend, lookup(rows=20))
    (rows,) = running.run({"ids": np.array([[0, 19, -1, -20]])}).values()
    np.testing.assert_allclose(rows[0, 1], rows[0, 2])
    for outside in (20, -21, 1 << 40):
        with pytest.raises(RunFailed):
            running.run({"ids": np.array([[0, 1, 2, outside]])})


@pytest.mark.parametrize("backend", HERE)
def test_inputs_are_those_of_the_graph(backend):
    running = compiled(backend, small_network())
    for inputs in ({}, {"x": normal(1, 3, 18, 20)}, {"x": normal(1, 3, 20, 18).astype("float64")}):
        with pytest.raises(InputsUnfit, match=r"inputs.x: expected float32\[1, 3, 20, 18\]"):
            running.run(inputs)
    with pytest.raises(InputsUnfit, match=r"found \['z'\]"):
        running.run({"x": normal(1, 3, 20, 18), "z": normal(1)})


@pytest.mark.parametrize("backend", HERE)
def test_outputs_stay_when_a_graph_runs_again(backend):
    running, x = compiled(backend, small_network()), normal(1, 3, 20, 18)
    (first,) = running.run({"x": x}).values()
    kept = first.copy()
    running.run({"x": -x})
    np.testing.assert_array_equal(first, kept)


@pytest.mark.parametrize("extent", [1, 3])
def test_products_of_8_bits_deviate_little(extent):
    """Inputs that are large everywhere make sums that would saturate on processors without VNNI."""
    weights, x = normal(96, 64), {"x0": normal(5, 64) + extent}
    graph = graph_of("linear", x["x0"], weights, constants={1: weights})
    (exact,) = compiled(OnnxRuntime(), graph).run(x).values()
    (found,) = compiled(OnnxRuntime(int8=True), graph).run(x).values()
    deviation = np.sqrt(np.mean((found - exact) ** 2) / np.mean(exact**2))
    assert 1e-5 < deviation < 0.02


@pytest.mark.parametrize("backend", [OnnxRuntime(), Mnn()], ids=lambda each: each.name)
def test_all_operators_that_a_backend_lacks_are_named(backend):
    graph = graph_of("atan2", normal(3), normal(3))
    typed = infer_types(graph)
    (reason,) = backend.reasons_against(backend.series(typed))
    assert reason == "node y: ONNX has no atan2"
    with pytest.raises(BackendUnfit, match="ONNX has no atan2"):
        compiled(backend, graph)


@WITH_MNN
def test_mnn_refuses_integers_that_it_would_narrow_and_indices_that_nobody_checks():
    typed = infer_types(graph_of("add", np.ones(3, "int64"), np.ones(3, "int64")))
    assert Mnn().reasons_against(Mnn().series(typed)) == ["node y: MNN has no add of int64"]
    graph = graph_of("gather", normal(4, 2), np.zeros(2, "int64"), constants={1: np.array([0, 4])})
    with pytest.raises(BackendUnfit, match="expected integers from -4 to 3, found 0 to 4"):
        compiled(Mnn(), graph)


@WITH_MNN
def test_mnn_prints_nothing(capfd):
    compiled(Mnn(), lookup()).run({"ids": np.zeros((1, 4), "int64")})
    os.write(1, b"after\n")
    assert capfd.readouterr() == ("after\n", "")


def test_sessions_say_the_memory_that_they_plan():
    memory = compiled(OwnKernels(), small_network()).memory
    assert 0 < memory.values < memory.naive
