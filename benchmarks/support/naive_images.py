"""Image functions as a task would write them in NumPy in a few lines: all pixels at once, in float64."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[Any]


def _bytes(values: Image) -> Image:
    return np.clip(np.rint(values), 0, 255).astype(np.uint8)


def _positions(length: int, source: int) -> Image:
    return (np.arange(length) + 0.5) * source / length - 0.5


def resize_linear(frame: Image, size: tuple[int, int]) -> Image:
    y, x = np.meshgrid(_positions(size[1], frame.shape[0]), _positions(size[0], frame.shape[1]), indexing="ij")
    return _sampled(frame, np.clip(x, 0, frame.shape[1] - 1), np.clip(y, 0, frame.shape[0] - 1))


def _sampled(frame: Image, x: Image, y: Image) -> Image:
    """Return the linear interpolation at positions inside the frame."""
    x0, y0 = np.floor(x).astype(int), np.floor(y).astype(int)
    x1, y1 = np.minimum(x0 + 1, frame.shape[1] - 1), np.minimum(y0 + 1, frame.shape[0] - 1)
    right, low = (x - x0)[..., None], (y - y0)[..., None]
    above = frame[y0, x0] * (1 - right) + frame[y0, x1] * right
    below = frame[y1, x0] * (1 - right) + frame[y1, x1] * right
    return _bytes(above * (1 - low) + below * low)


def resize_area(frame: Image, size: tuple[int, int]) -> Image:
    """Means of areas by differences of cumulated sums."""
    for axis, length in ((0, size[1]), (1, size[0])):
        edges = np.linspace(0, frame.shape[axis], length + 1)
        whole = np.minimum(edges.astype(int), frame.shape[axis] - 1)
        sums = np.cumsum(frame, axis=axis, dtype=np.float64)
        sums = np.concatenate([np.zeros_like(sums.take([0], axis)), sums], axis)
        shape = [1, 1, 1]
        shape[axis] = -1
        at = sums.take(whole, axis) + (edges - whole).reshape(shape) * frame.take(whole, axis)
        frame = np.diff(at, axis=axis) / (edges[1] - edges[0])
    return _bytes(frame)


def resize_cubic(frame: Image, size: tuple[int, int]) -> Image:
    total: Any = 0.0
    (y0, down), (x0, across) = (
        _cubic(length, source) for length, source in ((size[1], frame.shape[0]), (size[0], frame.shape[1]))
    )
    for i in range(4):
        for j in range(4):
            y, x = np.clip(y0 + i, 0, frame.shape[0] - 1), np.clip(x0 + j, 0, frame.shape[1] - 1)
            total = total + frame[y[:, None], x] * (down[i][:, None] * across[j])[..., None]
    return _bytes(total)


def _cubic(length: int, source: int) -> tuple[Image, list[Image]]:
    at, a = _positions(length, source), -0.75
    first = np.floor(at).astype(int) - 1
    weights = []
    for tap in range(4):
        away = np.abs(at - (first + tap))
        near, far = (a + 2) * away**3 - (a + 3) * away**2 + 1, a * (away**3 - 5 * away**2 + 8 * away - 4)
        weights.append(np.where(away <= 1, near, far))
    return first, weights


def _warped(frame: Image, inverse: Image) -> Image:
    height, width = frame.shape[:2]
    y, x = np.mgrid[:height, :width]
    u, v, w = np.tensordot(inverse, np.stack([x, y, np.ones_like(x)]), 1)
    u, v = u / w, v / w
    inside = (u >= 0) & (v >= 0) & (u <= width - 1) & (v <= height - 1)
    found = _sampled(frame, np.clip(u, 0, width - 1), np.clip(v, 0, height - 1))
    found[~inside] = 0
    return found


def warp_affine(frame: Image, matrix: Image) -> Image:
    return _warped(frame, np.linalg.inv(np.vstack([matrix, [0, 0, 1]])))


def warp_perspective(frame: Image, matrix: Image) -> Image:
    return _warped(frame, np.linalg.inv(matrix))


def gray(frame: Image) -> Image:
    return _bytes(frame @ np.array([0.299, 0.587, 0.114]))


def hsv(frame: Image) -> Image:
    red, green, blue = np.moveaxis(frame / 255, -1, 0)
    value, least = frame.max(axis=-1) / 255, frame.min(axis=-1) / 255
    span = value - least
    with np.errstate(divide="ignore", invalid="ignore"):
        hue = np.select(
            [span == 0, value == red, value == green],
            [0.0, (green - blue) / span, 2 + (blue - red) / span],
            4 + (red - green) / span,
        )
        saturation = np.where(value == 0, 0, span / value)
    return np.stack([_bytes(hue * 30 % 180), _bytes(saturation * 255), _bytes(value * 255)], axis=-1)


def nv21(camera: Image) -> Image:
    height = camera.shape[0] * 2 // 3
    luma = 1.164 * (camera[:height].astype(float) - 16)
    chroma = np.repeat(np.repeat(camera[height:].reshape(height // 2, -1, 2), 2, axis=0), 2, axis=1) - 128.0
    v, u = chroma[..., 0], chroma[..., 1]
    return _bytes(np.stack([luma + 1.596 * v, luma - 0.813 * v - 0.391 * u, luma + 2.018 * u], axis=-1))


def gaussian(frame: Image, size: int, sigma: float) -> Image:
    kernel = cv2.getGaussianKernel(size, sigma).ravel()
    half = size // 2
    padded = np.pad(frame, ((half, half), (half, half), (0, 0)), "reflect").astype(float)
    rows = sum(weight * padded[tap : tap + frame.shape[0]] for tap, weight in enumerate(kernel))
    return _bytes(sum(weight * rows[:, tap : tap + frame.shape[1]] for tap, weight in enumerate(kernel)))


def blur(frame: Image, size: int) -> Image:
    half = size // 2
    padded = np.pad(frame, ((half, half), (half, half), (0, 0)), "reflect").astype(float)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (size, size), (0, 1))
    return _bytes(windows.mean(axis=(-2, -1)))


def border(frame: Image, count: int) -> Image:
    return np.pad(frame, ((count, count), (count, count), (0, 0)), "reflect")
