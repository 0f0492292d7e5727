"""The runs of one triggered task: one at a time, in the order of its triggers, and only so many waiting."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final

from walle.device.link.backoff import Backoff
from walle.stream.processor import Firing

WAITING: Final = 16
"""The most triggers of a task that wait for its run; then the oldest is shed, as what a user did last matters most."""


FAILED_OFTEN: Final = 3
"""After so many failures in a row a task rests, since each costs a new VM."""
_REST: Final = Backoff(base=1.0, cap=60.0)


class TriggerLane:
    """Runs one task for its triggers. `run` makes one run and returns whether it succeeded, None if there was none.

    Everything is in one event loop. `monotonic` gives seconds of a clock that nobody sets. `run` must not raise.
    """

    def __init__(
        self,
        run: Callable[[Firing], Awaitable[bool | None]],
        *,
        monotonic: Callable[[], float],
        limit: int = WAITING,
    ) -> None:
        self._run, self._monotonic, self._limit = run, monotonic, limit
        self._waiting: deque[Firing] = deque()
        self._worker: asyncio.Task[None] | None = None
        self._failures = 0
        self._rests_until = 0.0

    def add(self, firing: Firing) -> int:
        """Run the task for this trigger when its turn comes; return how many triggers were shed, this one or older."""
        if self._failures >= FAILED_OFTEN and self._monotonic() < self._rests_until:
            return 1
        self._waiting.append(firing)
        if self._worker is None or self._worker.done():
            self._worker = asyncio.create_task(self._work())
        if len(self._waiting) <= self._limit:
            return 0
        self._waiting.popleft()
        return 1

    def renew(self) -> None:
        """Another version takes over: what the one before did is no reason to rest."""
        self._failures = 0

    def clear(self) -> int:
        """Give up the triggers that wait; return how many."""
        count = len(self._waiting)
        self._waiting.clear()
        return count

    async def settle(self) -> None:
        """Wait until nothing runs and nothing waits."""
        while self._worker is not None and not self._worker.done():
            await asyncio.wait([self._worker])

    async def stop(self) -> None:
        """Give up what waits, and cancel the run in progress."""
        self.clear()
        if self._worker is not None:
            self._worker.cancel()
        await self.settle()

    async def _work(self) -> None:
        while self._waiting:
            succeeded = await self._run(self._waiting.popleft())
            if succeeded is not None:
                self._failures = 0 if succeeded else self._failures + 1
                self._rests_until = self._monotonic() + _REST.ceiling(self._failures - FAILED_OFTEN + 1)
