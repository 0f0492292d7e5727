"""The device service that ends idle VMs when the machine runs short of memory."""

from __future__ import annotations

import asyncio
import logging
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from walle.device.service import DeviceService, Wake

log = logging.getLogger(__name__)

LOW: Final = 0.10
"""The share of memory that is available below which idle VMs end: a phone's system begins to end apps there."""
ENOUGH: Final = 0.15
"""The share up to which they end then, so that the next look does not find too little again."""
STALLED_PERCENT: Final = 10.0
"""The share of the last 10 s in which something waited for memory, from which on a person notices."""
STEP: Final = 0.05
"""The share of the memory that is to be freed when that much time was lost although enough seems available."""
LOOK_S: Final = 5.0
"""Seconds between two looks, half of what the kernel's shortest average covers. A look reads two small files."""
LOOK_AGAIN_S: Final = 1.0
"""Seconds until the next look after something was freed: the machine may need more at once."""

_MOST_BYTES: Final = 64 * 1024
_TOTAL = re.compile(rb"^MemTotal: +(\d{1,15}) kB$", re.MULTILINE)
_AVAILABLE = re.compile(rb"^MemAvailable: +(\d{1,15}) kB$", re.MULTILINE)
_STALLED = re.compile(rb"^some avg10=(\d{1,3}\.\d{1,2}) ", re.MULTILINE)


class IdleVMs(Protocol):
    """VMs that can be ended, those of a Sandbox."""

    def relieve(self, bytes_wanted: int, /) -> int:
        """End idle VMs, the largest first, until so many bytes are freed; return how many are. Any thread."""


@dataclass(frozen=True)
class MemoryState:
    """How much memory a machine has and how much of it is available, in bytes, and how long somebody waited for some.

    `stalled_percent` is the share of the last 10 s in which at least one process waited; 0 where that is not known.
    """

    total: int
    available: int
    stalled_percent: float = 0.0


def bytes_to_free(state: MemoryState) -> int:
    """Return how many bytes idle VMs should give back; 0 where there is enough memory."""
    if state.available < LOW * state.total:
        return round(ENOUGH * state.total) - state.available
    return round(STEP * state.total) if state.stalled_percent >= STALLED_PERCENT else 0


def read_memory_state(proc: Path) -> MemoryState | None:
    """Read the state of this machine from `meminfo` and `pressure/memory` in `proc`; None if it does not say."""
    meminfo = _read(proc / "meminfo")
    total, available = _TOTAL.search(meminfo), _AVAILABLE.search(meminfo)
    if total is None or available is None:
        return None
    stalled = _STALLED.search(_read(proc / "pressure" / "memory"))
    return MemoryState(1024 * int(total[1]), 1024 * int(available[1]), float(stalled[1]) if stalled else 0.0)


def _read(path: Path) -> bytes:
    """Return the beginning of a file; nothing if it cannot be read, as on systems without it."""
    try:
        with path.open("rb") as file:
            return file.read(_MOST_BYTES)
    except OSError:
        return b""


class MemoryPressure(DeviceService):
    """Looks at the memory of the machine every few seconds. `proc` is where the kernel says how much there is."""

    def __init__(self, vms: IdleVMs, *, proc: Path = Path("/proc")) -> None:
        self._vms, self._proc = vms, proc
        self.wake = Wake()

    async def turn(self) -> float | None:
        """Look once, and have idle VMs ended if memory is short; None where the machine does not say."""
        state = read_memory_state(self._proc)
        if state is None:
            return None
        wanted = bytes_to_free(state)
        freed = await asyncio.to_thread(self._vms.relieve, wanted) if wanted else 0
        if freed:
            log.info("memory is short: idle VMs gave back %d of %d bytes", freed, wanted)
        return LOOK_AGAIN_S if freed else LOOK_S

    async def once(self) -> None:
        """Look once."""
        await self.turn()
