"""Celery's application: it only carries wake-ups (see jobs_app), through Redis or PostgreSQL.

Its settings are the CELERY_ ones of walleweb.settings.
"""

import os
from typing import Any

from billiard.process import current_process
from celery import Celery
from celery.platforms import set_pdeathsig  # type: ignore[attr-defined]  # the stubs leave it out
from celery.signals import (
    beat_embedded_init,
    setup_logging,
    worker_init,
    worker_process_init,
    worker_ready,
    worker_shutdown,
)

from walleweb.logs import redact_text

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "walleweb.settings")

# How often an idle worker polls PostgreSQL for messages, in seconds.
POLLING_SECONDS = 0.1
BEAT_WATCH_SECONDS = 2.0


class WalleCelery(Celery):
    """Celery whose `celery report`, which people paste into issues, redacts passwords in addresses."""

    def bugreport(self) -> str:
        return redact_text(super().bugreport())


app = WalleCelery("walle")
app.config_from_object("django.conf:settings", namespace="CELERY")


@setup_logging.connect
def use_django_logging(**_signal: Any) -> None:
    """Keep Celery from configuring the logs, which Django has done already."""


@worker_init.connect
def tune_broker(**_signal: Any) -> None:
    """Configure kombu's SQLAlchemy transport through its class, the only way it allows.

    This sets how often it polls, and which errors mean a lost connection: a connection that breaks during a poll must
    not end a worker, and one that was closed while the database was away must not stop beat for ever.
    """
    from amqp import RecoverableConnectionError
    from kombu.transport.sqlalchemy import Transport
    from sqlalchemy.exc import OperationalError, PendingRollbackError

    Transport.polling_interval = POLLING_SECONDS
    # The type stubs consider the initial errors of the class complete.
    lost = (OperationalError, PendingRollbackError, RecoverableConnectionError)
    Transport.connection_errors = lost  # type: ignore[assignment]


@worker_process_init.connect
def begin_process(**_signal: Any) -> None:
    from jobs_app.broker import forget_inherited_connections

    forget_inherited_connections()


@beat_embedded_init.connect
def end_with_worker(**_signal: Any) -> None:
    """End the beat process inside a worker with the worker, even when that is killed."""
    set_pdeathsig("SIGKILL")
    # If the worker was killed before this call, no signal will come.
    if os.getppid() != current_process()._parent_pid:  # type: ignore[attr-defined]  # the stubs leave it out
        os._exit(os.EX_SOFTWARE)


@worker_ready.connect
def watch_beat(sender: Any, **_signal: Any) -> None:
    """End a worker whose beat process has died, so that its supervisor restarts both: nobody else sweeps."""
    process = getattr(sender.controller, "beat", None)
    if process is not None:
        sender.timer.call_repeatedly(BEAT_WATCH_SECONDS, _end_unless_alive, (process,))


@worker_ready.connect
def begin_signs(sender: Any, **_signal: Any) -> None:
    """Start the signs of life of this worker (jobs_app.presence), until it ends."""
    from jobs_app.presence import Presence

    presence = Presence(",".join(sorted(sender.app.amqp.queues.consume_from)))
    presence.start()
    worker_shutdown.connect(lambda **_signal: presence.stop(), weak=False)


def _end_unless_alive(process: Any) -> None:
    from celery.worker import state

    if not process.is_alive():
        state.should_stop = os.EX_SOFTWARE  # type: ignore[assignment]  # the stubs know its first value, None, only
