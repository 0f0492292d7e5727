"""standardize and pad_batch: what a model is given."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle_task.arrays import pad_batch, standardize


@given(st.integers(0, 2), st.booleans())
def test_standardize_along_an_axis(axis, one_for_all):
    x = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
    mean, std = np.arange(x.shape[axis]) + 1.0, np.arange(x.shape[axis]) + 2.0
    if one_for_all:
        mean, std = 3.0, 2.0
    moved = np.moveaxis(x.astype(float), axis, -1)
    found = standardize(x, mean, std, axis)
    assert found.dtype == np.float32
    assert np.allclose(found, np.moveaxis((moved - mean) / std, -1, axis))


@given(st.lists(st.lists(st.integers(-9, 9), max_size=5), min_size=1, max_size=4), st.none() | st.integers(1, 6))
def test_pad_batch(sequences, length):
    sequences = [np.array(sequence, np.int16) for sequence in sequences]
    batch, mask = pad_batch(sequences, length, value=77)
    wide = length if length is not None else max(len(sequence) for sequence in sequences)
    assert batch.shape == mask.shape == (len(sequences), wide)
    assert batch.dtype == np.int16
    for row, sequence in enumerate(sequences):
        assert batch[row][mask[row]].tolist() == sequence[:wide].tolist()
        assert (batch[row][~mask[row]] == 77).all()


def test_pad_batch_of_vectors_and_of_dtypes():
    batch, mask = pad_batch([np.ones((2, 3), np.int32), np.ones((1, 3), np.float32)])
    assert (batch.shape, batch.dtype) == ((2, 2, 3), np.float64)
    assert mask.tolist() == [[True, True], [True, False]]
    assert batch[1].tolist() == [[1, 1, 1], [0, 0, 0]]


@pytest.mark.parametrize(
    ("call", "error", "expected"),
    [
        (lambda: standardize([[1, 2]], [1, 2, 3], 1), ValueError, r"expected mean of the shape \(2,\) or \(\), found"),
        (lambda: standardize([1, 2], 0, [1, 0]), ValueError, "standardize: expected std above 0, found 0.0"),
        (lambda: standardize([1, 2], "m", 1), TypeError, "standardize: expected mean to be an array of numbers"),
        (lambda: pad_batch([]), TypeError, "pad_batch: expected a list of at least one sequence"),
        (lambda: pad_batch("abc"), TypeError, "pad_batch: expected a list of at least one sequence, found 'abc'"),
        (lambda: pad_batch([[1], 2]), ValueError, r"expected sequences\[1\] to have the axes of the first"),
        (lambda: pad_batch([[1], [[2]]]), ValueError, r"expected sequences\[1\] to have the axes of the first"),
        (lambda: pad_batch([[1]], 10**9), ValueError, "pad_batch: expected length from 1 to 16777216"),
    ],
)
def test_bad_arguments(call, error, expected):
    with pytest.raises(error, match=expected):
        call()
