"""Tells connected devices at once to give up versions that were withdrawn, instead of at their next check-in.

What such a device is sent is the whole answer to a check-in with its present profile, so that the same decision, the
same exposures and the same signed assignments come of it. New versions alone are no reason to send anything: the pace
of their releases stays with check-ins.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Final

from walle.gateway.checkin import CheckInHandler
from walle.gateway.ports import GatewayState
from walle.gateway.table_cache import TableCache
from walle.gateway.tunnel.connections import Connections, TunnelConnection
from walle.gateway.tunnel.counts import TunnelCounts
from walle.protocol.tunnel_frames import Offers
from walle.release.table import Table
from walle.release.withdrawal import NOTHING_WITHDRAWN, WithdrawnVersions, withdrawn_since

log = logging.getLogger(__name__)

AT_ONCE_S: Final = 0.002
"""Seconds for which answers are made before the event loop gets its turn."""
RETRY_S: Final = 5.0
"""Seconds until what was not acknowledged is sent again; doubled each time, and the most once it was."""
RETRY_MOST_S: Final = 60.0
INTERVALS: Final = 2
"""The check-in intervals after which a device has checked in: then nothing is sent again."""


@dataclass(slots=True)
class _Notice:
    """What one device is to be told, from `due` on and not after `until` (monotonic seconds).

    `number` is that of its last frame, 0 before there is one; `wait` seconds follow the next.
    """

    due: float
    until: float
    number: int = 0
    wait: float = RETRY_S


class Withdrawals:
    """The withdrawals of one gateway's connections. `clock` returns monotonic seconds."""

    def __init__(
        self,
        tables: TableCache,
        check_ins: CheckInHandler,
        connections: Connections,
        counts: TunnelCounts,
        *,
        clock: Callable[[], float],
    ) -> None:
        self._tables, self._check_ins, self._connections = tables, check_ins, connections
        self._counts, self._clock = counts, clock
        self._read: dict[str, Table] = {}
        self._withdrawn: dict[str, WithdrawnVersions] = {}
        self._found: deque[Iterable[TunnelConnection]] = deque()
        self._notices: dict[TunnelConnection, _Notice] = {}
        self._done: deque[TunnelConnection] = deque()
        self._news = asyncio.Event()
        self._numbers = 0
        tables.watchers.append(self._look)
        if tables.state is not None:
            self._look(tables.state)

    @property
    def waiting(self) -> int:
        """The number of devices that still have what they are told to give up."""
        return len(self._notices)

    def connected(self, connection: TunnelConnection) -> None:
        """A device has connected: tell it what was withdrawn while it was away."""
        if self._concerns(connection):
            self._notify(connection)

    def changed(self, connection: TunnelConnection) -> None:
        """A device has other versions: it has given up what it should, or installed what was withdrawn meanwhile.

        In the first case that counts as a check-in, so that everybody sees it without waiting for the next one.
        """
        if not self._concerns(connection):
            if self._notices.pop(connection, None) is not None:
                self._done.append(connection)
                self._news.set()
        elif connection not in self._notices:
            self._notify(connection)

    def acknowledged(self, connection: TunnelConnection, number: int) -> None:
        """A device has received the offers with this number; it is asked again later if it could not do as they say."""
        notice = self._notices.get(connection)
        if notice is not None and notice.number == number:
            notice.due, notice.wait = self._clock() + RETRY_MOST_S, RETRY_MOST_S
            self._counts.offers_received += 1

    async def run(self) -> None:
        """Send what is due, for ever."""
        while True:
            self._news.clear()
            try:
                await self._send_due()
            except Exception:
                # No error may end this loop: without it every device would wait for its next check-in.
                log.exception("withdrawals are not sent now")
                await asyncio.sleep(RETRY_S)
            await self._wait()

    def _look(self, state: GatewayState) -> None:
        """Find what a new state withdraws; the devices that have it are looked up when it is the turn of `run`."""
        for slug, app in state.apps.items():
            table = app.table.table
            before = self._read.get(slug)
            if table is before:
                continue
            known = self._withdrawn.get(slug, NOTHING_WITHDRAWN)
            self._read[slug] = table
            self._withdrawn[slug] = withdrawn_since(known, before, table)
            if before is not None and (news := self._withdrawn[slug] - known):
                self._found.append(self._having(news))
                self._news.set()

    def _having(self, news: WithdrawnVersions) -> Iterable[TunnelConnection]:
        """Return the connected devices that have any of these versions, of other apps too, and some perhaps twice."""
        having = [self._connections.with_installed(task, digest) for task, digest in news.versions]
        retired = (each for each in self._connections if not news.tasks.isdisjoint(each.profile)) if news.tasks else ()
        return chain(*having, retired)

    def _concerns(self, connection: TunnelConnection) -> bool:
        withdrawn = self._withdrawn.get(connection.app, NOTHING_WITHDRAWN)
        return bool(withdrawn) and withdrawn.concerns(connection.profile)

    def _notify(self, connection: TunnelConnection) -> None:
        now = self._clock()
        interval = self._read[connection.app].interval
        number = self._notices[connection].number if connection in self._notices else 0
        self._notices[connection] = _Notice(now, now + INTERVALS * interval, number)
        self._news.set()

    async def _send_due(self) -> None:
        """Send everything that is due, then check in for those who have done as they were told.

        All of it a few milliseconds at a time.
        """
        turns = _Turns(self._clock)
        while self._found:
            for connection in self._found.popleft():
                self._notify(connection)
                await turns.take()
        for connection, notice in list(self._notices.items()):
            if notice.due <= self._clock() and self._notices.get(connection) is notice:
                self._send(connection, notice, self._clock())
                await turns.take()
        while self._done:
            self._check_in(self._done.popleft())
            await turns.take()

    def _send(self, connection: TunnelConnection, notice: _Notice, now: float) -> None:
        """Send one device what it has to give up, unless it has done so, has checked in since, or is gone."""
        present = self._connections.of(connection.app, connection.device) is connection
        if not present or now > notice.until or not self._concerns(connection):
            del self._notices[connection]
            return
        notice.due, notice.wait = now + notice.wait, min(2 * notice.wait, RETRY_MOST_S)
        if not self._tables.may_offer():
            return
        number = self._check_in(connection)
        if number is None:
            del self._notices[connection]
        else:
            notice.number = number

    def _check_in(self, connection: TunnelConnection) -> int | None:
        """Check in for a device; send what it is offered, and return the number of that frame; None for nothing."""
        value = dict(self._check_ins.answer(connection.headers).headers).get(b"walle-offers")
        if value is None:
            return None
        self._numbers += 1
        connection.send(Offers(self._numbers, value))
        self._counts.offers += 1
        return self._numbers

    async def _wait(self) -> None:
        """Return when something is due or new."""
        due = min((notice.due for notice in self._notices.values()), default=None)
        seconds = None if due is None else max(0.0, due - self._clock())
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._news.wait()


class _Turns:
    """Gives the event loop its turn whenever this one has had AT_ONCE_S seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._began = clock()

    async def take(self) -> None:
        if self._clock() - self._began >= AT_ONCE_S:
            await asyncio.sleep(0)
            self._began = self._clock()
