"""Which worker takes an item: the workers of an operator share its load as the plan says, by default by their capacity.

The k-th operator gives item n the point n * sqrt(p) mod 1, p the k-th prime, and the worker in whose interval of
[0, 1) the point lies. Such points fill every interval evenly, so that after n items no worker is further from its share
than a few items; and because the roots of primes are independent over the rationals, pairs of workers of two operators
meet as often as their shares say. All senders find the same worker without asking each other, so the parts of an item
that a join waits for meet.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate, count, islice
from math import isqrt, sqrt


@dataclass(frozen=True)
class RoutingTable:
    """How all senders find the receivers.

    `workers` and `bounds` are by operator: the ids, and the upper ends of their intervals of [0, 1), rising to 1.
    `steps` are the roots of primes. `windows` are the items in a window of operators that group.
    """

    workers: Mapping[str, tuple[str, ...]]
    bounds: Mapping[str, tuple[float, ...]]
    steps: Mapping[str, float]
    windows: Mapping[str, int]

    def worker_for(self, operator: str, number: int) -> str:
        """Return the id of the worker that runs an operator on an item."""
        place = number // self.windows.get(operator, 1)
        point = place * self.steps[operator] % 1.0
        ids = self.workers[operator]
        return ids[min(bisect_right(self.bounds[operator], point), len(ids) - 1)]

    def hosts(self, worker: str) -> frozenset[str]:
        """Return the operators that a worker runs."""
        return frozenset(operator for operator, ids in self.workers.items() if worker in ids)

    def passing(self, numbers: Iterable[int], worker: str) -> list[int]:
        """Return those of the items that a worker has, had or will have to do with."""
        hosted = self.hosts(worker)
        return [each for each in numbers if any(self.worker_for(operator, each) == worker for operator in hosted)]


def routing_table(loads: Mapping[str, Mapping[str, float]], windows: Mapping[str, int]) -> RoutingTable:
    """Make the table from the parts of each operator's load that its workers serve. Raises ValueError without any."""
    bounds = {}
    for operator, found in loads.items():
        total = sum(found.values())
        if not total > 0:
            raise ValueError(f"no worker of {operator} can run it")
        bounds[operator] = tuple(each / total for each in accumulate(found.values()))
    steps = {operator: sqrt(prime) % 1.0 for operator, prime in zip(loads, _primes(), strict=False)}
    return RoutingTable({name: tuple(found) for name, found in loads.items()}, bounds, steps, dict(windows))


def _primes() -> Iterator[int]:
    return (each for each in islice(count(), 2, None) if all(each % part for part in range(2, isqrt(each) + 1)))
