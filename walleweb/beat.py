"""Celery's scheduler with a log that people can read while the broker is away."""

import logging
from typing import Any

from celery.beat import Scheduler, SchedulingError
from kombu.exceptions import OperationalError

log = logging.getLogger(__name__)


class BeatScheduler(Scheduler):
    """Says once that the broker is away and once that it is back, where Celery logs a traceback for every message.

    Nothing is lost meanwhile: workers find what is due in the database by themselves (jobs_app.worker_step).
    """

    _broker_is_away = False

    def apply_entry(self, entry: Any, producer: Any = None) -> None:
        try:
            self.apply_async(entry, producer=producer, advance=False)
        except SchedulingError as error:
            if not isinstance(error.__context__, OperationalError):
                log.exception("%s was not sent", entry.name)
            elif not self._broker_is_away:
                self._broker_is_away = True
                log.error("the broker is away, workers look for themselves what is due: %s", error.__context__)
        else:
            if self._broker_is_away:
                self._broker_is_away = False
                log.warning("the broker is back")
