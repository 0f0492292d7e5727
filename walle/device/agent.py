"""Gives the services of a device their turns, side by side, and keeps what goes wrong in one from the others.

A long download thus delays no run, and a failing server no report. Which services there are is not known here;
`walle.device.assembly` puts the usual ones together.
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

T = TypeVar("T")


class Agent:
    """Construct it, then `await run()` in a loop of its own, or `await once()`.

    Everything happens in the thread of its event loop; only `stop` may be called from any thread. What the services may
    rely on is said by DeviceService.
    """

    def __init__(self, services: Sequence[DeviceService], *, on_notice: NoticeHandler = ignore) -> None:
        self._services, self._tell = tuple(services), on_notice
        self._stopping = False
        self._recovered = False

    def stop(self) -> None:
        """Ends `run` soon; any thread."""
        self._stopping = True
        for service in self._services:
            service.wake.up()

    async def run(self) -> None:
        """Lives until `stop`. What is in progress is then ended; what is kept for later waits for next time."""
        self.recover()
        try:
            async with asyncio.TaskGroup() as lives:
                for service in self._services:
                    lives.create_task(self._live(service))
        finally:
            await asyncio.create_task(self._stop_services())

    async def once(self) -> None:
        """Has each service do everything that there is to do now."""
        self.recover()
        for service in self._services:
            await self._guarded(service, service.once)

    def recover(self) -> None:
        """Makes good what the previous process left undone; the first call counts."""
        if self._recovered:
            return
        self._recovered = True
        for service in self._services:
            try:
                service.recover()
            except Exception as error:
                self._failed(service, error)

    async def _live(self, service: DeviceService) -> None:
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
            self._failed(service, error)  # not this task was cancelled, but one that the service waited for
        return _AFTER_ERROR_S

    def _failed(self, service: DeviceService, error: BaseException) -> None:
        log.error("%s failed", type(service).__name__, exc_info=error)
        self._tell(Notice("error", f"{type(error).__name__}: {error}"))
