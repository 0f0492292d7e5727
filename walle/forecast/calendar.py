"""A calendar of devices by the second in which they are due."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from walle.forecast.availability import Seconds

Devices = NDArray[np.int32]
"""Devices by their positions in the fleet's arrays."""
_NOBODY = np.empty(0, np.int32)


class Calendar:
    """Devices by second; entries at the horizon (at most 65536 s) or later are dropped."""

    def __init__(self, horizon: int) -> None:
        self._pages: list[list[Devices]] = [[] for _ in range(horizon)]

    def add(self, seconds: Seconds, devices: Devices) -> None:
        """Enter devices, each at its second."""
        in_range = seconds < len(self._pages)
        due, devices = seconds[in_range].astype(np.uint16), devices[in_range]
        order = np.argsort(due, kind="stable")  # a radix sort, because of the 16 bits
        due, devices = due[order], devices[order]
        cuts = np.flatnonzero(np.diff(due, prepend=-1, append=1 << 16))
        for start, end in pairwise(cuts):
            self._pages[due[start]].append(devices[start:end])

    def take(self, second: int) -> Devices:
        """Remove and return the devices due in a second."""
        page, self._pages[second] = self._pages[second], []
        return np.concatenate(page) if page else _NOBODY
