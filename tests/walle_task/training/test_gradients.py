"""Gradients against central differences, of every operator that has one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from walle_task.tensor.building import GraphBuilder
from walle_task.tensor.faults import GraphMalformed
from walle_task.tensor.graph import Graph
from walle_task.tensor.inference import infer_types
from walle_task.tensor.lowering import lower
from walle_task.tensor.operators.catalogue import LOWERED
from walle_task.tensor.planning import plan_lowered
from walle_task.tensor.session import Session
from walle_task.training.gradients.backward import RULES, with_gradients

STEP = 1e-5
APART = {"raster", "raster_add", "fused_convolution"}
WITHOUT = {
    "is_nan", "is_inf", "logical_not", "logical_and", "logical_or", "logical_xor", "equal",
    "not_equal", "less", "less_equal", "greater", "greater_equal", "reduce_any", "reduce_all", "argmax", "argmin",
    "one_hot", "range", "shape_of", "if", "while",
}  # fmt: skip


def weighted(build: Callable[..., str], arrays: Sequence[Any], weights: Any = None) -> tuple[Graph, str]:
    """Return the graph of what `build` computes of inputs x0, x1 and so on, and the name of that, or of its weighted
    sum."""
    graph = GraphBuilder("g")
    value = build(graph, *(graph.input(f"x{at}", str(each.dtype), each.shape) for at, each in enumerate(arrays)))
    if weights is not None:
        product = graph.add("multiply", value, graph.constant(weights))
        value = graph.add("reduce_sum", product, axes=tuple(range(weights.ndim)))
    graph.output(value)
    return graph.build(), value


def gradients(build: Callable[..., str], *arrays: Any) -> tuple[Callable[..., float], list[Any]]:
    """Return the loss, a weighted sum of what `build` computes, as a function of arrays, and its gradients there."""
    graph, value = weighted(build, arrays)
    found = infer_types(graph).types[value]
    weights = np.random.default_rng(5).uniform(0.5, 2, found.shape).astype(found.dtype)
    graph, loss = weighted(build, arrays, weights)
    typed = infer_types(graph)
    lowered = lower(typed)
    wanted = [name for name, spec in graph.inputs.items() if spec.dtype == "float64"]
    forward = Session.of(plan_lowered(typed, lowered))
    backward = Session.of(plan_lowered(typed, with_gradients(lowered, loss, wanted)))

    def run(*given: Any) -> float:
        return float(forward.run(dict(zip(graph.inputs, given, strict=True)))[loss])

    value, *by_inputs = backward.run(dict(zip(graph.inputs, arrays, strict=True))).values()
    assert float(value) == pytest.approx(run(*arrays))
    return run, by_inputs


def check(build: Callable[..., str], *arrays: Any) -> None:
    """Compare the gradient by each element of each array of floats with the central difference there."""
    run, found = gradients(build, *arrays)
    floats = [index for index, each in enumerate(arrays) if each.dtype.kind == "f"]
    for index, gradient in zip(floats, found, strict=True):
        assert gradient.shape == arrays[index].shape
        for at in np.ndindex(arrays[index].shape):
            moved = [np.array(each) for each in arrays]
            moved[index][at] += STEP
            above = run(*moved)
            moved[index][at] -= 2 * STEP
            expected = (above - run(*moved)) / (2 * STEP)
            assert gradient[at] == pytest.approx(expected, rel=1e-5, abs=1e-6), (index, at)


def apply(operator: str, **attributes: Any) -> Callable[..., str]:
    return lambda graph, *names: graph.add(operator, *names, **attributes)


def numbers(*shape: int, low: float = -2, high: float = 2, seed: int = 0) -> Any:
    """Return numbers that are not near one another, nor near whole and half ones."""
    count = int(np.prod(shape))
    points = low + (high - low) * (np.arange(count) + 0.31) / count
    return np.random.default_rng(seed).permutation(points).reshape(shape)


UNARY = {
    "sqrt": (0.2, 3), "rsqrt": (0.2, 3), "reciprocal": (0.2, 3), "exp": (-2, 2), "expm1": (-2, 2), "log": (0.2, 3),
    "log1p": (-0.8, 3), "sin": (-3, 3), "cos": (-3, 3), "tan": (-1.2, 1.2), "asin": (-0.9, 0.9), "acos": (-0.9, 0.9),
    "atan": (-2, 2), "sinh": (-2, 2), "cosh": (-2, 2), "tanh": (-2, 2), "asinh": (-2, 2), "acosh": (1.2, 3),
    "atanh": (-0.9, 0.9), "erf": (-2, 2), "sigmoid": (-3, 3), "floor": (-2, 2), "ceil": (-2, 2), "round": (-2, 2),
    "abs": (-2, 2), "negate": (-2, 2), "sign": (-2, 2), "square": (-2, 2),
}  # fmt: skip


@pytest.mark.parametrize("operator", UNARY)
def test_functions_of_one_number(operator: str) -> None:
    low, high = UNARY[operator]
    check(apply(operator), numbers(2, 3, low=low, high=high))


def test_clipped_and_cast_elements() -> None:
    check(apply("clip", low=-1.0, high=0.5), numbers(7))
    _, (found,) = gradients(lambda graph, x: graph.add("cast", x, dtype="float32"), numbers(3))
    assert found.dtype == "float64"
    _, (found,) = gradients(
        lambda graph, x: graph.add("cast", graph.add("cast", x, dtype="int32"), dtype="float64"), numbers(3)
    )
    assert not found.any()


BINARY = ("add", "subtract", "multiply", "divide", "maximum", "minimum", "atan2", "remainder", "power", "floor_divide")


@pytest.mark.parametrize("operator", BINARY)
@pytest.mark.parametrize("shapes", [((2, 3), (2, 3)), ((3,), (2, 1)), ((2, 1, 3), ()), ((), (1, 2))], ids=str)
def test_functions_of_two_numbers_that_are_broadcast(operator: str, shapes: Sequence[tuple[int, ...]]) -> None:
    check(apply(operator), numbers(*shapes[0], low=0.3, high=2.9), numbers(*shapes[1], low=0.7, high=2.2, seed=1))


def test_a_power_of_what_is_not_positive_has_no_gradient_by_its_exponent() -> None:
    _, (by_base, by_exponent) = gradients(apply("power"), np.array([-2.0, 0.0, 2.0]), np.array([2.0, 2.0, 2.0]))
    assert by_exponent[:2].tolist() == [0, 0]
    assert by_exponent[2] > 0
    assert np.isfinite(by_base).all()


def test_equal_elements_share_the_gradient() -> None:
    _, (first, second) = gradients(apply("maximum"), np.array([1.0]), np.array([1.0]))
    assert first == second > 0
    _, (found,) = gradients(apply("reduce_max", axes=(0,)), np.array([1.0, 0.0, 1.0]))
    assert found[0] == found[2] > found[1] == 0


def test_where_takes_the_gradient_to_what_was_chosen() -> None:
    condition = np.array([[True], [False]])
    check(apply("where"), condition, numbers(2, 3), numbers(3, seed=1))


@pytest.mark.parametrize("operator", ["reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod"])
@pytest.mark.parametrize("axes", [(0,), (-1,), (0, 2), (0, 1, 2)], ids=str)
@pytest.mark.parametrize("keep", [False, True])
def test_reductions(operator: str, axes: tuple[int, ...], keep: bool) -> None:
    check(apply(operator, axes=axes, keep=keep), numbers(2, 3, 2))


def test_products_with_zeros() -> None:
    check(apply("reduce_prod", axes=(0,)), np.array([[2.0, 0.0], [0.0, 0.0], [3.0, 5.0]]))
    check(apply("cumprod", axis=0), np.array([[2.0, 0.0], [0.0, 0.0], [3.0, 5.0]]))


@pytest.mark.parametrize("operator", ["cumsum", "cumprod"])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_sums_and_products_along_an_axis(operator: str, axis: int) -> None:
    check(apply(operator, axis=axis), numbers(3, 2, 4))


@pytest.mark.parametrize("shapes", [((2, 3), (3, 4)), ((2, 2, 3), (3, 1)), ((1, 2, 3), (2, 3, 2))], ids=str)
def test_products_of_matrices(shapes: Sequence[tuple[int, ...]]) -> None:
    check(apply("matmul"), numbers(*shapes[0]), numbers(*shapes[1], seed=1))


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_reading_at_indices(axis: int) -> None:
    indices = np.array([[0, 1, 1], [-1, 0, -2]])
    check(apply("gather", axis=axis), numbers(2, 3, 2), indices)
    places = np.random.default_rng(3).integers(-2, 2, (2, 2, 2))
    check(apply("gather_elements", axis=axis), numbers(2, 3, 2), places)


def test_reading_and_writing_at_places() -> None:
    places = np.array([[0, 1], [1, 2], [0, 1]])
    check(apply("gather_nd"), numbers(2, 3, 2), places)
    check(apply("scatter_nd", add=True), numbers(2, 3, 2), places, numbers(3, 2, seed=1))
    check(apply("scatter_nd"), numbers(2, 3, 2), places[:2], numbers(2, 2, seed=1))


def test_the_largest() -> None:
    check(lambda graph, x: graph.add_all("top_k", x, outputs=2, k=2, axis=0)[0], numbers(4, 3))


TRANSFORMS: dict[str, dict[str, Any]] = {
    "transpose": {"axes": (2, 0, 1)},
    "reshape": {"shape": (3, -1)},
    "flip": {"axes": (1,)},
    "slice": {"axes": (1,), "starts": (2,), "ends": (0,), "steps": (-1,)},
    "take": {"axis": 1, "indices": (0, 2, 2, 0)},
    "broadcast_to": {"shape": (2, 2, 3, 4)},
    "tile": {"repeats": (2, 1, 2)},
    "repeat": {"axis": 1, "times": 3},
    "pad": {"before": (0, 1, 0), "after": (1, 0, 2)},
    "pad_reflect": {"before": (0, 2, 1), "after": (1, 0, 2)},
    "pad_edge": {"before": (0, 2, 1), "after": (1, 0, 2)},
    "unfold": {"axis": 2, "length": 3, "step": 1},
    "diagonal": {},
    "roll": {"axis": 0, "shift": 1},
}


@pytest.mark.parametrize("operator", TRANSFORMS)
def test_transforms_by_way_of_raster(operator: str) -> None:
    check(apply(operator, **TRANSFORMS[operator]), numbers(2, 3, 4))


def test_what_several_read_has_the_sum_of_their_gradients() -> None:
    check(lambda graph, x: graph.add("multiply", x, graph.add("transpose", x, axes=(1, 0))), numbers(3, 3))
    check(lambda graph, x, y: graph.add("concatenate", x, y, x, axis=0), numbers(2, 3), numbers(1, 3, seed=1))


def test_layers() -> None:
    margins = {"before": (1, 1), "after": (1, 1)}
    weights, bias = numbers(4, 1, 3, 3, seed=1), numbers(4, seed=2)
    check(apply("convolution", groups=2, strides=(2, 2), **margins), numbers(1, 2, 4, 4), weights, bias)
    check(apply("max_pool", kernel=(2, 2), strides=(1, 1)), numbers(1, 2, 3, 3))
    check(apply("layer_norm"), numbers(2, 4), numbers(4, seed=1), numbers(4, seed=2))
    check(apply("log_softmax", axis=0), numbers(3, 2))
    check(apply("gelu"), numbers(5))


def test_every_operator_of_lowered_graphs_has_a_gradient_or_needs_none() -> None:
    assert RULES.keys() | WITHOUT | APART == LOWERED.keys()
    assert not RULES.keys() & WITHOUT


def test_values_that_the_loss_does_not_depend_on_have_zeros() -> None:
    _, (used, unused) = gradients(lambda graph, x, y: graph.add("exp", x), numbers(3), numbers(2, 2))
    assert used.all()
    assert unused.shape == (2, 2)
    assert not unused.any()


def test_a_loss_is_one_float() -> None:
    graph = GraphBuilder("g")
    graph.output(graph.add("exp", graph.input("x", "float32", (3,)), name="y"))
    lowered = lower(infer_types(graph.build()))
    with pytest.raises(GraphMalformed, match=r"loss: expected a float of one element, found float32\[3\]"):
        with_gradients(lowered, "y", ["x"])
    with pytest.raises(GraphMalformed, match="loss: expected a float of one element, found no value z"):
        with_gradients(lowered, "z", ["x"])


def test_what_is_repeated_often_is_summed_at_once() -> None:
    _, (found,) = gradients(apply("broadcast_to", shape=(100_000, 2)), np.ones((1, 2)))
    assert found.shape == (1, 2)
    assert (found > 100_000).all()
