"""Run database work beside an event loop: one thread per kind, so that quick work does not wait for slow work."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

import psycopg
from django.db import DatabaseError, InterfaceError, connection

Result = TypeVar("Result")

DATABASE_FAILURES: Final = (DatabaseError, InterfaceError, psycopg.Error)
"""The exceptions of Django and its driver when the database is unavailable."""


class DatabaseThread:
    """A thread for database work. A failure of the database raises `unavailable` and renews the connection.

    The connection is the thread's own and is kept from one work to the next, or it is given back to the pool after each
    where `pooled`.
    """

    def __init__(self, name: str, *, unavailable: type[Exception], pooled: bool = False) -> None:
        self._unavailable, self._pooled = unavailable, pooled
        self._executor = ThreadPoolExecutor(
            1, thread_name_prefix=name, initializer=None if pooled else _connect_outside_pool
        )

    async def run(self, work: Callable[[], Result]) -> Result:
        """Run work in the thread; raises `unavailable`, and whatever else the work raises."""
        return await asyncio.get_running_loop().run_in_executor(self._executor, self._guarded, work)

    async def close(self) -> None:
        await asyncio.get_running_loop().run_in_executor(self._executor, _close_connection)
        self._executor.shutdown(wait=False)

    def _guarded(self, work: Callable[[], Result]) -> Result:
        try:
            return work()
        except DATABASE_FAILURES as error:
            connection.close()
            raise self._unavailable(str(error).strip() or type(error).__name__) from error
        finally:
            if self._pooled and getattr(connection, "pool", None) is not None:
                connection.close()


def _connect_outside_pool() -> None:
    """Have this thread open a connection of its own: one that is kept would be missing from the pool for ever."""
    options = {name: value for name, value in connection.settings_dict["OPTIONS"].items() if name != "pool"}
    connection.settings_dict = {**connection.settings_dict, "OPTIONS": options}


def _close_connection() -> None:
    # `connection` is another object in every thread: this one's is looked up here.
    connection.close()
