"""Images and arguments for property-based tests against OpenCV, and how near to it a result has to be."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from walle_task import image

Image = NDArray[Any]
FLOAT_TOLERANCE = 1e-4
BORDERS = ("BORDER_CONSTANT", "BORDER_REPLICATE", "BORDER_REFLECT", "BORDER_WRAP", "BORDER_REFLECT_101")
FILTER_BORDERS = tuple(name for name in BORDERS if name != "BORDER_WRAP")
sides = st.integers(1, 40)
sizes = st.tuples(sides, sides)


@st.composite
def images(draw, dtypes=("uint8", "float32"), channels=(1, 3, 4), height=sides, width=sides) -> Image:
    """Noise, or a few flat areas with sharp edges, in which an error of position shows most."""
    shape: tuple[int, ...] = (draw(height), draw(width))
    count = draw(st.sampled_from(channels))
    shape = shape if count == 1 else (*shape, count)
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    values = random.integers(0, 2, shape).astype(float) if draw(st.booleans()) else random.random(shape)
    dtype = np.dtype(draw(st.sampled_from(dtypes)))
    if dtype.kind == "f":
        return values.astype(dtype)
    limits = np.iinfo(dtype)
    return np.rint(limits.min + values * (limits.max - limits.min)).astype(dtype)


def constant(name: str) -> tuple[int, int]:
    """The value that a constant has in OpenCV and here."""
    return getattr(cv2, name), getattr(image, name)


def assert_near(found: Image, expected: Image, levels: int = 1, tolerance: float = FLOAT_TOLERANCE) -> None:
    """Within so many levels for integers, within the tolerance for floats, and of the same shape and dtype."""
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    allowed = tolerance if found.dtype.kind == "f" else levels
    difference = np.abs(found.astype(np.float64) - expected.astype(np.float64))
    assert difference.max() <= allowed, f"{difference.max()} at {np.unravel_index(difference.argmax(), found.shape)}"
