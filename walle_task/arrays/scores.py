"""What is made of the scores of classes: probabilities, the best of them, and classes as vectors."""

from __future__ import annotations

import numpy as np
from numpy.typing import DTypeLike

from walle_task.arrays.arguments import Array, as_axis, as_count, as_floats, as_numbers

MAX_CLASSES = 1 << 24


def softmax(x: object, axis: int = -1) -> Array:
    """Return probabilities in proportion to exp(x), whose sums along an axis are 1, however large the scores are.

    Floats keep their dtype, integers give float64.
    """
    scores = as_floats("softmax", "x", x)
    along = as_axis("softmax", axis, scores)
    if not scores.shape[along]:
        raise ValueError(f"softmax: expected at least one score along axis {axis}, found the shape {scores.shape}")
    odds = np.exp(scores - scores.max(axis=along, keepdims=True))
    probabilities: Array = odds / odds.sum(axis=along, keepdims=True)
    return probabilities


def topk(x: object, k: int, axis: int = -1) -> tuple[Array, Array]:
    """Return the k greatest values along an axis, the greatest first, and their indexes.

    Of equal values the one with the lower index is first; NaN counts as the greatest.
    """
    values = as_numbers("topk", "x", x)
    along = as_axis("topk", axis, values)
    length = values.shape[along]
    count = as_count("topk", "k", k, 0, length)
    backwards = np.argsort(np.flip(values, along), axis=along, kind="stable")
    index = np.take(length - 1 - np.flip(backwards, along), np.arange(count), axis=along)
    return np.take_along_axis(values, index, axis=along), index


def one_hot(labels: object, num_classes: int, dtype: DTypeLike = np.float32) -> Array:
    """Return an array with another axis, of length `num_classes`, which is 1 at the label and 0 elsewhere.

    Raises ValueError for a label that is not from 0 to num_classes - 1.
    """
    classes = as_numbers("one_hot", "labels", labels)
    count = as_count("one_hot", "num_classes", num_classes, 1, MAX_CLASSES)
    if classes.dtype.kind not in "iu":
        raise TypeError(f"one_hot: expected labels to be integers, found {classes.dtype}")
    if classes.size and not (classes.min() >= 0 and classes.max() < count):
        raise ValueError(f"one_hot: expected labels from 0 to {count - 1}, found {classes.min()} to {classes.max()}")
    encoded = np.zeros((*classes.shape, count), dtype)
    np.put_along_axis(encoded, classes[..., None].astype(np.intp), 1, axis=-1)
    return encoded
