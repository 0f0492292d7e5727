"""Delivers answers to the connected devices that wait for them.

Devices do not acknowledge answers. One that was sent counts as delivered once its connection has lasted for a while
longer; if it ended before, the answer is sent again over the next one, and the device passes over what it has already.
A device is sent no more at a time than may wait for it: the rest once it has taken that.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, NamedTuple, Protocol

from walle.gateway.ports import AnswerSource, PendingAnswer, PortUnavailable
from walle.gateway.tunnel.connections import Connections, TunnelConnection
from walle.gateway.tunnel.counts import TunnelCounts
from walle.protocol.tunnel_frames import Answer

log = logging.getLogger(__name__)

SETTLE_S: Final = 5.0
"""Seconds for which a connection must last after an answer was sent."""
AGAIN_S: Final = 1.0

Key = tuple[str, str, bytes, int]


class ForgettingAnswerSource(AnswerSource, Protocol):
    """A source that keeps answers until it hears that they were delivered."""

    async def delivered(self, answers: Sequence[PendingAnswer]) -> None:
        """Forget answers that their devices have. Raises PortUnavailable."""


class _Sent(NamedTuple):
    at: float
    connection: TunnelConnection
    answer: PendingAnswer


class Answers:
    """The answers of one gateway's connections. `clock` returns Unix seconds, `monotonic` monotonic ones."""

    def __init__(
        self,
        source: ForgettingAnswerSource,
        connections: Connections,
        counts: TunnelCounts,
        *,
        clock: Callable[[], float],
        monotonic: Callable[[], float],
    ) -> None:
        self._source, self._connections, self._counts = source, connections, counts
        self._clock, self._monotonic = clock, monotonic
        self._sent: dict[Key, _Sent] = {}
        self._connected: deque[TunnelConnection] = deque()
        self._full: dict[TunnelConnection, None] = {}
        self._news = asyncio.Event()

    def connected(self, connection: TunnelConnection) -> None:
        """A device has connected: send it soon what it still waits for."""
        self._connected.append(connection)
        self._news.set()

    async def run(self) -> None:
        """Deliver answers, to those who connect too, and forget delivered ones; closes the source in the end."""
        try:
            async with asyncio.TaskGroup() as together:
                for work in (self._deliver_next, self._deliver_pending, self._forget_delivered):
                    together.create_task(self._for_ever(work))
        finally:
            await self._source.close()

    async def _for_ever(self, work: Callable[[], Awaitable[None]]) -> None:
        while True:
            try:
                await work()
            except PortUnavailable as error:
                log.warning("answers wait: %s", error)
                await asyncio.sleep(AGAIN_S)
            except Exception:
                # No error may end this loop: without it no answer would reach a device.
                log.exception("answers wait")
                await asyncio.sleep(AGAIN_S)

    async def _deliver_next(self) -> None:
        for answer in await self._source.next():
            self._deliver(answer)

    async def _deliver_pending(self) -> None:
        self._news.clear()
        while self._connected:
            connection = self._connected[0]
            if self._connections.of(connection.app, connection.device) is connection:
                for answer in await self._source.pending(connection.app, connection.device):
                    self._deliver(answer)
            self._connected.popleft()
        await self._news.wait()

    def _deliver(self, answer: PendingAnswer) -> None:
        """Send an answer if its device is connected here, with the spool that it is about, and still waits for it."""
        connection = self._connections.of(answer.app, answer.device)
        if connection is None or connection.spool != answer.spool or answer.expires <= self._clock():
            return
        key = answer[:4]
        if key in self._sent and self._sent[key].connection is connection:
            return
        if not connection.has_room(len(answer.body)):
            self._full[connection] = None
            return
        connection.send(Answer(answer.sequence, answer.status, answer.body))
        self._sent.pop(key, None)  # so that the order is that of the times
        self._sent[key] = _Sent(self._monotonic(), connection, answer)
        self._counts.answers += 1

    async def _forget_delivered(self) -> None:
        await asyncio.sleep(AGAIN_S)
        for connection in [each for each in self._full if each.is_idle or each.ending]:
            del self._full[connection]
            self.connected(connection)
        settled = self._settled()
        if settled:
            await self._source.delivered(settled)

    def _settled(self) -> list[PendingAnswer]:
        """Return what was sent long enough ago over connections that are still there, and forget all of that age."""
        until = self._monotonic() - SETTLE_S
        old = list(itertools.takewhile(lambda item: item[1].at <= until, self._sent.items()))
        for key, _ in old:
            del self._sent[key]
        return [sent.answer for _, sent in old if self._connections.of(*sent.answer[:2]) is sent.connection]
