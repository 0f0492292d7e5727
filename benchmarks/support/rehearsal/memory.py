"""The memory of processes over the run, by a thread that looks once a second."""

from __future__ import annotations

import statistics
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

import psutil

_EVERY_S: Final = 1.0
_SPAN_S: Final = 5.0
"""Over so many seconds a size is the median."""


class Growth(NamedTuple):
    """A process's resident memory in MB at the beginning and at the end of a time of `seconds`."""

    name: str
    before: float
    after: float
    seconds: float

    @property
    def ratio(self) -> float:
        return self.after / self.before


class MemoryWatch:
    """Notes the resident memory of the processes that `pids` names, with all their children."""

    def __init__(self, pids: Callable[[], Mapping[str, int]]) -> None:
        self._pids = pids
        self._sizes: dict[tuple[str, int], list[tuple[float, float]]] = defaultdict(list)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="memory", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join()

    def growth(self, since: float, until: float) -> list[Growth]:
        """Return what became of each process that lived from one moment to the other (Unix seconds)."""
        found = []
        for (name, _), sizes in self._sizes.items():
            first = [size for at, size in sizes if since <= at < since + _SPAN_S]
            last = [size for at, size in sizes if until - _SPAN_S < at <= until]
            if first and last:
                found.append(Growth(name, statistics.median(first), statistics.median(last), until - since))
        return found

    def _run(self) -> None:
        while not self._stopped.wait(_EVERY_S):
            for name, pid in self._pids().items():
                try:
                    process = psutil.Process(pid)
                    self._note(name, process)
                    for index, child in enumerate(process.children()):
                        self._note(f"{name}, child {index + 1}", child)
                except psutil.Error:
                    continue

    def _note(self, name: str, process: psutil.Process) -> None:
        self._sizes[name, process.pid].append((time.time(), process.memory_info().rss / 1e6))
