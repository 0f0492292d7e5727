"""Keeps the gateway's state fresh, and knows until when it may be relied on.

The source announces a changed table; it is also read every second in case an announcement is lost. Each reading is a
lease: a gateway cut off from its source makes no offers once the lease has ended (release lesson 12).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from walle.gateway.ports import GatewayState, PortUnavailable, TableSource

log = logging.getLogger(__name__)

LEASE_S: Final = 5.0
READ_EVERY_S: Final = 1.0
READ_AT_ONCE_EVERY_S: Final = 0.25
"""The shortest time between two readings on suspicion: after a restored backup, all devices know a higher number."""


class TableCache:
    """The present state. `clock` returns monotonic seconds."""

    def __init__(self, source: TableSource, clock: Callable[[], float]) -> None:
        self._source = source
        self._clock = clock
        self._leased_until = float("-inf")
        self._noted_at = float("-inf")
        self._stale = asyncio.Event()
        self.state: GatewayState | None = None
        self.watchers: list[Callable[[GatewayState], None]] = []
        """Called with each new state."""

    def may_offer(self) -> bool:
        return self._clock() < self._leased_until

    def read_age(self) -> float:
        """Return the seconds since the last successful reading began; infinite if there was none."""
        return self._clock() + LEASE_S - self._leased_until

    def note_newer_table(self) -> None:
        """A device knows a higher table number than this gateway: read again at once, unless that was just done."""
        now = self._clock()
        if now - self._noted_at >= READ_AT_ONCE_EVERY_S:
            self._noted_at = now
            self._stale.set()

    async def refresh(self) -> None:
        """Read the state if it changed, and renew the lease. Raises PortUnavailable."""
        started = self._clock()
        changed = await self._source.read(self.state.revision if self.state else None)
        if changed is not None:
            self.state = changed
            self._announce(changed)
        self._leased_until = started + LEASE_S

    def _announce(self, state: GatewayState) -> None:
        for watcher in self.watchers:
            try:
                watcher(state)
            except Exception:
                # What is made of a state must not keep it from being answered from.
                log.exception("a watcher of the tables failed")

    async def run(self) -> None:
        """Refresh the state for ever; while the source is unreachable the lease runs out."""
        reachable = True
        while True:
            await self._wait()
            try:
                await self.refresh()
            except PortUnavailable as error:
                if reachable:
                    log.warning("table source unreachable, no offers once the lease ends: %s", error)
                reachable = False
                await asyncio.sleep(READ_EVERY_S / 4)
            except Exception:
                # No error may end this loop: without it there would be no offers until the process restarts.
                log.exception("table source failed, no offers once the lease ends")
                reachable = False
                await asyncio.sleep(READ_EVERY_S)
            else:
                if not reachable:
                    log.info("table source reachable again")
                reachable = True

    async def _wait(self) -> None:
        announced = asyncio.ensure_future(self._source.wait(READ_EVERY_S))
        noted = asyncio.ensure_future(self._stale.wait())
        try:
            await asyncio.wait({announced, noted}, timeout=READ_EVERY_S, return_when=asyncio.FIRST_COMPLETED)
        finally:
            announced.cancel()
            noted.cancel()
            self._stale.clear()
            await asyncio.gather(announced, noted, return_exceptions=True)
