from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate

from kit.contributing import contributed_modules


class JobsConfig(AppConfig):
    """Durable jobs: rows with leases, whose workers are only woken by Celery messages."""

    name = "jobs_app"
    verbose_name = "Jobs"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        post_migrate.connect(_prepare_broker, sender=self)
        # Importing the modules registers their functions.
        list(contributed_modules("jobs"))


def _prepare_broker(*, using: str, **_signal: Any) -> None:
    from jobs_app.broker import create_broker_tables

    create_broker_tables(using=using)
