"""The operators of the workflow: two models with choices, and relational ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from road import LANES, SIDE, WIDTH, appearances

STRIDES = {"coarse": 4, "fine": 1}
"""By detector: at every how many columns it looks for a vehicle."""
RESOLUTIONS = {"colour": 1, "grid": 4, "pixels": 16}
"""By model of re-identification: to how many cells a side a crop is reduced."""
SHIFTS = 5
"""How many columns to either side a crop is compared at."""


class Vehicle(NamedTuple):
    """A detected vehicle: which of its frame, lane row and column, and the pixels around it."""

    index: int
    top: int
    column: int
    crop: NDArray[np.uint8]


def detect(model: str) -> Callable[[Sequence[NDArray[np.uint8]]], list[list[tuple[int, int]]]]:
    """Load a detector: boxes are where brightness, over the size of a vehicle, is greatest and great enough."""
    stride = STRIDES[model]

    def found(frames: Sequence[NDArray[np.uint8]]) -> list[Any]:
        return [(pixels, [box for top in LANES for box in _boxes(pixels, top, stride)]) for pixels in frames]

    return found


def _boxes(pixels: NDArray[np.uint8], top: int, stride: int) -> Iterator[tuple[int, int]]:
    columns = np.arange(0, WIDTH - SIDE + 1, stride)
    strip = pixels[top : top + SIDE].astype(np.float32) / 255
    windows = np.stack([strip[:, column : column + SIDE] for column in columns])
    inside = windows.reshape(len(columns), -1).mean(1)
    edges = abs(windows[:, :, 1:].mean((1, 3)) - windows[:, :, :-1].mean((1, 3))).mean(1)
    score = inside + 0.1 * edges
    while score.max() > 0.46:
        best = int(score.argmax())
        yield top, int(columns[best])
        score[abs(columns - columns[best]) < SIDE] = 0


def vehicles(found: tuple[NDArray[np.uint8], list[tuple[int, int]]]) -> Iterator[Vehicle]:
    """Make one record of each vehicle in a frame."""
    pixels, boxes = found
    padded = np.pad(pixels, ((0, 0), (SHIFTS, SHIFTS), (0, 0)))
    for index, (top, column) in enumerate(boxes):
        yield Vehicle(index, top, column, padded[top : top + SIDE, column : column + SIDE + 2 * SHIFTS].copy())


def reid(model: str) -> Callable[[Sequence[Vehicle]], list[tuple[int, int, float]]]:
    """Load a model of re-identification: the nearest of all known vehicles, reduced to some cells, and how near."""
    cells = RESOLUTIONS[model]
    known = _reduced(appearances(), cells)

    def recognised(records: Sequence[Vehicle]) -> list[tuple[int, int, float]]:
        found = []
        for each in records:
            crop = each.crop.astype(np.float32) / 255
            shifts = range(2 * SHIFTS + 1) if cells > 1 else (SHIFTS,)
            seen = _reduced(np.stack([crop[:, shift : shift + SIDE] for shift in shifts]), cells)
            distances = ((seen[:, None] - known[None]) ** 2).mean(2).min(0)
            found.append((each.index, int(distances.argmin()), float(distances.min())))
        return found

    return recognised


def _reduced(images: NDArray[np.float32], cells: int) -> NDArray[np.float32]:
    part = SIDE // cells
    return images.reshape(-1, cells, part, cells, part, 3).mean((2, 4)).reshape(len(images), -1)


def lane(vehicle: Vehicle) -> Iterator[tuple[int, int]]:
    """Say in which lane a vehicle is."""
    yield vehicle.index, LANES.index(vehicle.top)


def same(pair: tuple[tuple[int, int, float], tuple[int, int]]) -> bool:
    """Keep the pairs of a frame in which both are about the same vehicle, if it was recognised for sure."""
    recognised, placed = pair
    return recognised[0] == placed[0] and recognised[2] < 0.22


def lane_of(pair: tuple[tuple[int, int, float], tuple[int, int]]) -> int:
    """Group by lane."""
    return pair[1][1]


def count(key: int, pairs: list[tuple[tuple[int, int, float], tuple[int, int]]]) -> tuple[int, int]:
    """Return a lane and how many different vehicles were seen in it."""
    return key, len({recognised[1] for recognised, _ in pairs})
