"""Let the cloud halves of all tasks answer the features that come in, side by side: none waits for a slow one."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime, timedelta
from functools import partial
from typing import Final

import structlog
from django.db import connection

from devices_app.services.consumers import consume
from tasks_app.selectors.cloud_models import cloud_consumers, waiting_consumers
from tasks_app.services.answering import AsksCloudHalves, answer_batch

AT_ONCE: Final = 4
"""So many tasks are answered at a time; of the others, those that have waited longest come next."""
TURN: Final = timedelta(seconds=1)
"""After so long a task gives way to others, however many features of it are left."""
_LIMIT: Final = 256
_LOOK_S: Final = 0.05
_LONGEST_LOOK_S: Final = 0.4
"""Between two looks at whether a task is done: twice as long after each in vain. Features for another end the wait."""

log = structlog.get_logger(__name__)


class CloudConsumers:
    """The consumers of the features of tasks that have a cloud half.

    `wait` returns when features may have come, at the latest after so many seconds.
    """

    def __init__(
        self, halves: AsksCloudHalves, *, clock: Callable[[], datetime], wait: Callable[[float], None]
    ) -> None:
        self._halves, self._clock, self._wait = halves, clock, wait
        self._running: dict[str, Future[int]] = {}
        self.read = 0
        self.failed: dict[str, str] = {}

    def run(self, *, going_on: Callable[[bool, bool], bool]) -> None:
        """Answer what comes as long as `going_on` says so, told whether features were read and whether more are being.

        Begins with a look at all consumers, which moves them past the features of other tasks.
        """
        names, seen, pause = cloud_consumers(), 0, _LOOK_S
        with ThreadPoolExecutor(AT_ONCE, "walle-cloud-half") as threads:
            while True:
                for name in names:
                    if name not in self._running:
                        self._running[name] = threads.submit(partial(self._consume, name))
                self._collect()
                seen, before = self.read, seen
                if not going_on(seen > before, bool(self._running)):
                    break
                pause = _LOOK_S if seen > before else min(2 * pause, _LONGEST_LOOK_S)
                self._wait(pause if self._running else 1.0)
                names = [name for name in waiting_consumers(self._clock()) if name not in self.failed]
        self._collect()

    def _collect(self) -> None:
        for name, future in list(self._running.items()):
            if future.done():
                del self._running[name]
                if error := future.exception():
                    log.warning("features are not answered", consumer=name, reason=str(error))
                    self.failed[name] = str(error)
                else:
                    self.read += future.result()

    def _consume(self, name: str) -> int:
        """Read what there is for one consumer, or as much as a turn allows.

        In a thread of the pool, with a connection of its own.
        """
        total, until = 0, self._clock() + TURN
        try:
            while read := consume(name, partial(answer_batch, self._halves, clock=self._clock), limit=_LIMIT):
                total += read
                if self._clock() >= until:
                    break
        finally:
            connection.close()
        return total
