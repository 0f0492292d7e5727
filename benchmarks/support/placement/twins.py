"""Operators alone, in processes of their own, while a plan runs: what the executor's operators are compared with.

Whatever else this machine does, it does to both. A twin computes an item twice every PAUSE_S seconds and times the
second, as in a plain loop; so it takes a few percent of a core.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle
from statistics import median
from types import TracebackType
from typing import Any, Final, Self

import ray

from walle.placement.processor.operators import Records, applying
from walle.placement.processor.specs import HostedSpec

PAUSE_S: Final = 0.5
Hosted = tuple[str, str]
"""An operator and the worker that it runs on."""


class OperatorTwin:
    """An actor with one operator."""

    def __init__(self, hosted: HostedSpec) -> None:
        self._apply = applying(hosted)
        self._items: Iterator[tuple[Records, int]] = iter(())

    def take(self, items: Sequence[tuple[Records, int]]) -> None:
        """Take what it computes: it may be of classes of the operator's code, which had to be found first."""
        self._items = cycle(items)

    def sample(self) -> float:
        """Return the ms that the operator takes for a record of the next item."""
        records, count = next(self._items)
        self._apply([records])
        began = time.perf_counter()
        self._apply([records])
        return 1e3 * (time.perf_counter() - began) / count


class Twins:
    """The twins of some operators, which compute for as long as the context lasts."""

    def __init__(self, given: Mapping[Hosted, tuple[HostedSpec, Sequence[tuple[Records, int]]]]) -> None:
        actor = ray.remote(OperatorTwin).options(num_cpus=0)
        self._actors: dict[Hosted, Any] = {key: actor.remote(hosted) for key, (hosted, _) in given.items()}
        ray.get([self._actors[key].take.remote(items) for key, (_, items) in given.items()])
        self._times: dict[Hosted, list[float]] = {key: [] for key in given}
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._sample, name="twins", daemon=True)

    def __enter__(self) -> Self:
        self._round()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stopped.set()
        self._thread.join()
        for actor in self._actors.values():
            ray.kill(actor)

    def alone_ms(self) -> dict[Hosted, float]:
        """Return how long each operator took for a record, at the median."""
        return {key: median(times) for key, times in self._times.items()}

    def _sample(self) -> None:
        while not self._stopped.wait(PAUSE_S):
            self._round()

    def _round(self) -> None:
        """Time each of them once, one after the other."""
        for key, actor in self._actors.items():
            self._times[key].append(ray.get(actor.sample.remote()))
