"""Several gateways that share the pace of a release by leasing parts of it, second by second."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from walle.release.pace import grant, next_request

LEASES_PER_SECOND = 20
"""How often in a second a gateway can ask for more."""


class Gateways:
    """A number of gateways; a device reaches each of them with the same probability."""

    def __init__(self, count: int, rng: np.random.Generator) -> None:
        self.count = count
        self._rng = rng
        self._previous = np.zeros(count, np.int64)

    def admit(self, devices: int, pace: int | None) -> NDArray[np.bool_]:
        """Return which devices, in the order in which they arrive within a second, receive their offer."""
        if pace is None:
            return np.ones(devices, np.bool_)
        gateways = self._rng.integers(0, self.count, devices, dtype=np.uint16)
        admitted = np.zeros(devices, np.bool_)
        second = _Second(pace, self._previous)
        for part in np.array_split(np.arange(devices), LEASES_PER_SECOND):
            second.lease(self._rng.permutation(self.count))
            admitted[part] = second.take(gateways[part])
        self._previous = second.wanted
        return admitted


class _Second:
    """The quotas of one second: offers left and wanted, by gateway."""

    def __init__(self, pace: int, previous: NDArray[np.int64]) -> None:
        self._pace, self._previous = pace, previous
        self._leased = 0
        self._left = np.zeros(len(previous), np.int64)
        self._exhausted = np.zeros(len(previous), np.bool_)
        self.wanted = np.zeros(len(previous), np.int64)

    def lease(self, order: NDArray[np.intp]) -> None:
        """Let every gateway without offers left request more, in this order."""
        for gateway in order[(self._left[order] == 0) & ~self._exhausted[order]]:
            requested = next_request(int(self._previous[gateway]), int(self.wanted[gateway]))
            self._left[gateway] = grant(self._pace, self._leased, requested)
            self._leased += int(self._left[gateway])
            self._exhausted[gateway] = self._left[gateway] < requested

    def take(self, gateways: NDArray[np.uint16]) -> NDArray[np.bool_]:
        """Let devices reach gateways; those that find an offer left are admitted."""
        counts = np.bincount(gateways, minlength=len(self._left))
        order = np.argsort(gateways, kind="stable")
        rank = np.empty(len(gateways), np.int64)
        rank[order] = np.arange(len(gateways)) - np.repeat(np.cumsum(counts) - counts, counts)
        admitted = rank < self._left[gateways]
        self._left -= np.minimum(self._left, counts)
        self.wanted += counts
        return admitted
