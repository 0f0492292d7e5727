"""Which tasks have a cloud half, and whose features wait for it."""

from typing import Final

from django.db import connection

from jobs_app.models import Job, JobState
from tasks_app.models import TaskVersion

CLOUD_MODELS: Final = "cloud-models"
"""The kind of jobs that answer features; the consumer of a task's features is `cloud-models/<the task's key>`."""

# One that failed is tried again after a while, so that it is not tried all the time.
_WAITING: Final = """
SELECT consumer.name FROM devices_app_featureconsumer consumer
WHERE consumer.name LIKE %s AND (consumer.failures = 0 OR consumer.failed_at < now() - interval '10 seconds')
    AND EXISTS (
        SELECT FROM devices_app_feature feature
        WHERE feature.task = consumer.task AND (feature.xid, feature.id) > (consumer.xid, consumer.feature)
            AND feature.xid < pg_snapshot_xmin(pg_current_snapshot())
    )
ORDER BY consumer.name
"""


def consumer_of(task: int) -> str:
    """Return the name of the consumer of a task's features, by the task's primary key."""
    return f"{CLOUD_MODELS}/{task}"


def tasks_with_cloud_halves() -> dict[str, str]:
    """Return the tasks of which a version has a cloud half: their names, by those of their consumers."""
    versions = TaskVersion.objects.filter(cloud__isnull=False).order_by()
    found = versions.values_list("task_id", "task__scenario__slug", "task__slug").distinct()
    return {consumer_of(key): f"{scenario}/{slug}" for key, scenario, slug in found}


def waiting_consumers() -> list[str]:
    """Return the consumers for which features are there that they have not read."""
    with connection.cursor() as cursor:
        cursor.execute(_WAITING, [f"{CLOUD_MODELS}/%"])
        return [name for (name,) in cursor.fetchall()]


def is_due() -> bool:
    """Return whether features wait, and no job answers them already."""
    running = Job.objects.filter(kind=CLOUD_MODELS, state=JobState.RUNNING)
    return not running.exists() and bool(waiting_consumers())
