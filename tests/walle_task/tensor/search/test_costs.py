"""The cost model: what operators compute, their algorithms, equations 1 to 4, and rates that are fitted."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tests.walle_task.tensor.backends.graphs import normal, small_network
from tests.walle_task.tensor.running import graph_of
from walle_task.tensor.inference import infer_types
from walle_task.tensor.onnx_writing.model import onnx_series
from walle_task.tensor.search.algorithms import Algorithm, algorithms, tile_sizes
from walle_task.tensor.search.calibrating import Measured, fitted_rates
from walle_task.tensor.search.costs import (
    BackendRates,
    BackendTraits,
    Rate,
    assumed_rates,
    backend_cost,
    operator_cost,
    transferred_bytes,
)
from walle_task.tensor.search.work import Work, works

ONE = {"before": (1, 1), "after": (1, 1)}


def work_of(operator, *arrays, constant=None, **attributes):
    constants = {1: arrays[1]} if constant else None
    series = onnx_series(infer_types(graph_of(operator, *arrays, constants=constants, **attributes)))
    (found,) = works(series, fuses=False)
    return found


@pytest.mark.parametrize(
    ("operator", "arrays", "attributes", "kind", "operations"),
    [
        ("matmul", (normal(2, 3, 4), normal(2, 4, 5)), {}, Work.PRODUCT, 2 * 2 * 3 * 4 * 5),
        ("linear", (normal(2, 3, 4), normal(5, 4)), {"constant": True}, Work.LINEAR, 2 * 2 * 3 * 4 * 5),
        ("gemm", (normal(4, 3), normal(4, 5)), {"transpose_a": True}, Work.PRODUCT, 2 * 3 * 4 * 5),
        ("convolution", (normal(1, 8, 6, 6), normal(4, 8, 3, 3)), ONE, Work.CONVOLUTION, 2 * 4 * 36 * 72),
        ("convolution", (normal(1, 3, 6, 6), normal(4, 3, 3, 3)), ONE, Work.FIRST, 2 * 4 * 36 * 27),
        ("convolution", (normal(1, 8, 6, 6), normal(4, 8, 1, 1)), {}, Work.POINTWISE, 2 * 4 * 36 * 8),
        ("convolution", (normal(1, 8, 6, 6), normal(8, 1, 3, 3)), {"groups": 8, **ONE}, Work.DEPTHWISE, 2 * 8 * 36 * 9),
        ("erf", (normal(3, 4),), {}, Work.ERROR_FUNCTION, 12),
        ("softmax", (normal(3, 4),), {}, Work.NORMALISATION, 12),
        ("transpose", (normal(3, 4),), {"axes": (1, 0)}, Work.REORDERING, 12),
        ("max_pool", (normal(1, 2, 4, 4),), {"kernel": (2, 2), "strides": (2, 2)}, Work.ELEMENTWISE, 8 * 4),
    ],
)
def test_operators_have_a_kind_of_work_and_operations(operator, arrays, attributes, kind, operations):
    found = work_of(operator, *arrays, **attributes)
    assert (found.kind, found.operations) == (kind, operations)
    if operator != "gemm":
        assert found.nbytes >= sum(each.nbytes for each in arrays)


def test_activations_after_products_cost_nothing_where_they_are_fused():
    series = onnx_series(infer_types(small_network()))
    apart, fused = ([each.operator for each in works(series, fuses)] for fuses in (False, True))
    assert {"batch_norm", "relu6"} <= set(apart)
    assert not {"batch_norm", "relu6"} & set(fused)
    assert apart.count("relu") - fused.count("relu") == 1  # the one after a sum is not
    assert not {"flatten", "reshape"} & set(apart)


def test_winograd_has_fewer_operations_and_more_bytes_for_3x3_only():
    found = work_of("convolution", normal(1, 64, 28, 28), normal(64, 64, 3, 3), **ONE)
    direct, two, four = algorithms(found, winograd=True)
    assert direct.operations > two.operations > four.operations
    assert 2 * 36 * 64 * 64 * 49 < four.operations < 2 * 36 * 64 * 64 * 49 * 1.5
    assert direct.nbytes < two.nbytes
    assert [*algorithms(found, winograd=False)] == [direct]
    strided = work_of("convolution", normal(1, 64, 28, 28), normal(64, 64, 3, 3), strides=(2, 2))
    assert len([*algorithms(strided, winograd=True)]) == 1


@pytest.mark.parametrize(("rows", "depth", "columns", "room"), [(8, 12, 20, 16), (64, 30, 7, 32), (5, 9, 9, 200)])
def test_tiles_move_the_fewest_elements(rows, depth, columns, room):
    def moved(along_depth, along_columns):
        each = rows * along_depth + rows * along_columns + along_depth * along_columns
        return -(-depth // along_depth) * -(-columns // along_columns) * each

    tiles = itertools.product(range(1, depth + 1), range(1, columns + 1))
    best = min(moved(e, b) for e, b in tiles if e * b + e + b <= room)
    e, b = tile_sizes(rows, depth, columns, room)
    assert e * b + e + b <= room
    assert moved(e, b) <= best * 1.1


def test_tiles_need_room():
    with pytest.raises(ValueError, match="room for at least 3 elements, found 2"):
        tile_sizes(4, 4, 4, 2)


def rates(**others: float) -> BackendRates:
    kinds = {kind: Rate(1e-9, 0.0) for kind in Work}
    kinds[Work.WINOGRAD] = Rate(others.get("winograd", 1e-9), others.get("per_byte", 0.0))
    return BackendRates(
        kinds, others.get("per_operator", 0.0), others.get("per_run", 0.0), others.get("transferred", 0)
    )


def test_an_operator_costs_what_its_best_algorithm_does():
    found = work_of("convolution", normal(1, 64, 28, 28), normal(64, 64, 3, 3), **ONE)
    traits = BackendTraits(winograd=True)
    assert operator_cost(found, traits, rates()).algorithm.block == 4
    assert operator_cost(found, traits, rates(winograd=1e-6)).algorithm.name == "direct"
    assert operator_cost(found, traits, rates(per_byte=1.0)).algorithm.name == "direct"
    direct = operator_cost(found, BackendTraits(), rates(per_operator=5e-6))
    assert direct.seconds == pytest.approx(found.operations * 1e-9 + 5e-6)


def test_a_backend_costs_the_sum_of_its_operators():
    series = onnx_series(infer_types(small_network()))
    cost = backend_cost("b", series, BackendTraits(), rates(per_run=1e-3, transferred=1e-9))
    beside = 1e-3 + transferred_bytes(series) * 1e-9
    assert cost.seconds == pytest.approx(beside + sum(each.seconds for each in cost.operators))
    assert sum(cost.kinds.values()) == pytest.approx(cost.seconds - beside)


def test_without_calibration_the_papers_performance_is_assumed():
    rate = assumed_rates(2e9, threads=2).kinds[Work.LINEAR]
    assert rate.per_operation == pytest.approx(1 / (8 * 2e9 * 2))
    assert assumed_rates(2e9, 2, fp16=True).kinds[Work.LINEAR].per_operation == pytest.approx(1 / (16 * 2e9 * 2))


def test_fitted_rates_are_those_that_times_were_made_with():
    random, measured = np.random.default_rng(2), []
    for kind in (Work.LINEAR, Work.ELEMENTWISE):
        for _ in range(12):
            operations, nbytes, count = (int(each) for each in random.integers(1, [10**8, 10**6, 5]))
            parts = tuple(Algorithm("direct", 0, kind, operations, nbytes) for _ in range(count))
            fast = 1e-11 if kind is Work.LINEAR else 1e-10
            seconds = count * (operations * fast + nbytes * 1e-10 + 2e-6) + 1e-5
            measured.append(Measured(parts, 0, seconds))
    found = fitted_rates(measured)
    assert found.kinds[Work.LINEAR].per_operation == pytest.approx(1e-11, rel=0.1)
    assert found.kinds[Work.ELEMENTWISE].per_operation == pytest.approx(1e-10, rel=0.1)
    assert found.kinds[Work.DEPTHWISE] == found.kinds[Work.ELEMENTWISE]  # the slowest, of what was not measured
