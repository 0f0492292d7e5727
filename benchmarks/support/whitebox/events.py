"""Generated events of a calendar: 40 numbers each, of which some are missing, and how many people came."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

COLUMNS: Final = 40
BANDS: Final = ("none", "few", "some", "many", "crowd")
"""The classes: how many attended, in five bands of equal frequency."""
_KINDS, _FACTORS, _MISSING = 12, 6, 0.02


@dataclass(frozen=True)
class Events:
    """Rows of shape (count, 40), float64 with NaN for what is missing; the band of each."""

    rows: NDArray[np.float64]
    bands: NDArray[np.str_]


def hold_events(count: int, seed: int, world: int = 17) -> Events:
    """Return so many events of one `world`, whose kinds and factors are the same for each seed."""
    shape = np.random.default_rng(world)
    centres = shape.normal(0, 2, (_KINDS, _FACTORS))
    mixing = shape.normal(0, 1, (_FACTORS, COLUMNS))
    pull = shape.normal(0, 1, _KINDS)
    rng = np.random.default_rng(seed)
    kinds = rng.integers(_KINDS, size=count)
    factors = centres[kinds] + rng.normal(0, 0.7, (count, _FACTORS))
    rows = factors @ mixing + rng.normal(0, 0.5, (count, COLUMNS))
    appeal = pull[kinds] + np.sin(factors[:, 0]) * factors[:, 1] + 0.5 * np.abs(factors[:, 2])
    noisy = appeal + rng.normal(0, 0.3, count)
    edges = np.quantile(noisy, np.linspace(0, 1, len(BANDS) + 1)[1:-1])
    rows[rng.random(rows.shape) < _MISSING] = np.nan
    return Events(rows, np.array(BANDS)[np.searchsorted(edges, noisy)])
