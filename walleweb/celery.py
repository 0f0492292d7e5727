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

# How often an idle worker asks PostgreSQL for messages.
POLLING_SECONDS = 0.1
BEAT_WATCH_SECONDS = 2.0


class WalleCelery(Celery):
    """Celery whose `celery report`, which people paste into issues, shows no password within an address."""

    def bugreport(self) -> str:
        return redact_text(super().bugreport())


app = WalleCelery("walle")
app.config_from_object("django.conf:settings", namespace="CELERY")


@setup_logging.connect
def use_django_logging(**_signal: Any) -> None:
    """Django has configured the logs; a receiver here keeps Celery from doing it again."""


@worker_init.connect
def tune_broker(**_signal: Any) -> None:
    """What kombu's SQLAlchemy transport takes from nowhere but its class.

    How often it polls, and what a lost connection looks like: one that breaks amid a poll is no reason for a worker
    to end, and one that was given up while the database was gone no reason for beat to do without for ever.
    """
    from amqp import RecoverableConnectionError
    from kombu.transport.sqlalchemy import Transport
    from sqlalchemy.exc import OperationalError, PendingRollbackError

    Transport.polling_interval = POLLING_SECONDS
    # The stubs take the errors that the class begins with for all that it may have.
    lost = (OperationalError, PendingRollbackError, RecoverableConnectionError)
    Transport.connection_errors = lost  # type: ignore[assignment]


@worker_process_init.connect
def begin_process(**_signal: Any) -> None:
    from jobs_app.broker import forget_inherited_connections

    forget_inherited_connections()


@beat_embedded_init.connect
def end_with_worker(**_signal: Any) -> None:
    """The beat process inside a worker ends with it, even when the worker is killed."""
    set_pdeathsig("SIGKILL")
    # Whose worker was killed before this would hear of no death any more.
    if os.getppid() != current_process()._parent_pid:  # type: ignore[attr-defined]  # the stubs leave it out
        os._exit(os.EX_SOFTWARE)


@worker_ready.connect
def watch_beat(sender: Any, **_signal: Any) -> None:
    """A worker whose beat process has died ends, and whoever keeps it running starts both: nobody else sweeps."""
    beat = getattr(sender.controller, "beat", None)
    if beat is not None:
        sender.timer.call_repeatedly(BEAT_WATCH_SECONDS, _end_unless_alive, (beat,))


@worker_ready.connect
def begin_signs(sender: Any, **_signal: Any) -> None:
    """From now on the worker says that it lives (jobs_app.presence), until it ends."""
    from jobs_app.presence import Presence

    presence = Presence(",".join(sorted(sender.app.amqp.queues.consume_from)))
    presence.start()
    worker_shutdown.connect(lambda **_signal: presence.stop(), weak=False)


def _end_unless_alive(beat: Any) -> None:
    from celery.worker import state

    if not beat.is_alive():
        state.should_stop = os.EX_SOFTWARE  # type: ignore[assignment]  # the stubs know its first value, None, only
