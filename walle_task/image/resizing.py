"""resize: nearest, linear, cubic and area interpolation, with OpenCV's positions, coefficients and edges.

Followed from OpenCV: pixels are squares, so that the centre of pixel x is at x + 0.5; positions are rounded to float32;
the cubic's parameter is -0.75; enlarging by INTER_AREA is linear with positions of its own; pixels of which INTER_AREA
would take a thousandth or less are left out. OpenCV rounds coefficients of 8-bit images to 11 bits, and this does not.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike, NDArray

from walle_task.image.constants import INTER_AREA, INTER_CUBIC, INTER_LINEAR, INTER_NEAREST
from walle_task.image.pixels import (
    Image,
    as_choice,
    as_image,
    as_number,
    as_point,
    as_size,
    given,
    row_blocks,
    saturated,
    working,
)

INTERPOLATIONS: Final = {
    INTER_NEAREST: "INTER_NEAREST",
    INTER_LINEAR: "INTER_LINEAR",
    INTER_CUBIC: "INTER_CUBIC",
    INTER_AREA: "INTER_AREA",
}
CUBIC_A: Final = -0.75
NEGLIGIBLE: Final = 1e-3
"""The share of a pixel, at the edge of an area, that does not count."""


def resize(
    src: Image,
    dsize: tuple[int, int] | None = None,
    dst: Image | None = None,
    fx: float = 0.0,
    fy: float = 0.0,
    interpolation: int = INTER_LINEAR,
) -> Image:
    """Return an image in another size: `dsize` (width, height), or `fx` and `fy` times its own where that is None or
    (0, 0).

    `interpolation` is INTER_NEAREST, INTER_LINEAR, INTER_CUBIC, or INTER_AREA, which averages and is best for making
    images smaller. Pixels are uint8, uint16, int16, float32 or float64.
    """
    who = "resize"
    image = as_image(who, src)
    method = as_choice(who, "interpolation", interpolation, INTERPOLATIONS)
    width, height, scale_x, scale_y = _target(who, image, dsize, fx, fy)
    if (height, width) == image.shape[:2]:
        resized = image.copy()
    elif method == INTER_NEAREST:
        down = _nearest(height, image.shape[0], scale_y)
        resized = np.take(np.take(image, down, axis=0), _nearest(width, image.shape[1], scale_x), axis=1)
    elif method == INTER_AREA and scale_x >= 1 and scale_y >= 1:
        resized = _shrunk(image, height, width, scale_y, scale_x)
    else:
        taps = {INTER_LINEAR: linear_taps, INTER_CUBIC: cubic_taps, INTER_AREA: enlarging_area_taps}[method]
        resized = _resampled(image, taps(height, image.shape[0], scale_y), taps(width, image.shape[1], scale_x))
    return given(resized, dst, who)


def _target(who: str, image: Image, dsize: object, fx: object, fy: object) -> tuple[int, int, float, float]:
    """Return the width and height to resize to, and how many pixels of the source a pixel is wide and high."""
    height, width = image.shape[:2]
    if dsize is not None and as_point(who, "dsize", dsize) != (0, 0):
        wanted = as_size(who, "dsize", dsize)
        return *wanted, 1 / (wanted[0] / width), 1 / (wanted[1] / height)
    across, down = as_number(who, "fx", fx), as_number(who, "fy", fy)
    if across <= 0 or down <= 0:
        raise ValueError(f"{who}: expected dsize, or fx and fy above 0, found fx {across} and fy {down}")
    scaled = as_size(who, "the size by fx and fy", (round(width * across), round(height * down)))
    return *scaled, 1 / across, 1 / down


# -- which pixels of a line make a pixel


@dataclass(frozen=True)
class Taps:
    """Which values of a line of the source make each value of a line: `index` and `weight`, both (length, taps)."""

    index: NDArray[np.intp]
    weight: NDArray[np.float64]

    def along_rows(self, rows: Image, block: slice, first: int, dtype: DTypeLike) -> Image:
        """Return the rows of a block, made of rows of the source from the `first` of them on."""
        lines = (rows[index - first].astype(dtype) for index in self.index[block].T)
        return _summed(lines, (weight[:, None] for weight in self.weight[block].T))

    def along_columns(self, rows: Image, dtype: DTypeLike) -> Image:
        """Return rows as they are across."""
        lines = (np.take(rows, index, axis=1).astype(dtype, copy=False) for index in self.index.T)
        return _summed(lines, self.weight.T)

    def interleaved(self, channels: int) -> Taps:
        """Return the same for lines in which the channels of a pixel are side by side."""
        index = self.index[:, None, :] * channels + np.arange(channels)[:, None]
        return Taps(index.reshape(-1, index.shape[-1]), np.repeat(self.weight, channels, axis=0))


def _summed(terms: Iterable[Image], weights: Iterable[NDArray[np.float64]]) -> Image:
    """Return the weighted sum of arrays, which are written to."""
    weighed = (
        np.multiply(term, weight.astype(term.dtype), out=term) for term, weight in zip(terms, weights, strict=True)
    )
    total: Image = next(weighed)
    for term in weighed:
        total += term
    return total


def _nearest(length: int, source: int, scale: float) -> NDArray[np.intp]:
    index: NDArray[np.intp] = np.minimum(np.floor(np.arange(length) * scale).astype(np.intp), source - 1)
    return index


def _whole_and_fraction(positions: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    rounded = positions.astype(np.float32)
    whole = np.floor(rounded)
    return whole.astype(np.intp), rounded - whole


def linear_taps(length: int, source: int, scale: float) -> Taps:
    return _two_taps(*_whole_and_fraction((np.arange(length) + 0.5) * scale - 0.5), source)


def enlarging_area_taps(length: int, source: int, scale: float) -> Taps:
    """INTER_AREA where a side becomes longer: nearest, with a linear change where a pixel spans two of the source."""
    at = np.arange(length)
    whole = np.floor(at * scale).astype(np.intp)
    fraction = ((at + 1) - (whole + 1) / scale).astype(np.float32)
    return _two_taps(whole, np.where(fraction <= 0, np.float32(0), fraction - np.floor(fraction)), source)


def _two_taps(whole: NDArray[np.intp], fraction: NDArray[np.float32], source: int) -> Taps:
    share = np.where((whole < 0) | (whole >= source - 1), 0, fraction).astype(np.float64)
    near = np.clip(whole, 0, source - 1)
    index = np.stack([near, np.minimum(near + 1, source - 1)], axis=1)
    return Taps(index, np.stack([1 - share, share], axis=1))


def cubic_taps(length: int, source: int, scale: float) -> Taps:
    whole, fraction = _whole_and_fraction((np.arange(length) + 0.5) * scale - 0.5)
    index = np.clip(whole[:, None] + np.arange(-1, 3), 0, source - 1)
    return Taps(index, cubic_weights(fraction.astype(np.float64)))


def cubic_weights(fraction: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weights (n, 4) of the pixels around positions that lie so far behind the second of them."""
    a, after = CUBIC_A, fraction + 1
    first = ((a * after - 5 * a) * after + 8 * a) * after - 4 * a
    second = ((a + 2) * fraction - (a + 3)) * fraction**2 + 1
    before = 1 - fraction
    third = ((a + 2) * before - (a + 3)) * before**2 + 1
    return np.stack([first, second, third, 1 - first - second - third], axis=-1)


def area_taps(length: int, source: int, scale: float) -> Taps:
    """INTER_AREA where a side becomes shorter: each pixel of the source by how much of it is covered."""
    begin = np.arange(length) * scale
    end = np.minimum(begin + scale, source)
    first = np.floor(begin).astype(np.intp)
    at = first[:, None] + np.arange(int(np.ceil(scale)) + 1)
    covered = np.minimum(end[:, None], at + 1) - np.maximum(begin[:, None], at)
    weight = np.where(covered > NEGLIGIBLE, covered, 0) / (end - begin)[:, None]
    used = first[:, None] + weight.argmax(axis=1)[:, None]  # a pixel that counts stands in for those that do not
    return Taps(np.where(weight > 0, at, used), weight)


# -- making the image


def _resampled(image: Image, down: Taps, across: Taps) -> Image:
    """Interpolate along both axes, in blocks of rows, along that axis first that leaves less to do along the other."""
    height, width, channels = len(down.index), len(across.index), image.shape[2]
    resized = np.empty((height, width * channels), image.dtype)
    lines = image.reshape(image.shape[0], -1)
    across = across.interleaved(channels)
    dtype = working(image.dtype)
    for block in row_blocks(height, max(lines.shape[1], resized.shape[1])):
        first, last = down.index[block].min(), down.index[block].max() + 1
        if last - first < block.stop - block.start:
            part = down.along_rows(across.along_columns(lines[first:last], dtype), block, first, dtype)
        else:
            part = across.along_columns(down.along_rows(lines, block, 0, dtype), dtype)
        resized[block] = saturated(part, image.dtype)
    return resized.reshape(height, width, channels)


def _shrunk(image: Image, height: int, width: int, scale_y: float, scale_x: float) -> Image:
    """Average the area of each pixel: a whole number of rows and columns, or parts of some too."""
    rows, columns = round(scale_y), round(scale_x)
    exact = max(abs(scale_y - rows), abs(scale_x - columns)) < np.finfo(np.float64).eps
    if exact and height * rows <= image.shape[0] and width * columns <= image.shape[1]:
        return _averaged(image, height, width, rows, columns)
    return _resampled(image, area_taps(height, image.shape[0], scale_y), area_taps(width, image.shape[1], scale_x))


def _averaged(image: Image, height: int, width: int, rows: int, columns: int) -> Image:
    """Return the means of blocks of so many rows and columns. Those of 2 x 2 integers round ties up, as in OpenCV."""
    channels = image.shape[2]
    result = np.empty((height, width, channels), image.dtype)
    tie = 0.125 if (rows, columns) == (2, 2) and image.dtype.kind in "iu" else 0.0
    for block in row_blocks(height, image.shape[1] * channels):
        lines = image[block.start * rows : block.stop * rows]
        total = lines[::rows].astype(working(image.dtype))
        for row in range(1, rows):
            total += lines[row::rows]
        mean = total[:, : width * columns : columns].copy()
        for column in range(1, columns):
            mean += total[:, column : width * columns : columns]
        mean /= rows * columns
        result[block] = saturated(mean + tie, image.dtype)
    return result
