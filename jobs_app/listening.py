"""Enqueue jobs when PostgreSQL announces that there is something to do for them, from a thread of a worker.

An announcement may get lost, as behind a pooler of transactions: such kinds are periodic as well.
"""

from collections.abc import Iterator
from typing import Any, Final

import psycopg
import structlog
from django.db import DatabaseError, connection

from jobs_app import registry, services
from jobs_app.worker_thread import WorkerThread

MOST_OFTEN_S: Final = 0.05
"""Seconds between two looks at whether there is something to do, however many announcements come."""
_LOOK_S: Final = 2.0
_RETRY_S: Final = 2.0

log = structlog.get_logger(__name__)


class AnnouncementListener(WorkerThread):
    """Listens until it is stopped."""

    def __init__(self) -> None:
        super().__init__("announcements")

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self._listen()
            except DatabaseError as error:
                log.info("not listening for announcements, trying again", reason=str(error))
                self._stop.wait(_RETRY_S)
            finally:
                connection.close()

    def _listen(self) -> None:
        listen(_channels())
        heard = _channels()
        while not self._stop.is_set():
            enqueue_announced(heard)
            self._stop.wait(MOST_OFTEN_S)
            heard = set(announcements(_LOOK_S))


def enqueue_announced(channels: set[str]) -> list[str]:
    """Enqueue the kinds of jobs that these channels announce and that have something to do; return their names."""
    due = [kind for kind in registry.known_kinds() if kind.announced and kind.announced.channel in channels]
    names = [kind.name for kind in due if kind.announced and kind.announced.is_due()]
    for name in names:
        services.enqueue(kind=name, dedupe_key=f"announced:{name}")
    return names


def listen(channels: set[str]) -> None:
    """Listen for channels on this thread's connection to the database, until `unlisten`, or until it is closed."""
    with connection.cursor() as cursor:
        for channel in sorted(channels):
            cursor.execute(f"LISTEN {connection.ops.quote_name(channel)}")


def unlisten() -> None:
    """Listen for nothing any more on this thread's connection to the database."""
    with connection.cursor() as cursor:
        cursor.execute("UNLISTEN *")


def announcements(seconds: float) -> Iterator[str]:
    """Wait for an announcement, so many seconds at most; yield the channels of those that have come."""
    driver: Any = connection.connection
    try:
        for found in driver.notifies(timeout=seconds, stop_after=1):
            yield found.channel
    except psycopg.Error as error:
        raise DatabaseError(str(error)) from error


def _channels() -> set[str]:
    return {kind.announced.channel for kind in registry.known_kinds() if kind.announced}
