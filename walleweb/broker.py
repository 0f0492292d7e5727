"""Whether this process can reach the broker, for /readyz and /metrics; that is tried once a second at most."""

import asyncio
import time
from collections.abc import Callable
from typing import Final

from jobs_app.broker_health import broker_problem

REMEMBERED_S: Final = 1.0


class BrokerReading:
    """The last answer; `monotonic` returns seconds."""

    def __init__(
        self, problem: Callable[[], str] = broker_problem, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._problem, self._monotonic = problem, monotonic
        self._asking: asyncio.Task[str] | None = None
        self._found_at = float("-inf")

    async def problem(self) -> str:
        """Return why the broker cannot be reached; "" if it can. Concurrent callers share one question."""
        if self._asking is None or self._monotonic() - self._found_at >= REMEMBERED_S:
            self._found_at = self._monotonic()
            self._asking = asyncio.create_task(asyncio.to_thread(self._problem))
        return await asyncio.shield(self._asking)
