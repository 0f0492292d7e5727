"""Make one move of a release: a compare-and-set with its transition row, its audit row and the clock of its stage."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import structlog
from django.db import transaction

from accounts_app.actors import SYSTEM, Actor
from accounts_app.services.audit import record
from devices_app.scopes import app_scope
from releases_app.models import Release, Stage, Transition
from releases_app.selectors.progress import stage_seconds
from tasks_app.models import TaskVersion
from tasks_app.scopes import scenario_scope
from walle.release.states import ReleaseAction, ReleasePosition, ReleaseState, move

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Cause:
    """Why a release moves: who or what makes the move, for which reason, on what evidence, and when."""

    actor: Actor
    now: datetime
    reason: str = ""
    evidence: Mapping[str, Any] = field(default_factory=dict)


class ReleaseConflict(Exception):
    """The release is not in the state that the caller saw: read it again, then decide again."""


def scope_of(version: TaskVersion) -> str:
    """Return the scope in which the permission to move a version's releases is held."""
    return scenario_scope(version.task.scenario.slug)


def record_by_system(release: Release, action: str, after: Mapping[str, Any]) -> None:
    """Record in the audit log what Walle found out about a release by itself, with where the release is."""
    record(
        actor=SYSTEM,
        action=action,
        target=release,
        scope=scope_of(release.version),
        also=[app_scope(release.app.slug)],
        after={"state": release.state, "position": release.position, **after},
    )


def check_expected(release: Release, expected: Mapping[str, Any]) -> None:
    """Raise ReleaseConflict unless the release has the state and the position that the caller expects."""
    if any(getattr(release, name) != value for name, value in expected.items()):
        seen = ", ".join(f"{name} {value}" for name, value in expected.items())
        raise ReleaseConflict(f"{release} is no longer in the state that you saw ({seen}): somebody else moved it")


def move_release(release: Release, action: ReleaseAction, cause: Cause, **columns: Any) -> None:
    """Move a release on from its state in `release`, inside the caller's transaction.

    `columns` are further values to be set with the move. Raises MoveRefused if the move is impossible from that state,
    and ReleaseConflict if it is no longer in that state.
    """
    before = release.current
    after = move(before, action, release.parsed_strategy.outline)
    columns |= {"state": after.state, "position": after.position, "resumes": after.resumes or ""}
    columns |= _clock(release, before, after, cause.now)
    seen = Release.objects.filter(pk=release.pk, state=before.state, position=before.position)
    if not seen.update(**columns):
        raise ReleaseConflict(f"{release} is no longer {_describe(before)}: somebody else moved it")
    for name, value in columns.items():
        setattr(release, name, value)
    _turn_stage(release, before, after, cause.now)
    _write_down(release, action, before, after, cause)


def note_early(release: Release, action: ReleaseAction, cause: Cause) -> None:
    """Write to the audit log that a move skips what the stage waits for, and at which stages."""
    here = release.position or 0
    end = len(release.parsed_strategy.stages) if action == ReleaseAction.COMPLETE else here + 1
    record(
        actor=cause.actor,
        action=f"release.{action}-early",
        target=release,
        scope=scope_of(release.version),
        also=[app_scope(release.app.slug)],
        before={"state": release.state, "position": release.position},
        after={"skipped": list(range(here, end)), "reason": cause.reason},
    )


def _clock(release: Release, before: ReleasePosition, after: ReleasePosition, now: datetime) -> dict[str, Any]:
    """Return the changes of the stage's clock: a new stage resets it, a pause stops it, an end leaves it as it is."""
    if after.state == ReleaseState.RUNNING and after.position != before.position:
        return {"clock_s": 0.0, "clock_since": _opening(release, now)}
    if after.state == ReleaseState.RUNNING:
        # A resumed release gets another grace period: of the time it has waited, only its soak time counts.
        dwelt = min(release.clock_s, release.parsed_strategy.stages[after.position or 0].dwell_s)
        return {"clock_s": dwelt, "clock_since": _opening(release, now)}
    return {"clock_s": stage_seconds(release, now), "clock_since": None}


def _opening(release: Release, now: datetime) -> datetime | None:
    window = release.parsed_strategy.window
    return now if window is None or window.is_open(now) else None


def _turn_stage(release: Release, before: ReleasePosition, after: ReleasePosition, now: datetime) -> None:
    """Record when stages are entered and left."""
    stages = Stage.objects.filter(release=release)
    enters = after.state == ReleaseState.RUNNING and before.position != after.position
    leaves = enters or after.state not in (ReleaseState.RUNNING, ReleaseState.PAUSED)
    if leaves and before.position is not None:
        stages.filter(position=before.position, left_at=None).update(left_at=now)
    if enters and after.position is not None:
        stages.filter(position=after.position).update(entered_at=now)


def _write_down(
    release: Release, action: ReleaseAction, before: ReleasePosition, after: ReleasePosition, cause: Cause
) -> None:
    bound = log.bind(release=release.pk, app=release.app.slug, version=str(release.version), actor=cause.actor.name)
    words = {"before": _describe(before), "after": _describe(after), "reason": cause.reason}
    transaction.on_commit(lambda: bound.info("release moved", action=action, **words), robust=True)
    Transition.objects.create(
        release=release,
        action=action,
        before=before.state,
        after=after.state,
        position_before=before.position,
        position_after=after.position,
        actor_name=cause.actor.name,
        user=cause.actor.account,
        reason=cause.reason,
        evidence=dict(cause.evidence),
        at=cause.now,
    )
    record(
        actor=cause.actor,
        action=f"release.{action}",
        target=release,
        scope=scope_of(release.version),
        also=[app_scope(release.app.slug)],
        before={"state": before.state, "position": before.position},
        after={"state": after.state, "position": after.position, "reason": cause.reason},
    )


def _describe(position: ReleasePosition) -> str:
    return str(position.state) if position.position is None else f"{position.state} in stage {position.position}"
