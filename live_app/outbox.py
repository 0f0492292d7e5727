"""The queue of messages to one client.

Events and answers keep their order and are all sent; of gauges only the latest. So a slow client misses no event and
gets fewer gauges. One that lets too many events wait is given up: it can come back and go on after its last cursor.
"""

import asyncio
from collections import deque
from typing import Final

from live_app.counts import COUNTS

MOST_WAITING: Final = 1000
MOST_CHARACTERS: Final = 4 << 20
_FRAME: Final = 256 << 10
"""Maximum characters of a frame."""


class MessageQueue:
    """The queue of one client; not thread-safe, for one event loop."""

    def __init__(self) -> None:
        self.overflown = False
        self._ordered: deque[tuple[str, str, int]] = deque()
        self._gauges: dict[str, str] = {}
        self._messages = self._size = 0
        self._room = asyncio.Event()
        self._room.set()

    @property
    def waiting(self) -> bool:
        return bool(self._ordered or self._gauges)

    def put(self, topic: str, message: str, messages: int = 1) -> None:
        """Add an event, an answer, or several events as separate lines; `topic` may be empty."""
        self._ordered.append((topic, message, messages))
        self._messages += messages
        self._size += len(message)
        if self._messages > MOST_WAITING or self._size > MOST_CHARACTERS:
            self.overflown = True
        self._room.clear()

    def put_gauge(self, topic: str, message: str) -> None:
        """Add a gauge, replacing the waiting one."""
        if topic in self._gauges:
            COUNTS.coalesced += 1
        self._gauges[topic] = message

    def forget(self, topic: str) -> None:
        """Remove the waiting messages of a topic."""
        self._gauges.pop(topic, None)
        self._ordered = deque(each for each in self._ordered if each[0] != topic)
        self._messages = sum(messages for _, _, messages in self._ordered)
        self._size = sum(len(message) for _, message, _ in self._ordered)

    def clear(self) -> None:
        self._ordered.clear()
        self._gauges.clear()
        self._messages = self._size = 0
        self._room.set()

    def take(self) -> str:
        """Remove and return the text of the next frame; empty if nothing waits."""
        taken: list[str] = []
        size = messages = 0
        while self._ordered and size < _FRAME:
            _, message, number = self._ordered.popleft()
            taken.append(message)
            size += len(message)
            messages += number
        self._size -= size
        self._messages -= messages
        if not self._ordered:
            self._room.set()
            taken += self._gauges.values()
            messages += len(self._gauges)
            self._gauges.clear()
        COUNTS.messages += messages
        return "\n".join(taken)

    async def has_room(self) -> None:
        """Wait until no event is waiting."""
        await self._room.wait()
