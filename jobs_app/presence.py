"""Signs of life of workers: a row for each process, renewed from a thread of its own.

A worker whose process hangs, or that cannot reach the database, gives no sign.
"""

import os
import socket
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

import structlog
from django.db import DatabaseError, connection
from django.utils import timezone

from jobs_app.models import Worker
from jobs_app.worker_thread import WorkerThread

SIGN_EVERY: Final = timedelta(seconds=10)
GONE_AFTER: Final = timedelta(seconds=30)
FORGOTTEN_AFTER: Final = timedelta(days=1)

log = structlog.get_logger(__name__)


def this_host() -> str:
    return socket.gethostname()[:120]


def record_sign(*, queue: str, started_at: datetime, now: datetime) -> None:
    """Record that this process lives; deletes processes that have been gone for a day."""
    Worker.objects.update_or_create(
        host=this_host(),
        pid=os.getpid(),
        defaults={"queue": queue, "started_at": started_at, "seen_at": now},
    )
    Worker.objects.filter(seen_at__lt=now - FORGOTTEN_AFTER).delete()


def remove_sign() -> None:
    """Record that this process ends."""
    Worker.objects.filter(host=this_host(), pid=os.getpid()).delete()


class Presence(WorkerThread):
    """Gives signs of life until it is stopped."""

    def __init__(self, queue: str, clock: Callable[[], datetime] = timezone.now) -> None:
        super().__init__("presence")
        self._queue, self._clock, self._started_at = queue, clock, clock()

    def _run(self) -> None:
        while True:
            self._try(lambda: record_sign(queue=self._queue, started_at=self._started_at, now=self._clock()))
            if self._stop.wait(SIGN_EVERY.total_seconds()):
                self._try(remove_sign)
                return

    def _try(self, work: Callable[[], None]) -> None:
        try:
            work()
        except DatabaseError as error:
            log.warning("no sign of life given", error=str(error).strip())
        finally:
            # Closed in between: the worker forks, and a child must not close its parent's connection.
            connection.close()
