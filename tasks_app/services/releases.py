"""Creating releases and moving them from state to state.

Every move is a compare-and-set on the state, with its transition row, its audit row and the newly published
table in the same transaction: all of it happened, or none.
"""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction

from accounts_app.actors import SYSTEM, Actor
from accounts_app.permissions import Permission, require
from accounts_app.scopes import scenario_scope
from accounts_app.services.audit import record
from devices_app.models import App, AppVersion
from devices_app.services.revisions import lock_publication
from tasks_app.models import Release, Stage, TaskVersion, Transition
from tasks_app.services.tables import publish_app
from walle.release.rules import uniform
from walle.release.states import LIVE, ReleaseAction, ReleaseState, move


@dataclass(frozen=True)
class Cause:
    """Why a release moves: who or what made it, for which reason, on what evidence, and when."""

    actor: Actor
    now: datetime
    reason: str = ""
    evidence: Mapping[str, Any] = field(default_factory=dict)


class ReleaseConflict(Exception):
    """The release is not in the state that the caller saw: look again, then decide again."""


@transaction.atomic
def create_release(
    *, app: App, version: TaskVersion, app_versions: Sequence[str], actor: Actor, now: datetime
) -> Release:
    """A draft release of a version to all devices of these versions of the app. Raises ValidationError."""
    scope = _scope(version)
    require(actor, Permission.RELEASE, scope)
    _check_target(app, version, app_versions)
    release = Release.objects.create(
        app=app,
        version=version,
        rule=uniform(sorted(set(app_versions))),
        salt=secrets.token_bytes(16),
        created_by=actor.name,
        created_at=now,
    )
    Stage.objects.create(release=release, position=0, kind=Stage.Kind.FULL)
    record(actor=actor, action="release.create", target=release, scope=scope, after={"rule": release.rule})
    return release


@transaction.atomic
def act(
    *,
    release: Release,
    action: ReleaseAction,
    actor: Actor,
    now: datetime,
    reason: str = "",
    evidence: Mapping[str, Any] | None = None,
) -> Release:
    """Moves a release on from the state that `release` shows, and publishes what follows from it.

    Raises MoveRefused when the state does not allow the action, and ReleaseConflict when somebody else has
    moved the release meanwhile.
    """
    scope = _scope(release.version)
    halts = action in (ReleaseAction.PAUSE, ReleaseAction.ABORT)
    require(actor, Permission.HALT if halts else Permission.RELEASE, scope)
    lock_publication()
    _move(release, action, Cause(actor, now, reason, evidence or {}))
    if action == ReleaseAction.START:
        _check_not_retired(release.version)
        _supersede_covered(release, now)
    publish_app(release.app, now=now)
    return release


def _move(release: Release, action: ReleaseAction, cause: Cause) -> None:
    before = ReleaseState(release.state)
    after = move(before, action)
    if not Release.objects.filter(pk=release.pk, state=before).update(state=after):
        raise ReleaseConflict(f"{release} is no longer {before}: somebody else moved it")
    release.state = after
    Transition.objects.create(
        release=release,
        action=action,
        before=before,
        after=after,
        actor_name=cause.actor.name,
        user=cause.actor.user if isinstance(cause.actor.user, User) else None,
        reason=cause.reason,
        evidence=dict(cause.evidence),
        at=cause.now,
    )
    record(
        actor=cause.actor,
        action=f"release.{action}",
        target=release,
        scope=_scope(release.version),
        before={"state": before},
        after={"state": after, "reason": cause.reason},
    )


def _supersede_covered(release: Release, now: datetime) -> None:
    """Ends older releases of the task whose app versions this one covers; the others go on beside it."""
    covered = set(release.rule["in"])
    older = Release.objects.filter(
        app=release.app, version__task=release.version.task, state__in=LIVE, pk__lt=release.pk
    ).select_related("version__task__scenario")
    for candidate in older:
        if set(candidate.rule["in"]) <= covered:
            cause = Cause(SYSTEM, now, f"superseded by {release}", {"release": release.pk})
            _move(candidate, ReleaseAction.SUPERSEDE, cause)


def _check_target(app: App, version: TaskVersion, app_versions: Sequence[str]) -> None:
    _check_not_retired(version)
    if not app_versions:
        raise ValidationError({"app_versions": "expected at least one version of the app"})
    known = set(AppVersion.objects.filter(app=app).values_list("version", flat=True))
    unknown = sorted(set(app_versions) - known)
    if unknown:
        has = ", ".join(sorted(known)) or "none"
        raise ValidationError({"app_versions": f"{app.slug} has no version {', '.join(unknown)}; it has {has}"})


def _check_not_retired(version: TaskVersion) -> None:
    if version.task.retired_at:
        raise ValidationError({"version": f"{version.task.name} is retired: bring it back first"})


def _scope(version: TaskVersion) -> str:
    return scenario_scope(version.task.scenario.slug)
