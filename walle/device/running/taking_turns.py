"""Runs of one event loop wait here until it is their turn, on one device or, shared, on many."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from walle.device.running.turns import ACTIVITIES, AppActivity, Priority, Ticket, TurnQueue


class Turns:
    """At most `parallel` runs at a time, in the order of TurnQueue.

    Everything happens in the thread of one event loop; only `app_is` may be called from any thread. `monotonic` gives
    seconds of a clock that nobody sets.
    """

    def __init__(self, parallel: int, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._queue, self._monotonic = TurnQueue(parallel), monotonic
        self._called: dict[Ticket, asyncio.Future[None]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._loop_lock = threading.Lock()

    @asynccontextmanager
    async def turn(self, priority: Priority, *, cold: bool) -> AsyncIterator[None]:
        """Waits for a turn, which lasts as long as the block. Whoever is cancelled meanwhile waits no longer."""
        with self._loop_lock:
            self._loop = asyncio.get_running_loop()
        ticket = self._queue.join(priority, self._monotonic(), cold=cold)
        called = self._called[ticket] = self._loop.create_future()
        self._call()
        try:
            await called
            yield
        finally:
            del self._called[ticket]
            self._queue.leave(ticket)
            self._call()

    def app_is(self, activity: AppActivity) -> None:
        """What the app is doing from now on. Runs in progress go on; raises ValueError for another word."""
        if activity not in ACTIVITIES:
            raise ValueError(f"expected one of {', '.join(ACTIVITIES)}, found {activity!r}")
        with self._loop_lock:
            if self._loop is None or self._loop.is_closed():
                self._queue.activity = activity  # nobody waits yet, or any more
            else:
                self._loop.call_soon_threadsafe(self._set_activity, activity)

    def _set_activity(self, activity: AppActivity) -> None:
        self._queue.activity = activity
        self._call()

    def _call(self) -> None:
        for ticket in self._queue.admit():
            if not (called := self._called[ticket]).done():  # else it was cancelled and is about to leave
                called.set_result(None)
