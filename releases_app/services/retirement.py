"""Update the tables of apps when a task is retired or unretired."""

from datetime import datetime
from typing import Any

from releases_app.services import delivery
from releases_app.services.tables import publish_for_task
from tasks_app.models import Task


def check_return(*, task: Task, **_signal: Any) -> None:
    """Raise DeliveryNotAllowed while a task would come back to an app that its scenario may not deliver to any more."""
    delivery.check_return(task)


def publish_changed(*, task: Task, now: datetime, **_signal: Any) -> None:
    """Publish the tables that name the task."""
    publish_for_task(task, now=now)
