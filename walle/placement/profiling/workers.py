"""Workers: how long an operator takes for an item on this machine, as percentiles."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from math import ceil
from typing import Final

from walle.placement.processor.operators import Apply, Records

PERCENTILES: Final = (50, 75, 90)
WARM_UP: Final = 3
"""So many items are computed first and not counted: caches fill and memory is allocated."""
SHORTEST_MS: Final = 0.001


def item_times_ms(
    apply: Apply,
    items: Sequence[tuple[Records, int]],
    *,
    budget_s: float,
    clock: Callable[[], float] = time.perf_counter,
) -> list[float]:
    """Return how long an operator took for an item, in ms, each time that it was given some with records.

    `items` are records with how many items these are for the problem's rates. All are computed one by one, and again
    until the budget (s) is used up; once, however long that takes.
    """
    given = [each for each in items if each[1]]
    for records, _ in given[:WARM_UP]:
        apply([records])
    times: list[float] = []
    began = clock()
    while given and (not times or clock() - began < budget_s):
        for records, count in given:
            start = clock()
            apply([records])
            times.append(1e3 * (clock() - start) / count)
    return times


def percentiles_ms(times: Sequence[float]) -> dict[str, float]:
    """Return percentiles in ms: the smallest that so many percent do not exceed. Raises ValueError without any."""
    if not times:
        raise ValueError("expected at least one duration")
    ordered = sorted(times)
    places = {f"p{each}": ceil(each / 100 * len(ordered)) - 1 for each in PERCENTILES}
    return {name: round(max(SHORTEST_MS, ordered[place]), 4) for name, place in places.items()}
