"""Gauges: one database read per watched stream, sent to all its subscribers."""

import asyncio
from functools import partial
from typing import Final

import structlog

from live_app import lookups
from live_app.counts import COUNTS
from live_app.lookups import DatabaseAway, database_thread
from live_app.loops import wait
from live_app.streams import NEVER, Stream, Streams

APART_S: Final = 0.5
"""Minimum seconds between two reads of a gauge."""
SHARE: Final = 3
"""Maximum share of time spent reading gauges: after a read, it rests three times as long."""
REST_S: Final = 1.0
"""Maximum seconds of rest."""

log = structlog.get_logger(__name__)


class Gauges:
    """The gauges of all streams of one hub."""

    def __init__(self, streams: Streams) -> None:
        self._streams = streams
        self._thread = database_thread("gauges")
        self._due = asyncio.Event()
        self._loop = asyncio.get_running_loop()

    def wake(self) -> None:
        """Notice that a stream may be due."""
        self._due.set()

    def request(self, stream: Stream) -> None:
        """Make a stream due soon, because its gauge may have changed."""
        stream.due = min(stream.due, stream.read_at + APART_S)
        self._due.set()

    async def run(self) -> None:
        """Read and send gauges for ever, one after the other, when due."""
        while True:
            self._due.clear()
            stream = min(self._streams, key=lambda each: each.due, default=None)
            now = self._loop.time()
            if stream is None or stream.due > now:
                await wait(self._due, None if stream is None else stream.due - now)
                continue
            await self._send(stream)
            took = self._loop.time() - now
            COUNTS.gauge_s.observe(took)
            if all(each.read_at > NEVER for each in self._streams):
                await asyncio.sleep(min(SHARE * took, REST_S))

    async def _send(self, stream: Stream) -> None:
        began = self._loop.time()
        stream.read_at, stream.due = began, began + stream.topic.every_s
        try:
            value = await self._thread.run(partial(lookups.gauge, stream.topic, stream.audience))
        except DatabaseAway:
            took = self._loop.time() - began
            stream.due = began + 2 * took + REST_S
            return
        except Exception:
            log.exception("gauge cannot be read", topic=stream.topic.name)
            stream.due = began + 10 * REST_S
            return
        stream.fresh_at = began
        if value != stream.value:
            stream.value = value
            for client in list(stream.subscriptions):
                client.show(stream.topic.name, value)
