"""Generated video of a road with two lanes, and who is on it. Everything follows from a seed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

HEIGHT, WIDTH = 64, 192
VEHICLES = 24
SIDE = 16
"""Vehicles are squares of so many pixels."""
LANES = (12, 36)
"""The top row of each lane's vehicles."""
STEP = 12
"""How many pixels a vehicle moves from frame to frame."""
WINDOW = 10
"""The frames in which different vehicles are counted."""


def appearances() -> NDArray[np.float32]:
    """Return what each vehicle looks like: (VEHICLES, SIDE, SIDE, 3) of 0.35 to 1, coarse patterns of colours."""
    rng = np.random.default_rng(11)
    coarse = rng.uniform(0.35, 1.0, (VEHICLES, 8, 8, 3))
    return coarse.repeat(SIDE // 8, axis=1).repeat(SIDE // 8, axis=2).astype(np.float32)


def frames(seed: int) -> Iterator[tuple[NDArray[np.uint8], list[tuple[int, int, int]]]]:
    """Yield frames (HEIGHT, WIDTH, 3) without end, each with its vehicles: lane, column, number."""
    rng, looks = np.random.default_rng(seed), appearances()
    road: list[list[int]] = []
    while True:
        road = [[lane, column + STEP, number] for lane, column, number in road if column + STEP <= WIDTH - SIDE]
        for lane in range(len(LANES)):
            free = all(column >= 2 * SIDE for other, column, _ in road if other == lane)
            if free and rng.random() < 0.35:
                unseen = [each for each in range(VEHICLES) if each not in {number for _, _, number in road}]
                road.append([lane, int(rng.integers(0, STEP)), int(rng.choice(unseen))])
        pixels = np.full((HEIGHT, WIDTH, 3), 0.15)
        for lane, column, number in road:
            pixels[LANES[lane] : LANES[lane] + SIDE, column : column + SIDE] = looks[number]
        pixels += rng.normal(0, 0.8, pixels.shape)
        yield (np.clip(pixels, 0, 1) * 255).astype(np.uint8), [(a, b, c) for a, b, c in road]


def items() -> Iterator[dict[str, Any]]:
    """Yield frames to run on, without end."""
    return ({"camera": pixels} for pixels, _ in frames(21))


def validation() -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return the 120 frames that accuracy is measured on."""
    found = frames(22)
    pairs = [next(found) for _ in range(120)]
    operators = ("detect", "reid", "same", "count")
    return [({"camera": pixels}, dict.fromkeys(operators, vehicles)) for pixels, vehicles in pairs]
