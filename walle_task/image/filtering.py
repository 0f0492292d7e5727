"""GaussianBlur and blur: separable filters.

Followed from OpenCV: the sizes and standard deviations that are left out, the kernels of up to nine values that it has
in tables, and for uint8 kernels in 1/256 (for uint16 in 1/65536) with the errors of rounding passed on to the next
value.
"""

from __future__ import annotations

import math
from functools import reduce
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from walle_task.image.borders import BORDERS, extended
from walle_task.image.constants import BORDER_CONSTANT, BORDER_DEFAULT, BORDER_WRAP, CV_64F
from walle_task.image.pixels import (
    Image,
    as_choice,
    as_depth,
    as_image,
    as_integer,
    as_number,
    as_point,
    as_size,
    given,
    row_blocks,
    saturated,
    working,
)

FILTER_BORDERS: Final = {border: name for border, name in BORDERS.items() if border != BORDER_WRAP}
MAX_KERNEL: Final = 1023
FRACTIONS: Final = {"uint8": 1 << 8, "uint16": 1 << 16}
_TABLES: Final = {
    1: (1,),
    3: (64, 128, 64),
    5: (16, 64, 96, 64, 16),
    7: (8, 28, 56, 72, 56, 28, 8),
    9: (4, 13, 30, 51, 60, 51, 30, 13, 4),
}


def GaussianBlur(
    src: Image,
    ksize: tuple[int, int],
    sigmaX: float,
    dst: Image | None = None,
    sigmaY: float = 0.0,
    borderType: int = BORDER_DEFAULT,
) -> Image:
    """Return an image smoothed by a Gaussian kernel of `ksize` (width, height), both odd.

    A size of 0 follows from its sigma, in pixels; a sigma of 0 from its size, and that of Y is then the one of X.
    Beyond the edges are pixels of `borderType`: any but BORDER_WRAP.
    """
    who = "GaussianBlur"
    image = as_image(who, src)
    border = as_choice(who, "borderType", borderType, FILTER_BORDERS)
    size = as_point(who, "ksize", ksize)
    sigma_x = as_number(who, "sigmaX", sigmaX)
    sigma_y = as_number(who, "sigmaY", sigmaY)
    across = _gaussian(who, size[0], sigma_x, image.dtype.name)
    down = _gaussian(who, size[1], sigma_y if sigma_y > 0 else sigma_x, image.dtype.name)
    if border != BORDER_CONSTANT:  # as if what is one pixel wide or high could not be smoothed
        across = across if image.shape[1] > 1 else np.ones(1)
        down = down if image.shape[0] > 1 else np.ones(1)
    return given(_separable(image, across, down, border), dst, who)


def getGaussianKernel(ksize: int, sigma: float, ktype: object = CV_64F) -> NDArray[Any]:
    """Return the Gaussian kernel (ksize, 1), whose sum is 1; with a sigma of 0 or less it follows from the size.

    It is of CV_64F or CV_32F.
    """
    who = "getGaussianKernel"
    depth = as_depth(who, "ktype", ktype, ("float32", "float64"))
    size = as_integer(who, "ksize", ksize)
    _check_size(who, size)
    return gaussian_kernel(size, as_number(who, "sigma", sigma))[:, None].astype(depth)


def blur(
    src: Image,
    ksize: tuple[int, int],
    dst: Image | None = None,
    anchor: tuple[int, int] = (-1, -1),
    borderType: int = BORDER_DEFAULT,
) -> Image:
    """Return an image of the means of `ksize` (width, height) pixels each, of which `anchor` (x, y) is the pixel
    itself.

    The anchor (-1, -1) is the middle. Beyond the edges are pixels of `borderType`: any but BORDER_WRAP.
    """
    who = "blur"
    image = as_image(who, src)
    border = as_choice(who, "borderType", borderType, FILTER_BORDERS)
    width, height = as_size(who, "ksize", ksize)
    x, y = as_point(who, "anchor", anchor)
    x, y = (width // 2 if x == -1 else x), (height // 2 if y == -1 else y)
    if not (0 <= x < width and 0 <= y < height and max(width, height) <= MAX_KERNEL):
        raise ValueError(
            f"{who}: expected ksize up to {MAX_KERNEL} and anchor within it, found {(width, height)} and {(x, y)}"
        )
    channels = image.shape[2]
    result = np.empty_like(image)
    padded = extended(image, (y, height - 1 - y), (x, width - 1 - x), border, 0)
    sums = {"uint8": np.int32, "uint16": np.int64, "int16": np.int64}.get(image.dtype.name, np.float64)
    for block in row_blocks(image.shape[0], image.shape[1] * channels):
        part = padded[block.start : block.stop + height - 1].astype(sums)
        total = window_sums(np.swapaxes(window_sums(part, height), 0, 1), width)
        result[block] = saturated(np.swapaxes(total, 0, 1) / (width * height), image.dtype)
    return given(result, dst, who)


def window_sums(values: Image, length: int) -> Image:
    """Return the sums of each so many values in succession along the first axis.

    Sums of a power of two values are put together from those of half as many, so that it takes the logarithm of
    additions, and is exact for integers.
    """
    count = len(values) - length + 1
    parts: list[Image] = []
    covered, power, width = 0, values, 1
    while covered < length:
        if length & width:
            parts.append(power[covered : covered + count])
            covered += width
        if covered < length:
            power = power[: len(power) - width] + power[width:]
            width *= 2
    return reduce(np.add, parts)


# -- kernels


def _gaussian(who: str, size: int, sigma: float, depth: str) -> NDArray[np.float64]:
    if size <= 0 and sigma > 0:
        size = round(sigma * (3 if depth == "uint8" else 4) * 2 + 1) | 1
    _check_size(who, size)
    kernel = gaussian_kernel(size, max(sigma, 0.0))
    return _in_fractions(kernel, FRACTIONS[depth]) if depth in FRACTIONS else kernel


def _check_size(who: str, size: int) -> None:
    if not (1 <= size <= MAX_KERNEL and size % 2):
        raise ValueError(f"{who}: expected ksize to be odd, from 1 to {MAX_KERNEL}, or 0 with a sigma, found {size}")


def gaussian_kernel(size: int, sigma: float) -> NDArray[np.float64]:
    """Return the Gaussian kernel (size,)."""
    if sigma <= 0 and size in _TABLES:
        table = np.array(_TABLES[size], np.float64)
        return np.asarray(table / table.sum())
    deviation = sigma if sigma > 0 else 0.3 * ((size - 1) * 0.5 - 1) + 0.8
    distance = np.arange(size) - (size - 1) / 2
    with np.errstate(over="ignore"):
        kernel = np.exp(-0.5 * (distance / deviation) ** 2)
    return np.asarray(kernel / math.fsum(kernel))


def _in_fractions(kernel: NDArray[np.float64], one: int) -> NDArray[np.float64]:
    """Round a kernel to multiples of 1 / one whose sum is 1, each with the error of the one before it."""
    half = len(kernel) // 2
    rounded, error = np.zeros(len(kernel)), 0.0
    for place in range(half):
        wanted = kernel[place] * one + error
        rounded[place] = rounded[-1 - place] = round(wanted)
        error = wanted - rounded[place]
    rounded[half] = one - rounded.sum()
    return rounded / one


# -- filtering


def _separable(image: Image, across: NDArray[np.float64], down: NDArray[np.float64], border: int) -> Image:
    """Filter by symmetrical kernels along both axes, in blocks of rows.

    For uint8 and uint16 all is exact: kernels in 1/256 give multiples of 1/65536 below 256, which float32 has, those in
    1/65536 what float64 has. There ties round up.
    """
    height, width, channels = image.shape
    x, y = len(across) // 2, len(down) // 2
    padded = extended(image, (y, y), (x, x), border, 0).reshape(height + 2 * y, -1)
    result = np.empty((height, width * channels), image.dtype)
    dtype = np.float64 if image.dtype == np.uint16 else working(image.dtype)
    for block in row_blocks(height, padded.shape[1]):
        part = padded[block.start : block.stop + 2 * y].astype(dtype)
        filtered = _filtered(_filtered(part, down, 1).T, across, channels).T
        if image.dtype.name in FRACTIONS:
            filtered = np.floor(filtered + np.asarray(0.5, dtype))
        result[block] = saturated(filtered, image.dtype)
    return result.reshape(image.shape)


def _filtered(values: Image, kernel: NDArray[np.float64], step: int) -> Image:
    """Filter along the first axis by a symmetrical kernel, whose values are `step` apart."""
    weights, half = kernel.astype(values.dtype), len(kernel) // 2
    count = len(values) - 2 * half * step
    total: Image = values[half * step : half * step + count] * weights[half]
    for place in range(half):
        begin, end = place * step, (2 * half - place) * step
        pair = values[begin : begin + count] + values[end : end + count]
        pair *= weights[place]
        total += pair
    return total
