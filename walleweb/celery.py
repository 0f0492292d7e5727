"""Celery's application: it only carries wake-ups (see jobs_app), through Redis or PostgreSQL.

Its settings are the CELERY_ ones of walleweb.settings.
"""

import os
from typing import Any

from billiard.process import current_process
from celery import Celery
from celery.app.amqp import AMQP
from celery.platforms import set_pdeathsig  # type: ignore[attr-defined]  # the stubs leave it out
from celery.signals import (
    beat_embedded_init,
    setup_logging,
    task_postrun,
    task_prerun,
    worker_init,
    worker_process_init,
    worker_ready,
)
from kombu import Connection
from kombu.transport import TRANSPORT_ALIASES

from walleweb.logs import redact_text

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "walleweb.settings")
# Django's checks load every address and view, of which a worker uses none; tests/walleweb/test_checks.py runs them.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

# The PostgreSQL broker's name in addresses (walleweb.databases). It is slow to load, so only who needs it loads it.
TRANSPORT_ALIASES["walle"] = "jobs_app.broker_transport:NotifiedTransport"
BEAT_WATCH_SECONDS = 2.0
# Seconds between attempts to reach a broker that is away.
RECONNECTING = {"interval_start": 0.5, "interval_step": 0.5, "interval_max": 2}
# How long tasks of a worker's process use the same connection to the database.
CONNECTION_SECONDS = 600


class PromptConnection(Connection):
    """A broker's connection that is opened again within two seconds once that is possible, not half a minute."""

    def ensure_connection(self, *args: Any, **options: Any) -> Any:
        return super().ensure_connection(*args, **{**RECONNECTING, **options})


class WalleAMQP(AMQP):
    """Celery's connections, opened promptly."""

    Connection = PromptConnection


class WalleCelery(Celery):
    """Celery whose `celery report`, which people paste into issues, redacts passwords in addresses."""

    amqp_cls = "walleweb.celery:WalleAMQP"

    def bugreport(self) -> str:
        return redact_text(super().bugreport())


app = WalleCelery("walle")
app.config_from_object("django.conf:settings", namespace="CELERY")


@worker_init.connect
def add_threads(sender: Any, **_signal: Any) -> None:
    """Give a worker its threads (jobs_app.worker_step), which other processes need not load."""
    from jobs_app.worker_step import WorkerThreads

    sender.app.steps["worker"].add(WorkerThreads)


@setup_logging.connect
def use_django_logging(**_signal: Any) -> None:
    """Keep Celery from configuring the logs, which Django has done already."""


@worker_process_init.connect
def begin_process(**_signal: Any) -> None:
    from jobs_app.broker import forget_inherited_connections

    forget_inherited_connections()
    _keep_database_connection()


def _keep_database_connection() -> None:
    """Let tasks of this process share a connection to the database for a while, unless a pool does already.

    Celery itself would close it after each task, or keep it although it is broken (CELERY_DB_REUSE_MAX).
    """
    from django.db import close_old_connections, connection

    if not connection.settings_dict["OPTIONS"].get("pool"):
        connection.settings_dict["CONN_MAX_AGE"] = CONNECTION_SECONDS
    for signal in (task_prerun, task_postrun):
        signal.connect(lambda **_signal: close_old_connections(), weak=False)


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


def _end_unless_alive(process: Any) -> None:
    from celery.worker import state

    if not process.is_alive():
        state.should_stop = os.EX_SOFTWARE  # type: ignore[assignment]  # the stubs know its first value, None, only
