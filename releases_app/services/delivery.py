"""Check whether a scenario may deliver to an app, and whether it may complete early there.

The app's owners grant both, to scenarios and not to people (ADR 0016). Everything by which a version comes to an app's
devices is checked here; `services.delivery_grants` writes the grants.
"""

from datetime import datetime
from typing import Final

from accounts_app.actors import Actor
from accounts_app.permissions import Permission, require_of_token
from devices_app.models import App
from devices_app.scopes import app_scope
from releases_app.exceptions import DeliveryNotAllowed
from releases_app.models import Release
from releases_app.selectors.delivery import grant_between
from releases_app.selectors.judgement import judge_stage
from tasks_app.models import Scenario, Task, TaskVersion
from walle.release.states import IN_FORCE, ReleaseAction, ReleaseState
from walle.release.strategy import Strategy
from walle.release.subjects import subjects_of

SKIPS: Final = frozenset({ReleaseAction.PROMOTE, ReleaseAction.COMPLETE})
"""The moves that leave a stage; made by hand before it has passed, they skip what it waits for."""


def check_may_deliver(app: App, scenario: Scenario) -> None:
    """Raise DeliveryNotAllowed unless the app's owners allow it; that holds for staff and for the system too."""
    if grant_between(app, scenario) is None:
        raise DeliveryNotAllowed(scenario.slug, app.slug)


def check_return(task: Task) -> None:
    """Raise DeliveryNotAllowed if a retired task would come back to an app that its scenario may not deliver to."""
    in_force = Release.objects.filter(version__task=task, state__in=[*IN_FORCE], position__isnull=False)
    barred = in_force.exclude(app__delivery_grants__scenario=task.scenario_id).select_related("app").first()
    if barred:
        why = f"{barred} would come back with its task (roll it back first, or have it allowed)"
        raise DeliveryNotAllowed(task.scenario.slug, barred.app.slug, why=why)


def check_strategy(app: App, version: TaskVersion, plan: Strategy, actor: Actor) -> None:
    """Raise for a strategy that reaches most devices before any has reported, unless that is allowed."""
    if actor.user is not None and not plan.waits_for_evidence:
        who = subjects_of(version.kind).many
        why = f"this strategy reaches more than half of the {who} before any has to report"
        _check_may_be_early(app, version, actor, why)


def check_not_early(release: Release, action: ReleaseAction, actor: Actor, now: datetime) -> bool:
    """Return whether a person's move skips what the stage waits for; raises unless that is allowed.

    Anybody who may release can move on from a stage that has passed: the reconciliation would do so anyway. The system
    itself only ever makes the move that is due.
    """
    if actor.user is None or action not in SKIPS or not _is_early(release, action, now):
        return False
    _check_may_be_early(release.app, release.version, actor, "its stage has not passed yet")
    return True


def _is_early(release: Release, action: ReleaseAction, now: datetime) -> bool:
    present = Release.objects.select_related("app", "version__task__scenario").get(pk=release.pk)
    if present.state != ReleaseState.RUNNING or present.position != release.position:
        return False  # the move is impossible from there
    return judge_stage(present, now).step.action != action


def _check_may_be_early(app: App, version: TaskVersion, actor: Actor, why: str) -> None:
    require_of_token(actor, Permission.COMPLETE_EARLY, app_scope(app.slug))
    scenario = version.task.scenario
    grant = grant_between(app, scenario)
    if grant is None or not grant.complete_early:
        raise DeliveryNotAllowed(scenario.slug, app.slug, why=why, early=True)
