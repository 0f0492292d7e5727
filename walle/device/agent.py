"""The agent of a device: it calls the turns of all services concurrently and isolates the errors of each.

So a long download delays no run, and a failing server no report. The agent does not know which services there are;
`walle.device.assembly` creates the usual ones.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeVar

from walle.device.notices import Notice, NoticeHandler, ignore
from walle.device.service import DeviceService

log = logging.getLogger(__name__)

_IDLE_S: Final = 60.0
_AFTER_ERROR_S: Final = 5.0
LAST_TURN_S: Final = 3.0
"""Seconds after `stop` for which turns in progress are waited for: a server may take for ever to answer."""

T = TypeVar("T")


class Agent:
    """Runs services. Construct it, then `await run()` in an event loop of its own, or `await once()`.

    Everything happens in the thread of its event loop; only `stop` may be called from any thread. DeviceService says
    what services may rely on.
    """

    def __init__(self, services: Sequence[DeviceService], *, on_notice: NoticeHandler = ignore) -> None:
        self._services, self._on_notice = tuple(services), on_notice
        self._stopping = False
        self._recovered = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._living: list[asyncio.Task[None]] = []

    def stop(self) -> None:
        """Make `run` end soon. May be called from any thread."""
        self._stopping = True
        for service in self._services:
            service.wake.up()
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._loop.call_later, LAST_TURN_S, self._end_turns)

    def _end_turns(self) -> None:
        for living in self._living:
            living.cancel()

    async def run(self) -> None:
        """Run until `stop`. Work in progress is then ended; what is stored is continued by the next process."""
        self._loop = asyncio.get_running_loop()
        self.recover()
        try:
            async with asyncio.TaskGroup() as group:
                self._living = [group.create_task(self._run_service(service)) for service in self._services]
        finally:
            await asyncio.create_task(self._stop_services())

    async def once(self) -> None:
        """Have each service do everything that there is to do now."""
        self.recover()
        for service in self._services:
            await self._guarded(service, service.once)

    def recover(self) -> None:
        """Repair what the previous process left incomplete; only the first call has an effect."""
        if self._recovered:
            return
        self._recovered = True
        for service in self._services:
            try:
                service.recover()
            except Exception as error:
                self._failed(service, error)

    async def _run_service(self, service: DeviceService) -> None:
        while not self._stopping:
            wait = await self._guarded(service, service.turn)
            if not self._stopping:
                await service.wake.wait(_IDLE_S if wait is None else min(wait, _IDLE_S))

    async def _stop_services(self) -> None:
        for service in self._services:
            await self._guarded(service, service.stop)

    async def _guarded(self, service: DeviceService, act: Callable[[], Awaitable[T]]) -> T | float:
        try:
            return await act()
        except Exception as error:
            self._failed(service, error)
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            # Another task, which the service waited for, was cancelled, and not this one.
            self._failed(service, error)
        return _AFTER_ERROR_S

    def _failed(self, service: DeviceService, error: BaseException) -> None:
        log.error("%s failed", type(service).__name__, exc_info=error)
        self._on_notice(Notice("error", f"{type(error).__name__}: {error}"))
