"""Tells connected devices at once to give up versions that were taken back, instead of at their next check-in.

What such a device is sent is the answer to a check-in with its present profile, so that the same decision, the same
exposures and the same signed assignments come of it. New versions are not sent this way: the pace of their releases
stays with check-ins.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from walle.gateway.checkin import CheckInHandler
from walle.gateway.ports import GatewayState
from walle.gateway.table_cache import TableCache
from walle.gateway.tunnel.connections import Connections, TunnelConnection
from walle.protocol.errors import HeaderMalformed
from walle.protocol.headers import Profile, read_profile
from walle.protocol.tunnel_frames import Offers
from walle.release.table import Table
from walle.release.withdrawal import NOTHING_WITHDRAWN, WithdrawnVersions, withdrawn_since

log = logging.getLogger(__name__)

AT_ONCE_S: Final = 0.002
"""Seconds for which answers are made before the event loop gets its turn."""
RETRY_S: Final = 5.0
"""Seconds until what was not acknowledged is sent again; doubled each time."""
RETRY_MOST_S: Final = 60.0
INTERVALS: Final = 2
"""The check-in intervals after which a device has checked in: what it has not acknowledged by then is not sent again."""


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
        self, tables: TableCache, check_ins: CheckInHandler, connections: Connections, clock: Callable[[], float]
    ) -> None:
        self._tables, self._check_ins, self._connections, self._clock = tables, check_ins, connections, clock
        self._read: dict[str, Table] = {}
        self._withdrawn: dict[str, WithdrawnVersions] = {}
        self._notices: dict[TunnelConnection, _Notice] = {}
        self._news = asyncio.Event()
        self._numbers = 0
        self.sent = self.received = 0
        tables.watchers.append(self._look)
        if tables.state is not None:
            self._look(tables.state)

    @property
    def waiting(self) -> int:
        """The number of devices that have yet to acknowledge what they are told."""
        return len(self._notices)

    def connected(self, connection: TunnelConnection) -> None:
        """A device has connected: tell it what was withdrawn while it was away."""
        if self._concerns(connection):
            self._notify(connection)

    def acknowledged(self, connection: TunnelConnection, number: int) -> None:
        """A device has received the offers with this number."""
        notice = self._notices.get(connection)
        if notice is not None and notice.number == number:
            del self._notices[connection]
            self.received += 1

    def disconnected(self, connection: TunnelConnection) -> None:
        self._notices.pop(connection, None)

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
        """Find what a new state withdraws, and the devices that are connected and have it."""
        for slug, app in state.apps.items():
            table = app.table.table
            before = self._read.get(slug)
            if table is before:
                continue
            known = self._withdrawn.get(slug, NOTHING_WITHDRAWN)
            self._read[slug] = table
            self._withdrawn[slug] = withdrawn_since(known, before, table)
            if before is not None and (news := self._withdrawn[slug] - known):
                for connection in self._having(slug, news):
                    self._notify(connection)

    def _having(self, app: str, news: WithdrawnVersions) -> list[TunnelConnection]:
        """Return the app's connected devices that have any of these versions."""
        found = {
            connection: None
            for task, digest in news.versions
            for connection in self._connections.with_installed(task, digest)
        }
        if news.tasks:
            found |= {connection: None for connection in self._connections if news.concerns(_profile(connection))}
        return [connection for connection in found if connection.app == app]

    def _concerns(self, connection: TunnelConnection) -> bool:
        withdrawn = self._withdrawn.get(connection.app, NOTHING_WITHDRAWN)
        return bool(withdrawn) and withdrawn.concerns(_profile(connection))

    def _notify(self, connection: TunnelConnection) -> None:
        now = self._clock()
        interval = self._read[connection.app].interval
        number = self._notices[connection].number if connection in self._notices else 0
        self._notices[connection] = _Notice(now, now + INTERVALS * interval, number)
        self._news.set()

    async def _send_due(self) -> None:
        """Send everything that is due; the event loop gets its turn after AT_ONCE_S seconds each time."""
        began = self._clock()
        for connection, notice in list(self._notices.items()):
            now = self._clock()
            if now - began >= AT_ONCE_S:
                await asyncio.sleep(0)
                began = now = self._clock()
            if notice.due <= now and self._notices.get(connection) is notice:
                self._send(connection, notice, now)

    def _send(self, connection: TunnelConnection, notice: _Notice, now: float) -> None:
        """Send one device what it has to give up, unless it has done so or has checked in since."""
        if now > notice.until or not self._concerns(connection):
            del self._notices[connection]
            return
        notice.due, notice.wait = now + notice.wait, min(2 * notice.wait, RETRY_MOST_S)
        if not self._tables.may_offer():
            return
        answer = self._check_ins.answer(connection.headers)
        value = dict(answer.headers).get(b"walle-offers")
        if value is None:
            del self._notices[connection]
            return
        self._numbers += 1
        notice.number = self._numbers
        connection.send(Offers(notice.number, value))
        self.sent += 1

    async def _wait(self) -> None:
        """Return when something is due or new."""
        due = min((notice.due for notice in self._notices.values()), default=None)
        seconds = None if due is None else max(0.0, due - self._clock())
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._news.wait()


def _profile(connection: TunnelConnection) -> Profile:
    """Return the present profile of a connected device; what cannot be read has nothing installed."""
    try:
        return read_profile(connection.headers.profile)
    except HeaderMalformed:
        return {}
