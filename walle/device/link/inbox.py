"""Waking a loop from any thread, and the answers that arrive in an app's threads on their way to it."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final

from walle.device.link.cloud import Answer

LIMIT: Final = 16
"""Answers kept; of more, the oldest are forgotten, for the newest says what holds now."""


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


class Inbox:
    """A queue that any thread may fill and one event loop empties."""

    def __init__(self) -> None:
        self._answers: deque[Answer] = deque(maxlen=LIMIT)
        self.wake = Wake()

    def put(self, answer: Answer) -> None:
        self._answers.append(answer)
        self.wake.up()

    def take(self) -> list[Answer]:
        taken = []
        while self._answers:
            taken.append(self._answers.popleft())
        return taken
