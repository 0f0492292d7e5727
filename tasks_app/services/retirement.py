"""Retire tasks, which then accept no new versions and are removed from devices, and unretire them."""

from datetime import datetime

from django.db import transaction

from accounts_app.actors import Actor
from accounts_app.permissions import Permission, require
from accounts_app.services.audit import record
from devices_app.services.revisions import lock_publication
from tasks_app.models import Task
from tasks_app.scopes import scenario_scope
from tasks_app.signals import task_changed, task_returns


@transaction.atomic
def retire_task(*, actor: Actor, task: Task, now: datetime) -> Task:
    """Withdraw a task from devices with the next table; retiring again changes nothing."""
    return _set_retired_at(actor, task, now, now, "task.retire")


@transaction.atomic
def unretire_task(*, actor: Actor, task: Task, now: datetime) -> Task:
    """Let a task be released again; its releases decide what devices get.

    Raises the objection of a receiver of `task_returns`, such as DeliveryNotAllowed.
    """
    return _set_retired_at(actor, task, None, now, "task.unretire")


def _set_retired_at(actor: Actor, task: Task, moment: datetime | None, now: datetime, action: str) -> Task:
    scope = scenario_scope(task.scenario.slug)
    require(actor, Permission.RETIRE, scope)
    lock_publication()
    row = Task.objects.select_related("scenario").select_for_update(of=("self",)).get(pk=task.pk)
    if (row.retired_at is None) == (moment is None):
        return row
    if moment is None:
        task_returns.send(Task, task=row)
    before, row.retired_at = row.retired_at, moment
    row.save(update_fields=["retired_at"])
    facts = {"before": {"retired_at": before}, "after": {"retired_at": moment}}
    record(actor=actor, action=action, target=row, scope=scope, **facts)
    task_changed.send(Task, task=row, now=now)
    return row
