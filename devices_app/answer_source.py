"""The answer source of the control plane's own gateways: every gateway hears of every answer."""

import asyncio
import contextlib
import re
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from devices_app.gateway import database_thread
from devices_app.listening import announcements
from devices_app.selectors.answers import answers_between, answers_for
from devices_app.services.answers import CHANNEL, delete_delivered
from walle.gateway.ports import PendingAnswer

_IDS: Final = re.compile(r"([0-9]{1,18})-([0-9]{1,18})")
_EVERY: Final = (0, 2**62)


class PostgresAnswerSource:
    """Reads the answers whose ids PostgreSQL announces. `clock` returns Unix seconds.

    Whenever it begins to listen, after a lost connection too, it reads all that have not expired: so an answer may come
    twice, but none is missed.
    """

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._thread = database_thread("walle-answers")
        self._announced: list[tuple[int, int]] = []
        self._news = asyncio.Event()
        self._listener: asyncio.Task[None] | None = None

    async def next(self) -> Sequence[PendingAnswer]:
        """Return the answers that are new since the last call, of any device; waits for one. Raises PortUnavailable."""
        if self._listener is None:
            self._listener = asyncio.create_task(self._listen())
        while True:
            await self._news.wait()
            first, last = self._announced[0]
            found, following = await self._thread.run(partial(answers_between, first, last, now=self._clock()))
            self._announced[:1] = [(following, last)] if following is not None else []
            if not self._announced:
                self._news.clear()
            if found:
                return found

    async def pending(self, app: str, device: str) -> Sequence[PendingAnswer]:
        """Return the answers that a device waits for. Raises PortUnavailable."""
        return await self._thread.run(lambda: answers_for(app, device, now=self._clock()))

    async def delivered(self, answers: Sequence[PendingAnswer]) -> None:
        """Forget answers that their devices have. Raises PortUnavailable."""
        await self._thread.run(lambda: delete_delivered(answers))

    async def close(self) -> None:
        if self._listener is not None:
            self._listener.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._listener
        await self._thread.close()

    async def _listen(self) -> None:
        async for payload in announcements(CHANNEL):
            ids = _IDS.fullmatch(payload) if payload is not None else None
            self._add((int(ids[1]), int(ids[2])) if ids else _EVERY)

    def _add(self, ids: tuple[int, int]) -> None:
        """Add ids to those that are to be read; one reading serves all that wait behind the present one."""
        if len(self._announced) > 1:
            first, last = self._announced.pop()
            ids = min(first, ids[0]), max(last, ids[1])
        self._announced.append(ids)
        self._news.set()
