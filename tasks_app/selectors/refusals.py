"""Ask what runs versions whether it refuses one: a version that runs nowhere is not released."""

from kit.contributing import contributed_objects
from tasks_app.models import TaskVersion


def refusal_of(version: TaskVersion) -> str:
    """Return why what would run a version refuses it; "" if nothing does, or nobody has tried it yet."""
    return next(filter(None, (find(version) for find in contributed_objects("refusals"))), "")
