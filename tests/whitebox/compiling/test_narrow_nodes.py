"""Trees are walked as their nodes say, whether these are narrow or too wide for that, by one record or many."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from tests.whitebox.compiling.support import GuardedVectors, executable
from walle.whitebox.archive.contents import MISSING_RIGHT
from walle.whitebox.flour import Flour
from walle.whitebox.narrow_nodes import last_that_rounds_to, narrow_nodes, order_of, rounded

NARROW, NODES, LISTED = 0, 1, 2
SINGLE = st.floats(width=32, allow_nan=False) | st.sampled_from([0.0, -0.0, math.inf, -math.inf])


@given(SINGLE, SINGLE)
def test_integers_are_in_the_order_of_float32(one, other):
    first, second = order_of(np.array([one, other], np.float32)).tolist()
    assert (first < second, first > second) == (one < other, one > other)


@given(st.floats(width=32, max_value=3e38, min_value=-3e38), st.floats(allow_nan=False), st.integers(-2, 2))
def test_what_is_above_a_threshold_is_what_is_above_its_float32_once_rounded(single, number, steps):
    threshold = last_that_rounds_to(np.array([single], np.float32))[0]
    for each in (number, single, threshold + steps * np.spacing(threshold)):
        code = order_of(rounded(np.array([each])))[0]
        assert (code > order_of(np.array([single], np.float32))[0]) == (each > threshold)


def forest(rng, trees, depth, columns, single):
    """Trees in which a part of the nodes are leaves, and missing numbers go either way."""
    rows, roots, depths = [], [], []
    for _ in range(trees):
        root, level, deepest = len(rows), [len(rows)], 0
        rows.append(None)
        roots.append(root)
        for height in range(depth + 1):
            below = []
            for node in level:
                if height == depth or rng.random() < 0.2:
                    rows[node] = (math.inf, 0, node)
                    continue
                threshold = float(np.round(rng.normal(), 1))
                if single:
                    threshold = float(last_that_rounds_to(np.array([threshold], np.float32))[0])
                right = MISSING_RIGHT if rng.random() < 0.5 else 0
                rows[node] = (threshold, int(rng.choice(columns)) | right, len(rows))
                below += [len(rows), len(rows) + 1]
                rows += [None, None]
                deepest = height + 1
            level = below
        depths.append(deepest)
    nodes = np.zeros((len(rows), 4), "<i4")
    nodes[:, :2] = np.array([row[0] for row in rows], "<f8").view("<i4").reshape(-1, 2)
    nodes[:, 2] = np.array([row[1] for row in rows], "<u4").view("<i4")
    nodes[:, 3] = [row[2] for row in rows]
    return {"nodes": nodes, "roots": roots, "depths": depths, "values": rng.normal(size=(len(rows), 1))}


def walked(arrays, record):
    """The sum of the leaves' values, found one comparison at a time."""
    nodes, total = arrays["nodes"], 0.0
    thresholds = nodes.view("<f8").reshape(-1, 2)[:, 0]
    for root in arrays["roots"]:
        node = root
        while nodes[node, 3] != node:
            value, word = record[nodes[node, 2] & (MISSING_RIGHT - 1)], int(nodes[node, 2])
            right = word < 0 if value is None else value > thresholds[node]
            node = nodes[node, 3] + right
        total += arrays["values"][node, 0]
    return total


@pytest.mark.parametrize("single", [True, False], ids=["narrow", "wide"])
@pytest.mark.parametrize("columns", [range(9), [3, 38]], ids=["all numbers", "few numbers"])
@pytest.mark.parametrize("missing", [0, 0.1])
def test_each_record_ends_in_the_leaves_that_the_nodes_say(single, columns, missing):
    rng = np.random.default_rng(17)
    arrays = forest(rng, trees=11, depth=9, columns=list(columns), single=single)
    form = narrow_nodes(arrays["nodes"])
    assert (form[NARROW], form[NODES], form[LISTED]) == (single, len(arrays["nodes"]), 2 * single * (len(columns) == 2))
    names = [f"n{index}" for index in range(max(columns) + 1)]
    plan = executable(Flour.numbers(*names).trees(**arrays, size=1).regression())
    # As round as the thresholds are, so that some are equal.
    numbers = np.round(rng.normal(size=(45, len(names))), 1).tolist()
    numbers = [[None if rng.random() < missing else each for each in row] for row in numbers]
    expected = [pytest.approx(walked(arrays, row), rel=1e-12) for row in numbers]
    vectors, batch = GuardedVectors(), plan.parse([dict(zip(names, row, strict=True)) for row in numbers])
    plan.run_batch(batch, vectors)
    assert [each.value for each in plan.predictions(batch)] == expected
    assert [plan.predict(dict(zip(names, row, strict=True)), vectors).value for row in numbers] == expected
    vectors.check()


def test_nodes_that_do_not_fit_stay_as_they_are():
    rng = np.random.default_rng(1)
    arrays = forest(rng, trees=2, depth=3, columns=[0, 1], single=True)["nodes"]
    inner = np.flatnonzero(arrays[:, 3] != np.arange(len(arrays)))[0]
    too_far = np.tile(arrays[-1:], (1 << 17, 1))
    too_far[:, 3], too_far[0] = np.arange(1 << 17), arrays[inner]
    too_far[0, 3] = 1 << 16
    largest = arrays.copy()
    largest.view("<f8")[inner, 0] = np.finfo(np.float32).max
    for nodes in (too_far, largest):
        form = narrow_nodes(nodes)
        assert form[NARROW] == 0
        assert_array_equal(form[3:-1], nodes.view("<u8").ravel())
        assert form[-1] == nodes.size
