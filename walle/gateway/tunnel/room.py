"""A budget of bytes in memory, whose users wait in turn while it is used up."""

from __future__ import annotations

import asyncio


class Room:
    """Counts bytes in use. Who waits may then take more than is left, once: the next one waits until that is given."""

    __slots__ = ("_waiting", "most", "used")

    def __init__(self, most: int) -> None:
        self.most = most
        self.used = 0
        self._waiting: dict[asyncio.Future[None], None] = {}

    async def wait(self) -> None:
        """Return when there is room; take it before anything else is awaited."""
        if self.used < self.most and not self._waiting:
            return
        loop = asyncio.get_running_loop()
        turn = loop.create_future()
        self._waiting[turn] = None
        self._wake()
        try:
            await turn
        finally:
            self._waiting.pop(turn, None)
            # Runs after the present one has taken its part, or was cancelled.
            loop.call_soon(self._wake)

    def take(self, size: int) -> None:
        self.used += size

    def give(self, size: int) -> None:
        self.used -= size
        self._wake()

    def _wake(self) -> None:
        if self.used < self.most:
            first = next(iter(self._waiting), None)
            if first is not None and not first.done():
                first.set_result(None)
