"""letterbox, which detectors need and OpenCV does not have: an image in a frame of another shape, undistorted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from walle_task.image.borders import extended
from walle_task.image.constants import BORDER_CONSTANT, INTER_LINEAR
from walle_task.image.pixels import Image, as_image, as_scalar, as_size, given
from walle_task.image.resizing import resize


@dataclass(frozen=True)
class Letterboxed:
    """An image in a frame: `scale` times the source, which begins at (left, top)."""

    image: Image
    scale: float
    left: int
    top: int

    def to_source(self, boxes: NDArray[Any]) -> NDArray[np.float64]:
        """Return boxes (n, 4), as (x1, y1, x2, y2) in the frame, in pixels of the source."""
        found = np.asarray(boxes, np.float64)
        if found.ndim != 2 or found.shape[1] != 4:
            raise ValueError(f"to_source: expected boxes of the shape (n, 4), found {found.shape}")
        offset = np.array([self.left, self.top, self.left, self.top])
        return np.asarray((found - offset) / self.scale)


def letterbox(
    src: Image, dsize: tuple[int, int], value: object = 114, interpolation: int = INTER_LINEAR
) -> Letterboxed:
    """Return an image resized to fit into `dsize` (width, height), in its middle, with borders of `value`.

    A value that is one number is that of all channels.
    """
    who = "letterbox"
    image = as_image(who, src)
    width, height = as_size(who, "dsize", dsize)
    scale = min(width / image.shape[1], height / image.shape[0])
    inner = max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale))
    channels = image.shape[2]
    colours = [value] * channels if isinstance(value, int | float) else value
    resized = as_image(who, resize(image, inner, interpolation=interpolation))
    left, top = (width - inner[0]) // 2, (height - inner[1]) // 2
    rows, columns = (top, height - inner[1] - top), (left, width - inner[0] - left)
    constant = as_scalar(who, "value", colours, channels, image.dtype)
    framed = extended(resized, rows, columns, BORDER_CONSTANT, constant)
    return Letterboxed(given(framed, None, who), scale, left, top)
