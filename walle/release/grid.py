"""The points at which the distribution of a measurement is compared: quantiles before the release, fixed at its start.

A point counts for each arm the devices beyond one value. Together the points follow the whole distribution, from its
lower part to its tail, so that a shift of a part of it is seen where it happens. Vectors of values are in the order of
POINTS without the first one, which has counts and a value of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from walle.release.sequential import Prior


@dataclass(frozen=True)
class GridPoint:
    """A point beyond which a `share` of the devices lay before the release; their counts' names have the suffix."""

    suffix: str
    share: float

    def margin(self, margin: float, at: float) -> float:
        """Return how far the arms' shares may be apart here, if they may be by `margin` where a share of `at` is usual.

        In proportion where fewer devices lie on one side: half as many again are half as many again in the tail, too.
        """
        return margin * min(1.0, self.share / at, (1 - self.share) / at)

    @property
    def priors(self) -> tuple[Prior, Prior]:
        """Return what is expected of treatment and of control if something is wrong: any rate, the usual one."""
        odds = self.share / (1 - self.share)
        treatment = Prior(max(1.0, odds / 2), max(1.0, 1 / (2 * odds)))
        return treatment, Prior(20 * self.share, 20 * (1 - self.share))


RUN_TIMES: Final = (
    GridPoint("", 0.1),
    GridPoint("_25", 0.75),
    GridPoint("_50", 0.5),
    GridPoint("_75", 0.25),
    GridPoint("_95", 0.05),
    GridPoint("_99", 0.01),
)
"""Devices whose run took longer than the quantile of that name; the first is the 0.9 quantile."""
VALUES: Final = (
    GridPoint("", 0.5),
    GridPoint("_5", 0.05),
    GridPoint("_25", 0.25),
    GridPoint("_75", 0.75),
    GridPoint("_95", 0.95),
)
"""Devices whose metric is below the quantile of that name; the first is the median."""

POINTS: Final = frozenset(
    f"{name}{point.suffix}"
    for name, points in (("slower", RUN_TIMES), ("warm_slower", RUN_TIMES), ("low", VALUES))
    for point in points[1:]
)
"""The names of the counts of all points but the first ones, which are figures for people as well."""


def quantiles_of(points: Sequence[GridPoint], *, above: bool) -> list[float]:
    """Return the quantiles of all points but the first; `above`: the points count what lies above them."""
    return [round(1 - point.share, 6) if above else point.share for point in points[1:]]


def with_values(points: Sequence[GridPoint], first: float, rest: Sequence[float]) -> Iterator[tuple[GridPoint, float]]:
    """Yield the points with their values; the first alone where no others are known."""
    yield points[0], first
    yield from zip(points[1:], rest, strict=False)
