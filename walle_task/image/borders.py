"""What lies beyond the edges of an image, and copyMakeBorder."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from walle_task.image.constants import (
    BORDER_CONSTANT,
    BORDER_REFLECT,
    BORDER_REFLECT_101,
    BORDER_REPLICATE,
    BORDER_WRAP,
)
from walle_task.image.pixels import MAX_SIDE, Image, as_choice, as_image, as_integer, as_scalar, given

BORDERS: Final = {
    BORDER_CONSTANT: "BORDER_CONSTANT",
    BORDER_REPLICATE: "BORDER_REPLICATE",
    BORDER_REFLECT: "BORDER_REFLECT",
    BORDER_WRAP: "BORDER_WRAP",
    BORDER_REFLECT_101: "BORDER_REFLECT_101",
}


def copyMakeBorder(
    src: Image,
    top: int,
    bottom: int,
    left: int,
    right: int,
    borderType: int,
    dst: Image | None = None,
    value: object = 0,
) -> Image:
    """Return an image with so many pixels added at each side.

    They are `value` with BORDER_CONSTANT, the pixel at the edge with BORDER_REPLICATE, mirrored with (BORDER_REFLECT)
    or without the edge (BORDER_REFLECT_101), or go on at the other side (BORDER_WRAP). A value that is one number is
    that of the first channel, 0 of the others.
    """
    who = "copyMakeBorder"
    image = as_image(who, src)
    border = as_choice(who, "borderType", borderType, BORDERS)
    named = zip(("top", "bottom", "left", "right"), (top, bottom, left, right), strict=True)
    added = {name: as_integer(who, name, count) for name, count in named}
    height = image.shape[0] + added["top"] + added["bottom"]
    width = image.shape[1] + added["left"] + added["right"]
    if min(added.values()) < 0 or max(width, height) > MAX_SIDE:
        raise ValueError(f"{who}: expected borders of 0 pixels or more and sides up to {MAX_SIDE}, found {added}")
    constant = as_scalar(who, "value", value, image.shape[2], image.dtype)
    padded = extended(image, (added["top"], added["bottom"]), (added["left"], added["right"]), border, constant)
    return given(padded, dst, who)


def extended(image: Image, rows: tuple[int, int], columns: tuple[int, int], border: int, constant: object) -> Image:
    """Return an image (height, width, channels) with `rows` added before and after it, and `columns`."""
    height, width, channels = image.shape
    (top, bottom), (left, right) = rows, columns
    padded = np.empty((top + height + bottom, left + width + right, channels), image.dtype)
    inner = padded[top : top + height]
    inner[:, left : left + width] = image
    if border == BORDER_CONSTANT:
        padded[:top] = padded[top + height :] = constant
        inner[:, :left] = inner[:, left + width :] = constant
        return padded
    inner[:, :left] = image[:, border_index(np.arange(-left, 0), width, border)]
    inner[:, left + width :] = image[:, border_index(np.arange(width, width + right), width, border)]
    padded[:top] = inner[border_index(np.arange(-top, 0), height, border)]
    padded[top + height :] = inner[border_index(np.arange(height, height + bottom), height, border)]
    return padded


def border_index(positions: NDArray[Any], length: int, border: int) -> NDArray[Any]:
    """Return where in a row of so many pixels the value for each position is, with any border but the constant one."""
    index: NDArray[Any]
    if border == BORDER_REPLICATE:
        index = np.clip(positions, 0, length - 1)
    elif border == BORDER_WRAP:
        index = positions % length
    elif border == BORDER_REFLECT:
        folded = positions % (2 * length)
        index = np.minimum(folded, 2 * length - 1 - folded)
    else:
        period = max(1, 2 * (length - 1))
        folded = positions % period
        index = np.minimum(folded, period - folded)
    return index
