"""Sessions: composite operators against plain NumPy, planned memory, refusals, and runs that allocate nothing."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.walle_task.tensor.running import applied, graph_of, numbered
from walle_task.tensor import memory
from walle_task.tensor.building import GraphBuilder
from walle_task.tensor.faults import GraphMalformed
from walle_task.tensor.graph import Graph, Node
from walle_task.tensor.memory import ALIGNMENT, Lifetime, plan_memory
from walle_task.tensor.session import InputsUnfit, RunFailed, Session
from walle_task.tensor.types import InputSpec

RNG = np.random.default_rng(5)
X = RNG.standard_normal((2, 6, 7, 8)).astype("float32")


def convolved(x, weights, bias, strides, before, after, dilations, groups):
    """A convolution over two axes, one output element after the other."""
    x = np.pad(x, ((0, 0), (0, 0), (before[0], after[0]), (before[1], after[1])))
    count, inner, *kernel = weights.shape
    lengths = [
        (n - (k - 1) * d - 1) // s + 1 for n, k, d, s in zip(x.shape[2:], kernel, dilations, strides, strict=True)
    ]
    found = np.zeros((len(x), count, *lengths))
    for at in np.ndindex(count, *lengths):
        channel, row, column = at
        group = channel // (count // groups)
        top, left = row * strides[0], column * strides[1]
        window = x[:, group * inner : (group + 1) * inner, top:, left:][:, :, :: dilations[0], :: dilations[1]]
        found[(slice(None), *at)] = (window[:, :, : kernel[0], : kernel[1]] * weights[channel]).sum((1, 2, 3))
    return found + bias[:, None, None]


@pytest.mark.parametrize("groups", [1, 2, 6])
@pytest.mark.parametrize(("strides", "dilations", "kernel"), [((1, 1), (1, 1), (1, 1)), ((2, 1), (1, 2), (3, 2))])
def test_a_convolution_is_its_sum_of_products(groups, strides, dilations, kernel):
    weights, bias = RNG.standard_normal((12, 6 // groups, *kernel)).astype("float32"), numbered(12)
    attributes = {"strides": strides, "dilations": dilations, "before": (1, 0), "after": (2, 1), "groups": groups}
    expected = convolved(X, weights, bias, **attributes)
    np.testing.assert_allclose(applied("convolution", X, weights, bias, **attributes), expected, rtol=1e-4, atol=1e-4)


def test_pools_reduce_windows():
    padded = np.pad(X, ((0, 0), (0, 0), (1, 1), (1, 1)), constant_values=np.nan)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))[:, :, ::2, ::2]
    attributes = {"kernel": (3, 3), "strides": (2, 2), "before": (1, 1), "after": (1, 1)}
    np.testing.assert_array_equal(applied("max_pool", X, **attributes), np.nanmax(windows, (4, 5)))
    np.testing.assert_allclose(
        applied("average_pool", X, **attributes), np.nanmean(windows, (4, 5)), rtol=1e-4, atol=1e-6
    )
    np.testing.assert_allclose(applied("global_average_pool", X), X.mean((2, 3), keepdims=True), rtol=1e-4, atol=1e-6)


def test_normalisations_and_activations_are_their_formulas():
    scale, bias = numbered(6), numbered(6) / 7
    mean, variance = numbered(6) / 3, numbered(6)
    per = (slice(None), None, None)
    expected = (X - mean[per]) / np.sqrt(variance[per] + 1e-5) * scale[per] + bias[per]
    np.testing.assert_allclose(applied("batch_norm", X, scale, bias, mean, variance), expected, rtol=1e-4, atol=1e-4)
    normal = (X - X.mean(-1, keepdims=True)) / np.sqrt(X.var(-1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(applied("layer_norm", X), normal, rtol=1e-3, atol=1e-4)
    grown = np.exp(X)
    np.testing.assert_allclose(applied("softmax", X, axis=1), grown / grown.sum(1, keepdims=True), rtol=1e-4)
    np.testing.assert_allclose(applied("swish", X), X / (1 + np.exp(-X)), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(applied("leaky_relu", X), np.where(X > 0, X, 0.01 * X), rtol=1e-5)


@pytest.mark.parametrize("most", [1, 10, memory.MOST_SHARING])
@given(values=st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 20), st.integers(0, 8)), max_size=25))
def test_values_needed_at_once_do_not_overlap(most, values):
    lifetimes = {str(at): Lifetime(size, begin, begin + length) for at, (size, begin, length) in enumerate(values)}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(memory, "MOST_SHARING", most)
        plan = plan_memory(lifetimes)
    assert plan.least <= plan.nbytes <= plan.naive
    assert all(offset % ALIGNMENT == 0 for offset in plan.offsets.values())
    for name, one in lifetimes.items():
        for other_name, other in lifetimes.items():
            if (
                name < other_name
                and one.first <= other.last
                and other.first <= one.last
                and one.nbytes
                and other.nbytes
            ):
                first, second = plan.offsets[name], plan.offsets[other_name]
                assert first + one.nbytes <= second or second + other.nbytes <= first


def test_a_raster_allocates_nothing_when_it_runs():
    session = Session(graph_of("transpose", numbered(64, 64, 64), axes=(2, 1, 0)))
    session.execute()
    tracemalloc.start()
    session.execute()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10_000


def test_a_chain_shares_memory():
    building = GraphBuilder("g")
    y = building.input("x", "float32", (100, 100))
    for _ in range(10):
        y = building.add("exp", y)
    building.output(y)
    memory = Session(building.build()).plan.memory
    assert memory.nbytes == memory.least < memory.naive / 4


def test_inputs_are_those_of_the_session():
    session = Session(graph_of("relu", numbered(2, 3)))
    for inputs, found in (({}, "nothing"), ({"x0": np.zeros((3, 2), "float32")}, r"float32\[3, 2\]")):
        with pytest.raises(InputsUnfit, match=rf"inputs.x0: expected float32\[2, 3\], found {found}"):
            session.run(inputs)
    with pytest.raises(InputsUnfit, match=r"inputs: expected x0, found \['z'\]"):
        session.run({"x0": numbered(2, 3), "z": 1})


def test_an_index_outside_of_its_tensor_ends_the_run():
    session = Session(graph_of("gather", numbered(3, 2), np.zeros(2, "int64")))
    with pytest.raises(RunFailed, match=r"node y \(gather\)"):
        session.run({"x0": numbered(3, 2), "x1": np.array([0, 3])})


def test_control_flow_and_too_much_memory_are_refused():
    with pytest.raises(GraphMalformed, match="memory: expected at most 1000 bytes"):
        Session(graph_of("relu", numbered(10, 15)), most_bytes=1000)
    x = {"x": InputSpec("bool", ())}
    inner = Graph("i", x, {}, (Node("y", "identity", ("x",), ("y",)),), ("y",))
    loop = Graph("g", x, {}, (Node("y", "while", ("x",), ("y",), {"body": inner, "condition": inner}),), ("y",))
    with pytest.raises(
        GraphMalformed, match="node y: operator: expected an operator that the session mode has, found while"
    ):
        Session(loop)


def two_rasters_and_a_product() -> Graph:
    building = GraphBuilder("g")
    x = building.input("x", "float32", (3, 4))
    turned = building.add("transpose", x, axes=(1, 0), name="turned")
    flipped = building.add("flip", x, axes=(0,), name="flipped")
    building.output(building.add("matmul", flipped, turned, name="product"))
    return building.build()


@pytest.mark.parametrize("compiled", [False, True])
def test_each_node_has_its_time_in_the_profile(compiled):
    session = Session(two_rasters_and_a_product(), compiled=compiled)
    x = numbered(3, 4)
    np.testing.assert_array_equal(session.run({"x": x})["product"], x[::-1] @ x.T)
    ticks = iter(range(100))
    assert session.profile(lambda: float(next(ticks))) == [
        ("turned", "raster", 1.0), ("flipped", "raster", 1.0), ("product", "matmul", 1.0),
    ]  # fmt: skip


def test_a_compiled_session_runs_regions_that_have_too_many_axes_for_its_programs():
    x = numbered(2, 3, 2, 3, 2, 3, 2, 3)
    session = Session(graph_of("transpose", x, axes=tuple(range(7, -1, -1))), compiled=True)
    np.testing.assert_array_equal(session.run({"x0": x})["y"], x.T)
