"""Housekeeping of jobs_app."""

from datetime import timedelta

from django.conf import settings
from django.db import connection

from jobs_app import services
from jobs_app.registry import job, periodic
from jobs_app.runner import JobRun

RETENTION = timedelta(days=14)


@periodic(seconds=3600)
@job("jobs.delete-finished")
def delete_finished(run: JobRun) -> dict[str, int]:
    """Delete jobs that finished two weeks ago."""
    return {"deleted": services.delete_finished(before=run.clock() - RETENTION)}


@periodic(seconds=600)
@job("jobs.delete-delivered-messages")
def delete_delivered_messages(run: JobRun) -> dict[str, int]:
    """Delete messages that the PostgreSQL broker has delivered or that have expired."""
    if not settings.CELERY_BROKER_URL.startswith("walle+"):
        return {"deleted": 0}
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM kombu_message WHERE NOT visible")
        return {"deleted": cursor.rowcount}
