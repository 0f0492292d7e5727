"""An agent in a thread of its own, for apps without an event loop, or with one that they do not share."""

from __future__ import annotations

import asyncio
import logging
import threading
from types import TracebackType
from typing import Self

from walle.device.assembly import AssembledDevice

log = logging.getLogger(__name__)


class BackgroundAgent:
    """Runs a device's agent in a daemon thread from `start` to `stop`, and closes its HTTP client at the end.

    device = Device(store, cloud, ...)
    with BackgroundAgent(device):
        client = httpx.Client(transport=WalleTransport(device.check_ins, httpx.HTTPTransport(), origins=[...]))
    """

    def __init__(self, device: AssembledDevice) -> None:
        self._device = device
        self._thread = threading.Thread(target=self._run, name="walle-agent", daemon=True)

    def start(self) -> Self:
        self._thread.start()
        return self

    def stop(self, timeout: float = 10.0) -> None:
        """End the agent and wait for its thread, for at most `timeout` seconds."""
        self._device.agent.stop()
        if self._thread.is_alive():
            self._thread.join(timeout)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _run(self) -> None:
        try:
            asyncio.run(self._run_agent())
        except Exception:
            log.exception("the agent ended; the app goes on without it")

    async def _run_agent(self) -> None:
        try:
            await self._device.agent.run()
        finally:
            await self._device.cloud.client.aclose()
