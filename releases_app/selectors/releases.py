"""Read releases."""

import json
from collections import defaultdict
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple

from django.db.models import CharField, F, OuterRef, Q, QuerySet, Subquery, TextField, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast, Coalesce, Concat

from accounts_app.actors import Actor
from accounts_app.selectors import seen_scopes, slugs_among
from devices_app.models import App
from releases_app.models import Release, Transition
from walle.release.rules import covers, eligible
from walle.release.states import ENDED, UNFINISHED, ReleaseState

ORDERS: Final[Mapping[str, Combinable]] = {
    "app": F("app__slug"),
    "created_at": F("created_at"),
    "moved_at": Coalesce(
        Subquery(Transition.objects.filter(release=OuterRef("pk")).order_by("-id").values("at")[:1]), F("created_at")
    ),
    "state": F("state"),
    "task": Concat("version__task__scenario__slug", Value("/"), "version__task__slug", output_field=CharField()),
}
"""What lists of releases can be sorted by; a draft, which never moved, counts as moved when it was created."""
ENDED_MIDWAY: Final = Q(state=ReleaseState.ABORTED) | Q(state=ReleaseState.SUPERSEDED, superseded_from__in=UNFINISHED)
"""The states in which devices keep the version of an ended release, unless it is put in quarantine."""


def releases() -> QuerySet[Release]:
    """Return all releases, newest first, with what their display needs."""
    return Release.objects.select_related("app", "version__task__scenario").prefetch_related("stages", "transitions")


def releases_visible_to(actor: Actor) -> QuerySet[Release]:
    """Return the releases of the scenarios and to the apps in which the actor holds a role, newest first; all for
    staff.
    """
    return releases_within(seen_scopes(actor))


def releases_within(scopes: Collection[str] | None) -> QuerySet[Release]:
    """Return the releases of these scenarios and to these apps, newest first; None stands for all."""
    found = Release.objects.select_related("app", "version__task__scenario").defer("version__manifest").order_by("-id")
    if scopes is None:
        return found
    scenarios, apps = slugs_among(scopes, "scenario"), slugs_among(scopes, "app")
    return found.filter(Q(version__task__scenario__slug__in=scenarios) | Q(app__slug__in=apps))


def release_visible_to(actor: Actor, pk: int) -> Release:
    """Return one release; raises Release.DoesNotExist if it is missing or not visible to the actor."""
    return releases_visible_to(actor).get(pk=pk)


def release_with_history(actor: Actor, pk: int) -> Release:
    """Return one release with its stages, transitions and verdicts; raises as `release_visible_to`."""
    return releases_visible_to(actor).prefetch_related("stages", "transitions", "verdicts").get(pk=pk)


def releases_in_force(app: App) -> list[Release]:
    """Return the releases that make up an app's table, newest first; retired tasks have none.

    Releases that ended midway stay until a complete release decides about their devices, so that devices keep their
    version, unless it was put in quarantine.
    """
    found = Release.objects.filter(pk__in=_in_force(app)).order_by("-id")
    return list(
        found.select_related("version__task__scenario")
        .defer("version__manifest")
        .prefetch_related("stages", "version__files")
    )


def _in_force(app: App) -> list[int]:
    """Return the ids of the app's releases in force. Thousands may have ended, so only what decides is read."""
    offered = Q(state__in=[ReleaseState.RUNNING, ReleaseState.PAUSED, ReleaseState.COMPLETE])
    ended = ENDED_MIDWAY & Q(version__quarantine=None)
    found = Release.objects.filter(offered | ended, app=app, version__task__retired_at=None, position__isnull=False)
    columns = ("pk", "state", "version__task", Cast("rule", TextField()), "version__kind", "version__interpreter")
    complete: dict[int, list[_Eligible]] = defaultdict(list)
    in_force = []
    for pk, state, task, *eligible_for in found.order_by("-id").values_list(*columns):
        whom = _Eligible(*eligible_for)
        if state in ENDED and any(_covers(newer, whom) for newer in complete[task]):
            continue
        in_force.append(pk)
        if state == ReleaseState.COMPLETE:
            complete[task].append(whom)
    return in_force


class _Eligible(NamedTuple):
    """What determines which devices are eligible: the release's rule as JSON, and what its version needs."""

    rule: str
    kind: str
    interpreter: str

    def to_rule(self) -> Mapping[str, Any]:
        return eligible(json.loads(self.rule), self.kind, self.interpreter or None)


@lru_cache(maxsize=8192)
def _covers(wide: _Eligible, narrow: _Eligible) -> bool:
    """Return whether one rule covers another. The same pairs are asked for at every publication."""
    return wide == narrow or covers(wide.to_rule(), narrow.to_rule())


def versions_withdrawn(app: App) -> list[tuple[str, str]]:
    """Return the versions that were rolled back and are still in quarantine, which no device keeps.

    Each is the name of its task and its manifest's digest.
    """
    withdrawn = Release.objects.filter(
        app=app, state=ReleaseState.ROLLED_BACK, version__quarantine__isnull=False, version__task__retired_at=None
    )
    columns = ("version__task__scenario__slug", "version__task__slug", "version__manifest_digest")
    rows = withdrawn.order_by().values_list(*columns).distinct()
    return sorted((f"{scenario}/{task}", digest) for scenario, task, digest in rows)


def older_releases(release: Release) -> QuerySet[Release]:
    """Return the older releases of the same task to the same app; all if this release is not stored yet."""
    older = Release.objects.filter(app=release.app_id, version__task=release.version.task_id)
    if release.pk is not None:
        older = older.filter(pk__lt=release.pk)
    return older.select_related("app", "version__task__scenario")


def newer_releases(release: Release) -> QuerySet[Release]:
    """Return the newer releases of the same task to the same app that have reached devices."""
    newer = Release.objects.filter(app=release.app_id, version__task=release.version.task_id, pk__gt=release.pk)
    return newer.filter(position__isnull=False).select_related("version__task__scenario")


def last_good(release: Release) -> Release | None:
    """Return the newest older release of the task that is complete: a rollback returns devices to it."""
    good = older_releases(release).filter(state=ReleaseState.COMPLETE, version__quarantine=None)
    return good.order_by("-id").first()
