"""Describe the progress of releases in words, for people who watch."""

from collections.abc import Iterator
from datetime import datetime

from django.db.models import Count, Max

from devices_app.selectors.interruptions import interruptions
from releases_app.models import Release, Stage, Transition
from releases_app.selectors.evidence import figures_of
from walle.release.cohort import BUCKETS
from walle.release.counted_time import counted_seconds
from walle.release.states import UNFINISHED, ReleaseState


def stage_name(stage: Stage) -> str:
    """Return the name of a stage, such as `beta testers` or `gray 20 %`."""
    return f"{stage.kind} {stage.id_list or f'{100 * stage.share / BUCKETS:g} %'}"


def stage_seconds(release: Release, now: datetime) -> float:
    """Return how long the clock of the present stage has run in seconds.

    It stands still in pauses, outside the time window, and while no gateway can store reports.
    """
    since = release.clock_since
    if since is None:
        return release.clock_s
    window = release.parsed_strategy.window
    return release.clock_s + counted_seconds(since, now, window, interruptions(since, now))


def releases_line(now: datetime) -> str:
    """Return one line about the releases in progress with their reports, and the number in each other state."""
    under_way = Release.objects.filter(state__in=UNFINISHED).select_related("version__task__scenario").order_by("id")
    parts = [f"{release.version} {_where(release, now)}" for release in under_way.prefetch_related("stages")]
    ended = Release.objects.exclude(state__in=[*UNFINISHED, ReleaseState.DRAFT]).values("state").order_by("state")
    return ", ".join([*parts, *(f"{row['count']} {row['state']}" for row in ended.annotate(count=Count("id")))])


def _where(release: Release, now: datetime) -> str:
    stage = next((each for each in release.stages.all() if each.position == release.position), None)
    if stage is None:
        return release.state
    figures = figures_of(release, now=now)["treatment"]
    held = " paused" if release.state == ReleaseState.PAUSED else ""
    return f"{stage_name(stage)}{held} ({figures['reported']} reported, {figures['failed']} failed)"


def newest_move() -> int:
    """Return the number of the newest move; 0 if there was none."""
    return Transition.objects.aggregate(newest=Max("id"))["newest"] or 0


def moves_since(number: int) -> Iterator[tuple[int, str]]:
    """Yield the moves after a number, each as its number and a line that says what was done and why."""
    moves = Transition.objects.filter(id__gt=number).select_related("release__version__task__scenario").order_by("id")
    for move in moves.prefetch_related("release__stages"):
        stages: dict[int | None, str] = {stage.position: stage_name(stage) for stage in move.release.stages.all()}
        into = stages.get(move.position_after, "") if move.after == ReleaseState.RUNNING else move.after
        reason = f": {move.reason}" if move.reason else ""
        yield move.pk, f"{move.release.version} → {into}{reason}"
