"""Functions of single pixels, and of the order of pixels: threshold, normalize, flip, rotate, transpose."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from walle_task.image.constants import (
    NORM_INF,
    NORM_L1,
    NORM_L2,
    NORM_MINMAX,
    ROTATE_90_CLOCKWISE,
    ROTATE_90_COUNTERCLOCKWISE,
    ROTATE_180,
    THRESH_BINARY,
    THRESH_BINARY_INV,
    THRESH_OTSU,
    THRESH_TOZERO,
    THRESH_TOZERO_INV,
    THRESH_TRUNC,
)
from walle_task.image.pixels import (
    Image,
    as_choice,
    as_depth,
    as_image,
    as_integer,
    as_number,
    given,
    row_blocks,
    saturated,
)

ROTATIONS: Final = {
    ROTATE_90_CLOCKWISE: "ROTATE_90_CLOCKWISE",
    ROTATE_180: "ROTATE_180",
    ROTATE_90_COUNTERCLOCKWISE: "ROTATE_90_COUNTERCLOCKWISE",
}
THRESHOLDS: Final = {
    THRESH_BINARY: "THRESH_BINARY",
    THRESH_BINARY_INV: "THRESH_BINARY_INV",
    THRESH_TRUNC: "THRESH_TRUNC",
    THRESH_TOZERO: "THRESH_TOZERO",
    THRESH_TOZERO_INV: "THRESH_TOZERO_INV",
}
NORMS: Final = {NORM_INF: "NORM_INF", NORM_L1: "NORM_L1", NORM_L2: "NORM_L2", NORM_MINMAX: "NORM_MINMAX"}


def flip(src: Image, flipCode: int, dst: Image | None = None) -> Image:
    """Return an image mirrored: top to bottom for 0, left to right for above 0, both for below 0."""
    image, code = as_image("flip", src), as_integer("flip", "flipCode", flipCode)
    if code <= 0:
        image = image[::-1]
    return given(image[:, ::-1] if code != 0 else image, dst, "flip")


def rotate(src: Image, rotateCode: int, dst: Image | None = None) -> Image:
    """Return an image turned by ROTATE_90_CLOCKWISE, ROTATE_180 or ROTATE_90_COUNTERCLOCKWISE."""
    image, code = as_image("rotate", src), as_choice("rotate", "rotateCode", rotateCode, ROTATIONS)
    turns = {ROTATE_90_CLOCKWISE: -1, ROTATE_180: 2, ROTATE_90_COUNTERCLOCKWISE: 1}[code]
    return given(np.rot90(image, turns), dst, "rotate")


def transpose(src: Image, dst: Image | None = None) -> Image:
    """Return an image with its rows as columns; its channels stay."""
    return given(np.swapaxes(as_image("transpose", src), 0, 1), dst, "transpose")


def threshold(src: Image, thresh: float, maxval: float, type: int, dst: Image | None = None) -> tuple[float, Image]:
    """Return the threshold and an image in which each value is compared with it.

    A value above it becomes `maxval` (THRESH_BINARY), 0 (THRESH_BINARY_INV, THRESH_TOZERO_INV) or the threshold
    (THRESH_TRUNC), or stays (THRESH_TOZERO); another becomes 0, `maxval` or stays. For integers the threshold is
    rounded down. With THRESH_OTSU in `type`, for uint8 of one channel, it is the one that separates two classes of
    values best.
    """
    who = "threshold"
    image = as_image(who, src)
    code = as_integer(who, "type", type)
    kind = as_choice(who, "type", code & ~THRESH_OTSU, THRESHOLDS)
    limit, most = as_number(who, "thresh", thresh), as_number(who, "maxval", maxval)
    if code & THRESH_OTSU:
        if image.dtype != np.uint8 or image.shape[2] != 1:
            raise ValueError(f"{who}: expected uint8 of one channel for THRESH_OTSU, found {image.dtype} {src.shape}")
        limit = otsu(image)
    if image.dtype.kind in "iu":
        limit = float(math.floor(limit))
    high, level, zero = (saturated(np.array(value), image.dtype) for value in (most, limit, 0.0))
    bound = np.float32(limit) if image.dtype == np.float32 else np.float64(limit)
    result = np.empty_like(image)
    for block in row_blocks(image.shape[0], image.shape[1] * image.shape[2]):
        values = image[block]
        above, below = {
            THRESH_BINARY: (high, zero),
            THRESH_BINARY_INV: (zero, high),
            THRESH_TRUNC: (level, values),
            THRESH_TOZERO: (values, zero),
            THRESH_TOZERO_INV: (zero, values),
        }[kind]
        result[block] = np.where(values > bound, above, below)
    return limit, given(result, dst, who)


def otsu(image: Image) -> float:
    """Return the threshold of bytes with the greatest variance between the values up to it and those above it."""
    shares = np.bincount(image.ravel(), minlength=256) / image.size
    below = np.cumsum(shares)
    moment = np.cumsum(shares * np.arange(256))
    apart = (below > np.finfo(np.float32).eps) & (below < 1 - np.finfo(np.float32).eps)
    with np.errstate(divide="ignore", invalid="ignore"):
        difference = moment / below - (moment[-1] - moment) / (1 - below)
        variance = np.where(apart, below * (1 - below) * difference**2, 0)
    return float(variance.argmax())


def normalize(
    src: Image,
    dst: Image | None = None,
    alpha: float = 1.0,
    beta: float = 0.0,
    norm_type: int = NORM_L2,
    dtype: object = None,
) -> Image:
    """Return an image scaled so that its norm is `alpha`, or its values are from `alpha` to `beta` with NORM_MINMAX.

    The norm is of all values and channels: their greatest size (NORM_INF), the sum of their sizes (NORM_L1) or the
    root of the sum of their squares (NORM_L2). One that is 0 gives zeros. `dtype` is that of the result, a constant
    CV_* or a numpy dtype; that of the image where it is None or -1.
    """
    who = "normalize"
    image = as_image(who, src)
    kind = as_choice(who, "norm_type", norm_type, NORMS)
    first, second = as_number(who, "alpha", alpha), as_number(who, "beta", beta)
    wanted = image.dtype if dtype is None or dtype == -1 else as_depth(who, "dtype", dtype)
    scale, shift = _range(image, first, second) if kind == NORM_MINMAX else (_ratio(image, kind, first), 0.0)
    result = np.empty(image.shape, wanted)
    for block in row_blocks(image.shape[0], image.shape[1] * image.shape[2]):
        result[block] = saturated(image[block] * np.float64(scale) + shift, wanted)
    return given(result, dst, who)


def _range(image: Image, first: float, second: float) -> tuple[float, float]:
    least, most = float(image.min()), float(image.max())
    low, high = min(first, second), max(first, second)
    scale = (high - low) / (most - least) if most - least > np.finfo(np.float64).eps else 0.0
    return scale, low - least * scale


def _ratio(image: Image, kind: int, wanted: float) -> float:
    blocks = (image[block].astype(np.float64) for block in row_blocks(image.shape[0], image.shape[1] * image.shape[2]))
    if kind == NORM_INF:
        norm = max(float(np.abs(block).max()) for block in blocks)
    elif kind == NORM_L1:
        norm = sum(float(np.abs(block).sum()) for block in blocks)
    else:
        norm = math.sqrt(sum(float((block * block).sum()) for block in blocks))
    return wanted / norm if norm > np.finfo(np.float64).eps else 0.0
