"""Celery's application: it only carries wake-ups (see jobs_app), through Redis or PostgreSQL.

Its settings are the CELERY_ ones of walleweb.settings.
"""

import os
from typing import Any

from celery import Celery
from celery.platforms import set_pdeathsig
from celery.signals import beat_embedded_init, setup_logging, worker_init, worker_process_init

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "walleweb.settings")

# How often an idle worker asks PostgreSQL for messages.
POLLING_SECONDS = 0.1

app = Celery("walle")
app.config_from_object("django.conf:settings", namespace="CELERY")


@setup_logging.connect
def use_django_logging(**_signal: Any) -> None:
    """Django has configured the logs; a receiver here keeps Celery from doing it again."""


@worker_init.connect
def poll_often(**_signal: Any) -> None:
    """kombu's SQLAlchemy transport takes its polling interval from nowhere but the class."""
    from kombu.transport.sqlalchemy import Transport

    Transport.polling_interval = POLLING_SECONDS


@worker_process_init.connect
def begin_process(**_signal: Any) -> None:
    from jobs_app.broker import forget_inherited_connections

    forget_inherited_connections()


@beat_embedded_init.connect
def end_with_worker(**_signal: Any) -> None:
    """The beat process inside a worker ends with it, even when the worker is killed."""
    set_pdeathsig("SIGKILL")
