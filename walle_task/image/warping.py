"""warpAffine and warpPerspective, and the matrices that they take.

Followed from OpenCV, so that results are equal and not only alike: the matrix is inverted in float64, positions in the
source are rounded to 1/32 of a pixel before they are interpolated (affine ones in steps of 1/1024 across), and pixels
that lie partly beyond an edge are blended with the border.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from walle_task.image.borders import BORDERS, border_index, extended
from walle_task.image.constants import (
    BORDER_CONSTANT,
    INTER_CUBIC,
    INTER_LINEAR,
    INTER_NEAREST,
    WARP_INVERSE_MAP,
)
from walle_task.image.pixels import (
    Image,
    as_choice,
    as_image,
    as_integer,
    as_number,
    as_scalar,
    as_size,
    given,
    row_blocks,
    saturated,
    shown,
    working,
)
from walle_task.image.resizing import cubic_weights

INTERPOLATIONS: Final = {INTER_NEAREST: "INTER_NEAREST", INTER_LINEAR: "INTER_LINEAR", INTER_CUBIC: "INTER_CUBIC"}
FRACTION_BITS: Final = 5
AFFINE_BITS: Final = 10
SINGULAR: Final = np.finfo(np.float64).eps
_SQUARE: Final = 32

Matrix = NDArray[np.float64]
Positions = Callable[[NDArray[np.int64]], tuple[NDArray[np.int64], NDArray[np.int64]]]
"""From rows of the result to where their pixels are in the source, x and y (rows, width), in 1/32 of a pixel; in whole
pixels for INTER_NEAREST."""


def warpAffine(
    src: Image,
    M: Matrix,
    dsize: tuple[int, int],
    dst: Image | None = None,
    flags: int = INTER_LINEAR,
    borderMode: int = BORDER_CONSTANT,
    borderValue: object = 0,
) -> Image:
    """Return an image of `dsize` (width, height) in which (x, y) of `src` is at M @ (x, y, 1), by M (2, 3).

    With WARP_INVERSE_MAP in `flags`, M leads from the result to the source. The interpolation in them is INTER_NEAREST,
    INTER_LINEAR or INTER_CUBIC. A matrix that cannot be inverted gives the source's first pixel, as in OpenCV.
    """
    who = "warpAffine"
    method, inverse = _method(who, flags)
    matrix = as_matrix(who, M, 2)
    matrix = matrix if inverse else invertAffineTransform(matrix)
    width, height = as_size(who, "dsize", dsize)
    return _warped(who, src, _affine(matrix, width, method), (width, height), method, borderMode, borderValue, dst)


def warpPerspective(
    src: Image,
    M: Matrix,
    dsize: tuple[int, int],
    dst: Image | None = None,
    flags: int = INTER_LINEAR,
    borderMode: int = BORDER_CONSTANT,
    borderValue: object = 0,
) -> Image:
    """Return an image of `dsize` (width, height) in which (x, y) of `src` is at (u / w, v / w).

    (u, v, w) is M @ (x, y, 1), by M (3, 3); `flags` and borders are those of warpAffine. A matrix that cannot be
    inverted counts as zeros.
    """
    who = "warpPerspective"
    method, inverse = _method(who, flags)
    matrix = as_matrix(who, M, 3)
    matrix = matrix if inverse else _inverse(matrix)
    width, height = as_size(who, "dsize", dsize)
    positions = _perspective(matrix, width, height, method)
    return _warped(who, src, positions, (width, height), method, borderMode, borderValue, dst)


# -- matrices


def getRotationMatrix2D(center: tuple[float, float], angle: float, scale: float) -> Matrix:
    """Return the matrix (2, 3) that turns by `angle` degrees counter-clockwise about a point (x, y), and scales."""
    who = "getRotationMatrix2D"
    x, y = as_points(who, "center", [center], 1)[0].astype(np.float32).astype(np.float64)
    radians, factor = math.radians(as_number(who, "angle", angle)), as_number(who, "scale", scale)
    a, b = factor * math.cos(radians), factor * math.sin(radians)
    return np.array([[a, b, (1 - a) * x - b * y], [-b, a, b * x + (1 - a) * y]])


def getAffineTransform(src: NDArray[Any], dst: NDArray[Any]) -> Matrix:
    """Return the matrix (2, 3) that takes three points (3, 2) to three others.

    Raises ValueError for points on one line, for which OpenCV returns any matrix.
    """
    who = "getAffineTransform"
    source, target = as_points(who, "src", src, 3), as_points(who, "dst", dst, 3)
    return _solved(who, np.column_stack([source, np.ones(3)]), target).T


def getPerspectiveTransform(src: NDArray[Any], dst: NDArray[Any]) -> Matrix:
    """Return the matrix (3, 3) that takes four points (4, 2) to four others; its last value is 1.

    Raises ValueError if three of them are on one line, for which OpenCV returns any matrix.
    """
    who = "getPerspectiveTransform"
    source, target = as_points(who, "src", src, 4), as_points(who, "dst", dst, 4)
    points, zeros = np.column_stack([source, np.ones(4)]), np.zeros((4, 3))
    across = np.hstack([points, zeros, -source * target[:, :1]])
    down = np.hstack([zeros, points, -source * target[:, 1:]])
    solution = _solved(who, np.vstack([across, down]), np.concatenate([target[:, 0], target[:, 1]]))
    return np.append(solution, 1.0).reshape(3, 3)


def invertAffineTransform(M: Matrix) -> Matrix:
    """Return the matrix (2, 3) that undoes another; that of OpenCV, zeros, for one that cannot be undone."""
    (a, b, c), (d, e, f) = as_matrix("invertAffineTransform", M, 2)
    determinant = a * e - b * d
    factor = 1 / determinant if determinant != 0 else 0.0
    inverse = np.array([[e * factor, -b * factor, 0.0], [-d * factor, a * factor, 0.0]])
    inverse[:, 2] = -(inverse[:, 0] * c + inverse[:, 1] * f)
    return inverse.astype(np.float32) if getattr(M, "dtype", None) == np.float32 else inverse


def as_matrix(who: str, value: object, rows: int) -> Matrix:
    """Return a matrix (rows, 3) of finite numbers. Raises TypeError or ValueError."""
    return _finite(who, "M", value, (rows, 3))


def as_points(who: str, name: str, value: object, count: int) -> Matrix:
    """Return so many points (x, y) as an array (count, 2). Raises TypeError or ValueError."""
    return _finite(who, name, value, (count, 2))


def _finite(who: str, name: str, value: object, shape: tuple[int, int]) -> Matrix:
    try:
        array = np.asarray(value, np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{who}: expected {name} to be numbers of the shape {shape}, found {shown(value)}") from None
    if array.size != shape[0] * shape[1] or array.shape[-1:] != shape[1:]:
        raise ValueError(f"{who}: expected {name} to have the shape {shape}, found {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{who}: expected {name} to be finite, found {shown(value)}")
    return array.reshape(shape)


def _solved(who: str, equations: Matrix, values: Matrix) -> Matrix:
    try:
        return np.asarray(np.linalg.solve(equations, values), np.float64)
    except np.linalg.LinAlgError:
        raise ValueError(f"{who}: expected points of which no three are on one line") from None


def _inverse(matrix: Matrix) -> Matrix:
    """Invert by cofactors, as OpenCV does for matrices of this size: another way rounds other positions."""
    (a, b, c), (d, e, f), (g, h, i) = matrix
    determinant = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    if determinant == 0:
        return np.zeros((3, 3))
    cofactors = [
        [e * i - f * h, c * h - b * i, b * f - c * e],
        [f * g - d * i, a * i - c * g, c * d - a * f],
        [d * h - e * g, b * g - a * h, a * e - b * d],
    ]
    return np.asarray(np.array(cofactors) * (1 / determinant))


def _method(who: str, flags: object) -> tuple[int, bool]:
    number = as_integer(who, "flags", flags)
    return as_choice(who, "flags", number & ~WARP_INVERSE_MAP, INTERPOLATIONS), bool(number & WARP_INVERSE_MAP)


# -- where the pixels of the result are in the source


def _affine(matrix: Matrix, width: int, method: int) -> Positions:
    (a, b, c), (d, e, f) = matrix
    one = 1 << AFFINE_BITS
    columns = np.arange(width)
    steps = _as_int32(a * columns * one), _as_int32(d * columns * one)
    bits = AFFINE_BITS if method == INTER_NEAREST else AFFINE_BITS - FRACTION_BITS

    def positions(rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        begin = _as_int32((b * rows + c) * one), _as_int32((e * rows + f) * one)
        x, y = ((start[:, None] + step + (1 << (bits - 1))) >> bits for start, step in zip(begin, steps, strict=True))
        return x, y

    return positions


def _perspective(matrix: Matrix, width: int, height: int, method: int) -> Positions:
    across = min(_SQUARE * _SQUARE // min(_SQUARE // 2, height), width)  # OpenCV's blocks, each with sums of its own
    columns = np.arange(width)
    inside = columns % across
    unit = 1 if method == INTER_NEAREST else 1 << FRACTION_BITS

    def positions(rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        u, v, w = (
            (line[0] * (columns - inside) + line[1] * rows[:, None] + line[2]) + line[0] * inside for line in matrix
        )
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            factor = np.where(w != 0, unit / w, 0.0)
            return _as_int32(u * factor), _as_int32(v * factor)

    return positions


def _as_int32(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Round to the nearest, ties to even, within the limits of 32 bits."""
    rounded: NDArray[np.int64] = np.clip(np.rint(values), -(2.0**31), 2.0**31 - 1).astype(np.int64)
    return rounded


# -- sampling


def _warped(
    who: str,
    src: object,
    positions: Positions,
    size: tuple[int, int],
    method: int,
    mode: object,
    value: object,
    dst: Image | None,
) -> Image:
    image = as_image(who, src)
    border = as_choice(who, "borderMode", mode, BORDERS)
    constant = as_scalar(who, "borderValue", value, image.shape[2], image.dtype)
    source, (width, height) = _Source(image, border, constant), size
    sampled = {INTER_NEAREST: source.nearest, INTER_LINEAR: source.linear, INTER_CUBIC: source.cubic}[method]
    result = np.empty((height, width, image.shape[2]), image.dtype)
    for block in row_blocks(height, width):
        x, y = positions(np.arange(block.start, block.stop))
        for channel, values in enumerate(sampled(x, y)):
            result[block, :, channel] = saturated(values, image.dtype)
    return given(result, dst, who)


class _Source:
    """An image by channels, with values at all integer positions: those beyond its edges are its border's."""

    def __init__(self, image: Image, border: int, constant: Image) -> None:
        self._height, self._width = image.shape[:2]
        self._border = border
        margin = (1, 1) if border == BORDER_CONSTANT else (0, 0)
        padded = extended(image, margin, margin, BORDER_CONSTANT, constant)
        self._stride = padded.shape[1]
        self._planes = [np.ascontiguousarray(padded[:, :, channel]).ravel() for channel in range(image.shape[2])]
        self._dtype = working(image.dtype)

    def nearest(self, x: NDArray[np.int64], y: NDArray[np.int64]) -> list[Image]:
        """Return the values of each channel at positions in whole pixels."""
        at = self._row(_as_int16(y)) + self._column(_as_int16(x))
        return [np.take(plane, at).astype(self._dtype) for plane in self._planes]

    def linear(self, x: NDArray[np.int64], y: NDArray[np.int64]) -> list[Image]:
        """Return the values of each channel at positions in 1/32 of a pixel."""
        (left, right), right_share = self._columns(x, (0, 1))
        (above, below), below_share = self._rows(y, (0, 1))
        corners = (above + left, above + right, below + left, below + right)
        return [self._blended(plane, corners, right_share, below_share) for plane in self._planes]

    def _blended(self, plane: Image, corners: tuple[NDArray[Any], ...], right: Image, below: Image) -> Image:
        top_left, top_right, low_left, low_right = (np.take(plane, at).astype(self._dtype) for at in corners)
        top, low = _between(top_left, top_right, right), _between(low_left, low_right, right)
        return _between(top, low, below)

    def cubic(self, x: NDArray[np.int64], y: NDArray[np.int64]) -> list[Image]:
        """Return the values of each channel at positions in 1/32 of a pixel."""
        columns, across = self._columns(x, (-1, 0, 1, 2))
        rows, down = self._rows(y, (-1, 0, 1, 2))
        weights = [cubic_weights(share.astype(np.float64)).astype(self._dtype) for share in (across, down)]
        return [self._weighed(plane, columns, rows, *weights) for plane in self._planes]

    def _weighed(
        self, plane: Image, columns: list[NDArray[Any]], rows: list[NDArray[Any]], across: Image, down: Image
    ) -> Image:
        total = np.zeros(columns[0].shape, self._dtype)
        for i, row in enumerate(rows):
            line = np.zeros_like(total)
            for j, column in enumerate(columns):
                line += np.take(plane, row + column) * across[..., j]
            total += line * down[..., i]
        return total

    def _columns(self, x: NDArray[np.int64], taps: tuple[int, ...]) -> tuple[list[NDArray[Any]], Image]:
        whole = _as_int16(x >> FRACTION_BITS)
        return [self._column(whole + tap) for tap in taps], self._share(x)

    def _rows(self, y: NDArray[np.int64], taps: tuple[int, ...]) -> tuple[list[NDArray[Any]], Image]:
        whole = _as_int16(y >> FRACTION_BITS)
        return [self._row(whole + tap) for tap in taps], self._share(y)

    def _share(self, positions: NDArray[np.int64]) -> Image:
        one = 1 << FRACTION_BITS
        share: Image = (positions & (one - 1)).astype(self._dtype)
        share *= 1 / one
        return share

    def _column(self, x: NDArray[Any]) -> NDArray[Any]:
        return self._inside(x, self._width)

    def _row(self, y: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(self._inside(y, self._height) * self._stride)

    def _inside(self, positions: NDArray[Any], length: int) -> NDArray[Any]:
        if self._border == BORDER_CONSTANT:
            return np.asarray(np.clip(positions, -1, length) + 1)
        return border_index(positions, length, self._border)


def _as_int16(positions: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.clip(positions, -(2**15), 2**15 - 1)


def _between(first: Image, second: Image, share: Image) -> Image:
    """Return the value at a share of the way from the first to the second, which is written to."""
    second -= first
    second *= share
    second += first
    return second
