"""What the functions of this package ask of their arguments, how they go through an image, and how they give results.

An image is an array (height, width) or (height, width, channels) with 1 to 4 channels. Inside, all are computed on as
(height, width, channels); a result of one channel is (height, width), as OpenCV's are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike, NDArray

from walle_task.image.constants import CV_8U, CV_16S, CV_16U, CV_32F, CV_64F

Image = NDArray[Any]

DEPTHS: Final = {CV_8U: "uint8", CV_16U: "uint16", CV_16S: "int16", CV_32F: "float32", CV_64F: "float64"}
ANY_DEPTH: Final = ("uint8", "uint16", "int16", "float32", "float64")
UINT8_OR_FLOAT32: Final = ("uint8", "float32")
MAX_SIDE: Final = 32766
"""The longest side of an image: coordinates are 16-bit in OpenCV's warps, with a pixel to spare on both sides."""
BLOCK: Final = 1 << 16
"""Values that are computed on at a time, at most or one row of them: what is between fits a processor's cache."""


def as_image(
    who: str, value: object, depths: Sequence[str] = ANY_DEPTH, channels: Sequence[int] = (1, 2, 3, 4)
) -> Image:
    """Return an image as (height, width, channels) in the machine's byte order, else sharing its memory.

    Raises TypeError for what is no array or has another dtype, ValueError for another shape.
    """
    if not isinstance(value, np.ndarray):
        raise TypeError(f"{who}: expected an image as a numpy array, found {type(value).__name__}")
    if value.dtype.name not in depths:
        raise TypeError(f"{who}: expected an image of {listed(depths)}, found {value.dtype.name}")
    found = value.shape[2] if value.ndim == 3 else 1
    if value.ndim not in {2, 3} or found not in channels:
        shapes = "(height, width)" if 1 in channels else ""
        if channels != (1,):
            wanted = listed([str(each) for each in channels if each > 1])
            shapes += f"{' or ' if shapes else ''}(height, width, {wanted})"
        raise ValueError(f"{who}: expected an image of the shape {shapes}, found {value.shape}")
    if not all(1 <= side <= MAX_SIDE for side in value.shape[:2]):
        raise ValueError(
            f"{who}: expected sides from 1 to {MAX_SIDE} pixels, found {value.shape[1]} x {value.shape[0]}"
        )
    return value.astype(value.dtype.newbyteorder("="), copy=False).reshape(*value.shape[:2], found)


def given(result: Image, dst: Image | None, who: str) -> Image:
    """Return a result as OpenCV does: without an axis of one channel, written to `dst` too if that is given.

    Raises ValueError if `dst` is no array of that shape and dtype.
    """
    if result.ndim == 3 and result.shape[2] == 1:
        result = result[:, :, 0]
    if dst is None:
        return np.ascontiguousarray(result)
    if not isinstance(dst, np.ndarray) or (dst.shape, dst.dtype) != (result.shape, result.dtype):
        found = f"{dst.dtype} {dst.shape}" if isinstance(dst, np.ndarray) else type(dst).__name__
        raise ValueError(f"{who}: expected dst to be None or {result.dtype} {result.shape}, found {found}")
    dst[...] = result
    return dst


def as_size(who: str, name: str, value: object) -> tuple[int, int]:
    """Return a (width, height) as integers. Raises TypeError or ValueError, as `as_image` does."""
    width, height = as_point(who, name, value)
    if not (1 <= width <= MAX_SIDE and 1 <= height <= MAX_SIDE):
        raise ValueError(f"{who}: expected {name} to be (width, height) from 1 to {MAX_SIDE}, found {(width, height)}")
    return width, height


def as_point(who: str, name: str, value: object) -> tuple[int, int]:
    """Return a pair of integers. Raises TypeError or ValueError, as `as_image` does."""
    pair = tuple(value) if isinstance(value, Sequence | np.ndarray) and not isinstance(value, str) else ()
    if len(pair) != 2:
        raise TypeError(f"{who}: expected {name} to be a pair of integers, found {shown(value)}")
    return as_integer(who, name, pair[0]), as_integer(who, name, pair[1])


def as_integer(who: str, name: str, value: object) -> int:
    """Return an integer of 32 bits. Raises TypeError or ValueError, as `as_image` does."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{who}: expected {name} to be an integer, found {shown(value)}")
    if not -(2**31) <= value < 2**31:
        raise ValueError(f"{who}: expected {name} to be an integer of 32 bits, found {value}")
    return int(value)


def as_number(who: str, name: str, value: object) -> float:
    """Return a finite number. Raises TypeError or ValueError, as `as_image` does."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise TypeError(f"{who}: expected {name} to be a number, found {shown(value)}")
    if not math.isfinite(value):
        raise ValueError(f"{who}: expected {name} to be finite, found {value}")
    return float(value)


def as_scalar(who: str, name: str, value: object, channels: int, dtype: DTypeLike) -> Image:
    """Return a value for each channel, of OpenCV's kind of scalar: a number is that of the first, others are 0."""
    numbers = list(value) if isinstance(value, Sequence | np.ndarray) and not isinstance(value, str) else [value]
    if len(numbers) > 4:
        raise ValueError(f"{who}: expected {name} to have at most 4 numbers, found {len(numbers)}")
    read = [as_number(who, name, number) for number in numbers]
    return saturated(np.array((read + [0.0] * 4)[:channels]), dtype)


def as_choice(who: str, name: str, value: object, choices: dict[int, str]) -> int:
    """Return one of the constants of `choices`, which are by name. Raises ValueError for another."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or int(value) not in choices:
        raise ValueError(f"{who}: expected {name} to be {listed(list(choices.values()))}, found {shown(value)}")
    return int(value)


def as_depth(who: str, name: str, value: object, depths: Sequence[str] = ANY_DEPTH) -> np.dtype[Any]:
    """Return a dtype of pixels, given as a constant CV_* or as numpy takes one. Raises TypeError for another."""
    try:
        found: np.dtype[Any] = np.dtype(
            DEPTHS.get(int(value), "V") if isinstance(value, int | np.integer) else value  # type: ignore[call-overload]
        )
    except TypeError:
        found = np.dtype("V")
    if found.name not in depths:
        raise TypeError(f"{who}: expected {name} to be {listed(depths)}, or its CV_*, found {shown(value)}")
    return found


def listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def working(dtype: np.dtype[Any]) -> DTypeLike:
    """Return the dtype to compute in: float64 for float64, else float32, which is exact for integers up to 2**24."""
    return np.float64 if dtype == np.float64 else np.float32


def saturated(values: Image, dtype: DTypeLike) -> Image:
    """Return floats in another dtype, as OpenCV's saturate_cast: rounded to the nearest, ties to even, and clipped.

    May write to `values`.
    """
    if np.issubdtype(dtype, np.floating):
        return values.astype(dtype, copy=False)
    limits = np.iinfo(np.dtype(dtype))
    np.rint(values, out=values)
    np.clip(values, limits.min, limits.max, out=values)
    with np.errstate(invalid="ignore"):
        return values.astype(dtype)


def row_blocks(rows: int, values_in_a_row: int) -> Iterator[slice]:
    """Yield slices that cover so many rows, of at most BLOCK values or one row each."""
    step = max(1, BLOCK // max(1, values_in_a_row))
    for first in range(0, rows, step):
        yield slice(first, min(first + step, rows))
