"""Database work beside the event loop: one thread for each kind, so that quick ones do not wait for slow ones."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import psycopg
from django.db import DatabaseError, InterfaceError, connection

Result = TypeVar("Result")


class DatabaseAway(Exception):
    """The database could not be asked; it may be back the next time."""


class DatabaseThread:
    """Runs work in one thread. A connection of the pool is held only during work."""

    def __init__(self, name: str) -> None:
        self._executor = ThreadPoolExecutor(1, thread_name_prefix=name)

    async def run(self, work: Callable[[], Result]) -> Result:
        """Raises DatabaseAway, and whatever else the work raises."""
        return await asyncio.get_running_loop().run_in_executor(self._executor, _guarded, work)


def _guarded(work: Callable[[], Result]) -> Result:
    try:
        return work()
    except (DatabaseError, InterfaceError, psycopg.Error) as error:
        connection.close()
        raise DatabaseAway(str(error).strip() or type(error).__name__) from error
    finally:
        if connection.pool is not None:
            connection.close()
