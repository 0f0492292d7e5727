"""What the functions of this package ask of their arguments."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def as_numbers(who: str, name: str, value: object) -> Array:
    """Return an array of integers or floats. Raises TypeError for other values, ValueError for ragged lists."""
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(f"{who}: expected {name} to be an array, found lists of unequal lengths") from None
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{who}: expected {name} to be an array of numbers, found {array.dtype}")
    return array


def as_floats(who: str, name: str, value: object) -> Array:
    """Return the same as floats: float16, float32 and float64 stay, integers become float64."""
    array = as_numbers(who, name, value)
    return array if array.dtype.kind == "f" else array.astype(np.float64)


def as_count(who: str, name: str, value: object, least: int, most: int) -> int:
    """Return an integer from `least` to `most`. Raises TypeError or ValueError."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{who}: expected {name} to be an integer, found {value!r}")
    if not least <= value <= most:
        raise ValueError(f"{who}: expected {name} from {least} to {most}, found {value}")
    return int(value)


def as_axis(who: str, axis: object, array: Array) -> int:
    """Return the axis of an array as an integer from 0. Raises TypeError or ValueError."""
    if array.ndim == 0:
        raise ValueError(f"{who}: expected an array with an axis, found a single number")
    return as_count(who, "axis", axis, -array.ndim, array.ndim - 1) % array.ndim
