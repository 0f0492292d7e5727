"""Read which dictionary a task has."""

from tasks_app.models import FeatureDictionary
from walle.protocol.names import split_task_name


def newest_dictionary(task: str) -> FeatureDictionary | None:
    """Return the newest dictionary of a task, by its full name."""
    scenario, slug = split_task_name(task)
    return FeatureDictionary.objects.filter(task__scenario__slug=scenario, task__slug=slug).first()
