"""The progress of each of several releases, for lists that people keep open."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db import connection
from django.db.models import QuerySet

from releases_app.models import KeptFigures, Release, Stage, Transition
from releases_app.selectors.evidence import MANY
from walle.release.states import UNFINISHED

MOST: Final = 50
_COUNTS: Final = """
SELECT under_way.release, counted.*
FROM unnest(%(releases)s::bigint[], %(stages)s::bigint[], %(began)s::timestamptz[]) under_way (release, stage, began)
CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE arm = 'treatment'), count(offered_at), count(installed_at),
        count(*) FILTER (WHERE arm = 'treatment' AND outcome <> ''),
        count(*) FILTER (WHERE arm = 'treatment' AND outcome = 'failure'),
        count(*) FILTER (WHERE arm = 'treatment' AND outcome <> '' AND exposure.stage = under_way.stage
            AND (vouched OR first_seen < under_way.began)),
        count(*) FILTER (WHERE arm = 'treatment' AND outcome <> '' AND exposure.stage = under_way.stage
            AND NOT vouched AND coalesce(first_seen >= under_way.began, true))
    FROM releases_app_exposure exposure WHERE exposure.release = under_way.release AND arm <> 'repeat'
) counted
"""


@dataclass(frozen=True)
class Reached:
    """Numbers of treatment devices.

    `in_stage` are those selected in the present stage that have reported and that verdicts count. `new_in_stage` have
    reported there, too, but are new and not vouched for. `counted_at` is None if they were counted now.
    """

    drawn: int = 0
    offered: int = 0
    installed: int = 0
    reported: int = 0
    failed: int = 0
    in_stage: int = 0
    new_in_stage: int = 0
    counted_at: datetime | None = None


@dataclass(frozen=True)
class UnderWay:
    """A release, its present stage, its last move (None in a draft) and the devices it has reached."""

    release: Release
    stage: Stage | None
    moved: Transition | None
    reached: Reached


def under_way(visible: QuerySet[Release]) -> list[UnderWay]:
    """Return those of some releases that are in progress, the newest first; at most MOST.

    The time for counting is bounded, however many devices there are: where more than MANY would have to be counted
    together, the counts are those stored last (releases_app.services.figures).
    """
    return progress_of(visible.filter(state__in=UNFINISHED).prefetch_related("stages").order_by("-id")[:MOST])


def progress_of(releases: Iterable[Release]) -> list[UnderWay]:
    """Return how far each of these releases has come, ended ones too, with three queries; counted as `under_way`.

    Their stages should be prefetched.
    """
    found = list(releases)
    moved, reached = last_moves(found), _reached(found)
    return [UnderWay(release, present_stage(release), moved.get(release.pk), reached[release.pk]) for release in found]


def present_stage(release: Release) -> Stage | None:
    """Return the stage that a release is in, or was in last; None before the first one."""
    return next((stage for stage in release.stages.all() if stage.position == release.position), None)


def last_moves(releases: Iterable[Release]) -> dict[int, Transition]:
    """Return the last move of each of these releases that has any."""
    moves = Transition.objects.filter(release__in=[release.pk for release in releases])
    return {
        move.release_id: move for move in moves.order_by("release_id", "-id").distinct("release_id").defer("evidence")
    }


def _reached(releases: Iterable[Release]) -> dict[int, Reached]:
    by_pk = {release.pk: release for release in releases}
    stored = {row.release: row for row in KeptFigures.objects.filter(release__in=by_pk).defer("series")}
    deleted = {pk for pk, row in stored.items() if row.exposures_deleted_at}
    live, rows = [], 0
    for pk in sorted(by_pk.keys() - deleted, key=lambda pk: stored[pk].drawn if pk in stored else 0):
        rows += stored[pk].drawn if pk in stored else 0
        if rows < MANY:
            live.append(pk)
    stages = [stage.pk if (stage := present_stage(by_pk[pk])) else None for pk in live]
    began = [by_pk[pk].began_at for pk in live]
    with connection.cursor() as cursor:
        cursor.execute(_COUNTS, {"releases": live, "stages": stages, "began": began})
        counted = {release: Reached(*counts) for release, *counts in cursor.fetchall()}
    reached = {pk: _stored_counts(stored[pk].figures, stored[pk].counted_at) for pk in by_pk.keys() & stored.keys()}
    return {pk: counted[pk] if pk in counted else reached[pk] for pk in by_pk}


def _stored_counts(figures: Mapping[str, Any], counted_at: datetime) -> Reached:
    names = ("drawn", "offered", "installed", "reported", "failed", "in_stage")
    new = figures.get("new", {}).get("in_stage", 0)
    counts = {name: figures["treatment"].get(name, 0) for name in names}
    return Reached(**counts, new_in_stage=new, counted_at=counted_at)
