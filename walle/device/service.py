"""The interface between the agent and the services of a device, which run concurrently."""

from __future__ import annotations

import asyncio
from typing import Protocol


class Wake:
    """Lets one event loop sleep until a time has passed or any thread wakes it."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._event = asyncio.Event()

    def up(self) -> None:
        """End the present `wait`, or else the next one."""
        if self._loop is None or self._loop.is_closed():
            self._event.set()
        else:
            self._loop.call_soon_threadsafe(self._event.set)

    async def wait(self, seconds: float) -> None:
        self._loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(seconds):
                await self._event.wait()
        except TimeoutError:
            return
        self._event.clear()


class DeviceService(Protocol):
    """One thing that a device does concurrently with others, such as checking in, running tasks or sending reports.

    The agent calls every method in the thread of its event loop. It never calls two methods of one service at once, but
    the turns of different services are concurrent: anything that takes long is awaited, or done in another thread.

    Any method may raise any Exception. It is logged and reported to the app as an `error`; the service still gets its
    next turn, and the other services are not affected.

    The process may be killed in the middle of any method, and then no further one is called. State that must survive is
    written to the store in such an order that `recover`, in the next process, can determine how far the service came.

    Subclasses need not define `recover` and `stop` if they have no use for them.
    """

    wake: Wake
    """Wakes this service from any thread when there is something to do.

    `wake.up()` neither waits nor raises. The next turn begins as soon as none is in progress; several calls before it
    lead to one turn, and a call during a turn leads to another one, so that none is lost. It does not survive the
    process.
    """

    def recover(self) -> None:
        """Repair what the previous process left incomplete.

        Called once, before any service has its first turn, for one service after the other in the order of the list. If
        the process is killed meanwhile, the next one calls it again from the beginning, so it must be idempotent.
        """
        return

    async def turn(self) -> float | None:
        """Do what is due; return the seconds until the next turn, None if there is nothing to do until it is woken.

        The next turn may come sooner, and comes within a minute in any case: a turn with nothing to do must be cheap.
        After an exception it comes within seconds. A device that is being stopped waits a few seconds for the turns in
        progress, and then cancels them.
        """

    async def once(self) -> None:
        """Do all that there is to do now, whatever the pace, and return when nothing is in progress any more.

        Called instead of turns, for one service after the other in the order of the list.
        """

    async def stop(self) -> None:
        """End the work in progress and release resources.

        Called once, when the last turns of all services have ended, for one service after the other in the order of the
        list: each may still hand work to later ones. It is not called if the process is killed, so nothing may depend
        on it.
        """
        return
