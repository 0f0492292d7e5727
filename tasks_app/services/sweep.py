"""Register versions of pushes whose registration was interrupted, and keep repositories small."""

from dataclasses import dataclass, field
from datetime import datetime

import structlog

from accounts_app.actors import SYSTEM
from tasks_app.exceptions import TasksError
from tasks_app.models import Scenario, TaskVersion
from tasks_app.repository import Repository
from tasks_app.services.registration import follow_branches, register_version

log = structlog.get_logger(__name__)


@dataclass
class Swept:
    """The result of a sweep: versions registered, and those it could not register, with the reason."""

    registered: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    busy: bool = False


def sweep_repository(*, scenario: Scenario) -> Swept:
    """Register every tag that has no row.

    Leaves a repository alone while a push is being decided or applied: that push registers its own tags.
    """
    swept = Swept()
    with Repository(scenario.slug) as repository, repository.exclusive_if_free() as free:
        swept.busy = not free
        if free:
            follow_branches(actor=SYSTEM, scenario=scenario, repository=repository)
            for task, version in sorted(repository.version_tags().keys() - _registered(scenario)):
                _register(swept, scenario, task, version, repository)
    return swept


def pack_repository(*, scenario: Scenario, now: datetime) -> bool:
    """Pack what pushes brought and delete what killed pushes left behind; return False if a push was in progress."""
    with Repository(scenario.slug) as repository, repository.exclusive_if_free() as free:
        if free:
            repository.collect_garbage(now)
        return free


def _registered(scenario: Scenario) -> set[tuple[str, str]]:
    rows = TaskVersion.objects.filter(task__scenario=scenario)
    return set(rows.values_list("task__slug", "version"))


def _register(swept: Swept, scenario: Scenario, task: str, version: str, repository: Repository) -> None:
    name = f"{scenario.slug}/{task} {version}"
    try:
        register_version(actor=SYSTEM, scenario=scenario, task=task, version=version, repository=repository)
        swept.registered.append(name)
        log.info("registered in a sweep", version=name)
    except TasksError as error:
        swept.failed[name] = str(error)
        log.warning("cannot register", version=name, reason=str(error))
