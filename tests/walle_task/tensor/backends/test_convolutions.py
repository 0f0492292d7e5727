"""Fused convolutions: each algorithm against the sum of products, what is taken in, and what is left as it is."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.walle_task.tensor.backends.graphs import compiled, normal
from walle_task.tensor.backends.own import OwnKernels
from walle_task.tensor.backends.port import CompileOptions
from walle_task.tensor.building import GraphBuilder
from walle_task.tensor.graph import Graph
from walle_task.tensor.inference import infer_types
from walle_task.tensor.search.costs import BackendRates, Rate
from walle_task.tensor.search.work import Work

pytestmark = pytest.mark.slow

ONE = {"before": (1, 1), "after": (1, 1)}
CASES = {
    "1x1": ((2, 8, 9, 9), (12, 8, 1, 1), {}, "product"),
    "1x1 in groups": ((1, 8, 5, 7), (12, 4, 1, 1), {"groups": 2}, "product"),
    "1x1 with strides": ((1, 8, 9, 9), (12, 8, 1, 1), {"strides": (2, 2)}, "columns"),
    "in groups": ((1, 8, 9, 11), (12, 4, 3, 3), {"groups": 2, "strides": (2, 1), "after": (1, 0)}, "columns"),
    "dilated": ((1, 8, 19, 19), (12, 8, 3, 3), {"dilations": (2, 3), "before": (2, 0), "after": (1, 5)}, "columns"),
    "large": ((1, 3, 50, 47), (16, 3, 7, 7), {"strides": (2, 2), "before": (3, 3), "after": (3, 3)}, "columns"),
    "margins wider than images": ((1, 2, 2, 2), (3, 2, 1, 5), {"before": (0, 4), "after": (3, 4)}, "columns"),
    "depthwise": ((2, 8, 9, 11), (8, 1, 3, 3), {"groups": 8, **ONE}, "depthwise"),
    "depthwise with strides": ((1, 8, 9, 11), (8, 1, 3, 3), {"groups": 8, "strides": (2, 3), **ONE}, "depthwise"),
    "depthwise 5x2": ((1, 6, 9, 11), (6, 1, 5, 2), {"groups": 6, "strides": (2, 1), "before": (2, 1)}, "depthwise"),
    "winograd": ((2, 64, 30, 27), (64, 64, 3, 3), ONE, "winograd"),
    "winograd without margins": ((1, 64, 21, 30), (64, 64, 3, 3), {}, "winograd"),
}


def convolution(x, weights, *, constant=True, then=(), **attributes) -> Graph:
    """A graph of a convolution and of operators after it, each with its constants."""
    build = GraphBuilder("convolution")
    parameters = [weights, normal(weights[0])] if isinstance(weights, np.ndarray) else [normal(*weights)]
    given = [
        build.constant(each) if constant else build.input(f"w{at}", "float32", each.shape)
        for at, each in enumerate(parameters)
    ]
    y = build.add("convolution", build.input("x", "float32", x), *given, **attributes)
    for operator, *arrays, options in then:
        y = build.add(operator, y, *(build.constant(each) for each in arrays), **options)
    build.output(y)
    return build.build()


def agree(graph: Graph, inputs, tolerance=1e-4):
    """Assert that a compiled session computes what one of NumPy does; return the series of the former."""
    (expected,) = compiled(OwnKernels(compiled=False), graph).run(inputs).values()
    (found,) = compiled(OwnKernels(), graph).run(inputs).values()
    np.testing.assert_allclose(found, expected, atol=tolerance * np.abs(expected).max())
    return OwnKernels().series(infer_types(graph)).graph.nodes


@pytest.mark.parametrize("name", CASES)
def test_each_algorithm_is_the_sum_of_products(name):
    x, weights, attributes, algorithm = CASES[name]
    (node,) = agree(convolution(x, weights, **attributes), {"x": normal(*x)})
    assert (node.operator, node.attributes["algorithm"]) == ("fused_convolution", algorithm)


def test_direct_or_winograd_is_chosen_by_rates():
    graph = convolution((1, 64, 13, 10), (64, 64, 3, 3), **ONE)
    typed, x, workspaces = infer_types(graph), {"x": normal(1, 64, 13, 10)}, set()
    (expected,) = compiled(OwnKernels(compiled=False), graph).run(x).values()
    for kind in (Work.CONVOLUTION, Work.WINOGRAD):
        rates = BackendRates({each: Rate(0.0 if each is kind else 1.0, 0.0) for each in Work}, 0, 0, 0)
        running = OwnKernels().compile(typed, CompileOptions(rates={"walle": rates}))
        (found,) = running.run(x).values()
        np.testing.assert_allclose(found, expected, atol=1e-4 * np.abs(expected).max())
        workspaces.add(running.memory.naive)
    assert len(workspaces) == 2


def test_scales_shifts_and_bounds_are_taken_in():
    per_channel = (12, 1, 1)
    then = (("multiply", normal(*per_channel), {}), ("add", normal(*per_channel), {}), ("relu6", {}))
    (node,) = agree(convolution((1, 8, 9, 9), (12, 8, 1, 1), then=then), {"x": normal(1, 8, 9, 9)})
    assert (node.attributes["low"], node.attributes["high"]) == (0, 6)


def test_what_is_no_scale_of_channels_is_left_as_it_is():
    then = (("multiply", normal(9), {}), ("clip", {"high": 0.5}), ("exp", {}))
    nodes = agree(convolution((1, 8, 9, 9), (12, 8, 1, 1), then=then), {"x": normal(1, 8, 9, 9)})
    assert [node.operator for node in nodes] == ["fused_convolution", "multiply", "clip", "exp"]


def test_a_value_that_others_read_is_not_taken_in():
    build = GraphBuilder("two")
    y = build.add("convolution", build.input("x", "float32", (1, 4, 6, 6)), build.constant(normal(4, 4, 1, 1)))
    build.output(build.add("relu", y))
    build.output(build.add("exp", y))
    graph, x = build.build(), {"x": normal(1, 4, 6, 6)}
    expected, found = (compiled(OwnKernels(each), graph).run(x) for each in (False, True))
    for name, array in expected.items():
        np.testing.assert_allclose(found[name], array, rtol=1e-4, atol=1e-5)


def test_both_sides_of_a_sum_may_be_convolutions():
    build = GraphBuilder("residual")
    x = build.input("x", "float32", (1, 4, 6, 6))
    sides = [build.add("convolution", x, build.constant(normal(5, 4, 1, 1))) for _ in range(2)]
    build.output(build.add("relu", build.add("add", *sides)))
    nodes = agree(build.build(), {"x": normal(1, 4, 6, 6)})
    assert [len(node.inputs) for node in nodes] == [3, 4]


@pytest.mark.parametrize("name", ["1x1", "large", "depthwise", "winograd"])
def test_weights_may_be_values(name):
    x, weights, attributes, _ = CASES[name]
    graph = convolution(x, weights, constant=False, **attributes)
    (node,) = agree(graph, {"x": normal(*x), "w0": normal(*weights)})
    assert node.attributes["algorithm"] != "winograd"


def test_infinities_and_what_is_no_number_are_what_they_are_elsewhere():
    x = normal(1, 4, 6, 6)
    x[0, 0, 0, 0], x[0, 1, 3, 3] = math.inf, math.nan
    build = GraphBuilder("infinite")
    weights = build.constant(np.abs(normal(4, 1, 3, 3)))
    build.output(build.add("convolution", build.input("x", "float32", x.shape), weights, groups=4, **ONE))
    (found,) = compiled(OwnKernels(), build.build()).run({"x": x}).values()
    assert found[0, 0, 0, 0] == math.inf
    assert np.isnan(found[0, 1, 2:5, 2:5]).all()
    assert np.isfinite(found[0, 2:]).all()
