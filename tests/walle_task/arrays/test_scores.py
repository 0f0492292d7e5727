"""softmax, topk and one_hot against plain NumPy and Python."""

from __future__ import annotations

import importlib
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import special

from walle_task.arrays import one_hot, softmax, topk

shapes = arrays.array_shapes(max_dims=3, max_side=5)
scores = arrays.arrays(np.float64, shapes, elements=st.floats(-1e6, 1e6))
ranks = arrays.arrays(np.int8, shapes, elements=st.integers(-3, 3))


@given(scores, st.data())
def test_softmax_is_that_of_scipy(x, data):
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    assert np.allclose(softmax(x, axis), special.softmax(x, axis), atol=1e-12)


def test_softmax_of_large_scores_and_of_dtypes():
    assert softmax([1000, 1000]).tolist() == [0.5, 0.5]
    assert softmax(np.float32([0, 1])).dtype == np.float32
    assert softmax([0, -np.inf]).tolist() == [1, 0]


@given(ranks, st.data())
def test_topk_is_what_sorting_gives(x, data):
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    k = data.draw(st.integers(0, x.shape[axis]))
    values, index = topk(x, k, axis)
    expected = np.argsort(-x.astype(int), axis=axis, kind="stable").take(range(k), axis=axis)
    assert index.tolist() == expected.tolist()
    assert values.tolist() == np.take_along_axis(x, expected, axis).tolist()


def test_topk_of_unsigned_numbers():
    assert [each.tolist() for each in topk(np.array([0, 255, 3], np.uint8), 2)] == [[255, 3], [1, 2]]


@given(arrays.arrays(np.uint8, shapes, elements=st.integers(0, 6)))
def test_one_hot_has_a_one_at_the_label(labels):
    encoded = one_hot(labels, 7)
    assert (encoded.dtype, encoded.shape) == (np.float32, (*labels.shape, 7))
    assert encoded.argmax(axis=-1).tolist() == labels.tolist()
    assert (encoded.sum(axis=-1) == 1).all()


@pytest.mark.parametrize(
    ("call", "error", "expected"),
    [
        (lambda: softmax("abc"), TypeError, "softmax: expected x to be an array of numbers, found <U3"),
        (lambda: softmax([[1], [1, 2]]), ValueError, "softmax: expected x to be an array, found lists of unequal"),
        (lambda: softmax(5), ValueError, "softmax: expected an array with an axis, found a single number"),
        (lambda: softmax([1], axis=1), ValueError, "softmax: expected axis from -1 to 0, found 1"),
        (lambda: softmax(np.zeros((2, 0))), ValueError, "softmax: expected at least one score along axis -1"),
        (lambda: topk([1, 2], 3), ValueError, "topk: expected k from 0 to 2, found 3"),
        (lambda: topk([1, 2], 1.0), TypeError, "topk: expected k to be an integer, found 1.0"),
        (lambda: one_hot([0, 3], 3), ValueError, "one_hot: expected labels from 0 to 2, found 0 to 3"),
        (lambda: one_hot([-1], 3), ValueError, "one_hot: expected labels from 0 to 2, found -1 to -1"),
        (lambda: one_hot([0.0], 3), TypeError, "one_hot: expected labels to be integers, found float64"),
        (lambda: one_hot([0], 10**9), ValueError, "one_hot: expected num_classes from 1 to 16777216"),
    ],
)
def test_bad_arguments(call, error, expected):
    with pytest.raises(error, match=expected):
        call()


def test_without_numpy_it_says_what_to_declare(monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)
    monkeypatch.delitem(sys.modules, "walle_task.arrays")
    with pytest.raises(ModuleNotFoundError, match=r"walle_task.arrays needs numpy: expected requires.modules") as found:
        importlib.import_module("walle_task.arrays")
    assert found.value.name == "numpy"
