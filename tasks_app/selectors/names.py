"""What devices_app, which lies below, is told of versions (devices_app.versions)."""

from tasks_app.models import TaskVersion
from walle.protocol.names import split_task_name


def manifest_of(task: str, version: str) -> str | None:
    """The digest of a version's manifest; None where there is no such version."""
    scenario, slug = split_task_name(task)
    found = TaskVersion.objects.filter(task__scenario__slug=scenario, task__slug=slug, version=version)
    return found.values_list("manifest_digest", flat=True).first()
