"""Waiting and restarting of the hub's loops."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Final

import structlog

from live_app.lookups import DatabaseAway

AGAIN_S: Final = 0.5

log = structlog.get_logger(__name__)


async def wait(event: asyncio.Event, seconds: float | None) -> None:
    """Wait until the event is set or the time is over."""
    # Not wait_for, which may swallow that the task is cancelled.
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()


async def for_ever(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run work for ever, restarting it after any failure; wait while the database is unavailable."""
    failing = False
    while True:
        try:
            await work()
        except DatabaseAway as error:
            if not failing:
                log.warning("live channel waits for the database", work=work.__qualname__, error=str(error))
            failing = True
        except Exception:
            log.exception("live channel begins again", work=work.__qualname__)
        await asyncio.sleep(AGAIN_S)
