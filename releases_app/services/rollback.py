"""What a rollback would do, before it is made: nothing is written."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, TypedDict

from django.db.models import QuerySet

from accounts_app.actors import Actor
from releases_app.models import Release
from releases_app.selectors.releases import ENDED_MIDWAY, releases_visible_to
from releases_app.services.quarantine import is_quarantined
from releases_app.services.supersession import behind
from tasks_app.selectors.installed import installed_on
from walle.release.rules import covers
from walle.release.states import UNFINISHED, ReleaseState

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations


@dataclass(frozen=True)
class RollbackPlan:
    """What follows from rolling back a release now; its version goes into quarantine, unless it is there already.

    `goes_back_to` are the complete releases that decide about its devices then, the newest first; where they do not
    decide about all of them, some `lose_it`, and have the task removed. `devices` of the app have the version now,
    whichever release brought it. Of other releases of the version, as far as the actor sees them: devices have it, or
    had it before, by those `withdrawn`, which the quarantine ends; those `held` are on their way, and go no further.
    """

    release: Release
    is_quarantined: bool
    goes_back_to: list[Release]
    lose_it: bool
    devices: int
    counted_at: datetime | None
    withdrawn: list[Release]
    held: list[Release]


def plan_rollback(*, release: Release, actor: Actor) -> RollbackPlan:
    """What rolling back a release would do, whether or not it can be from where it stands."""
    known_bad = is_quarantined(release.version)
    complete = _complete(release)
    restored, barred = behind(release)
    remaining = [one for one in complete if one.app_id == release.app_id and one.pk != release.pk]
    goes_back_to = list(_deciding(release, [*remaining, *restored]))
    devices, counted_at = installed_on(release.app, release.version)
    others = [] if known_bad else list(_others(release, actor))
    return RollbackPlan(
        release=release,
        is_quarantined=known_bad,
        goes_back_to=goes_back_to,
        lose_it=not any(covers(one.eligible_rule, release.eligible_rule) for one in goes_back_to),
        devices=devices,
        counted_at=counted_at,
        withdrawn=[one for one in others if one in barred or _is_left_behind(one, complete)],
        held=[one for one in others if one.state in UNFINISHED],
    )


class Ending(TypedDict):
    """How a release ended."""

    ended_midway: bool


def _others(release: Release, actor: Actor) -> "QuerySet[WithAnnotations[Release, Ending]]":
    seen = releases_visible_to(actor).filter(version=release.version, version__task__retired_at=None)
    return seen.exclude(pk=release.pk).annotate(ended_midway=ENDED_MIDWAY)


def _complete(release: Release) -> list[Release]:
    """The complete releases of the task, to all apps; a retired task is on its way off all devices."""
    found = Release.objects.filter(version__task=release.version.task_id, version__task__retired_at=None)
    return list(found.filter(state=ReleaseState.COMPLETE).select_related("version").defer("version__manifest"))


def _deciding(release: Release, complete: Iterable[Release]) -> Iterator[Release]:
    """Those that decide about any devices of a release, up to the first that decides about all."""
    for one in sorted(complete, key=lambda each: -each.pk):
        if not covers({"not": one.eligible_rule}, release.eligible_rule):
            yield one
        if covers(one.eligible_rule, release.eligible_rule):
            return


def _is_left_behind(release: "WithAnnotations[Release, Ending]", complete: Iterable[Release]) -> bool:
    """Whether a release ended midway and its devices keep its version (tasks_app.selectors.releases_in_force)."""
    if not release.ended_midway or release.position is None:
        return False
    newer = (one for one in complete if one.app_id == release.app_id and one.pk > release.pk)
    return not any(covers(one.eligible_rule, release.eligible_rule) for one in newer)
