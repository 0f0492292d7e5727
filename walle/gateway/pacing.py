"""Leases quotas, a gateway's part of the pace of releases, ahead of time; check-ins take from them and never wait.

A quota is valid until the end of the second, by the database's clock, in which it was leased. The gateway measures that
time on its own monotonic clock, starting before its request, so that neither a wrong clock nor a slow network prolongs
it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from walle.gateway.ports import AppState, GatewayState, PortUnavailable, Quota, QuotaSource
from walle.release.pace import next_request

log = logging.getLogger(__name__)

WINDOW_S: Final = 1.0
MARGIN_S: Final = 0.005
"""The time to wait after the end of a second, so that a quick request does not still fall into it."""
ASK_EVERY_S: Final = 0.02
"""The shortest time between two requests, however quickly quotas are used up."""


@dataclass(slots=True)
class _Window:
    """The present second of one release: offers left, their expiry, whether its pace is used up, and the demand.

    `before` and `now` count the offers that were asked for in the last and in this second.
    """

    left: int = 0
    until: float = float("-inf")
    exhausted: bool = False
    before: int = 0
    now: int = 0

    def turn(self) -> None:
        self.before, self.now, self.left, self.exhausted = self.now, 0, 0, False


class OfferPacer:
    """The quotas of one gateway, in offers. `clock` returns monotonic seconds."""

    def __init__(self, source: QuotaSource, clock: Callable[[], float]) -> None:
        self._source = source
        self._clock = clock
        self._windows: dict[int, _Window] = {}
        self._demand = asyncio.Event()
        self.leased = self.taken = self.refused = 0

    def take(self, release: int) -> bool:
        """Return whether one more offer of the release may be made now, and count it as made."""
        window = self._windows.setdefault(release, _Window())
        window.now += 1
        granted = window.left > 0 and self._clock() < window.until
        if granted:
            window.left -= 1
            self.taken += 1
        else:
            self.refused += 1
        if window.left == 0 and not window.exhausted:
            self._demand.set()
        return granted

    async def run(self, state: Callable[[], GatewayState | None]) -> None:
        """Lease quotas for the releases of the present tables, for ever; there are none without the source."""
        reachable = True
        while True:
            await self._wait()
            try:
                await self.lease(paced(state()))
            except PortUnavailable as error:
                if reachable:
                    log.warning("no quotas, so no offers of releases with a pace: %s", error)
                reachable = False
                await asyncio.sleep(WINDOW_S / 4)
            except Exception:
                log.exception("no quotas, so no offers of releases with a pace")
                await asyncio.sleep(WINDOW_S)
            else:
                reachable = True
                await asyncio.sleep(ASK_EVERY_S)

    async def lease(self, releases: Iterable[int]) -> None:
        """Lease quotas in one request for all releases that have none left but may get more. Raises PortUnavailable."""
        self._demand.clear()
        started = self._clock()
        self._windows = {release: self._windows.get(release) or _Window() for release in releases}
        wanted: dict[int, int] = {}
        for release, window in self._windows.items():
            if started >= window.until:
                window.turn()
            if not window.left and not window.exhausted:
                wanted[release] = next_request(window.before, window.now)
        quotas = await self._source.lease(wanted) if wanted else {}
        for release, count in wanted.items():
            quota, window = quotas.get(release, _NONE), self._windows[release]
            window.left, window.until = min(quota.count, count), started + quota.valid_s
            window.exhausted = quota.count < count
            self.leased += window.left

    async def _wait(self) -> None:
        """Return when a second is over or a quota is used up, after WINDOW_S seconds at the latest."""
        ends = [window.until for window in self._windows.values() if window.until > float("-inf")]
        seconds = min([max(0.0, end - self._clock()) + MARGIN_S for end in ends], default=WINDOW_S)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._demand.wait(), min(seconds, WINDOW_S))


_NONE: Final = Quota(0, WINDOW_S)


def paced(state: GatewayState | None) -> frozenset[int]:
    """Return the releases of all apps that have a pace."""
    return frozenset[int]().union(*map(paced_releases, state.apps.values() if state else ()))


def paced_releases(app: AppState) -> frozenset[int]:
    """Return the releases of one app that have a pace."""
    return frozenset(entry.release for entry in app.table.table.entries if entry.pace is not None)
