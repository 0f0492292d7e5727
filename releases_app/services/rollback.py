"""Preview a rollback: nothing is written."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, TypedDict

from django.db.models import QuerySet

from accounts_app.actors import Actor
from releases_app.models import Release
from releases_app.selectors.releases import ENDED_MIDWAY, releases_visible_to
from releases_app.services.quarantine import is_quarantined
from releases_app.services.supersession import releases_after_rollback
from tasks_app.selectors.installed import devices_having
from walle.release.rules import covers
from walle.release.states import UNFINISHED, ReleaseState

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations


@dataclass(frozen=True)
class RollbackPlan:
    """The effects of rolling back a release now; its version goes into quarantine, unless it is there already.

    `goes_back_to` are the complete releases that decide about its devices then, the newest first; if they do not decide
    about all of them, some `lose_it`: the task is removed from them. `devices` of the app have the version now, from
    any release. Of other releases of the version, as far as the actor sees them: devices have it through those
    `withdrawn`, which the quarantine ends; those `held` are in progress, and stop.
    """

    release: Release
    is_quarantined: bool
    goes_back_to: list[Release]
    lose_it: bool
    devices: int
    counted_at: datetime | None
    withdrawn: list[Release]
    held: list[Release]


def plan_rollback(*, release: Release, actor: Actor, now: datetime) -> RollbackPlan:
    """Return the effects of rolling back a release, whether or not that is possible from its state."""
    known_bad = is_quarantined(release.version)
    complete = _complete(release)
    restored, barred = releases_after_rollback(release)
    remaining = [each for each in complete if each.app_id == release.app_id and each.pk != release.pk]
    goes_back_to = list(_deciding(release, [*remaining, *restored]))
    having = devices_having(release.app, release.version, now=now)
    others = [] if known_bad else list(_others(release, actor))
    return RollbackPlan(
        release=release,
        is_quarantined=known_bad,
        goes_back_to=goes_back_to,
        lose_it=not any(covers(each.eligible_rule, release.eligible_rule) for each in goes_back_to),
        devices=having.devices,
        counted_at=having.counted_at,
        withdrawn=[each for each in others if each in barred or _stays_on_devices(each, complete)],
        held=[each for each in others if each.state in UNFINISHED],
    )


class Ending(TypedDict):
    """How a release ended."""

    ended_midway: bool


def _others(release: Release, actor: Actor) -> "QuerySet[WithAnnotations[Release, Ending]]":
    seen = releases_visible_to(actor).filter(version=release.version, version__task__retired_at=None)
    return seen.exclude(pk=release.pk).annotate(ended_midway=ENDED_MIDWAY)


def _complete(release: Release) -> list[Release]:
    """Return the complete releases of the task, to all apps; none if the task is retired."""
    found = Release.objects.filter(version__task=release.version.task_id, version__task__retired_at=None)
    return list(found.filter(state=ReleaseState.COMPLETE).select_related("version").defer("version__manifest"))


def _deciding(release: Release, complete: Iterable[Release]) -> Iterator[Release]:
    """Yield the complete releases that decide about devices of a release, up to the first that decides about all."""
    for older in sorted(complete, key=lambda each: -each.pk):
        if not covers({"not": older.eligible_rule}, release.eligible_rule):
            yield older
        if covers(older.eligible_rule, release.eligible_rule):
            return


def _stays_on_devices(release: "WithAnnotations[Release, Ending]", complete: Iterable[Release]) -> bool:
    """Return whether a release ended midway and its devices keep its version (selectors.releases.releases_in_force)."""
    if not release.ended_midway or release.position is None:
        return False
    newer = (each for each in complete if each.app_id == release.app_id and each.pk > release.pk)
    return not any(covers(each.eligible_rule, release.eligible_rule) for each in newer)
