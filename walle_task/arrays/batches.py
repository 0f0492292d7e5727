"""What a model is given: values about zero, and sequences of unequal lengths in one array."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from walle_task.arrays.arguments import Array, as_axis, as_count, as_floats, as_numbers

MAX_LENGTH = 1 << 24


def standardize(x: object, mean: object, std: object, axis: int = -1) -> NDArray[np.float32]:
    """Return (x - mean) / std as float32, with a mean and a deviation for each place along an axis, or one for all.

    For an image (height, width, channels) they are those of its channels, in the unit of its pixels.
    """
    who = "standardize"
    values = as_numbers(who, "x", x)
    along = as_axis(who, axis, values)
    shape = [1] * values.ndim
    shape[along] = values.shape[along]
    parts = []
    for name, given in (("mean", mean), ("std", std)):
        part = as_floats(who, name, given)
        if part.shape not in {(), (values.shape[along],)}:
            raise ValueError(f"{who}: expected {name} of the shape ({values.shape[along]},) or (), found {part.shape}")
        parts.append(np.broadcast_to(part, values.shape[along]).reshape(shape).astype(np.float32))
    if not (parts[1] > 0).all():
        raise ValueError(f"{who}: expected std above 0, found {parts[1].min()}")
    centred = np.subtract(values, parts[0], dtype=np.float32)
    centred /= parts[1]
    return centred


def pad_batch(sequences: Sequence[object], length: int | None = None, value: float = 0) -> tuple[Array, Array]:
    """Return sequences as one array (n, length, ...) with `value` behind their ends, and a mask of where they are.

    The mask is bool (n, length). The length is that of the longest if it is None; of longer ones only the beginning
    stays. All must have the same axes behind the first, and the dtype is one that has room for all of them.
    """
    who = "pad_batch"
    if not isinstance(sequences, Sequence | np.ndarray) or isinstance(sequences, str | bytes) or not len(sequences):
        raise TypeError(f"{who}: expected a list of at least one sequence, found {sequences!r:.80}")
    arrays = [as_numbers(who, f"sequences[{place}]", sequence) for place, sequence in enumerate(sequences)]
    for place, array in enumerate(arrays):
        if array.ndim == 0 or array.shape[1:] != arrays[0].shape[1:]:
            expected = f"sequences[{place}] to have the axes of the first behind its own length"
            raise ValueError(f"{who}: expected {expected}, found {array.shape} and {arrays[0].shape}")
    longest = max(len(array) for array in arrays)
    wide = longest if length is None else as_count(who, "length", length, 1, MAX_LENGTH)
    batch = np.full((len(arrays), wide, *arrays[0].shape[1:]), value, np.result_type(*arrays))
    mask = np.zeros((len(arrays), wide), bool)
    for row, array in enumerate(arrays):
        batch[row, : len(array)] = array[:wide]
        mask[row, : len(array)] = True
    return batch, mask
