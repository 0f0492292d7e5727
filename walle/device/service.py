"""What a device does side by side, each thing as a service, and the agent's contract with all of them."""

from __future__ import annotations

import asyncio
from typing import Protocol


class Wake:
    """Lets one event loop sleep until a time has passed or any thread says that there is something to do."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._event = asyncio.Event()

    def up(self) -> None:
        """Ends a `wait`, the present one or else the next."""
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
    """One thing that a device does beside others, such as checking in, running tasks or sending reports.

    The agent calls every method, in the thread of its event loop. It never calls two of one service at once, but the
    turns of different services go on side by side: whatever takes long is awaited, or done in a thread of its own.

    Any method may raise any Exception. It is logged and told to the app as an `error`; the service gets its next turn
    all the same, and the other services do not notice.

    The process may be killed in the middle of any method, and then no further one is called. What must outlast that is
    written to the store in such an order that `recover`, in the next process, can tell how far it came.

    A class that names this one as its base need not define what it has no use for in `recover` and `stop`.
    """

    wake: Wake
    """How anybody, in any thread, tells this service that there is something to do.

    `wake.up()` neither waits nor raises. The next turn begins as soon as none is in progress, and is one turn for
    however many calls; a call during a turn leads to another turn, so that none is lost. A kill forgets it.
    """

    def recover(self) -> None:
        """Make good what the previous process left undone.

        Called once, before any service has its first turn, for one service after the other in the order of the list.
        Killed in the middle, it is called again from its beginning by the next process, so it must bear repetition.
        """
        return

    async def turn(self) -> float | None:
        """Do what is due; the seconds until the next turn, None if there is nothing until somebody wakes it.

        The next turn may come sooner, and comes within a minute in any case: a turn with nothing to do costs nothing.
        After an exception it comes within seconds. A device that is being stopped waits for the turns in progress.
        """

    async def once(self) -> None:
        """Do all that there is to do now, whatever the pace, and return when nothing is in progress any more.

        Called instead of turns, for one service after the other in the order of the list.
        """

    async def stop(self) -> None:
        """End what is in progress, and let go of what is open.

        Called once, when the last turns of all services have ended, for one service after the other in the order of
        the list: each may still hand something to those behind it. A kill leaves it out, so nothing may depend on it.
        """
        return
